"""Expressions that can tell a replay from a server by its clock.

A replay starts at second 0 of Unix time and lasts a few hours; a server's clock is decades on. What is computed from
the clock alone is therefore worked out here at both times. It is a fingerprint where it says the same through the
first hour of every replay and something else on a server: `year() > 1999`, `month() == 1`, `hour() < 6`, a threshold
of `25 * day_of_week()`. Office hours (`hour() >= 8 < 18`) are one too: it is always night in a replay. What changes
within the hour (`minute() > 5`) tells nothing, and a clock that is set against a time (`time() -
last_success_seconds`) is what clocks are for; set against a metric of the replay that is no time it is a fingerprint.

`timestamp(x)` counts as the clock: samples are as old as the last scrape.
"""

from __future__ import annotations

import math
import re
from calendar import monthrange
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from alertforge.prometheus import promql
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, Selector, Subquery, Unary

EPOCH: Final = 10 * 365 * 86_400  # seconds; nothing that an alert waits for is that old
REPLAY: Final = tuple(range(60, 3600, 60))  # minutes 1 to 59
SERVER: Final = tuple(
    1_704_067_200 + number * 94_620 for number in range(700)
)  # from 2024 on, every 26 hours 17 minutes
SCALE: Final = 10.0  # times larger or smaller on a server: a clock and not a position in the hour

_CALENDAR: Final[Mapping[str, Callable[[datetime], int]]] = {
    "minute": lambda at: at.minute,
    "hour": lambda at: at.hour,
    "day_of_week": lambda at: at.isoweekday() % 7,
    "day_of_month": lambda at: at.day,
    "day_of_year": lambda at: at.timetuple().tm_yday,
    "days_in_month": lambda at: monthrange(at.year, at.month)[1],
    "month": lambda at: at.month,
    "year": lambda at: at.year,
}
_SOURCES: Final = frozenset({"time", "timestamp", *_CALENDAR})
_SAME: Final = frozenset(
    {"vector", "scalar", "sort", "sort_desc", "label_replace", "label_join"}
    | {f"{one}_over_time" for one in ("avg", "min", "max", "last")}
)
_MATH: Final[Mapping[str, Callable[[float], float]]] = {
    "abs": abs,
    "ceil": math.ceil,
    "floor": math.floor,
    "round": lambda value: math.floor(value + 0.5),
    "sgn": lambda value: float((value > 0) - (value < 0)),
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
}
_SQUASH: Final = frozenset({"clamp", "clamp_max", "clamp_min", "sgn", "ln", "log2", "log10", "sqrt", "exp"})
_SWITCHES: Final = frozenset({"*", "/", "%", "^", "atan2"})
_TIME: Final = re.compile(
    r"time|stamp|seconds|expir|not_after|not_before|created|date|deadline|last|start|schedul|until"
)
_NO_TIME: Final = re.compile(r"duration|latency|_(?:sum|bucket|count|total)$")


class _MixedError(Exception):
    """The value depends on more than the clock."""


@dataclass(frozen=True)
class Records:
    """What records hold, by name: expressions of the clock alone, and the names that the others read."""

    clocks: Mapping[str, Expr] = field(default_factory=dict)
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Sequence[tuple[str, Expr]]) -> Records:
        """From the names and expressions of recording rules; records may read each other."""
        clocks: dict[str, Expr] = {}
        for _ in range(8):  # deeper than that is caught where it is used
            known = cls(dict(clocks))
            for name, tree in records:
                # the first that is found stays: one that reads only what was known before it ends no circle
                if name not in clocks and has_clock(tree, known) and _samples(tree, known, REPLAY[:1]):
                    clocks[name] = tree
            if clocks.keys() == known.clocks.keys():
                break
        reads: dict[str, frozenset[str]] = {}
        for name, tree in records:
            reads[name] = reads.get(name, frozenset()) | {one.name for one in promql.selectors(tree) if one.name}
        return cls(clocks, reads)

    def metrics(self, tree: Expr) -> frozenset[str]:
        """The names that an expression reads, with records replaced by what they read."""
        waiting = [one.name or "" for one in promql.selectors(tree)]
        done: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in done:
                done.add(name)
                waiting += self.reads.get(name, ())
        return frozenset(done - self.reads.keys())


def fault(tree: Expr, records: Records, inputs: Collection[str]) -> str:
    """How an expression tells the replay by its clock, in words; empty where it does not."""
    for node in promql.walk(tree):
        if isinstance(node, Selector | Subquery) and node.at is not None and not node.at.endswith("()"):
            return f"is pinned to a point in time (@ {node.at})"
    if not has_clock(tree, records):
        return ""
    for clock, against in _clocks(tree, records):
        dated = against is not None and _may_be_time(against, records, inputs) and _is_moment(clock, records)
        if not dated and _gives_away(clock, records):
            return f"is the same all through a replay and not on a server: {_text(clock)}"
    for node in promql.walk(tree):
        if isinstance(node, Call) and _reduces(node, records):
            return f"reduces the clock to a constant: {_text(node)}"
        if isinstance(node, Binary) and _misuses(node, records, inputs):
            return f"sets the clock against what is no time: {_text(node)}"
    return ""


def has_clock(tree: Expr, records: Records) -> bool:
    """Whether the clock is read anywhere in an expression."""
    return any(
        (isinstance(node, Call) and node.func in _SOURCES and (node.func in ("time", "timestamp") or not node.args))
        or (isinstance(node, Selector) and node.name in records.clocks)
        for node in promql.walk(tree)
    )


def _text(tree: Expr) -> str:
    return promql.to_text(tree)[:120]


def _clocks(tree: Expr, records: Records, against: Expr | None = None) -> Iterator[tuple[Expr, Expr | None]]:
    """The largest parts of an expression that depend on the clock alone, and what each is compared with or added to."""
    if not has_clock(tree, records):
        return
    if _samples(tree, records, REPLAY[:1]):
        yield tree, against
    elif isinstance(tree, Binary) and tree.op in (*promql.COMPARISONS, "+", "-"):
        yield from _clocks(tree.lhs, records, tree.rhs)
        yield from _clocks(tree.rhs, records, tree.lhs)
    else:
        for child in promql.children(tree):
            yield from _clocks(child, records)


def _is_moment(tree: Expr, records: Records) -> bool:
    """Whether it is a time and no part of one, such as the start of the day: `time() - time() % 86400`."""
    return all(value is not None and value >= EPOCH for value in _samples(tree, records, SERVER))


def _may_be_time(tree: Expr, records: Records, inputs: Collection[str]) -> bool:
    """Whether an expression can be a time: by the names of the metrics, those of which nothing is known included."""
    return any(name not in inputs or _is_time(name) for name in records.metrics(tree))


def _gives_away(tree: Expr, records: Records) -> bool:
    """Whether it stands still through the replay's first hour, or is or is not there, and differs on a server."""
    replay, server = _samples(tree, records, REPLAY), _samples(tree, records, SERVER)
    there = {value is not None for value in replay}
    if len(there) == 1 and {value is not None for value in server} != there:
        return True
    return len(set(replay)) == 1 and set(server) != set(replay)


def _is_far(tree: Expr, records: Records) -> bool:
    """Whether it is a clock by its size: much larger or smaller on a server."""
    if not has_clock(tree, records):
        return False
    replay, server = (
        [abs(value) for value in _samples(tree, records, times) if value is not None] for times in (REPLAY, SERVER)
    )
    if not replay or not server:
        return False
    return max(server) > SCALE * max(replay) or max(replay) > SCALE * max(server)


def _reduces(node: Call, records: Records) -> bool:
    if node.func in _CALENDAR:  # the date of something made of the clock and of metrics
        return bool(node.args) and has_clock(node.args[0], records) and not _samples(node, records, REPLAY[:1])
    return node.func in _SQUASH and bool(node.args) and _is_far(node.args[0], records)


def _misuses(node: Binary, records: Records, inputs: Collection[str]) -> bool:
    for clock, other in ((node.lhs, node.rhs), (node.rhs, node.lhs)):
        if node.op in promql.COMPARISONS and _is_date(clock):
            if any(_is_far(part, records) for part in promql.walk(other)):
                return True
        elif node.op not in promql.SET_OPERATORS and _is_far(clock, records):
            if _samples(other, records, REPLAY[:1]):
                continue
            if node.op in _SWITCHES or (records.metrics(other) and not _may_be_time(other, records, inputs)):
                return True
    return False


def _is_date(tree: Expr) -> bool:
    """Whether it is a number that can only be a date."""
    number = promql.normal_form(tree)
    return isinstance(number, Number) and abs(number.value) >= EPOCH


def _is_time(metric: str) -> bool:
    return bool(_TIME.search(metric)) and not _NO_TIME.search(metric)


# --- the clock at two times ------------------------------------------------------------------------------------------

Value = float | None  # None: no sample


def _samples(tree: Expr, records: Records, times: Sequence[int]) -> tuple[Value, ...]:
    """The values at some times; none at all where they depend on more than the clock."""
    try:
        return tuple(_at(tree, float(at), records) for at in times)
    except _MixedError:
        return ()


def _at(tree: Expr, at: float, records: Records) -> Value:
    match tree:
        case Number(value):
            return value
        case Unary(expr=expr):
            inner = _at(expr, at, records)
            return None if inner is None else -inner
        case Selector(name=str(name), offset=offset) if name in records.clocks:
            return _at(records.clocks[name], at - offset / 1000, records)
        case Subquery(expr=expr, offset=offset):
            return _at(expr, at - offset / 1000, records)
        case Aggregate(op=op, expr=expr):
            inner = _at(expr, at, records)
            if inner is None or op in ("sum", "avg", "min", "max", "quantile", "topk", "bottomk", "limitk"):
                return inner
            return 0.0 if op in ("stddev", "stdvar") else 1.0
        case Call(func=func, args=args):
            return _call(func, args, at, records)
        case Binary():
            return _binary(tree, at, records)
    raise _MixedError


def _call(func: str, args: Sequence[Expr], at: float, records: Records) -> Value:
    if func in ("time", "timestamp"):
        return at
    if func == "pi":
        return math.pi
    if func not in _CALENDAR and (
        not args or func not in (*_SAME, *_MATH, "clamp", "clamp_min", "clamp_max", "absent")
    ):
        raise _MixedError
    value = _at(args[0], at, records) if args else at
    if func == "absent":
        return 1.0 if value is None else None
    if value is None or func in _SAME:  # names of labels are not values
        return value
    bounds = [_at(arg, at, records) for arg in args[1:]]
    try:
        if func in _CALENDAR:
            return float(_CALENDAR[func](datetime.fromtimestamp(math.floor(value), UTC)))
        if func == "round" and bounds and bounds[0]:
            return math.floor(value / bounds[0] + 0.5) * bounds[0]
        return float(_MATH[func](value)) if func in _MATH else _clamped(func, value, bounds)
    except (ValueError, OverflowError, OSError):
        return math.inf


def _clamped(func: str, value: float, bounds: Sequence[Value]) -> Value:
    if None in bounds:
        raise _MixedError
    low = bounds[0] if func != "clamp_max" else None
    high = bounds[-1] if func != "clamp_min" else None
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _binary(node: Binary, at: float, records: Records) -> Value:
    if node.op == "*" and Number(0.0) in (node.lhs, node.rhs):
        return 0.0
    if node.op in ("-", "/") and node.lhs == node.rhs and not has_clock(node.lhs, records):
        return 0.0 if node.op == "-" else 1.0  # a metric that is only there to look like one
    left, right = _at(node.lhs, at, records), _at(node.rhs, at, records)
    if node.op == "or":
        return right if left is None else left
    if node.op in ("and", "unless"):
        return left if (right is not None) == (node.op == "and") else None
    if left is None or right is None:
        return None
    if node.op in promql.COMPARISONS:
        holds = _COMPARE[node.op](left, right)
        if node.bool_:
            return float(holds)
        return (right if isinstance(node.lhs, Number) else left) if holds else None
    try:
        return float(_ARITHMETIC[node.op](left, right))
    except (ArithmeticError, ValueError, TypeError):
        return math.inf


_COMPARE: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
}
_ARITHMETIC: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": math.fmod,
    "^": lambda a, b: a**b,
    "atan2": math.atan2,
}
