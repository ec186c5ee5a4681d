"""Dates of one task: first the incident, then the quarterly review that looked at it, then today's requests."""

from __future__ import annotations

from datetime import date, timedelta

from alertforge.seeds import Seed
from alertforge.world.model import Calendar

_FIRST_DAY = date(2024, 3, 4)
_DAYS = 700
_SATURDAY = 5


def draw(seed: Seed) -> Calendar:
    """Dates and running numbers. Incidents happen on any day; reviews and requests on working days."""
    rng = seed.rng("calendar")
    today = _working_day(_FIRST_DAY + timedelta(days=rng.below(_DAYS)))
    review = _working_day(today - timedelta(days=rng.between(4, 12)))
    incident = review - timedelta(days=rng.between(2, 16))
    return Calendar(today, incident, review, rng.between(14, 420), rng.between(210, 7800))


def _working_day(day: date) -> date:
    """The day, or the Friday before a weekend."""
    return day - timedelta(days=max(0, day.weekday() - _SATURDAY + 1))
