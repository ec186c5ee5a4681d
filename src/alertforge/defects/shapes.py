"""Finding places in an expression by their shape, and small edits that many defects share."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.prometheus.promql import (
    COMPARISONS,
    Aggregate,
    Binary,
    Call,
    Expr,
    Matcher,
    Number,
    Selector,
    Unary,
    duration_ms,
    rewrite,
    selectors,
    walk,
)
from alertforge.prometheus.rules import Rule

MINUTE: Final = 60_000

# functions that need two samples in their window, and those of them that read counters
TWO_SAMPLES: Final = frozenset(
    {"rate", "increase", "irate", "idelta", "delta", "deriv", "predict_linear", "changes", "resets"}
)
COUNTER_FUNCTIONS: Final = frozenset({"rate", "increase"})
ABSENT: Final = frozenset({"absent", "absent_over_time"})

_COUNTER_NAME: Final = re.compile(r".*_(total|count|sum|bucket)")
_RECORDED_WINDOW: Final = re.compile(r"\d+[smhd](?![a-zA-Z0-9])")
_ENDS_IN_WINDOW: Final = re.compile(r"\d[smhd]\Z")
_FLIPPED: Final = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


# --- limits ----------------------------------------------------------------------------------------------------------


def is_literal(expr: Expr) -> bool:
    """Numbers and arithmetic on numbers: what a threshold is written as."""
    match expr:
        case Number():
            return True
        case Unary(inner):
            return is_literal(inner)
        case Binary(op=op, lhs=lhs, rhs=rhs):
            return op in ("+", "-", "*", "/", "^") and is_literal(lhs) and is_literal(rhs)
    return False


def is_limit(expr: Expr) -> bool:
    """A comparison of something measured with a number."""
    return isinstance(expr, Binary) and expr.op in COMPARISONS and is_literal(expr.lhs) != is_literal(expr.rhs)


def measured(limit: Binary) -> Expr:
    """The side of a limit that is measured."""
    return limit.rhs if is_literal(limit.lhs) else limit.lhs


def threshold(limit: Binary) -> Expr:
    """The side of a limit that is a number."""
    return limit.lhs if is_literal(limit.lhs) else limit.rhs


def direction(limit: Binary) -> str:
    """The comparison with the measured side on the left."""
    return _FLIPPED.get(limit.op, limit.op) if is_literal(limit.lhs) else limit.op


def with_threshold(limit: Binary, number: Expr) -> Binary:
    """The limit with another number."""
    return replace(limit, lhs=number) if is_literal(limit.lhs) else replace(limit, rhs=number)


def with_measured(limit: Binary, expr: Expr) -> Binary:
    """The limit on something else."""
    return replace(limit, rhs=expr) if is_literal(limit.lhs) else replace(limit, lhs=expr)


def limits(tree: Expr) -> list[Binary]:
    """All limits, left to right."""
    return [node for node in walk(tree) if isinstance(node, Binary) and is_limit(node)]


def is_ratio(expr: Expr) -> bool:
    """A quotient of two measured things, or something that a quotient was recorded as."""
    if isinstance(expr, Selector):
        return is_record(expr)
    return any(
        isinstance(node, Binary) and node.op == "/" and not is_literal(node.lhs) and not is_literal(node.rhs)
        for node in walk(expr)
    )


def guards(tree: Expr) -> list[Binary]:
    """Traffic guards: the right side of an `and` asks for some plain traffic beside what the left side judges."""
    return [
        node.rhs
        for node in walk(tree)
        if isinstance(node, Binary)
        and node.op == "and"
        and isinstance(node.rhs, Binary)
        and is_limit(node.rhs)
        and direction(node.rhs) in (">", ">=")
        and not is_ratio(measured(node.rhs))
        and any(not _same_measure(measured(node.rhs), measured(limit)) for limit in limits(node.lhs))
        and any(_calls(measured(node.rhs), COUNTER_FUNCTIONS))
    ]


def _same_measure(one: Expr, other: Expr) -> bool:
    """Whether two measured things differ in nothing but their windows."""
    return _without_windows(one) == _without_windows(other)


def _without_windows(expr: Expr) -> Expr:
    def blank(node: Expr) -> Expr:
        if not isinstance(node, Selector):
            return node
        name = _RECORDED_WINDOW.sub("", node.name) if node.name and is_record(node) else node.name
        return replace(node, name=name, window=None if node.window is None else 0)

    return rewrite(expr, blank)


def _calls(expr: Expr, functions: frozenset[str]) -> list[Call]:
    return [node for node in walk(expr) if isinstance(node, Call) and node.func in functions]


def reads_clock(expr: Expr) -> bool:
    """Whether the expression asks what time it is."""
    return bool(_calls(expr, frozenset({"time", "timestamp"})))


def main_limits(tree: Expr) -> list[Binary]:
    """The limits that decide, without traffic guards."""
    side = guards(tree)
    return [limit for limit in limits(tree) if limit not in side]


def on_main_limits(rule: Rule, change: Callable[[Binary], Expr | None]) -> Rule | None:
    """The rule with each deciding limit changed; None if no limit was."""
    tree = rule.tree
    main = main_limits(tree)
    changed = {limit: new for limit in main if (new := change(limit)) is not None}
    if not changed:
        return None
    return rule.with_expr(rewrite(tree, lambda node: changed.get(node, node) if isinstance(node, Binary) else node))


def scaled(number: Expr, factor: float) -> Expr | None:
    """A threshold made `factor` times as large by its first number; None for zero."""
    match number:
        case Number(value):
            return None if value == 0 else Number(tidy(value * factor))
        case Unary(inner):
            new = scaled(inner, factor)
            return None if new is None else Unary(new)
        case Binary(op="*" | "/", lhs=lhs):
            new = scaled(lhs, factor)
            return None if new is None else replace(number, lhs=new)
        case Binary():
            return Binary("*", number, Number(factor))
    return None


def tidy(value: float) -> float:
    """Six significant digits: what a person would write."""
    return float(f"{value:.6g}")


def value_of(number: Expr) -> float:
    """What a literal comes to. Raises ValueError for anything else."""
    match number:
        case Number(value):
            return value
        case Unary(inner):
            return -value_of(inner)
        case Binary(op=op, lhs=lhs, rhs=rhs):
            left, right = value_of(lhs), value_of(rhs)
            match op:
                case "+":
                    return left + right
                case "-":
                    return left - right
                case "*":
                    return left * right
                case "/" if right:
                    return left / right
    raise ValueError("not a plain number")


# --- selectors and windows -------------------------------------------------------------------------------------------


def is_record(selector: Selector) -> bool:
    """Recorded series have a colon in their name, or end in a window."""
    name = selector.name or ""
    return ":" in name or _ENDS_IN_WINDOW.search(name) is not None


def is_counter(selector: Selector) -> bool:
    """Counters and the parts of histograms, by the usual suffixes."""
    return not is_record(selector) and _COUNTER_NAME.fullmatch(selector.name or "") is not None


def on_selectors(rule: Rule, change: Callable[[Selector], Selector | None]) -> Rule | None:
    """The rule with selectors changed; None if none was."""
    changed = False

    def one(node: Expr) -> Expr:
        nonlocal changed
        if isinstance(node, Selector) and (new := change(node)) is not None:
            changed = True
            return new
        return node

    tree = rewrite(rule.tree, one)
    return rule.with_expr(tree) if changed else None


def on_calls(rule: Rule, functions: frozenset[str], change: Callable[[Call], Expr | None]) -> Rule | None:
    """The rule with calls of some functions changed; None if none was."""
    changed = False

    def one(node: Expr) -> Expr:
        nonlocal changed
        if isinstance(node, Call) and node.func in functions and (new := change(node)) is not None:
            changed = True
            return new
        return node

    tree = rewrite(rule.tree, one)
    return rule.with_expr(tree) if changed else None


def on_aggregates(rule: Rule, change: Callable[[Aggregate], Expr | None]) -> Rule | None:
    """The rule with aggregations changed; None if none was."""
    changed = False

    def one(node: Expr) -> Expr:
        nonlocal changed
        if isinstance(node, Aggregate) and (new := change(node)) is not None:
            changed = True
            return new
        return node

    tree = rewrite(rule.tree, one)
    return rule.with_expr(tree) if changed else None


def with_matcher(selector: Selector, old: Matcher, new: Matcher) -> Selector:
    """The selector with one matcher in place of another."""
    return replace(selector, matchers=tuple(new if m == old else m for m in selector.matchers))


def window_ms(expr: Expr) -> int:
    """How far an expression looks back, by its ranges or by the window in the name of a record; 0 if it does not."""
    found = [0]
    for selector in selectors(expr):
        if selector.window is not None:
            found.append(selector.window)
        elif is_record(selector) and (written := _RECORDED_WINDOW.findall(selector.name or "")):
            found.append(duration_ms(written[-1]))
    return max(found)


def recorded_window(name: str) -> str | None:
    """The window in the name of a record, as it is written there."""
    written = _RECORDED_WINDOW.findall(name)
    return written[-1] if written else None


def window_pair(tree: Expr) -> tuple[Binary, Binary] | None:
    """The long and the short limit of a multi-window alert: `long > x and short > x`."""
    for node in walk(tree):
        if not (isinstance(node, Binary) and node.op == "and"):
            continue
        lhs, rhs = node.lhs, node.rhs
        if not (isinstance(lhs, Binary) and isinstance(rhs, Binary) and is_limit(lhs) and is_limit(rhs)):
            continue
        one, other = window_ms(lhs), window_ms(rhs)
        if one != other and _same_measure(measured(lhs), measured(rhs)):
            return (lhs, rhs) if one > other else (rhs, lhs)
    return None


def has_absent(tree: Expr) -> bool:
    """Whether the expression asks for absence anywhere."""
    return bool(_calls(tree, ABSENT))


def identity(selector: Selector, subject: Subject) -> Matcher | None:
    """The matcher that picks the service, where it is an equality."""
    found = selector.matcher(subject.by)
    return found if found is not None and found.op == "=" else None


# --- repairs in a hurry ----------------------------------------------------------------------------------------------


def harder(rule: Rule, factor: float) -> Rule | None:
    """Deciding thresholds `factor` times as hard to reach (a factor under 1 makes them easier)."""

    def change(limit: Binary) -> Expr | None:
        way = direction(limit)
        if way in (">", ">="):
            new = scaled(threshold(limit), factor)
        elif way in ("<", "<="):
            new = scaled(threshold(limit), 1 / factor)
        else:
            return None
        return None if new is None else with_threshold(limit, new)

    return on_main_limits(rule, change)


def threshold_up(rule: Rule, _: Subject) -> Rule | None:
    """Make it twice as hard to fire."""
    return harder(rule, 2)


def threshold_down(rule: Rule, _: Subject) -> Rule | None:
    """Make it twice as easy to fire."""
    return harder(rule, 0.5)


def wait_longer(rule: Rule, _: Subject) -> Rule | None:
    """Wait twice as long as now, ten minutes more at least."""
    return replace(rule, for_=max(rule.for_ * 2, rule.for_ + 10 * MINUTE))


def wait_less(rule: Rule, _: Subject) -> Rule | None:
    """Do not wait at all."""
    return replace(rule, for_=0)


def page_for_it(rule: Rule, subject: Subject) -> Rule | None:
    """Turn the ticket into a page."""
    return rule.with_label(subject.style.severity_label, subject.style.severities["page"])
