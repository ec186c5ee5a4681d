# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
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
from typing import Any, Final, TypeVar

from alertforge.prometheus import promql
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, Selector, Subquery, Unary

EPOCH: Final = 10 * 365 * 86_400  # seconds; nothing that an alert waits for is that old
START, REPLAY, SERVER = "start", "replay", "server"
TIMES: Final[Mapping[str, Sequence[int]]] = {
    START: (60,),
    REPLAY: range(60, 3600, 60),  # minutes 1 to 59
    SERVER: range(1_704_067_200, 1_704_067_200 + 700 * 94_620, 94_620),  # from 2024 on, every 26 hours 17 minutes
}
MAX_EFFORT: Final = 1_000_000  # values to work out, in one workspace; one honest rule has about a thousand
EFFORT: Final = 50  # of working out anything, in values
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
_CALLED: Final = frozenset({*_SAME, *_MATH, *_CALENDAR, "clamp", "clamp_min", "clamp_max", "absent"})
_SQUASH: Final = frozenset({"clamp", "clamp_max", "clamp_min", "sgn", "ln", "log2", "log10", "sqrt", "exp"})
_SWITCHES: Final = frozenset({"*", "/", "%", "^", "atan2"})
_TIME: Final = re.compile(
    r"time|stamp|seconds|expir|not_after|not_before|created|date|deadline|last|start|schedul|until"
)
_NO_TIME: Final = re.compile(r"duration|latency|_(?:sum|bucket|count|total)$")


T = TypeVar("T")
Value = float | None  # None: no sample
Values = tuple[Value, ...]  # at each of some times; none at all where they depend on more than the clock


class _TooMuchError(Exception):
    """More to work out than anybody has reason to write."""


@dataclass(eq=False)
class Records:
    """What records hold, by name: expressions of the clock alone, and the names that the others read.

    Every part of an expression is looked at many times, from each operation around it, so what is found out about it is
    kept while the expression is looked at.
    """

    clocks: Mapping[str, Expr] = field(default_factory=dict)
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    effort: int = 0
    _kept: dict[tuple[str, int, float], tuple[Expr, Any]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, records: Sequence[tuple[str, Expr]]) -> Records:
        """From the names and expressions of recording rules; records may read each other."""
        reads: dict[str, frozenset[str]] = {}
        for name, tree in records:
            reads[name] = reads.get(name, frozenset()) | {one.name for one in promql.selectors(tree) if one.name}
        known = cls({}, reads)
        for _ in range(8):  # deeper than that is caught where it is used
            clocks = dict(known.clocks)
            for name, tree in records:
                # the first that is found stays: one that reads only what was known before it ends no circle
                if name not in clocks and known.alone(tree):
                    clocks[name] = tree
            if clocks.keys() == known.clocks.keys():
                break
            known = cls(clocks, reads, known.effort)
        return known

    def alone(self, tree: Expr) -> bool:
        """Whether an expression depends on the clock and on nothing else; not where there is too much to work out."""
        try:
            return _is_clock(tree, self)
        except _TooMuchError:
            return False
        finally:
            self.forget()

    def forget(self) -> None:
        """Keep nothing of the expression that was looked at."""
        self._kept.clear()

    def spend(self, values: int) -> None:
        """Work out this many values. Raises _TooMuchError."""
        self.effort += EFFORT + values
        if self.effort > MAX_EFFORT:
            raise _TooMuchError

    def keep(self, what: str, tree: Expr, find: Callable[[], T], shift: float = 0.0) -> T:
        """What was found out before about a part of an expression, or is found out now."""
        key = (what, id(tree), shift)
        if key not in self._kept:
            self._kept[key] = (tree, find())  # the tree is kept, so that no other gets its id
        found: T = self._kept[key][1]
        return found

    def metrics(self, tree: Expr) -> frozenset[str]:
        """The names that an expression reads, with records replaced by what they read."""

        def find() -> frozenset[str]:
            if isinstance(tree, Selector):
                return self._sources(tree.name or "")
            return frozenset().union(*(self.metrics(child) for child in promql.children(tree)))

        return self.keep("metrics", tree, find)

    def _sources(self, name: str) -> frozenset[str]:
        waiting, done = [name], set[str]()
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
    try:
        return _fault(tree, records, inputs) if has_clock(tree, records) else ""
    except _TooMuchError:
        return f"reads the clock in more ways than can be looked at: {_text(tree)}"
    finally:
        records.forget()


def _fault(tree: Expr, records: Records, inputs: Collection[str]) -> str:
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

    def find() -> bool:
        if isinstance(tree, Selector):
            return tree.name in records.clocks
        if isinstance(tree, Call) and tree.func in _SOURCES and (tree.func in ("time", "timestamp") or not tree.args):
            return True
        return any(has_clock(child, records) for child in promql.children(tree))

    return records.keep("has clock", tree, find)


def _text(tree: Expr) -> str:
    return promql.to_text(tree)[:120]


def _clocks(tree: Expr, records: Records, against: Expr | None = None) -> Iterator[tuple[Expr, Expr | None]]:
    """The largest parts of an expression that depend on the clock alone, and what each is compared with or added to."""
    if not has_clock(tree, records):
        return
    if _is_clock(tree, records):
        yield tree, against
    elif isinstance(tree, Binary) and tree.op in (*promql.COMPARISONS, "+", "-"):
        yield from _clocks(tree.lhs, records, tree.rhs)
        yield from _clocks(tree.rhs, records, tree.lhs)
    else:
        for child in promql.children(tree):
            yield from _clocks(child, records)


def _is_clock(tree: Expr, records: Records) -> bool:
    """Whether it depends on the clock, and on nothing else."""
    return has_clock(tree, records) and bool(_values(tree, records, START))


def _is_moment(tree: Expr, records: Records) -> bool:
    """Whether it is a time and no part of one, such as the start of the day: `time() - time() % 86400`."""
    return all(value is not None and value >= EPOCH for value in _values(tree, records, SERVER))


def _may_be_time(tree: Expr, records: Records, inputs: Collection[str]) -> bool:
    """Whether an expression can be a time: by the names of the metrics, those of which nothing is known included."""
    return any(name not in inputs or _is_time(name) for name in records.metrics(tree))


def _gives_away(tree: Expr, records: Records) -> bool:
    """Whether it stands still through the replay's first hour, or is or is not there, and differs on a server."""
    replay, server = _values(tree, records, REPLAY), _values(tree, records, SERVER)
    there = {value is not None for value in replay}
    if len(there) == 1 and {value is not None for value in server} != there:
        return True
    return len(set(replay)) == 1 and set(server) != set(replay)


def _is_far(tree: Expr, records: Records) -> bool:
    """Whether it is a clock by its size: much larger or smaller on a server."""
    if not has_clock(tree, records):
        return False
    replay, server = (
        [abs(value) for value in _values(tree, records, when) if value is not None] for when in (REPLAY, SERVER)
    )
    if not replay or not server:
        return False
    return max(server) > SCALE * max(replay) or max(replay) > SCALE * max(server)


def _is_far_within(tree: Expr, records: Records) -> bool:
    """Whether any part of it is."""
    return records.keep(
        "far within",
        tree,
        lambda: _is_far(tree, records) or any(_is_far_within(child, records) for child in promql.children(tree)),
    )


def _reduces(node: Call, records: Records) -> bool:
    if node.func in _CALENDAR:  # the date of something made of the clock and of metrics
        return bool(node.args) and has_clock(node.args[0], records) and not _values(node, records, START)
    return node.func in _SQUASH and bool(node.args) and _is_far(node.args[0], records)


def _misuses(node: Binary, records: Records, inputs: Collection[str]) -> bool:
    if not has_clock(node, records):
        return False
    for clock, other in ((node.lhs, node.rhs), (node.rhs, node.lhs)):
        if node.op in promql.COMPARISONS and _is_date(clock, records):
            if _is_far_within(other, records):
                return True
        elif node.op not in promql.SET_OPERATORS and _is_far(clock, records):
            if _values(other, records, START):
                continue
            if node.op in _SWITCHES or (records.metrics(other) and not _may_be_time(other, records, inputs)):
                return True
    return False


def _is_date(tree: Expr, records: Records) -> bool:
    """Whether it is a number that can only be a date."""
    if has_clock(tree, records):
        return False
    return any(value is not None and abs(value) >= EPOCH for value in _values(tree, records, START))


def _is_time(metric: str) -> bool:
    return bool(_TIME.search(metric)) and not _NO_TIME.search(metric)


# --- what a clock says -----------------------------------------------------------------------------------------------


def _values(tree: Expr, records: Records, when: str, shift: float = 0.0) -> Values:
    """The values at some times, `shift` seconds later; none at all where they depend on more than the clock."""
    return records.keep(when, tree, lambda: _work_out(tree, records, when, shift), shift)


def _work_out(tree: Expr, records: Records, when: str, shift: float) -> Values:
    times = TIMES[when]
    records.spend(len(times))
    match tree:
        case Number(value):
            return (value,) * len(times)
        case Unary(expr=expr):
            return tuple(None if value is None else -value for value in _values(expr, records, when, shift))
        case Selector(name=str(name), offset=offset) if name in records.clocks:
            return _values(records.clocks[name], records, when, shift - offset / 1000)
        case Subquery(expr=expr, offset=offset):
            return _values(expr, records, when, shift - offset / 1000)
        case Aggregate(op=op, expr=expr):
            inner = _values(expr, records, when, shift)
            if op in ("sum", "avg", "min", "max", "quantile", "topk", "bottomk", "limitk"):
                return inner
            one = 0.0 if op in ("stddev", "stdvar") else 1.0
            return tuple(None if value is None else one for value in inner)
        case Call(func="time" | "timestamp"):
            return tuple(at + shift for at in times)
        case Call(func="pi"):
            return (math.pi,) * len(times)
        case Call(func=func, args=()) if func in _CALENDAR:
            return tuple(_called(func, at + shift, ()) for at in times)
        case Call(func=func, args=(first, *rest)) if func in _CALLED:
            # names of labels are not values
            bounds = [] if func in _SAME else [_values(arg, records, when, shift) for arg in rest]
            columns = [_values(first, records, when, shift), *bounds]
            return tuple(_called(func, row[0], row[1:]) for row in zip(*columns, strict=True)) if all(columns) else ()
        case Binary():
            return _binary(tree, records, when, shift)
    return ()


def _called(func: str, value: Value, bounds: Sequence[Value]) -> Value:
    if func == "absent":
        return 1.0 if value is None else None
    if value is None or func in _SAME:
        return value
    if None in bounds:
        return None
    try:
        if func in _CALENDAR:
            return float(_CALENDAR[func](datetime.fromtimestamp(math.floor(value), UTC)))
        if func == "round" and bounds and bounds[0]:
            return math.floor(value / bounds[0] + 0.5) * bounds[0]
        return float(_MATH[func](value)) if func in _MATH else _clamped(func, value, bounds)
    except (ValueError, OverflowError, OSError):
        return math.inf


def _clamped(func: str, value: float, bounds: Sequence[Value]) -> Value:
    low = bounds[0] if func != "clamp_max" else None
    high = bounds[-1] if func != "clamp_min" else None
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def _binary(node: Binary, records: Records, when: str, shift: float) -> Values:
    number = len(TIMES[when])
    if node.op == "*" and Number(0.0) in (node.lhs, node.rhs):
        return (0.0,) * number
    if node.op in ("-", "/") and node.lhs == node.rhs and not has_clock(node.lhs, records):
        return (0.0 if node.op == "-" else 1.0,) * number  # a metric that is only there to look like one
    left, right = (_values(side, records, when, shift) for side in (node.lhs, node.rhs))
    if not left or not right:
        return ()
    return tuple(_combined(node, *sides) for sides in zip(left, right, strict=True))


def _combined(node: Binary, left: Value, right: Value) -> Value:
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
