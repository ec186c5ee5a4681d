# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""Sample values: exact where they are finite, IEEE 754 where they are not.

Prometheus computes in float64. The reference evaluator computes finite values as exact fractions, so that a contract
never depends on rounding, and keeps floats for what a fraction cannot hold: NaN and the two infinities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

Scalar = int | float | Fraction
Number = Fraction | float  # float: NaN, +Inf or -Inf only

NAN: Final = float("nan")
INF: Final = float("inf")


def exact(value: Scalar) -> Number:
    """The value as a fraction, or as a float if it is NaN or infinite."""
    if isinstance(value, float) and not math.isfinite(value):
        return value
    return Fraction(value)


def is_nan(value: Scalar) -> bool:
    """Whether the value is NaN, the only one that differs from itself."""
    return value != value


def add(left: Scalar, right: Scalar) -> Number:
    """`left + right`; opposite infinities give NaN."""
    a, b = exact(left), exact(right)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a + b
    return float(a) + float(b)


def sub(left: Scalar, right: Scalar) -> Number:
    """`left - right`; equal infinities give NaN."""
    a, b = exact(left), exact(right)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a - b
    return float(a) - float(b)


def mul(left: Scalar, right: Scalar) -> Number:
    """`left * right`; zero times infinity gives NaN."""
    a, b = exact(left), exact(right)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a * b
    return float(a) * float(b)


def div(left: Scalar, right: Scalar) -> Number:
    """`left / right`; 0/0 gives NaN, x/0 an infinity with the sign of x (there is no negative zero here)."""
    a, b = exact(left), exact(right)
    if b == 0:
        return NAN if a == 0 or is_nan(a) else math.copysign(INF, a)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a / b
    return exact(float(a) / float(b))


def mod(left: Scalar, right: Scalar) -> Number:
    """`left % right` as Go's math.Mod: the result has the sign of `left`; a zero `right` gives NaN."""
    a, b = exact(left), exact(right)
    if b == 0 or is_nan(b) or not isinstance(a, Fraction):
        return NAN
    if not isinstance(b, Fraction):
        return a
    return a - b * math.trunc(a / b)


def integers(values: Sequence[Scalar]) -> tuple[Sequence[int], int] | None:
    """Numerators of all values over one common denominator, or None if a value is NaN or infinite."""
    if all(type(value) is int for value in values):
        return values, 1  # type: ignore[return-value]
    try:
        ratios = [value.as_integer_ratio() for value in values]
    except (OverflowError, ValueError):
        return None
    common = math.lcm(*{denominator for _, denominator in ratios})
    return [numerator * (common // denominator) for numerator, denominator in ratios], common


def total(values: Sequence[Scalar]) -> Number:
    """The sum; a NaN or opposite infinities make it NaN, an infinity makes it infinite."""
    whole = integers(values)
    if whole is None:
        return sum(value for value in values if isinstance(value, float) and not math.isfinite(value))
    return Fraction(sum(whole[0]), whole[1])


def smallest(values: Sequence[Scalar]) -> Number:
    """The minimum; NaN counts only if there is nothing else."""
    return exact(min((value for value in values if not is_nan(value)), default=NAN))


def largest(values: Sequence[Scalar]) -> Number:
    """The maximum; NaN counts only if there is nothing else."""
    return exact(max((value for value in values if not is_nan(value)), default=NAN))


def mean(values: Sequence[Scalar]) -> Number:
    """The arithmetic mean of at least one value."""
    return div(total(values), len(values))


def variance(values: Sequence[Scalar]) -> Number:
    """The population variance of at least one value; NaN if a value is not finite."""
    whole = integers(values)
    if whole is None:
        return NAN
    numerators, common, n = *whole, len(values)
    spread = n * sum(value * value for value in numerators) - sum(numerators) ** 2
    return Fraction(spread, (n * common) ** 2)


def root(value: Number) -> Number:
    """The square root, rounded to float64."""
    return exact(math.sqrt(value))


def quantile_of(q: Scalar, values: Sequence[Scalar]) -> Number:
    """The q-quantile with linear interpolation (promql `quantile`): NaN sorts lowest, q outside 0..1 gives an infinity.

    The rank is rounded to float64 as in Prometheus, so that 0.9 of ten steps is the ninth step and not a hair above.
    """
    if not values or is_nan(q):
        return NAN
    if q < 0 or q > 1:
        return -INF if q < 0 else INF
    ordered = sorted(values, key=lambda value: (not is_nan(value), 0 if is_nan(value) else value))
    rank = float(q) * (len(values) - 1)
    lower = math.floor(rank)
    upper = min(len(values) - 1, lower + 1)
    weight = Fraction(rank) - lower
    return add(mul(ordered[lower], 1 - weight), mul(ordered[upper], weight))
