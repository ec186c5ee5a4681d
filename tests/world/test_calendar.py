"""Days on which people work."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from alertforge.seeds import Seed
from alertforge.world.calendar import draw, easter, working_day


@pytest.mark.parametrize(
    ("day", "worked"),
    [
        (date(2025, 6, 18), date(2025, 6, 18)),  # a Wednesday
        (date(2025, 6, 22), date(2025, 6, 20)),  # a Sunday
        (date(2024, 12, 26), date(2024, 12, 23)),
        (date(2024, 12, 27), date(2024, 12, 23)),  # a Friday between the years
        (date(2025, 1, 2), date(2024, 12, 23)),
        (date(2025, 1, 3), date(2025, 1, 3)),
        (date(2027, 12, 26), date(2027, 12, 23)),  # holidays and a weekend in a row
        (date(2025, 4, 18), date(2025, 4, 17)),  # Good Friday
        (date(2025, 4, 21), date(2025, 4, 17)),  # Easter Monday
        (date(2025, 4, 22), date(2025, 4, 22)),
        (date(2024, 5, 1), date(2024, 4, 30)),
        (date(2024, 5, 9), date(2024, 5, 8)),  # Ascension Day
        (date(2024, 5, 20), date(2024, 5, 17)),  # Whit Monday
        (date(2025, 6, 9), date(2025, 6, 6)),  # Whit Monday
    ],
)
def test_a_working_day_is_the_day_or_the_last_one_before_it(day: date, worked: date) -> None:
    assert working_day(day) == worked


@pytest.mark.parametrize(
    ("year", "sunday"),
    # from printed calendars, the earliest and the latest possible date among them
    [
        (1818, date(1818, 3, 22)),
        (1943, date(1943, 4, 25)),
        (1954, date(1954, 4, 18)),
        (1981, date(1981, 4, 19)),
        (2000, date(2000, 4, 23)),
        (2023, date(2023, 4, 9)),
        (2024, date(2024, 3, 31)),
        (2025, date(2025, 4, 20)),
        (2026, date(2026, 4, 5)),
        (2038, date(2038, 4, 25)),
    ],
)
def test_easter_is_when_the_calendars_have_it(year: int, sunday: date) -> None:
    assert easter(year) == sunday


def test_no_date_of_a_task_is_a_weekend_or_a_holiday() -> None:
    free = {(1, 1), (1, 2), (5, 1), *((12, day) for day in range(24, 32))}
    moving = {
        *(date(2024, *day) for day in ((3, 29), (4, 1), (5, 9), (5, 20))),
        *(date(2025, *day) for day in ((4, 18), (4, 21), (5, 29), (6, 9))),
        *(date(2026, *day) for day in ((4, 3), (4, 6), (5, 14), (5, 25))),
    }
    for number in range(1500):
        calendar = draw(Seed.master(f"calendar-{number}"))
        assert calendar.incident < calendar.review < calendar.today < calendar.incident + timedelta(days=43)
        for day in (calendar.incident, calendar.review, calendar.today):
            assert day.weekday() < 5 and (day.month, day.day) not in free and day not in moving
