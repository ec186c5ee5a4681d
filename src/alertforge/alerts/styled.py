"""What most alert kinds have in common: their numbers stand in the house style under the kind's name."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Begins, Subject, exported
from alertforge.repo.wordings import Fact
from alertforge.world.model import Urgency


class StyledKind:
    """Base of the kinds: an alert of one rule on counters or gauges, unless the kind says otherwise.

    A kind names itself and says what it asks for (`asks`); `for`, threshold and window are the house's. What the
    class variables mean is said at `base.AlertKind`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    asks: ClassVar[Urgency]
    burn: ClassVar[bool] = False
    definitions: ClassVar[int] = 1
    histogram: ClassVar[bool] = False
    stores: ClassVar[tuple[str, ...]] = ()
    anybody: ClassVar[bool] = False
    protocols: ClassVar[tuple[str, ...]] = ("web", "rpc", "job")
    felt: ClassVar[bool] = False
    begins: ClassVar[Begins] = ""
    windowed: ClassVar[bool] = False
    metrics: ClassVar[tuple[tuple[str, str], ...]]

    def exported(self, subject: Subject) -> tuple[tuple[str, Fact], ...]:
        """What it reads."""
        return exported(self.metrics, subject)

    def urgency(self, subject: Subject) -> Urgency:
        """Page or ticket."""
        return self.asks

    def for_minutes(self, subject: Subject) -> int:
        """As the house has it."""
        return subject.style.for_[self.name]

    def threshold(self, subject: Subject) -> Fraction:
        """As the house has it, in the unit of `styles.UNITS`."""
        return Fraction(subject.style.thresholds[self.name])
