"""Slow burn: see `burn.py` for the table; this is the tier that the house style calls `slow`."""

from __future__ import annotations

from typing import ClassVar

from alertforge.alerts.burn import BurnKind


class SlowBurn(BurnKind):
    """The slow tier."""

    name: ClassVar[str] = "slow-burn"
    title: ClassVar[str] = "slow burn"
    tier: ClassVar[str] = "slow"


KIND = SlowBurn()
