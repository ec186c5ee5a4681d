"""Fast burn: see `burn.py` for the table; this is the tier that the house style calls `fast`."""

from __future__ import annotations

from typing import ClassVar

from alertforge.alerts.burn import BurnKind


class FastBurn(BurnKind):
    """The fast tier."""

    name: ClassVar[str] = "fast-burn"
    title: ClassVar[str] = "fast burn"
    tier: ClassVar[str] = "fast"


KIND = FastBurn()
