"""Days on which people work."""

from __future__ import annotations

from datetime import date

import pytest

from alertforge.world.calendar import working_day


@pytest.mark.parametrize(
    ("day", "worked"),
    [
        (date(2025, 6, 18), date(2025, 6, 18)),  # a Wednesday
        (date(2025, 6, 22), date(2025, 6, 20)),  # a Sunday
        (date(2024, 12, 26), date(2024, 12, 23)),
        (date(2025, 1, 1), date(2024, 12, 30)),
        (date(2027, 12, 27), date(2027, 12, 27)),  # a Monday
        (date(2027, 12, 26), date(2027, 12, 23)),  # holidays and a weekend in a row
    ],
)
def test_a_working_day_is_the_day_or_the_last_one_before_it(day: date, worked: date) -> None:
    assert working_day(day) == worked
