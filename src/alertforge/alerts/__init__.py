"""Alert kinds, one file each; `base.py` says what a kind is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from alertforge.alerts import (
    batch_overdue,
    cert_expiry,
    consumer_lag,
    cpu_throttling,
    crash_looping,
    disk_filling,
    error_ratio,
    fast_burn,
    latency_fast_burn,
    latency_quantile,
    latency_slow_burn,
    memory_limit,
    pool_saturation,
    probe_failing,
    replica_lag,
    slow_burn,
    slow_share,
    target_down,
    traffic_floor,
)
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
        crash_looping,
        cpu_throttling,
        traffic_floor,
        probe_failing,
        pool_saturation,
        latency_fast_burn,
        latency_slow_burn,
        disk_filling,
        cert_expiry,
        batch_overdue,
        consumer_lag,
        replica_lag,
        slow_share,
    )
}
