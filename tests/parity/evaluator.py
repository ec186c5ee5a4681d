"""Random queries over random series, answered by the reference evaluator and by promtool.

Every query is drawn together with its meaning: the PromQL text that promtool gets, and the call of
`alertforge.prometheus.functions` that must return the same. Where a result hangs on the last bits of a float64 (see
`KnifeEdgeError`) there is nothing to compare; such draws are counted and shown.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from alertforge.prometheus import functions as prom
from alertforge.prometheus.functions import Points, QueryError, Vector
from alertforge.prometheus.series import GAP, STALE, Labels, Sample, Series, notation, selector_text

from .promtool import Answer, Failed, Query, Scenario, ask

RELATIVE = 1e-9
NOISE = 1e-12  # of the largest sample: what cancellation may leave of a difference
QUERIES = 25  # per scenario
SCENARIOS = 40  # per promtool process
SHOWN = 5  # mismatches printed in full


NONE = Labels()


class KnifeEdgeError(Exception):
    """The result jumps within float64 rounding: two computed values that are exactly equal, a divisor that is zero."""


@dataclass(frozen=True)
class Meaning:
    """An expression as text and as a function of the evaluation time."""

    text: str
    value: Callable[[int], Vector]
    exact: bool = False  # the same in float64 as in fractions: no arithmetic has rounded
    absent_labels: Labels = NONE  # what absent() of it returns


Operand = Meaning | float


def text_of(operand: Operand) -> str:
    return f"({operand.text})" if isinstance(operand, Meaning) else scalar_text(operand)


def value_of(operand: Operand, at: int) -> Vector | float:
    return operand.value(at) if isinstance(operand, Meaning) else operand


def values_of(value: Vector | float) -> list[float]:
    return [float(one) for one in value.values()] if isinstance(value, Mapping) else [value]


def is_exact(operand: Operand) -> bool:
    return operand.exact if isinstance(operand, Meaning) else True


@dataclass(frozen=True)
class Range:
    """A range vector as text and as the sources, window and offset that the functions take."""

    text: str
    sources: Callable[[int], Sequence[Series | Points]]
    window: int
    offset: int
    exact: bool
    absent_labels: Labels


@dataclass(frozen=True)
class Case:
    """One query with the reference evaluator's answer."""

    function: str
    query: Query
    expected: Vector | QueryError


# Series


class World:
    """The series of one scenario."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.interval = rng.choice([15, 30, 60])
        self.slots = rng.randint(3, 30)
        self.wild = rng.random() < 0.25  # gauges with NaN and infinities
        self.series: list[Series] = []
        for job in ("a", "b"):
            for pod in ("p1", "p2"):
                if rng.random() < 0.7:
                    self._add("c_total", self._counter(), job=job, pod=pod)
                if rng.random() < 0.6:
                    self._add("g", self._gauge(), job=job, pod=pod)
            if rng.random() < 0.6:
                self._add("limit", self._gauge(), job=job, zone=rng.choice(["x", "y"]))
        for job in ("a", "b")[: rng.choice([0, 1, 1, 2])]:
            self._histogram(job)
        finite = [
            abs(sample)
            for one in self.series
            for sample in one.samples
            if isinstance(sample, (int, float)) and math.isfinite(sample)
        ]
        self.scale = max([1.0, *finite])

    def named(self, *names: str) -> list[Series]:
        return [one for one in self.series if one.labels.name in names]

    def _add(self, metric: str, samples: Sequence[Sample], **labels: str) -> None:
        late = self.rng.choice([0, 0, 0, 0, 0, self.rng.randint(0, self.slots)])
        holes = self.rng.choice([0.0, 0.0, 0.1, 0.5])
        slots = [GAP] * late + [self._hole(sample, holes) for sample in samples[late:]]
        self.series.append(Series(Labels.of({"__name__": metric, **labels}), tuple(slots), self.interval))

    def _hole(self, sample: Sample, chance: float) -> Sample:
        if chance and self.rng.random() < chance:
            return self.rng.choice([GAP, GAP, GAP, STALE])
        return sample

    def _counter(self) -> list[Sample]:
        rng, value = self.rng, self.rng.choice([0, 0, 1, 7, 1000, 123456])
        step, resets = rng.choice([0, 1, 3, 60, 1000]), rng.choice([0.0, 0.0, 0.1, 0.3])
        samples: list[Sample] = []
        for _ in range(self.slots):
            samples.append(value)
            value = rng.randint(0, step) if rng.random() < resets else value + rng.choice([0, step, rng.randint(0, 9)])
        return samples

    def _gauge(self) -> list[Sample]:
        rng = self.rng
        unit = rng.choice([1, 1, 0.25, 0.1, 1e-3])
        samples: list[Sample] = []
        for _ in range(self.slots):
            value: Sample = rng.randint(-50, 50) * unit if rng.random() < 0.7 or not samples else samples[-1]
            if self.wild and rng.random() < 0.2:
                value = rng.choice([math.nan, math.inf, -math.inf])
            samples.append(value)
        return samples

    def _histogram(self, job: str) -> None:
        rng = self.rng
        bounds = rng.choice([["0.1", "0.5", "1"], ["-1", "0", "2.5"], ["1", "5", "10", "30"], ["0", "1"], ["5"], []])
        bounds = [bound for bound in bounds if rng.random() < 0.95]
        if rng.random() < 0.9:
            bounds.append("+Inf")
        for pod in ("p1", "p2")[: rng.randint(1, 2)]:
            counts = [0] * len(bounds)
            columns: list[list[Sample]] = [[] for _ in bounds]
            for _ in range(self.slots):
                for column, counted in zip(columns, counts, strict=True):
                    column.append(counted)
                if rng.random() < 0.8:
                    first = rng.randint(0, len(bounds))
                    counts = [counted + rng.randint(1, 10) * (at >= first) for at, counted in enumerate(counts)]
                    counts = counts if rng.random() < 0.2 else sorted(counts)
            for bound, column in zip(bounds, columns, strict=True):
                text = f"{bound}.0" if rng.random() < 0.2 and "." not in bound and bound != "+Inf" else bound
                if rng.random() < 0.02:
                    text = rng.choice(["wide", "Inf", "1e1"])
                if all(one.labels.get("le") != text for one in self.series if one.labels.get("pod") == pod + job):
                    self._add("h_bucket", column, job=job, pod=pod + job, le=text)


# Expressions


def scalar_text(value: float) -> str:
    return "NaN" if math.isnan(value) else f"{value:+}".replace("inf", "Inf").removeprefix("+")


class Draw:
    """Draws expressions over a world; one method per function of the summary."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.rng = world.rng

    # selectors

    def selector(self, metric: str | None = None) -> tuple[str, list[Series], Labels]:
        name = metric or self.rng.choice(["c_total", "c_total", "g", "g", "limit", "h_bucket"])
        kind = self.rng.choice(["all"] * 8 + ["job", "job", "pod", "pod", "names", "none"])
        series, equal = self.world.named(name), Labels.of({"__name__": name})
        if kind == "job":
            equal = equal.with_(job=self.rng.choice(["a", "b"]))
        elif kind == "none":
            equal = equal.with_(job="c")
        elif kind == "pod":
            found = [one for one in series if one.labels.get("pod") in ("p1", "")]
            return f'{name}{{pod=~"p1|"}}', found, Labels()
        elif kind == "names" and metric is None:
            return '{__name__=~"c_total|g"}', self.world.named("c_total", "g"), Labels()
        return selector_text(equal), [one for one in series if one.labels.contains(equal)], equal.without(["__name__"])

    def offset(self) -> int:
        return self.rng.choice([0, 0, 0, 0, self.world.interval, self.rng.randint(1, 400), -self.rng.randint(1, 200)])

    def window(self) -> int:
        interval = self.world.interval
        return self.rng.choice([interval * self.rng.randint(1, 20), 300, self.rng.randint(1, 20 * interval)])

    def select(self, metric: str | None = None) -> Meaning:
        text, series, labels = self.selector(metric)
        offset = self.offset()
        text += f" offset {offset}s" if offset else ""
        return Meaning(text, lambda at: prom.select(series, at, offset=offset), True, labels)

    def range(self, *, exact: bool = False, metric: str | None = None) -> Range:
        """A matrix selector or a subquery; `exact` for functions that jump on the last bit of a sample."""
        window, offset = self.window(), self.offset()
        after = f" offset {offset}s" if offset else ""
        if metric or self.rng.random() < 0.75:
            text, series, labels = self.selector(metric)
            return Range(f"{text}[{window}s]{after}", lambda at: series, window, offset, True, labels)
        inner = self.instant(1)
        if exact and not inner.exact:
            inner = self.exact_instant()
        step = self.rng.choice([self.world.interval, 60, self.rng.randint(7, 90)])
        return Range(
            f"({inner.text})[{window}s:{step}s]{after}",
            lambda at: prom.subquery(inner.value, window, step, at, offset=offset),
            window,
            offset,
            inner.exact,
            Labels(),
        )

    def instant(self, depth: int) -> Meaning:
        """Any instant vector; `depth` limits how far it nests."""
        kind = self.rng.choice(["select", "rate", "over", "aggregate", "arithmetic"]) if depth > 0 else "select"
        if kind == "rate":
            return self.over_time(self.rng.choice(["rate", "increase"]), self.range(metric="c_total"))
        if kind == "over":
            return self.over_time(self.rng.choice(["max_over_time", "avg_over_time", "last_over_time"]))
        if kind == "aggregate":
            return self.aggregate(self.rng.choice(["sum", "max", "count", "avg"]), self.instant(depth - 1))
        if kind == "arithmetic":
            return self.arithmetic(self.rng.choice("+-*"), (self.instant(depth - 1), self.instant(depth - 1)))
        return self.select()

    # functions of range vectors

    def over_time(self, name: str, source: Range | None = None) -> Meaning:
        steps = name in ("rate", "increase", "irate", "changes", "resets")
        chosen = source or self.range(exact=steps, metric=self.rng.choice([None, "c_total"]))
        call = getattr(prom, name)
        keeps = name in ("max_over_time", "min_over_time", "last_over_time") and chosen.exact
        whole = name in ("changes", "resets", "count_over_time", "present_over_time")
        return Meaning(
            f"{name}({chosen.text})",
            lambda at: call(chosen.sources(at), chosen.window, at, offset=chosen.offset),
            keeps or whole,
        )

    def predict_linear(self) -> Meaning:
        source, ahead = self.range(), self.rng.choice([0, 60, 3600, -90, 14400, 0.5])
        return Meaning(
            f"predict_linear({source.text}, {ahead})",
            lambda at: prom.predict_linear(source.sources(at), source.window, at, ahead, offset=source.offset),
        )

    def quantile_over_time(self) -> Meaning:
        q, source = self.q(), self.range()
        return Meaning(
            f"quantile_over_time({scalar_text(q)}, {source.text})",
            lambda at: prom.quantile_over_time(q, source.sources(at), source.window, at, offset=source.offset),
        )

    def absent_over_time(self) -> Meaning:
        source = self.range()
        return Meaning(
            f"absent_over_time({source.text})",
            lambda at: prom.absent_over_time(
                source.sources(at), source.window, at, source.absent_labels, offset=source.offset
            ),
        )

    # functions of instant vectors

    def absent(self) -> Meaning:
        inner = self.instant(1)
        return Meaning(f"absent({inner.text})", lambda at: prom.absent(inner.value(at), inner.absent_labels), True)

    def clamp(self) -> Meaning:
        inner, bound = self.instant(1), self.rng.choice([0, 10, -3, 0.5])
        if self.rng.random() < 0.5:
            return Meaning(f"clamp_min({inner.text}, {bound})", lambda at: prom.clamp_min(inner.value(at), bound))
        return Meaning(f"clamp_max({inner.text}, {bound})", lambda at: prom.clamp_max(inner.value(at), bound))

    def scalar(self) -> Meaning:
        inner = self.instant(1)
        return Meaning(f"vector(scalar({inner.text}))", lambda at: {Labels(): prom.scalar(inner.value(at))})

    def q(self) -> float:
        usual = self.rng.choice([0.0, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0])
        return self.rng.choice([usual, usual, usual, self.rng.randint(0, 100) / 100, -0.5, 1.5, math.nan])

    def histogram_quantile(self) -> Meaning:
        q = self.q()
        kind = self.rng.choice(["raw", "rate", "rate", "sum"])
        inner = self.select("h_bucket" if self.rng.random() < 0.95 else None)
        if kind != "raw":
            inner = self.over_time(self.rng.choice(["rate", "increase"]), self.range(metric="h_bucket"))
        if kind == "sum":
            inner = self.aggregate("sum", inner, by=["le", *self.rng.choice([(), ("job",)])])

        def value(at: int) -> Vector:
            buckets = inner.value(at)
            result = prom.histogram_quantile(q, buckets)
            if not inner.exact and 0 < q < 1:
                nearby = [prom.histogram_quantile(q * (1 + nudge), buckets) for nudge in (-1e-12, 1e-12)]
                if any(not close(float(result[key]), float(other[key]), 1e-6) for other in nearby for key in result):
                    raise KnifeEdgeError
            return result

        return Meaning(f"histogram_quantile({scalar_text(q)}, {inner.text})", value)

    # operators

    def grouping(self) -> tuple[str, dict[str, Sequence[str]]]:
        names = self.rng.choice([["job"], ["pod"], ["job", "pod"], ["zone"], ["le"], ["__name__"], []])
        kind = self.rng.choice(["none", "by", "by", "without"])
        return (f" {kind} ({', '.join(names)}) ", {kind: names}) if kind != "none" else (" ", {})

    def aggregate(self, name: str, inner: Meaning | None = None, by: Sequence[str] | None = None) -> Meaning:
        chosen = inner or self.instant(2)
        clause, arguments = self.grouping() if by is None else (f" by ({', '.join(by)}) ", {"by": by})
        call = getattr(prom, {"sum": "sum_", "min": "min_", "max": "max_"}.get(name, name))
        exact = name in ("count", "group") or (name in ("min", "max") and chosen.exact)
        return Meaning(f"{name}{clause}({chosen.text})", lambda at: call(chosen.value(at), **arguments), exact)

    def quantile(self) -> Meaning:
        q, inner, (clause, arguments) = self.q(), self.instant(2), self.grouping()
        return Meaning(
            f"quantile{clause}({scalar_text(q)}, {inner.text})",
            lambda at: prom.quantile(q, inner.value(at), **arguments),
        )

    def ranked(self, name: str) -> Meaning:
        k, inner, (clause, arguments) = self.rng.randint(-1, 4), self.instant(2), self.grouping()
        call: Callable[..., Vector] = getattr(prom, name)

        def value(at: int) -> Vector:
            vector = inner.value(at)
            chosen = call(k, vector, **arguments)
            left_out = [other for labels, other in vector.items() if labels not in chosen]
            if any(close(float(one), float(other), RELATIVE) for one in chosen.values() for other in left_out):
                raise KnifeEdgeError  # a tie: which one stays depends on the storage's order
            return chosen

        return Meaning(f"{name}{clause}({k}, {inner.text})", value, inner.exact)

    def matching(self, *, group: bool = True) -> tuple[str, dict[str, Sequence[str]]]:
        names = self.rng.choice(
            [["job"], ["job"], ["pod"], ["job", "pod"], ["zone"], ["pod", "zone"], ["pod", "zone"], []]
        )
        kind = self.rng.choice(["none", "on", "on", "ignoring"])
        if kind == "none":
            return "", {}
        text = f" {kind} ({', '.join(names)})"
        arguments: dict[str, Sequence[str]] = {kind: names}
        if group and self.rng.random() < 0.5:
            side = self.rng.choice(["group_left", "group_right"])
            include = self.rng.choice([[], [], ["zone"], ["missing"]])
            include = [name for name in include if kind != "on" or name not in names]
            return f"{text} {side} ({', '.join(include)})", {**arguments, side: include}
        return text, arguments

    def operands(self, *, exact: bool = False) -> tuple[Operand, Operand]:
        """Two vectors, or a vector and a number on either side."""
        number = self.rng.choice([0, 1, -1, 2, 0.5, 60, 0.1, -2.5, math.inf, math.nan])
        side = self.rng.choice(["left", "right", "right", "none", "none", "none", "join", "join"])
        if side == "join":  # one limit per job beside many pods, sometimes the wrong way round
            sides = [self.select(self.rng.choice(["c_total", "g"])), self.select("limit")]
            return (sides[0], sides[1]) if self.rng.random() < 0.7 else (sides[1], sides[0])
        left = number if side == "left" else self.exact_instant() if exact else self.instant(1)
        right = number if side == "right" else self.exact_instant() if exact else self.instant(1)
        return left, right

    def exact_instant(self) -> Meaning:
        tries = (self.instant(1) for _ in range(5))
        return next((meaning for meaning in tries if meaning.exact), None) or self.select()

    def arithmetic(self, op: str, operands: tuple[Operand, Operand] | None = None) -> Meaning:
        left, right = operands or self.operands(exact=op == "%")  # a remainder jumps on the last bit
        clause, arguments = self.matching() if isinstance(left, Meaning) and isinstance(right, Meaning) else ("", {})

        def value(at: int) -> Vector:
            a, b = value_of(left, at), value_of(right, at)
            if op == "/" and not is_exact(right) and any(abs(one) < RELATIVE for one in values_of(b)):
                raise KnifeEdgeError
            return prom.arithmetic(a, op, b, **arguments)

        return Meaning(f"({text_of(left)} {op}{clause} {text_of(right)})", value)

    def compare(self, op: str) -> Meaning:
        left, right = self.operands()
        clause, arguments = self.matching() if isinstance(left, Meaning) and isinstance(right, Meaning) else ("", {})
        return_bool = self.rng.random() < 0.3
        exact = is_exact(left) and is_exact(right)

        def value(at: int) -> Vector:
            a, b = value_of(left, at), value_of(right, at)
            if not exact and any(
                abs(one - other) <= RELATIVE * max(1, abs(one)) for one in values_of(a) for other in values_of(b)
            ):
                raise KnifeEdgeError
            return prom.compare(a, op, b, return_bool=return_bool, **arguments)

        word = f"{op}{' bool' if return_bool else ''}"
        return Meaning(f"({text_of(left)} {word}{clause} {text_of(right)})", value, exact)

    def set_operator(self, op: str) -> Meaning:
        left, right = self.instant(1), self.instant(1)
        clause, arguments = self.matching(group=False)
        call = getattr(prom, {"and": "and_", "or": "or_"}.get(op, op))
        return Meaning(
            f"(({left.text}) {op}{clause} ({right.text}))",
            lambda at: call(left.value(at), right.value(at), **arguments),
            left.exact and right.exact,
        )


_OVER_TIME = [
    "rate",
    "increase",
    "irate",
    "idelta",
    "delta",
    "deriv",
    "changes",
    "resets",
    "avg_over_time",
    "min_over_time",
    "max_over_time",
    "sum_over_time",
    "count_over_time",
    "last_over_time",
    "present_over_time",
    "stddev_over_time",
    "stdvar_over_time",
]
_AGGREGATIONS = ["sum", "avg", "min", "max", "count", "group", "stddev", "stdvar"]
FUNCTIONS: dict[str, Callable[[Draw], Meaning]] = {
    "select": lambda draw: draw.select(),
    **{name: lambda draw, name=name: draw.over_time(name) for name in _OVER_TIME},  # type: ignore[misc]
    "predict_linear": lambda draw: draw.predict_linear(),
    "quantile_over_time": lambda draw: draw.quantile_over_time(),
    "absent": lambda draw: draw.absent(),
    "absent_over_time": lambda draw: draw.absent_over_time(),
    "clamp": lambda draw: draw.clamp(),
    "scalar": lambda draw: draw.scalar(),
    "histogram_quantile": lambda draw: draw.histogram_quantile(),
    **{name: lambda draw, name=name: draw.aggregate(name) for name in _AGGREGATIONS},  # type: ignore[misc]
    "quantile": lambda draw: draw.quantile(),
    "topk": lambda draw: draw.ranked("topk"),
    "bottomk": lambda draw: draw.ranked("bottomk"),
    **{op: lambda draw, op=op: draw.arithmetic(op) for op in "+-*/%"},  # type: ignore[misc]
    **{op: lambda draw, op=op: draw.compare(op) for op in ("==", "!=", ">", "<", ">=", "<=")},  # type: ignore[misc]
    **{op: lambda draw, op=op: draw.set_operator(op) for op in ("and", "or", "unless")},  # type: ignore[misc]
}


# Comparison


def close(one: float, other: float, relative: float, absolute: float = 0.0) -> bool:
    """Equal up to a relative or an absolute difference; NaN equals NaN, an infinity only itself."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    if math.isinf(one) or math.isinf(other):
        return one == other
    return abs(one - other) <= max(relative * max(abs(one), abs(other)), absolute)


def agrees(expected: Vector | QueryError, got: Answer, noise: float) -> bool:
    """Whether promtool's answer has the same label sets with the same values, or an error where one is due."""
    if isinstance(expected, QueryError) or isinstance(got, Failed):
        about_labels = isinstance(got, Failed) and ("match" in got.reason or "same labelset" in got.reason)
        return isinstance(expected, QueryError) and about_labels
    return expected.keys() == got.keys() and all(
        close(float(value), got[labels], RELATIVE, noise) for labels, value in expected.items()
    )


@dataclass(frozen=True)
class Trial:
    """One scenario with its cases."""

    world: World
    cases: tuple[Case, ...]
    skipped: Counter[str]

    @property
    def scenario(self) -> Scenario:
        queries = tuple(case.query for case in self.cases)
        return Scenario(tuple(self.world.series), queries, self.world.interval)

    def mismatches(self, answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
        """Function and description of every case where promtool says something else."""
        for case, got in zip(self.cases, answers, strict=True):
            if not agrees(case.expected, got, NOISE * self.world.scale):
                yield case.function, self._describe(case, got)

    def _describe(self, case: Case, got: Answer) -> str:
        lines = [f"{case.query.expr}  at {case.query.at}s", f"  promtool:  {got}", f"  evaluator: {case.expected}"]
        lines += [
            f"  [{one.interval}s] {selector_text(one.labels)} {notation(one.samples)}" for one in self.world.series
        ]
        return "\n".join(lines)


def trial(rng: random.Random, functions: Sequence[str]) -> Trial:
    """A random world and one case for each function named; knife edges are left out and counted."""
    world, skipped, cases = World(rng), Counter[str](), []
    for function in functions:
        meaning = FUNCTIONS[function](Draw(world))
        slot = rng.choice([rng.randint(1, world.slots), rng.randint(1, world.slots), rng.randint(0, world.slots + 6)])
        at = slot * world.interval + rng.choice([0, 0, 0, 1, rng.randint(-7, 14)])
        at = max(at, 0)
        try:
            expected: Vector | QueryError = meaning.value(at)
        except QueryError as error:
            expected = error
        except KnifeEdgeError:
            skipped[function] += 1
            continue
        cases.append(Case(function, Query(meaning.text, at), expected))
    return Trial(world, tuple(cases), skipped)


def rotation(start: int) -> list[str]:
    """The next `QUERIES` functions, so that all get the same number of cases."""
    names = [*FUNCTIONS, "histogram_quantile", "histogram_quantile"]  # the one with the most branches
    return [names[(start + step) % len(names)] for step in range(QUERIES)]


def run(cases: int, seed: int) -> int:
    """Compare at least `cases` cases, print a summary and return the number of mismatches."""
    compared, empty, skipped, wrong = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    number = 0
    while compared.total() < cases:
        trials = []
        missing = cases - compared.total()
        for _ in range(min(SCENARIOS, -(-missing // QUERIES))):
            rng = random.Random(f"{seed}/{number}")
            trials.append(trial(rng, rotation(number * QUERIES)))
            number += 1
        for one, answers in zip(trials, ask([one.scenario for one in trials]), strict=True):
            compared.update(case.function for case in one.cases)
            empty.update(case.function for case in one.cases if not case.expected)
            skipped.update(one.skipped)
            for function, text in one.mismatches(answers):
                wrong[function] += 1
                if wrong.total() <= SHOWN:
                    print(f"MISMATCH in {function}: {text}")
    print(f"{'function':<20}{'compared':>10}{'empty':>8}{'knife edge':>12}{'mismatches':>12}")
    for name in FUNCTIONS:
        print(f"{name:<20}{compared[name]:>10}{empty[name]:>8}{skipped[name]:>12}{wrong[name]:>12}")
    print(f"{'all':<20}{compared.total():>10}{empty.total():>8}{skipped.total():>12}{wrong.total():>12}")
    return wrong.total()


def main() -> int:
    """Compare many cases and print a summary; the last line is the number of mismatches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mismatches = run(options.cases, options.seed)
    print(mismatches)
    return 1 if mismatches else 0


if __name__ == "__main__":
    raise SystemExit(main())
