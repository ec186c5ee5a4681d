"""Latency slow burn: see `burn.py` for the table; requests that are too slow, in the tier called `slow`."""

from __future__ import annotations

from typing import ClassVar

from alertforge.alerts.base import Begins
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import LATENCY, Sli


class LatencySlowBurn(BurnKind):
    """The slow tier, of the latency objective."""

    name: ClassVar[str] = "latency-slow-burn"
    title: ClassVar[str] = "latency slow burn"
    tier: ClassVar[str] = "slow"
    sli: ClassVar[Sli] = LATENCY
    histogram: ClassVar[bool] = True
    begins: ClassVar[Begins] = ""
    metrics: ClassVar[tuple[tuple[str, str], ...]] = LATENCY.metrics


KIND = LatencySlowBurn()
