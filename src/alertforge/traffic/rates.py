"""Rates of counters minute by minute: what `prometheus.functions.rate` computes, at a fraction of the cost.

Contracts ask for the same window at every minute of a scenario that lasts for hours. Counters are integers and are
scraped once a minute, so a window's rate needs two samples and the resets between them: all of it whole numbers until
the one division at the end. The results are equal to those of `rate`, not merely close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

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


@dataclass(frozen=True)
class _Stretch:
    """How far a window's change is stretched to its boundaries, in seconds and as a factor."""

    to_start: Fraction
    to_end: Fraction
    factor: Fraction


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
    changes: dict[tuple[int, int, int, int], int] = {}  # by what decides how far they are stretched
    odd = Fraction(0)  # increases of counters that would have been negative at the start of the window
    for one in counters:
        slots = len(one.before) - 1
        first = one.before[min(max(minute - window + 1, 0), slots)]
        last = one.before[min(minute + 1, slots)] - 1
        if last <= first:
            continue
        value = one.values[first]
        change = one.values[last] - value + one.lost[last] - one.lost[first]
        covered = one.slots[last] - one.slots[first]
        shape = (covered, last - first, one.slots[first] - (minute - window), minute - one.slots[last])
        stretch = _stretch(*shape)
        if change > 0 and value * covered * SCRAPE < stretch.to_start * change:
            odd += change + value + change * stretch.to_end / (covered * SCRAPE)
            changes.setdefault(shape, 0)
        else:
            changes[shape] = changes.get(shape, 0) + change
    if not changes:
        return NAN
    return (sum((change * _stretch(*shape).factor for shape, change in changes.items()), odd)) / (window * SCRAPE)


@lru_cache(maxsize=4096)
def _stretch(covered: int, steps: int, to_start: int, to_end: int) -> _Stretch:
    """As `extrapolatedRate` of Prometheus 3.5; arguments in minutes."""
    seconds = covered * SCRAPE
    threshold = seconds / steps * 1.1  # in float64 as in Prometheus: the comparison below is a step
    half = Fraction(seconds, 2 * steps)
    start, end = (half if side * SCRAPE >= threshold else Fraction(side * SCRAPE) for side in (to_start, to_end))
    return _Stretch(start, end, (seconds + start + end) / seconds)
