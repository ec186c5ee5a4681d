"""Summed rates are those of the reference evaluator, to the last digit."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alertforge.prometheus.functions import rate, sum_
from alertforge.prometheus.number import is_nan
from alertforge.prometheus.series import GAP, METRIC_NAME, STALE, Labels, Sample, Series
from alertforge.traffic.rates import summed_rates

SAMPLES = st.lists(st.one_of(st.integers(0, 500), st.sampled_from([GAP, STALE])), min_size=1, max_size=40)


def series(*columns: list[Sample], interval: int = 60) -> list[Series]:
    return [
        Series(Labels.of({METRIC_NAME: "requests_total", "pod": str(pod)}), tuple(samples), interval)
        for pod, samples in enumerate(columns)
    ]


def reference(counters: list[Series], window: int, minute: int) -> object:
    found = sum_(rate(counters, window * 60, minute * 60))
    return next(iter(found.values()), None)


@settings(max_examples=300, deadline=None)
@given(st.lists(SAMPLES, min_size=1, max_size=4), st.integers(1, 30))
def test_equal_to_the_reference_evaluator_with_resets_gaps_and_ends(columns: list[list[Sample]], window: int) -> None:
    counters = series(*columns)
    minutes = range(45)
    for minute, found in zip(minutes, summed_rates(counters, window, minutes), strict=True):
        expected = reference(counters, window, minute)
        assert is_nan(found) if expected is None else found == expected


def test_a_rising_counter_is_as_fast_as_it_rises() -> None:
    assert summed_rates(series([60 * minute + 6000 for minute in range(20)]), 5, [10]) == [1]


def test_minutes_are_answered_in_the_order_asked() -> None:
    counters = series([minute * minute + 900 for minute in range(30)])
    assert summed_rates(counters, 5, [20, 10]) == [*summed_rates(counters, 5, [20]), *summed_rates(counters, 5, [10])]


def test_other_intervals_and_fractions_are_refused() -> None:
    with pytest.raises(ValueError, match="every minute"):
        summed_rates(series([1, 2], interval=30), 5, [1])
    with pytest.raises(ValueError, match="whole events"):
        summed_rates(series([1, 2.5]), 5, [1])
