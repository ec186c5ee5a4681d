# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""The reference evaluator: selectors and functions of PromQL as Prometheus 3.5 computes them.

A library, not an interpreter: the condition of an alert is written as Python over series, independently of any rule
text. Times and windows are whole seconds, the first sample of a series stands at second 0. Finite values are exact
fractions (`alertforge.prometheus.number`); `docs/fidelity.md` lists what follows from that.

`select` makes instant vectors, the functions with a `window` read range vectors: `rate(series, 300, at)` is
`rate(series[5m])` evaluated at second `at`. Range selectors and the lookback are left-open: a sample exactly `window`
seconds old is outside. The operators live in `alertforge.prometheus.operators` and are re-exported here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from alertforge.prometheus import number
from alertforge.prometheus.number import INF, NAN, Number, Scalar, exact
from alertforge.prometheus.operators import (
    QueryError,
    Vector,
    and_,
    arithmetic,
    avg,
    bottomk,
    collect,
    compare,
    count,
    group,
    max_,
    min_,
    nameless,
    or_,
    quantile,
    stddev,
    stdvar,
    sum_,
    topk,
    unless,
)
from alertforge.prometheus.series import METRIC_NAME, STALE, Labels, Marker, Series

__all__ = [
    "LOOKBACK",
    "Number",
    "Points",
    "QueryError",
    "Scalar",
    "Vector",
    "absent",
    "absent_over_time",
    "and_",
    "arithmetic",
    "avg",
    "avg_over_time",
    "bottomk",
    "changes",
    "clamp_max",
    "clamp_min",
    "compare",
    "count",
    "count_over_time",
    "delta",
    "deriv",
    "group",
    "histogram_quantile",
    "idelta",
    "increase",
    "irate",
    "last_over_time",
    "max_",
    "max_over_time",
    "min_",
    "min_over_time",
    "or_",
    "predict_linear",
    "present_over_time",
    "quantile",
    "quantile_over_time",
    "rate",
    "resets",
    "scalar",
    "select",
    "stddev",
    "stddev_over_time",
    "stdvar",
    "stdvar_over_time",
    "subquery",
    "sum_",
    "sum_over_time",
    "topk",
    "unless",
]

LOOKBACK: Final = 300  # seconds that a sample stays visible to an instant selector


# Selectors


@dataclass(frozen=True)
class Points:
    """Values of one label set at given seconds, oldest first: what a subquery yields."""

    labels: Labels
    times: tuple[int, ...]
    values: tuple[Number, ...]


Source = Series | Points


@dataclass(frozen=True)
class Window:
    """The samples of one series in the range (start, end]; `at` is the evaluation time, `offset` later than `end`."""

    start: int
    end: int
    at: int
    times: Sequence[int]
    values: Sequence[Scalar]


def select(series: Iterable[Series], at: int, *, offset: int = 0, lookback: int = LOOKBACK) -> Vector:
    """Instant selector: each series' latest sample in (at - offset - lookback, at - offset], names kept.

    A gap lets the sample before it through, a staleness marker hides the series at once.
    """
    found: list[tuple[Labels, Number]] = []
    for one in series:
        low, high = _slots(one, at - offset - lookback, at - offset)
        newest = next((one.samples[slot] for slot in range(high - 1, low - 1, -1) if _is_mark(one, slot)), STALE)
        if not isinstance(newest, Marker):
            found.append((one.labels, exact(newest)))
    return collect(found)


def _slots(series: Series, start: int, end: int) -> tuple[int, int]:
    """The slots of the samples in (start, end], as the bounds of a slice."""
    low = max(start // series.interval + 1, 0)
    return low, max(min(end // series.interval + 1, len(series.samples)), low)


def _is_mark(series: Series, slot: int) -> bool:
    """Whether something was written in the slot: a value or a staleness marker."""
    sample = series.samples[slot]
    return not isinstance(sample, Marker) or sample is STALE


def _window(source: Source, window: int, at: int, offset: int) -> Window:
    start, end = at - offset - window, at - offset
    if isinstance(source, Points):
        low, high = bisect_right(source.times, start), bisect_right(source.times, end)
        return Window(start, end, at, source.times[low:high], source.values[low:high])
    low, high = _slots(source, start, end)
    slots = source.samples[low:high]
    values = [sample for sample in slots if not isinstance(sample, Marker)]
    times: Sequence[int] = range(low * source.interval, high * source.interval, source.interval)
    if len(values) < len(slots):
        times = [time for time, sample in zip(times, slots, strict=True) if not isinstance(sample, Marker)]
    return Window(start, end, at, times, values)


def subquery(
    evaluate: Callable[[int], Vector], window: int, step: int, at: int, *, offset: int = 0
) -> tuple[Points, ...]:
    """`expression[window:step] offset ...` at second `at`: the input of a range function with the same window.

    `evaluate` is called at each multiple of `step` in (at - offset - window, at - offset], times before 0 included;
    wrap it in `functools.cache` when windows overlap. The points keep their times, so the range function needs the
    same `at` and `offset` again: `max_over_time(subquery(five_minute_rate, 1800, 60, at), 1800, at)`.
    """
    start, end = at - offset - window, at - offset
    found: dict[Labels, tuple[list[int], list[Number]]] = {}
    for time in range((start // step + 1) * step, end + 1, step):
        for labels, value in evaluate(time).items():
            times, values = found.setdefault(labels, ([], []))
            times.append(time)
            values.append(value)
    return tuple(Points(labels, tuple(times), tuple(values)) for labels, (times, values) in found.items())


# Functions of a range vector


def _over(
    series: Iterable[Source],
    window: int,
    at: int,
    offset: int,
    compute: Callable[[Window], Number],
    *,
    least: int = 1,
    keep_name: bool = False,
) -> Vector:
    """`compute` for every series with at least `least` samples in the range."""
    found: list[tuple[Labels, Number]] = []
    for source in series:
        samples = _window(source, window, at, offset)
        if len(samples.values) >= least:
            found.append((source.labels if keep_name else nameless(source.labels), compute(samples)))
    return collect(found)


def rate(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`rate`: the extrapolated increase of a counter per second; needs two samples."""
    return _over(series, window, at, offset, lambda w: number.div(_extrapolated(w, is_counter=True), window), least=2)


def increase(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`increase`: the extrapolated increase of a counter over the window; needs two samples."""
    return _over(series, window, at, offset, lambda w: _extrapolated(w, is_counter=True), least=2)


def delta(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`delta`: the extrapolated change of a gauge over the window; needs two samples."""
    return _over(series, window, at, offset, lambda w: _extrapolated(w, is_counter=False), least=2)


def _extrapolated(window: Window, *, is_counter: bool) -> Number:
    """The change in the window, stretched to its boundaries (`extrapolatedRate` of Prometheus 3.5).

    The samples' own change is extended to a boundary that is less than 1.1 average sample distances away, otherwise by
    half a distance; for a counter never further back than where it would have been zero.
    """
    times, values = window.times, window.values
    terms = [values[-1], -values[0]]
    if is_counter:
        terms += [before for before, after in pairwise(values) if after < before]  # a reset: it restarted from zero
    change = number.total(terms)
    if not isinstance(change, Fraction):
        return change  # stretching by a positive factor changes nothing
    covered, steps = times[-1] - times[0], len(times) - 1
    threshold = covered / steps * 1.1  # in float64 as in Prometheus: the comparison below is a step
    to_start: int | Fraction = times[0] - window.start
    to_end: int | Fraction = window.end - times[-1]
    if to_start >= threshold:
        to_start = Fraction(covered, 2 * steps)
    if to_end >= threshold:
        to_end = Fraction(covered, 2 * steps)
    if is_counter and change > 0 and values[0] >= 0:
        to_start = min(to_start, covered * Fraction(values[0]) / change)
    return change * (covered + to_start + to_end) / covered


def irate(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`irate`: the increase per second between the last two samples of the window; after a reset, from zero."""

    def compute(samples: Window) -> Number:
        before, last = samples.values[-2:]
        gained = exact(last) if last < before else number.sub(last, before)
        return number.div(gained, samples.times[-1] - samples.times[-2])

    return _over(series, window, at, offset, compute, least=2)


def idelta(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`idelta`: the difference of the last two samples of the window."""
    return _over(series, window, at, offset, lambda w: number.sub(w.values[-1], w.values[-2]), least=2)


def deriv(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`deriv`: the slope per second of the least-squares line through the samples; needs two."""
    return _over(series, window, at, offset, lambda w: _regression(w)[0], least=2)


def predict_linear(series: Iterable[Source], window: int, at: int, seconds_ahead: Scalar, *, offset: int = 0) -> Vector:
    """`predict_linear`: the least-squares line at `seconds_ahead` after `at` (not after `at - offset`)."""

    def compute(samples: Window) -> Number:
        slope, intercept = _regression(samples)
        return number.add(number.mul(slope, seconds_ahead), intercept)

    return _over(series, window, at, offset, compute, least=2)


def _regression(window: Window) -> tuple[Number, Number]:
    """Slope per second and value at the evaluation time of the least-squares line."""
    xs, n = [time - window.at for time in window.times], len(window.times)
    whole = number.integers(window.values)
    if whole is None:
        return _float_regression(xs, [float(value) for value in window.values])
    ys, common = whole
    sum_x, sum_y = sum(xs), sum(ys)
    spread = n * sum(x * x for x in xs) - sum_x * sum_x
    slope = Fraction(n * sum(x * y for x, y in zip(xs, ys, strict=True)) - sum_x * sum_y, spread * common)
    return slope, Fraction(sum_y, n * common) - slope * Fraction(sum_x, n)


def _float_regression(xs: Sequence[int], ys: Sequence[float]) -> tuple[Number, Number]:
    """The same with NaN or infinities among the values: the formula of Prometheus decides which of them comes out."""
    if all(y == ys[0] for y in ys):
        return NAN, NAN
    n, sum_x, sum_y = len(xs), sum(xs), sum(ys)
    covariance = sum(x * y for x, y in zip(xs, ys, strict=True)) - sum_x * sum_y / n
    slope = covariance / (sum(x * x for x in xs) - sum_x * sum_x / n)
    return exact(slope), exact(sum_y / n - slope * sum_x / n)


def changes(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`changes`: how often the value changed from one sample to the next (NaN to NaN is no change)."""

    def differ(before: Scalar, after: Scalar) -> bool:
        return before != after and not (number.is_nan(before) and number.is_nan(after))

    return _over(series, window, at, offset, lambda w: _pairs(w, differ))


def resets(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`resets`: how often the value fell from one sample to the next."""
    return _over(series, window, at, offset, lambda w: _pairs(w, lambda before, after: after < before))


def _pairs(window: Window, holds: Callable[[Scalar, Scalar], bool]) -> Number:
    return Fraction(sum(1 for before, after in pairwise(window.values) if holds(before, after)))


def avg_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`avg_over_time`: the mean of the samples."""
    return _over(series, window, at, offset, lambda w: number.mean(w.values))


def min_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`min_over_time`: the smallest sample; NaN only if all are NaN."""
    return _over(series, window, at, offset, lambda w: number.smallest(w.values))


def max_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`max_over_time`: the largest sample; NaN only if all are NaN."""
    return _over(series, window, at, offset, lambda w: number.largest(w.values))


def sum_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`sum_over_time`: the sum of the samples."""
    return _over(series, window, at, offset, lambda w: number.total(w.values))


def count_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`count_over_time`: the number of samples."""
    return _over(series, window, at, offset, lambda w: Fraction(len(w.values)))


def last_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`last_over_time`: the newest sample; the metric name is kept."""
    return _over(series, window, at, offset, lambda w: exact(w.values[-1]), keep_name=True)


def present_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`present_over_time`: 1 for every series with a sample."""
    return _over(series, window, at, offset, lambda w: Fraction(1))


def stddev_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`stddev_over_time`: the population standard deviation of the samples (rounded to float64)."""
    return _over(series, window, at, offset, lambda w: number.root(number.variance(w.values)))


def stdvar_over_time(series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`stdvar_over_time`: the population variance of the samples."""
    return _over(series, window, at, offset, lambda w: number.variance(w.values))


def quantile_over_time(q: Scalar, series: Iterable[Source], window: int, at: int, *, offset: int = 0) -> Vector:
    """`quantile_over_time(q, ...)`: the q-quantile of the samples, interpolated."""
    return _over(series, window, at, offset, lambda w: number.quantile_of(q, w.values))


# Functions of an instant vector


def absent(vector: Vector, labels: Labels | Mapping[str, str]) -> Vector:
    """`absent`: 1 if the vector is empty, nothing otherwise.

    `labels` are those of the selector's equality matchers (none for any other expression); a metric name is dropped.
    """
    return {} if vector else {_absent_labels(labels): Fraction(1)}


def absent_over_time(
    series: Iterable[Source], window: int, at: int, labels: Labels | Mapping[str, str], *, offset: int = 0
) -> Vector:
    """`absent_over_time`: 1 if no series has a sample in the range, nothing otherwise; `labels` as in `absent`."""
    present = any(_window(source, window, at, offset).values for source in series)
    return {} if present else {_absent_labels(labels): Fraction(1)}


def _absent_labels(labels: Labels | Mapping[str, str]) -> Labels:
    return nameless(labels if isinstance(labels, Labels) else Labels.of(labels))


def clamp_min(vector: Vector, least: Scalar) -> Vector:
    """`clamp_min`: every value at least `least`; NaN stays NaN."""
    bound = exact(least)
    return collect((nameless(labels), bound if value < bound else value) for labels, value in vector.items())


def clamp_max(vector: Vector, most: Scalar) -> Vector:
    """`clamp_max`: every value at most `most`; NaN stays NaN."""
    bound = exact(most)
    return collect((nameless(labels), bound if value > bound else value) for labels, value in vector.items())


def scalar(vector: Vector) -> Number:
    """`scalar`: the value of the only sample, NaN if there is none or more than one."""
    values = list(vector.values())
    return values[0] if len(values) == 1 else NAN


@dataclass(frozen=True)
class _Bucket:
    bound: float
    count: Number


_BOUND: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|[+-]?inf(?:inity)?", re.IGNORECASE)
_SMALL_DELTA: Final = Fraction(1, 10**12)  # relative; smaller differences between buckets are float noise


def histogram_quantile(q: Scalar, vector: Vector) -> Vector:
    """`histogram_quantile` over classic buckets: one value per label set without `le`.

    Counts need not be integers (rates are the usual input). Series whose `le` is missing or no number are ignored.
    Without an `le="+Inf"` bucket, without observations, or with one bucket only the result is NaN.
    """
    histograms: dict[Labels, list[_Bucket]] = {}
    for labels, value in vector.items():
        bound = labels.get("le")
        if _BOUND.fullmatch(bound):
            buckets = histograms.setdefault(labels.without((METRIC_NAME, "le")), [])
            buckets.append(_Bucket(float(bound), value))
    return {labels: _bucket_quantile(q, buckets) for labels, buckets in histograms.items()}


def _bucket_quantile(q: Scalar, unordered: Sequence[_Bucket]) -> Number:
    """`BucketQuantile` of Prometheus 3.5."""
    if number.is_nan(q):
        return NAN
    if q < 0 or q > 1:
        return -INF if q < 0 else INF
    buckets = _monotonic(_coalesced(unordered))
    observations = buckets[-1].count
    if buckets[-1].bound != INF or len(buckets) < 2 or observations == 0:
        return NAN
    # Whether a bucket holds the rank is a step: decided in float64 as in Prometheus, not on a hair of 0.9 - 9/10.
    float_rank = float(q) * float(observations)
    inner = buckets[:-1]
    at = next((index for index, bucket in enumerate(inner) if float(bucket.count) >= float_rank), len(inner))
    if at == len(inner):
        return exact(inner[-1].bound)  # in the +Inf bucket: the highest finite bound
    if at == 0 and inner[0].bound <= 0:
        return exact(inner[0].bound)
    below = inner[at - 1] if at > 0 else _Bucket(0.0, Fraction(0))
    rank = number.sub(number.mul(q, observations), below.count)
    share = number.div(rank, number.sub(inner[at].count, below.count))
    return number.add(below.bound, number.mul(number.sub(inner[at].bound, below.bound), share))


def _coalesced(buckets: Sequence[_Bucket]) -> list[_Bucket]:
    """Sorted by bound; buckets with the same bound (`le="1"` and `le="1.0"`) added up."""
    counts: dict[float, Number] = {}
    for bucket in sorted(buckets, key=lambda bucket: bucket.bound):
        counts[bucket.bound] = number.add(counts.get(bucket.bound, Fraction(0)), bucket.count)
    return [_Bucket(bound, counted) for bound, counted in counts.items()]


def _monotonic(buckets: Sequence[_Bucket]) -> list[_Bucket]:
    """Counts that never fall: a lower count, or one that differs by float noise only, is raised to the one before."""
    result = [buckets[0]]
    for bucket in buckets[1:]:
        before = result[-1].count
        keep = bucket.count < before or _almost_equal(before, bucket.count)
        result.append(_Bucket(bucket.bound, before) if keep else bucket)
    return result


def _almost_equal(left: Number, right: Number) -> bool:
    if left == right:
        return True
    if not isinstance(left, Fraction) or not isinstance(right, Fraction) or left == 0 or right == 0:
        return False
    return abs(left - right) / (abs(left) + abs(right)) < _SMALL_DELTA
