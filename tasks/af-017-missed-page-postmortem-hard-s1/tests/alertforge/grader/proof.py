# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""Proofs by reading: that two definitions of an alert or record do the same, where no replay shows it.

What fires in no scenario cannot be compared there. An equal normal form decides first; here are the spellings that it
leaves apart and that are the same all the same:

- operands of `+` and `*` in another order or other brackets; regular expressions that are plain text or plain
  alternatives; a record written out in place of its name;
- for an alert, which only needs to know whom it is about: operands of `and` and `or` in another order, a comparison of
  two vectors turned round, as long as no template asks for `$value`;
- more labels, where no route, inhibition or grouping reads them and the expression has none of that name; more
  annotations;
- in labels and annotations of an alert, `{{ $labels.x }}` in place of the value that every sample of the expression
  has for x.

What is not found here may still be equal; a check says so in words.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from alertforge.alertmanager.config import Config, duration_text
from alertforge.grader.definitions import Definition, Index, is_scalar, yielded
from alertforge.prometheus import promql, templates
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Matcher, Number, Selector, Subquery, Unary

_FLIPPED: Final = {">": "<", "<": ">", ">=": "<=", "<=": ">="}
_LABEL: Final = re.compile(r"[{,]\s*([A-Za-z_][A-Za-z0-9_]*)\s*=")
_OWN: Final = re.compile(r"\s*\{\{-?\s*(?:\$labels|\.Labels)\.([A-Za-z_][A-Za-z0-9_]*)\s*-?\}\}\s*")
_LOOKUP: Final = re.compile(r"\s*(?:\$labels|\.Labels)\.([A-Za-z_][A-Za-z0-9_]*)\s*")
_REBINDS: Final = re.compile(r"\b(?:range|with|define|template|block)\b|:=|\$labels\s*=")
_VALUE: Final = ("$value", ".Value")
MAX_INLINED: Final = 20  # records written out in one expression


@dataclass(frozen=True)
class Ground:
    """What a proof stands on: the rules of one side, what reads labels, and which labels series are known to have."""

    records: Index
    read: frozenset[str]  # labels that a route, an inhibition or a grouping reads
    carried: frozenset[str]  # labels that some series of a scenario has, or some rule of the baseline names


def read_by(config: Config) -> frozenset[str]:
    """The labels that decide where an alert goes, whom it suppresses and with whom it is put together."""
    matchers = [m for node in config.nodes() for m in node.route.matchers]
    matchers += [m for rule in config.inhibit_rules for m in (*rule.source, *rule.target)]
    names = {m.name for m in matchers} | {name for rule in config.inhibit_rules for name in rule.equal}
    return frozenset(names | {name for node in config.nodes() for name in node.group_by})


def named_by(index: Index) -> frozenset[str]:
    """The labels that rules name in their expressions."""
    out: set[str] = set()
    for definitions in index.values():
        for one in definitions:
            tree = _tree(one.expr)
            for node in promql.walk(tree) if tree else ():
                match node:
                    case Selector(matchers=matchers):
                        out.update(m.name for m in matchers)
                    case Aggregate(grouping=names):
                        out.update(names or ())
                    case Binary(matching=promql.Matching(labels=labels, include=include)):
                        out.update((*labels, *include))
    return frozenset(out)


def all_same(old: Collection[Definition], new: Sequence[Definition], was: Ground, now: Ground, *, more: bool) -> bool:
    """Whether every old definition has a new one of its own that does the same; with `more`, there may be others."""
    if len(old) > len(new) or (len(old) < len(new) and not more):
        return False
    left = list(new)
    for one in sorted(old, key=repr):
        found = next((other for other in left if same(one, other, was, now)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def same(old: Definition, new: Definition, was: Ground, now: Ground) -> bool:
    """Whether the new definition surely does what the old one does."""
    return not _difference(old, new, was, now)


def difference(old: Collection[Definition], new: Sequence[Definition], was: Ground, now: Ground) -> str:
    """What keeps the definitions from being proven the same, in words."""
    if len(old) != 1 or len(new) != 1:
        return f"{len(new)} other definition(s) in place of {len(old)}"
    return _difference(next(iter(old)), new[0], was, now)


def _difference(old: Definition, new: Definition, was: Ground, now: Ground) -> str:
    for what, before, after in (
        ("for", old.for_, new.for_),
        ("keep_firing_for", old.keep_firing_for, new.keep_firing_for),
    ):
        if before != after:
            return f"`{what}` was {duration_text(before)}, is {duration_text(after)}"
    had, has = _sure_labels(old), _sure_labels(new)
    for what, given, got, beside in (
        ("label", dict(old.labels), dict(new.labels), has),
        ("annotation", dict(old.annotations), dict(new.annotations), {}),
    ):
        for name, value in given.items():
            written = _settled(got[name], has) if name in got else beside.get(name)
            if written != _settled(value, had):
                return f"{what} {name} was {value!r}, is {got[name]!r}" if name in got else f"{what} {name} is gone"
    valued = any(text in value for _, value in (*new.labels, *new.annotations) for text in _VALUE)
    if _meaning(old, None, valued) != _meaning(new, None, valued) and _meaning(old, was, valued) != _meaning(
        new, now, valued
    ):
        return "its expression is another one"
    added = [
        name
        for name, value in new.labels
        if name not in dict(old.labels) and not _is_own(name, value) and _settled(value, has) != has.get(name)
    ]
    return next(filter(None, (_added(name, old, was, now) for name in added)), "")


def _sure_labels(one: Definition) -> Mapping[str, str]:
    """What templates of an alert find under `$labels` for certain: labels of its samples, not those of the rule."""
    tree = _tree(one.expr) if one.is_alert else None
    return {} if tree is None else yielded(tree, {record: dict(labels) for record, labels in one.records})


def _settled(text: str, sure: Mapping[str, str]) -> str:
    """A template with values in place of plain lookups of labels that are certain; nothing else is worked out.

    Of the two ways to look up a label that is not certain, one is written.
    """
    if any(map(_REBINDS.search, templates.actions(text))):
        return text

    def settle(action: str) -> str | None:
        lookup = _LOOKUP.fullmatch(action)
        if lookup is None:
            return None
        value = sure.get(lookup[1], "")
        plain = value != "" and value == value.strip() and not {"{", "}"} & set(value)  # what no template reads anew
        return value if plain else f"{{{{ $labels.{lookup[1]} }}}}"

    return templates.rewrite(text, settle)


def _is_own(name: str, value: str) -> bool:
    """Whether a label is set to what the sample has for it anyway."""
    found = _OWN.fullmatch(value)
    return found is not None and found[1] == name


def _added(name: str, old: Definition, was: Ground, now: Ground) -> str:
    if not old.is_alert:
        return f"label {name} is new"
    if name in now.read:
        return f"label {name} is new, and the Alertmanager configuration reads it"
    tree = _inlined(old.expr, was)
    closed = None if tree is None else closed_labels(tree)
    if name in closed if closed is not None else name in was.carried:
        return f"label {name} is new, and what fires may have one already"
    return ""


def _meaning(one: Definition, ground: Ground | None, valued: bool) -> str:
    """A text that is equal for definitions whose expressions do the same; with a ground, records are written out."""
    tree = _tree(one.expr) if ground is None else _inlined(one.expr, ground)
    if tree is None:
        return one.expr
    return _sample(tree) if valued or not one.is_alert else _presence(tree)


@lru_cache(maxsize=1024)
def _tree(expr: str) -> Expr | None:
    """The expression in normal form; None where our reader refuses it."""
    try:
        return promql.normal_form(_plain(promql.parse(expr)))
    except promql.PromQLError:
        return None


# --- writing records out ---------------------------------------------------------------------------------------------


def _inlined(expr: str, ground: Ground) -> Expr | None:
    """The expression with records in place of their names, where a name stands alone for one definition."""
    tree = _tree(expr)
    for _ in range(MAX_INLINED):
        if tree is None:
            return None
        bare = next((one for one in promql.selectors(tree) if _record(one, ground) is not None), None)
        if bare is None or promql.depth(tree) > promql.MAX_DEPTH // 4:
            break
        written = _record(bare, ground)
        assert written is not None
        tree = promql.swap(tree, bare, written)
    return None if tree is None else promql.normal_form(tree)


def _record(selector: Selector, ground: Ground) -> Expr | None:
    definitions = ground.records.get((False, selector.name or ""), ())
    if len(definitions) != 1 or selector != Selector(selector.name) or definitions[0].labels:
        return None
    tree = _tree(definitions[0].expr)
    return None if tree is None or any(one.name == selector.name for one in promql.selectors(tree)) else tree


# --- spellings -------------------------------------------------------------------------------------------------------


def _plain(tree: Expr) -> Expr:
    """Patterns that are text as text, alternatives in order, powers of numbers worked out."""

    def change(node: Expr) -> Expr:
        match node:
            case Selector(matchers=matchers):
                return replace(node, matchers=tuple(map(_plain_matcher, matchers)))
            case Binary("^", Number(base), Number(power)) if abs(base) < 1e6 and abs(power) < 20 and base > 0:
                return Number(base**power)
        return node

    return promql.rewrite(tree, change)


def _plain_matcher(matcher: Matcher) -> Matcher:
    listed = promql.alternatives(matcher.value) if matcher.op in ("=~", "!~") else None
    if listed is None:
        return matcher
    choices = sorted(set(listed))
    if len(choices) == 1:
        return replace(matcher, op="=" if matcher.op == "=~" else "!=", value=choices[0])
    return replace(matcher, value="|".join(choices))


def _sample(tree: Expr) -> str:
    """Equal for expressions that yield the same samples."""
    match tree:
        case Binary(op=op, matching=None) if op in ("+", "*"):
            return f"({f' {op} '.join(sorted(_sample(one) for one in _chain(tree, op)))})"
        case Binary():
            return f"({_sample(tree.lhs)} {promql.operator_text(tree)} {_sample(tree.rhs)})"
        case Unary(expr=expr):
            return f"-{_sample(expr)}"
        case Call(func=func, args=args):
            return f"{func}({', '.join(map(_sample, args))})"
        case Aggregate(expr=expr):
            return f"{promql.aggregate_head(tree)}({promql.aggregate_param(tree)}{_sample(expr)})"
        case Subquery(expr=expr):
            return f"{_sample(expr)}{promql.to_text(replace(tree, expr=Selector('x')))}"
    return promql.to_text(tree)


def _chain(tree: Expr, op: str) -> Iterator[Expr]:
    """The operands of one operator, whatever the brackets."""
    if isinstance(tree, Binary) and tree.op == op and tree.matching is None:
        yield from _chain(tree.lhs, op)
        yield from _chain(tree.rhs, op)
    else:
        yield tree


def _presence(tree: Expr) -> str:
    """Equal for expressions that yield samples with the same labels, whatever their values and names."""
    match tree:
        case Binary(op=op, matching=None) if op in ("and", "or"):
            return f"({f' {op} '.join(sorted({_presence(one) for one in _chain(tree, op)}))})"
        case Binary(op="unless", matching=None):
            return f"({_presence(tree.lhs)} unless {_presence(tree.rhs)})"
        case Binary(op=op, matching=None, bool_=False) if op in (*_FLIPPED, "==", "!="):
            left, right = _sample(tree.lhs), _sample(tree.rhs)
            if right < left and not is_scalar(tree.lhs) and not is_scalar(tree.rhs):
                left, right, op = right, left, _FLIPPED.get(op, op)
            return f"({left} {op} {right})"
    return _sample(tree)


# --- labels ----------------------------------------------------------------------------------------------------------


def closed_labels(tree: Expr) -> frozenset[str] | None:
    """All labels that samples of the expression can have; None where its series decide."""
    match tree:
        case Aggregate(grouping=names, without=False, op=op) if op not in ("topk", "bottomk", "limitk", "limit_ratio"):
            return None if op == "count_values" else frozenset(names or ())
        case Aggregate(expr=expr) | Subquery(expr=expr) | Unary(expr=expr):
            return closed_labels(expr)
        case Call(func="absent" | "absent_over_time"):
            return frozenset(yielded(tree))
        case Call(func="vector" | "scalar" | "time" | "pi"):
            return frozenset()
        case Call(func=func, args=args) if args and func not in ("label_replace", "label_join"):
            return closed_labels(args[-1] if func in ("histogram_quantile", "quantile_over_time") else args[0])
        case Binary(lhs=lhs, rhs=rhs):
            left = closed_labels(lhs)
            return left if is_scalar(rhs) else _closed_binary(tree, left, closed_labels(rhs))
    return None


def _closed_binary(tree: Binary, left: frozenset[str] | None, right: frozenset[str] | None) -> frozenset[str] | None:
    if is_scalar(tree.lhs):
        return right
    if tree.op == "or" or (tree.matching is not None and tree.matching.group is not None):
        return None if left is None or right is None else left | right
    if tree.op not in promql.SET_OPERATORS and tree.matching is not None and tree.matching.on:
        return frozenset(tree.matching.labels)
    return left


def series_labels(series: Iterable[str]) -> frozenset[str]:
    """The label names of series in our own notation: `metric{label="value"}`."""
    return frozenset(name for text in set(series) for name in _LABEL.findall(text))
