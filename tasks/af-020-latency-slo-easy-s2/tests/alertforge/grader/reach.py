# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
"""Which rules matter on given series, which series matter to given rules, and which rules cannot see each other.

An expression yields nothing where Prometheus' engine has nothing to work on: a selector that no series can match,
anything computed from it, a missing side of `and` or of arithmetic. What yields from nothing (`absent`, `vector`,
`scalar`, `hour()`, literals) and what cannot be told here (regular expressions, selectors without a name, `ALERTS`)
counts as yielding. Every answer errs on the side of running a rule.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from alertforge.prometheus import promql, templates
from alertforge.prometheus.rules import Pairs, Rule, RuleFile
from alertforge.prometheus.series import METRIC_NAME, Labels

STATE_METRICS: Final = frozenset({"ALERTS", "ALERTS_FOR_STATE"})
MAX_PASSES: Final = 20  # over the records, which may read each other in a circle
KEPT_INPUTS: Final = 256  # scenarios whose answers are kept for the next set of rules
KEPT_ANSWERS: Final = 2_000  # selectors and expressions a scenario


@dataclass(frozen=True)
class Placed:
    """A rule and where it stands."""

    number: int  # position in the order of evaluation
    path: str
    group: int  # number of its group over all files
    group_labels: Pairs
    rule: Rule
    tree: promql.Expr | None  # None where the reader refuses what Prometheus may take
    reads: frozenset[str] | None  # metric names it can read; None is any
    selectors: tuple[promql.Selector, ...]  # of its expression

    @property
    def title(self) -> str:
        """The rule in messages."""
        return f"{'alert' if self.rule.is_alert else 'record'} {self.rule.name} ({self.path})"

    @cached_property
    def selects(self) -> tuple[str, ...]:
        """The metric names in its selectors."""
        return tuple(dict.fromkeys(one.name for one in self.selectors if one.name is not None))


def place(files: Sequence[RuleFile]) -> list[Placed]:
    """All rules in the order of evaluation: files by path, groups and rules as they stand."""
    placed: list[Placed] = []
    groups = 0
    for file in sorted(files, key=lambda f: f.path):
        for group in file.groups:
            for rule in group.rules:
                try:
                    tree = rule.tree
                except promql.PromQLError:
                    tree = None
                selectors = () if tree is None else tuple(promql.selectors(tree))
                reads = None if tree is None else _reads(rule, selectors)
                placed.append(Placed(len(placed), file.path, groups, group.labels, rule, tree, reads, selectors))
            groups += 1
    return placed


def _reads(rule: Rule, selectors: Sequence[promql.Selector]) -> frozenset[str] | None:
    """Metric names that a rule can read, by its expression and by `query` in its templates."""
    texts = (text for _, text in rule.labels + rule.annotations)
    if any("query" in templates.words(action) for text in texts for action in templates.actions(text)):
        return None
    names = [selector.name for selector in selectors]
    return None if None in names else frozenset(name for name in names if name is not None)


@dataclass(frozen=True)
class Reached:
    """The rules that may yield something on given series, and per alert the labels its expression surely lacks."""

    rules: frozenset[int]
    shapes: Mapping[int, Shape]

    def lacks(self, placed: Placed, label: str) -> bool:
        """Whether no sample of this rule's expression can carry the label."""
        shape = self.shapes.get(placed.number)
        return shape is not None and not shape.open and label not in shape.values


class Reach:
    """Answers for one set of rules; scenarios with the same series names share the work."""

    def __init__(self, placed: Sequence[Placed]) -> None:
        self._placed = placed
        recorded = {p.rule.name for p in placed if not p.rule.is_alert}
        self._readers = [p for p in placed if not recorded.isdisjoint(p.selects)]
        self._known: dict[tuple[str, ...], Reached] = {}

    def of(self, series: Iterable[str]) -> Reached:
        """What the rules can do on series in promtool's notation (`metric{label="value"}`)."""
        key = tuple(sorted(set(series)))
        if key not in self._known:
            self._known[key] = _close(self._placed, self._readers, _input(key))
        return self._known[key]

    def recorded(self, series: Iterable[str]) -> frozenset[str]:
        """The names of the records that may yield something on series."""
        reached = self.of(series).rules
        return frozenset(p.rule.name for p in self._placed if not p.rule.is_alert and p.number in reached)

    def needed(self, series: Iterable[str], wants_alert: Callable[[str], bool], records: Iterable[str]) -> list[Placed]:
        """The rules that can change what these alerts and records show, in the order of evaluation."""
        reached = self.of(series).rules
        reachable = [p for p in self._placed if p.number in reached]
        wanted = set(records)
        new = [p for p in reachable if (wants_alert(p.rule.name) if p.rule.is_alert else p.rule.name in wanted)]
        needed: set[int] = set()
        while new:
            needed |= {p.number for p in new}
            names: set[str] = set()
            for p in new:
                if p.reads is None:
                    return reachable
                names |= p.reads
            states = bool(names & STATE_METRICS)
            new = [
                p for p in reachable if p.number not in needed and (states if p.rule.is_alert else p.rule.name in names)
            ]
        return [p for p in reachable if p.number in needed]

    def seen(self, series: Iterable[str], rules: Sequence[Placed], records: Iterable[str]) -> frozenset[str]:
        """The series that can change what these rules, or samples under these names, show."""
        every = tuple(sorted(set(series)))
        given = _input(every)
        if given.metrics is None or any(p.reads is None for p in rules):
            return frozenset(every)
        written = {*records, *STATE_METRICS, *(p.rule.name for p in rules if not p.rule.is_alert)}
        asked = [(one.name or "", one.matchers) for p in rules for one in p.selectors]
        return frozenset().union(*(given.texts(*one) for one in [*((name, ()) for name in sorted(written)), *asked]))


def independent(rules: Sequence[Placed], records: Iterable[str]) -> list[tuple[list[Placed], list[str]]]:
    """Split rules and the records that are asked for into parts that cannot see or disturb each other.

    One name is one part, with every record that it reads. Rules that can read or write alert states, or anything at
    all, leave it whole.
    """
    asked = list(dict.fromkeys(records))
    if any(p.reads is None or {p.rule.name, *p.reads} & STATE_METRICS for p in rules):
        return [([*rules], asked)]
    recorded = {p.rule.name for p in rules if not p.rule.is_alert}
    above: dict[tuple[bool, str], tuple[bool, str]] = {}

    def root(key: tuple[bool, str]) -> tuple[bool, str]:
        while key in above:
            above[key] = above.get(above[key], above[key])  # a shorter way for the next
            key = above[key]
        return key

    for p in rules:
        for name in p.selects:
            one, other = root((p.rule.is_alert, p.rule.name)), root((False, name))
            if name in recorded and one != other:
                above[other] = one
    parts: dict[tuple[bool, str], tuple[list[Placed], list[str]]] = {}
    for p in rules:
        parts.setdefault(root((p.rule.is_alert, p.rule.name)), ([], []))[0].append(p)
    for name in asked:
        parts.setdefault(root((False, name)), ([], []))[1].append(name)
    return list(parts.values())


# --- what an expression may yield ------------------------------------------------------------------------------------

_NO_VALUE: Final = frozenset({""})


@dataclass(frozen=True)
class Shape:
    """Labels that samples may carry: per label every possible value (`""`: without it); others are never there.

    `open`: any label may be there with any value. The metric name is not part of it.
    """

    values: Mapping[str, frozenset[str]] = field(default_factory=dict)
    open: bool = False

    def of(self, label: str) -> frozenset[str]:
        """Every possible value of a label, of a shape that is not open."""
        return self.values.get(label, _NO_VALUE)

    def only(self, labels: Iterable[str]) -> Shape:
        """Without other labels than these."""
        return self if self.open else Shape({name: self.values[name] for name in labels if name in self.values})

    def optional(self) -> Shape:
        """The same labels, each of which may also be missing."""
        return self if self.open else Shape({name: values | _NO_VALUE for name, values in self.values.items()})

    def fixed(self, pairs: Pairs) -> Shape:
        """With static labels set."""
        return self if self.open else Shape({**self.values, **{name: frozenset({value}) for name, value in pairs}})

    def or_(self, other: Shape) -> Shape:
        """What either may yield."""
        if self.open or other.open:
            return _ANY
        if self is other:
            return self
        return Shape({name: self.of(name) | other.of(name) for name in [*self.values, *other.values]})


_ANY: Final = Shape(open=True)
_BARE: Final = Shape()

_OVER_TIME: Final = ("avg", "min", "max", "sum", "count", "quantile", "stddev", "stdvar", "last", "present")
_KEEP_LABELS: Final = frozenset(
    {
        *("rate", "increase", "irate", "delta", "idelta", "deriv", "predict_linear", "changes", "resets"),
        *(f"{name}_over_time" for name in _OVER_TIME),
        *("abs", "ceil", "floor", "round", "clamp", "clamp_min", "clamp_max", "exp", "ln", "log2", "log10", "sqrt"),
        *("sgn", "timestamp", "sort", "sort_desc"),
    }
)
_FROM_NOTHING: Final = frozenset({"absent", "absent_over_time", "scalar", "vector", "time", "pi"})
_SCALAR_CALLS: Final = frozenset({"scalar", "time", "pi"})
_PICKING: Final = frozenset({"topk", "bottomk", "limitk", "limit_ratio"})  # keep whole samples
REWRITTEN_LABELS: Final = frozenset({"le", "quantile"})  # values that Prometheus may store in another spelling


class _Input:
    """The series of one scenario, and what is known to come out of them whatever the rules record.

    `metrics` holds text and labels by metric name; None: some series cannot be read here, and nothing is known.
    """

    def __init__(self, metrics: Mapping[str, Sequence[tuple[str, Shape]]] | None) -> None:
        self.metrics = metrics
        self.select = lru_cache(maxsize=KEPT_ANSWERS)(self._select)
        self.texts = lru_cache(maxsize=KEPT_ANSWERS)(self._texts)
        self._alone = lru_cache(maxsize=KEPT_ANSWERS)(self._shape_without_records)

    def _matching(self, name: str, matchers: tuple[promql.Matcher, ...]) -> list[tuple[str, Shape]]:
        return [one for one in (self.metrics or {}).get(name, ()) if _may_match(matchers, one[1])]

    def _select(self, name: str, matchers: tuple[promql.Matcher, ...]) -> Shape | None:
        """What a selector may find among the series."""
        return _either([shape for _, shape in self._matching(name, matchers)])

    def _texts(self, name: str, matchers: tuple[promql.Matcher, ...]) -> frozenset[str]:
        """The series that a selector may find."""
        return frozenset(text for text, _ in self._matching(name, matchers))

    def shape(self, p: Placed, recorded: Mapping[str, Shape]) -> Shape | None:
        """What a rule's expression may yield."""
        if p.tree is None:
            return _ANY
        reads_records = any(name in recorded for name in p.selects)
        return _shape(p.tree, self, recorded) if reads_records else self._alone(p.rule.expr)

    def _shape_without_records(self, expr: str) -> Shape | None:
        return _shape(promql.parsed(expr), self, {})


@lru_cache(maxsize=KEPT_INPUTS)
def _input(series: tuple[str, ...]) -> _Input:
    metrics: dict[str, list[tuple[str, Shape]]] = {}
    for text in series:
        labels = labels_of(text)
        if labels is None:
            return _Input(None)
        shape = Shape({name: frozenset({value}) for name, value in labels.pairs if name != METRIC_NAME})
        metrics.setdefault(labels.name, []).append((text, shape))
    return _Input(metrics)


def _close(placed: Sequence[Placed], readers: Sequence[Placed], given: _Input) -> Reached:
    """Let records feed each other, and those that read them, until nothing new comes out."""
    if given.metrics is None:
        return Reached(frozenset(p.number for p in placed), {})
    recorded: dict[str, Shape] = {}
    shapes: dict[int, Shape] = {}
    seen: dict[int, list[Shape | None]] = {}  # the records that a rule had before it when it was last looked at
    for turn in range(MAX_PASSES + 1):
        before = dict(recorded)
        for p in placed if turn in (0, MAX_PASSES - 1) else readers:
            read = [recorded.get(name) for name in p.selects]
            if p.number in seen and turn != MAX_PASSES - 1 and all(map(operator.is_, read, seen[p.number])):
                continue  # nothing new for this one
            seen[p.number] = read
            found = given.shape(p, recorded)
            if found is None:
                continue
            shapes[p.number] = found
            if not p.rule.is_alert:
                out = found.fixed(p.group_labels).fixed(p.rule.labels)
                old = recorded.get(p.rule.name, out)
                grown = _ANY if turn == MAX_PASSES - 1 else old.or_(out)
                recorded[p.rule.name] = old if grown == old else grown
        if recorded == before:
            break
    return Reached(frozenset(shapes), shapes)


@lru_cache(maxsize=8192)
def labels_of(text: str) -> Labels | None:
    """The labels of a series in our own notation, `__name__` among them; None where it is no plain series."""
    try:
        selector = promql.parse(text)
    except promql.PromQLError:
        return None
    if not isinstance(selector, promql.Selector) or selector.name is None:
        return None
    if any(matcher.op != "=" for matcher in selector.matchers):
        return None
    return Labels.of([(m.name, m.value) for m in selector.matchers] + [(METRIC_NAME, selector.name)])


def _shape(expr: promql.Expr, given: _Input, recorded: Mapping[str, Shape]) -> Shape | None:
    """What the expression may yield; None where it surely yields nothing."""
    match expr:
        case promql.Selector():
            return _selected(expr, given, recorded)
        case promql.Call():
            return _called(expr, [_shape(arg, given, recorded) for arg in expr.args if not is_scalar(arg)])
        case promql.Aggregate():
            return _aggregated(expr, _shape(expr.expr, given, recorded))
        case promql.Subquery(expr=inner) | promql.Unary(expr=inner):
            return _shape(inner, given, recorded)
        case promql.Binary():
            return _combined(expr, _shape(expr.lhs, given, recorded), _shape(expr.rhs, given, recorded))
    return _BARE


def _selected(selector: promql.Selector, given: _Input, recorded: Mapping[str, Shape]) -> Shape | None:
    name = selector.name
    if name is None or name in STATE_METRICS:
        return _ANY
    found = given.select(name, selector.matchers)
    own = recorded.get(name)
    return found if own is None or not _may_match(selector.matchers, own) else _either([found, own])


def _either(shapes: Sequence[Shape | None]) -> Shape | None:
    found: Shape | None = None
    for shape in shapes:
        if shape is not None:
            found = shape if found is None else found.or_(shape)
    return found


def _may_match(matchers: Iterable[promql.Matcher], shape: Shape) -> bool:
    """Whether no matcher contradicts the labels; regular expressions are Go's and are not tried here."""
    for matcher in matchers:
        if shape.open or matcher.name in REWRITTEN_LABELS or matcher.name == METRIC_NAME:
            continue
        values = shape.of(matcher.name)
        if matcher.op == "=" and matcher.value not in values:
            return False
        if matcher.op == "!=" and values == {matcher.value}:
            return False
    return True


def _called(call: promql.Call, vectors: Sequence[Shape | None]) -> Shape | None:
    if call.func in ("absent", "absent_over_time"):
        return _ANY
    if call.func in _FROM_NOTHING or not vectors:
        return _BARE
    found = _either(vectors)
    if found is None or call.func in _KEEP_LABELS:
        return found
    return found.optional() if call.func == "histogram_quantile" else _ANY


def _aggregated(expr: promql.Aggregate, inner: Shape | None) -> Shape | None:
    if inner is None or expr.op in _PICKING:
        return inner
    if expr.op == "count_values":
        return _ANY
    if expr.without:
        return inner.optional()
    return _BARE if not expr.grouping else inner.only(expr.grouping)


def _combined(expr: promql.Binary, lhs: Shape | None, rhs: Shape | None) -> Shape | None:
    if expr.op == "or":
        return _either([lhs, rhs])
    if expr.op == "unless":
        return lhs
    if lhs is None or rhs is None:
        return None
    if expr.op == "and":
        return lhs
    # matching drops labels of one side and `group_left` copies some of the other: any of both, or none
    return lhs.or_(rhs).optional()


def is_scalar(expr: promql.Expr) -> bool:
    """Whether the expression is a scalar (or a string), which takes no part in matching."""
    match expr:
        case promql.Number() | promql.String():
            return True
        case promql.Call(func=func):
            return func in _SCALAR_CALLS
        case promql.Unary(expr=inner):
            return is_scalar(inner)
        case promql.Binary(lhs=lhs, rhs=rhs):
            return is_scalar(lhs) and is_scalar(rhs)
    return False
