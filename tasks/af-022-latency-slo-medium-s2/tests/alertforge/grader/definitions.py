# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""Rules as what they mean: the normal form of a definition, and whom it can concern.

An alert (or record) is one thing, all its definitions together. Two rules are one definition when they differ in
nothing but writing: formatting, operand order, a label of the group instead of the rule, a static label that the
expression yields anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from alertforge.prometheus import promql
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Selector, Subquery, Unary
from alertforge.prometheus.rules import Group, Pairs, Rule, RuleFile
from alertforge.prometheus.series import METRIC_NAME, Labels

_KEEP_ONE: Final = frozenset({"topk", "bottomk", "limitk", "limit_ratio"})
_DROPS_LABELS: Final = frozenset({"vector", "scalar", "time", "pi", "label_replace", "label_join"})


@dataclass(frozen=True)
class Definition:
    """One rule in normal form. `expr` is normal text; labels include the group's; durations in milliseconds."""

    name: str
    is_alert: bool
    expr: str
    for_: int = 0
    keep_firing_for: int = 0
    labels: Pairs = ()
    annotations: Pairs = ()
    records: tuple[tuple[str, Pairs], ...] = field(default=(), compare=False)  # that it reads: labels they are sure of


_Sure = Mapping[str, Mapping[str, str]]  # labels that all series of a record carry for certain, by its name
_NOTHING: Final[Mapping[str, Any]] = {}
Index = Mapping[tuple[bool, str], tuple[Definition, ...]]


def index(files: Iterable[RuleFile]) -> Index:
    """All distinct definitions by (is an alert, name), in file order."""
    found: dict[tuple[bool, str], dict[Definition, None]] = {}
    for file in files:
        for group in file.groups:
            for rule in group.rules:
                found.setdefault((rule.is_alert, rule.name), {})[definition(rule, group)] = None
    sure = _sure_labels(found)
    return {key: tuple(_with_records(one, sure) for one in definitions) for key, definitions in found.items()}


MAX_PASSES: Final = 8  # over the records, which may read each other


def _sure_labels(found: Mapping[tuple[bool, str], Iterable[Definition]]) -> _Sure:
    """What every definition of a record gives, directly or by way of the records that it reads."""
    trees = {
        name: [(parsed(one.expr), dict(one.labels)) for one in definitions]
        for (is_alert, name), definitions in found.items()
        if not is_alert
    }
    sure: dict[str, dict[str, str]] = {}
    for _ in range(MAX_PASSES):
        before = sure
        sure = {}
        for name, rules in trees.items():
            given = [{**(yielded(tree, before) if tree else {}), **static} for tree, static in rules]
            sure[name] = {key: value for key, value in given[0].items() if all(x.get(key) == value for x in given)}
        if sure == before:
            break
    return sure


def _with_records(one: Definition, sure: _Sure) -> Definition:
    tree = parsed(one.expr)
    names = sorted({selector.name or "" for selector in promql.selectors(tree)} if tree else ())
    records = tuple((name, tuple(sorted(sure[name].items()))) for name in names if sure.get(name))
    return replace(one, records=records) if records else one


def parsed(expr: str) -> Expr | None:
    """The tree of a definition's expression; None where our reader refuses it."""
    try:
        return promql.parsed(expr)
    except promql.PromQLError:
        return None


def definition(rule: Rule, group: Group) -> Definition:
    """The normal form of a rule in its group."""
    return _definition(rule, group.labels)


@lru_cache(maxsize=1024)
def _definition(rule: Rule, group_labels: Pairs) -> Definition:
    labels = {**dict(group_labels), **dict(rule.labels)}
    tree = tree_of(rule)
    if tree is None:
        expr = " ".join(rule.expr.split())
    else:
        expr = _normal_text(tree)
        given = yielded(tree)
        labels = {name: value for name, value in labels.items() if given.get(name) != value}
    return Definition(
        rule.name,
        rule.is_alert,
        expr,
        rule.for_,
        rule.keep_firing_for,
        Labels.of(labels).pairs if all(labels.values()) else tuple(sorted(labels.items())),
        tuple(sorted(rule.annotations)),
    )


def tree_of(rule: Rule) -> Expr | None:
    """The parsed expression; None where our reader refuses it."""
    try:
        return rule.tree
    except promql.PromQLError:
        return None


@lru_cache(maxsize=4096)
def _normal_text(tree: Expr) -> str:
    return promql.to_text(promql.normal_form(tree))


def yielded(tree: Expr, sure: _Sure = _NOTHING) -> dict[str, str]:
    """Labels that every sample of the expression carries for certain, with their values.

    `sure` are those that records carry, by name: a record that is one service's alone says so in every series.
    """
    match tree:
        case Selector(name=record, matchers=matchers):
            return dict(sure.get(record or "", _NOTHING)) | {
                m.name: m.value for m in matchers if m.op == "=" and m.value and m.name != METRIC_NAME
            }
        case Subquery(expr=expr) | Unary(expr=expr):
            return yielded(expr, sure)
        case Aggregate():
            return _yielded_by_aggregate(tree, sure)
        case Call(func=func, args=args):
            if func in _DROPS_LABELS or not args:
                return {}
            if func in ("absent", "absent_over_time"):
                return _yielded_by_absent(args[0])
            given = yielded(args[-1] if func in ("histogram_quantile", "quantile_over_time") else args[0], sure)
            return {name: value for name, value in given.items() if name != "le"}
        case Binary():
            return _yielded_by_binary(tree, sure)
    return {}


def _yielded_by_absent(tree: Expr) -> dict[str, str]:
    """Absence takes its labels from a plain selector only, and none that two matchers speak of."""
    if not isinstance(tree, Selector):
        return {}
    names = [matcher.name for matcher in tree.matchers]
    return {name: value for name, value in yielded(tree).items() if names.count(name) == 1}


def _yielded_by_aggregate(tree: Aggregate, sure: _Sure) -> dict[str, str]:
    given = yielded(tree.expr, sure)
    if tree.op in _KEEP_ONE:
        return given
    written = tree.param.value if tree.op == "count_values" and isinstance(tree.param, promql.String) else ""
    names = set(tree.grouping or ())
    kept = {name: value for name, value in given.items() if (name not in names if tree.without else name in names)}
    kept.pop(written, None)
    return kept


def _yielded_by_binary(tree: Binary, sure: _Sure) -> dict[str, str]:
    left, right = yielded(tree.lhs, sure), yielded(tree.rhs, sure)
    if tree.op == "or":
        return {name: value for name, value in left.items() if right.get(name) == value}
    if tree.op in promql.SET_OPERATORS or is_scalar(tree.rhs):
        return left
    if is_scalar(tree.lhs):
        return right
    matching = tree.matching or promql.Matching()
    if matching.group:
        many = left if matching.group == "left" else right
        return {name: value for name, value in many.items() if name not in matching.include}
    if matching.on:
        return {name: value for name, value in left.items() if name in matching.labels}
    return {name: value for name, value in left.items() if name not in matching.labels}


def is_scalar(tree: Expr) -> bool:
    """Whether the expression is a scalar: no labels, no matching."""
    match tree:
        case promql.Number():
            return True
        case Call(func=func):
            return func in ("scalar", "time", "pi")
        case Unary(expr=expr):
            return is_scalar(expr)
        case Binary(lhs=lhs, rhs=rhs):
            return is_scalar(lhs) and is_scalar(rhs)
    return False


# --- whom a definition can concern -----------------------------------------------------------------------------------


def concerns(one: Definition, subject: Labels) -> bool:
    """Whether a definition can yield anything for the subject. Only what is certain says no.

    Definitions of other services under the same fleet-wide name do not count against a requirement.
    """
    static = dict(one.labels)
    if any("{{" not in static.get(name, value) and static.get(name, value) != value for name, value in subject.pairs):
        return False
    tree = parsed(one.expr)
    if tree is None or any(
        isinstance(node, Call) and node.func in ("label_replace", "label_join") for node in promql.walk(tree)
    ):
        return True
    named = [name for name, _ in subject.pairs if name not in static]
    reads = promql.selectors(tree)
    sure = {record: dict(labels) for record, labels in one.records}

    def excludes(selector: Selector, name: str, value: str) -> bool:
        return sure.get(selector.name or "", _NOTHING).get(name, value) != value or _excludes(selector, name, value)

    return not any(reads and all(excludes(selector, name, subject.get(name)) for selector in reads) for name in named)


def _excludes(selector: Selector, name: str, value: str) -> bool:
    """Whether the selector leaves no series with that label value; patterns only where they are plain alternatives."""
    for matcher in selector.matchers:
        if matcher.name != name:
            continue
        if matcher.op == "=" and matcher.value != value:
            return True
        if matcher.op == "!=" and matcher.value == value:
            return True
        listed = promql.alternatives(matcher.value) if matcher.op in ("=~", "!~") else None
        if listed is not None and (value in listed) == (matcher.op == "!~"):
            return True
    return False


def distinct_for(definitions: Iterable[Definition], subjects: Iterable[Labels]) -> int:
    """The largest number of distinct definitions that can concern any one of the subjects."""
    known = tuple(definitions)
    return max((sum(concerns(one, subject) for one in known) for subject in subjects), default=len(known))


def with_what_they_read(definitions: Iterable[Definition], known: Index) -> tuple[Definition, ...]:
    """The definitions and those of the records that they read, directly or not; each once."""
    queue = list(definitions)
    found = dict.fromkeys(queue)
    while queue:
        tree = parsed(queue.pop().expr)
        for selector in promql.selectors(tree) if tree is not None else ():
            more = [one for one in known.get((False, selector.name or ""), ()) if one not in found]
            found.update(dict.fromkeys(more))
            queue += more
    return tuple(found)


def made_labels(one: Definition) -> frozenset[str]:
    """Labels that a definition makes from what it sees, with whatever value."""
    out = {key for key, value in one.labels if "{{" in value}
    tree = parsed(one.expr)
    for node in promql.walk(tree) if tree is not None else ():
        if isinstance(node, Call) and node.func in ("label_replace", "label_join"):
            out |= {arg.value for arg in node.args[1:2] if isinstance(arg, promql.String)}
        elif isinstance(node, Aggregate) and node.op == "count_values" and isinstance(node.param, promql.String):
            out.add(node.param.value)
    return frozenset(out)


def follows_values(one: Definition) -> bool:
    """Whether values become labels in its expression, which other labels may then be made from."""
    tree = parsed(one.expr)
    nodes = promql.walk(tree) if tree is not None else ()
    return any(isinstance(node, Aggregate) and node.op == "count_values" for node in nodes)
