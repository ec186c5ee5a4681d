"""Shapes of traffic: one integer or fraction a minute, drawn from named seeds."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from alertforge.seeds import Seed


def daily(seed: Seed, minutes: int, rps: Fraction, *, phase: int | None = None) -> list[int]:
    """Requests in each minute: a slow daily swing of +-12 % around `rps`, and +-4 % of jitter.

    The scenario is a stretch of a day that begins at minute `phase` (drawn where it is None).
    """
    rng = seed.rng("daily")
    start = rng.below(1440) if phase is None else phase
    out = []
    for minute in range(minutes + 1):
        # a triangle wave stands in for the sine: exact on every machine
        at = (start + minute) % 1440
        swing = Fraction(abs(720 - at), 720) * 2 - 1
        jitter = Fraction(rng.between(-40, 40), 1000)
        out.append(max(0, int(rps * 60 * (1 + swing * Fraction(12, 100) + jitter))))
    return out


def steady(seed: Seed, minutes: int, rps: Fraction) -> list[int]:
    """Requests in each minute: `rps` with 1 % of jitter; what rounding cuts off is carried into the next minute."""
    rng = seed.rng("steady")
    out, carried = [], Fraction(0)
    for _ in range(minutes + 1):
        exact = rps * 60 * Fraction(rng.between(990, 1010), 1000) + carried
        out.append(int(exact))
        carried = exact - int(exact)
    return out


def blips(seed: Seed, minutes: int, ratio: Fraction) -> list[Fraction]:
    """A background error ratio: `ratio` on average, between nothing and twice as much."""
    rng = seed.rng("blips")
    return [ratio * Fraction(rng.between(0, 200), 100) for _ in range(minutes + 1)]


def plateau(base: Sequence[Fraction], first: int, last: int, level: Fraction) -> list[Fraction]:
    """`base` with the minutes `first` to `last` at `level`."""
    return [level if first <= minute <= last else value for minute, value in enumerate(base)]


def split(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in whole parts after `weights`, the rest to the first ones: nothing is lost by rounding."""
    whole = sum(weights)
    parts = [total * weight // whole for weight in weights]
    for index in range(total - sum(parts)):
        parts[index % len(parts)] += 1
    return parts
