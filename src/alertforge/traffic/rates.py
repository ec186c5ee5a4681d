"""Rates of counters minute by minute: what `prometheus.functions.rate` computes, at a fraction of the cost.

Contracts ask for the same window at every minute of a scenario that lasts for hours. Counters are integers and are
scraped once a minute, so a window's rate needs two samples and the resets between them: all of it whole numbers until
the one division at the end. The results are equal to those of `rate`, not merely close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from alertforge.prometheus.number import NAN, Number
from alertforge.prometheus.series import Marker, Series

SCRAPE = 60  # seconds from sample to sample


@dataclass(frozen=True)
class _Counter:
    """The samples of one counter, with what each window needs ready at hand."""

    before: Sequence[int]  # how many samples stand in the slots before this one
    slots: Sequence[int]  # the slot of each sample
    values: Sequence[int]
    lost: Sequence[int]  # what resets up to this sample have taken away


@dataclass(frozen=True, eq=False)
class _Stretch:
    """How far a window's change is stretched to its boundaries; all lengths in one and the same fine unit."""

    covered: int  # from the first sample to the last
    to_start: int
    to_end: int


def summed_rates(counters: Sequence[Series], window: int, minutes: Iterable[int]) -> list[Number]:
    """The sum of the counters' rates a second over `window` minutes, at each of the minutes.

    NaN where no counter has two samples in the window. Raises ValueError for series that are not scraped every minute.
    """
    read = [_counter(one) for one in counters]
    return [_sum(read, window, minute) for minute in minutes]


def _counter(series: Series) -> _Counter:
    if series.interval != SCRAPE:
        raise ValueError(f"{series.labels.name} is not scraped every minute")
    before = [0]
    slots: list[int] = []
    values: list[int] = []
    lost: list[int] = []
    for slot, sample in enumerate(series.samples):
        if not isinstance(sample, Marker):
            if not isinstance(sample, int):
                raise ValueError(f"{series.labels.name} is no counter of whole events")
            reset = values[-1] if values and sample < values[-1] else 0
            lost.append((lost[-1] if lost else 0) + reset)
            slots.append(slot)
            values.append(sample)
        before.append(len(slots))
    return _Counter(before, slots, values, lost)


def _sum(counters: Sequence[_Counter], window: int, minute: int) -> Number:
    stretched: dict[_Stretch, int] = {}  # numerators over what is covered: of most counters the same
    whole, found = 0, False
    for one in counters:
        slots = len(one.before) - 1
        first = one.before[min(max(minute - window + 1, 0), slots)]
        last = one.before[min(minute + 1, slots)] - 1
        if last <= first:
            continue
        found = True
        value, begin, end = one.values[first], one.slots[first], one.slots[last]
        change = one.values[last] - value + one.lost[last] - one.lost[first]
        by = _stretch(end - begin, last - first, begin - (minute - window), minute - end)
        if change > 0 and value * by.covered < by.to_start * change:  # it would have been negative at the start
            whole += change + value
            added = change * by.to_end
        else:
            added = change * (by.covered + by.to_start + by.to_end)
        stretched[by] = stretched.get(by, 0) + added
    if not found:
        return NAN
    return sum((Fraction(added, by.covered) for by, added in stretched.items()), Fraction(whole)) / (window * SCRAPE)


@cache
def _stretch(covered: int, steps: int, to_start: int, to_end: int) -> _Stretch:
    """As `extrapolatedRate` of Prometheus 3.5; arguments in minutes, but for the number of steps between samples.

    The unit is the second divided by twice the steps, in which half a step's length is a whole number.
    """
    seconds, unit = covered * SCRAPE, 2 * steps
    threshold = seconds / steps * 1.1  # in float64 as in Prometheus: the comparison below is a step
    start, end = (seconds if side * SCRAPE >= threshold else side * SCRAPE * unit for side in (to_start, to_end))
    return _Stretch(seconds * unit, start, end)
