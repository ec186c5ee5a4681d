"""Dates of one task: first the incident, then the quarterly review that looked at it, then today's requests."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import Final

from alertforge.seeds import Seed
from alertforge.world.model import Calendar

_FIRST_DAY: Final = date(2024, 3, 4)
_DAYS: Final = 700
_SATURDAY: Final = 5
# month and day; nobody decides anything between the years
_FIXED_HOLIDAYS: Final = frozenset({(1, 1), (1, 2), (5, 1), *((12, day) for day in range(24, 32))})
_AFTER_EASTER: Final = (-2, 1, 39, 50)  # days: Good Friday, Easter Monday, Ascension Day, Whit Monday


def draw(seed: Seed) -> Calendar:
    """Dates and running numbers. All are working days: reports are written, reviewed and answered in office hours."""
    rng = seed.rng("calendar")
    today = working_day(_FIRST_DAY + timedelta(days=rng.below(_DAYS)))
    review = working_day(today - timedelta(days=rng.between(4, 12)))
    incident = working_day(review - timedelta(days=rng.between(2, 16)))
    return Calendar(today, incident, review, rng.between(14, 420), rng.between(210, 7800))


def working_day(day: date) -> date:
    """The day, or the last one before it on which people work: no weekend and no holiday that most of Europe has."""
    while day.weekday() >= _SATURDAY or (day.month, day.day) in _FIXED_HOLIDAYS or day in _moving_holidays(day.year):
        day -= timedelta(days=1)
    return day


@cache
def _moving_holidays(year: int) -> frozenset[date]:
    return frozenset(easter(year) + timedelta(days=days) for days in _AFTER_EASTER)


def easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, by the anonymous algorithm.

    Source: Nature 13 (20 April 1876), p. 487, as given in J. Meeus, Astronomical Algorithms, 2nd ed., chapter 8.
    """
    golden = year % 19
    century, rest = divmod(year, 100)
    correction = (century - (century + 8) // 25 + 1) // 3
    epact = (19 * golden + century - century // 4 - correction + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    late = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)
