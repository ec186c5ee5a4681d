"""Dates of one task: first the incident, then the quarterly review that looked at it, then today's requests."""

from __future__ import annotations

from datetime import date, timedelta

from alertforge.seeds import Seed
from alertforge.world.model import Calendar

_FIRST_DAY = date(2024, 3, 4)
_DAYS = 700
_SATURDAY = 5
_HOLIDAYS = ((12, 24), (12, 25), (12, 26), (12, 31), (1, 1))  # month and day


def draw(seed: Seed) -> Calendar:
    """Dates and running numbers. All are working days: reports are written, reviewed and answered in office hours."""
    rng = seed.rng("calendar")
    today = working_day(_FIRST_DAY + timedelta(days=rng.below(_DAYS)))
    review = working_day(today - timedelta(days=rng.between(4, 12)))
    incident = working_day(review - timedelta(days=rng.between(2, 16)))
    return Calendar(today, incident, review, rng.between(14, 420), rng.between(210, 7800))


def working_day(day: date) -> date:
    """The day, or the last one before it on which people work: no weekend, no holiday of the turn of the year."""
    while day.weekday() >= _SATURDAY or (day.month, day.day) in _HOLIDAYS:
        day -= timedelta(days=1)
    return day
