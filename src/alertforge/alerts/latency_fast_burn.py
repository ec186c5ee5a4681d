"""Latency fast burn: see `burn.py` for the table; requests that are too slow, in the tier called `fast`."""

from __future__ import annotations

from typing import ClassVar

from alertforge.alerts.base import Begins
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import LATENCY, Sli


class LatencyFastBurn(BurnKind):
    """The fast tier, of the latency objective."""

    name: ClassVar[str] = "latency-fast-burn"
    title: ClassVar[str] = "latency fast burn"
    tier: ClassVar[str] = "fast"
    sli: ClassVar[Sli] = LATENCY
    histogram: ClassVar[bool] = True
    begins: ClassVar[Begins] = ""
    metrics: ClassVar[tuple[tuple[str, str], ...]] = LATENCY.metrics


KIND = LatencyFastBurn()
