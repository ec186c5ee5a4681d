"""Alert kinds, one file each; `base.py` says what a kind is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from alertforge.alerts import error_ratio, fast_burn, latency_quantile, memory_limit, slow_burn, target_down
from alertforge.alerts.base import AlertKind

KINDS: Final[Mapping[str, AlertKind]] = {
    module.KIND.name: module.KIND
    for module in (
        fast_burn,
        slow_burn,
        target_down,
        error_ratio,
        latency_quantile,
        memory_limit,
    )
}
