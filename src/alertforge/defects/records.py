"""Defects of recording rules: the same protocol, with the record in place of the alert."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.aggregation import bound_rewritten
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import (
    Aggregate,
    Binary,
    Call,
    Expr,
    Matcher,
    Number,
    Selector,
    Subquery,
    rewrite,
    walk,
)
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed


def _dropped_by(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    def drop(node: Aggregate) -> Expr | None:
        if node.without or subject.by not in (node.grouping or ()):
            return None
        return replace(node, grouping=tuple(name for name in node.grouping or () if name != subject.by) or None)

    return shapes.on_aggregates(rule, drop)


def _pod_kept(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    pod = subject.style.pod_label

    def keep(node: Aggregate) -> Expr | None:
        named = not node.without and subject.by in (node.grouping or ())
        return (
            replace(node, grouping=(*(node.grouping or ()), pod))
            if named and pod not in (node.grouping or ())
            else None
        )

    return shapes.on_aggregates(rule, keep)


def _wrong_errors(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """One of the failing outcomes only, where there are several."""
    family = subject.service.family
    if len(family.errors) < 2:
        return None

    def change(selector: Selector) -> Selector | None:
        old = selector.matcher(family.status_label)
        if old is None:
            return None
        return shapes.with_matcher(selector, old, Matcher(old.name, "=", family.errors[-1]))

    return shapes.on_selectors(rule, change)


def _neighbour(window: int, subject: Subject) -> int:
    """The house's next shorter window, or the next longer one where there is none; milliseconds."""
    tiers = subject.style.burn.values()
    known = sorted({minutes * shapes.MINUTE for tier in tiers for minutes in (tier.long, tier.short)} - {window})
    shorter = [one for one in known if one < window]
    return shorter[-1] if shorter else known[0]


def _wrong_window(rule: Rule, subject: Subject, __: Seed) -> Rule | None:
    """The name says one window, the expression reads another: a copy of the record below it."""
    windows = sorted({one.window for one in _ranges(rule.tree) if one.window is not None})
    if len(windows) != 1:
        return None
    own, other = windows[0], _neighbour(windows[0], subject)

    def change(selector: Selector) -> Selector | None:
        return replace(selector, window=other) if selector.window == own else None

    return shapes.on_selectors(rule, change)


def _one_window_of_two(rule: Rule, subject: Subject, __: Seed) -> Rule | None:
    """The upper half of the quotient over another window than the lower one."""

    def change(node: Expr) -> Expr:
        if not (isinstance(node, Binary) and node.op == "/" and shapes.is_ratio(node)):
            return node
        other = _neighbour(shapes.window_ms(node.lhs), subject)
        return replace(
            node,
            lhs=rewrite(
                node.lhs, lambda one: replace(one, window=other) if isinstance(one, Selector) and one.window else one
            ),
        )

    return rule.with_expr(rewrite(rule.tree, change))


def _mean_of_ratios(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """The mean of the ratios of short windows, or of pods: a quiet one weighs as much as a busy one."""
    tree, by = rule.tree, subject.by
    if not (isinstance(tree, Binary) and tree.op == "/" and shapes.is_ratio(tree)):
        return None
    window = shapes.window_ms(tree)
    short = 5 * shapes.MINUTE
    if window <= short:
        pod = subject.style.pod_label
        if subject.service.pods < 2:
            return None

        def spread(node: Expr) -> Expr:
            if isinstance(node, Aggregate) and not node.without and by in (node.grouping or ()):
                return replace(node, grouping=(*(node.grouping or ()), pod))
            return node

        return rule.with_expr(Aggregate("avg", rewrite(tree, spread), (by,)))
    shortened = rewrite(
        tree, lambda one: replace(one, window=short) if isinstance(one, Selector) and one.window else one
    )
    return rule.with_expr(Call("avg_over_time", (Subquery(shortened, window, shapes.MINUTE),)))


def _turned_over(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """What went well in place of what went wrong."""
    tree = rule.tree
    if not (isinstance(tree, Binary) and tree.op == "/" and shapes.is_ratio(tree)):
        return None
    negated = {"=": "!=", "!=": "=", "=~": "!~", "!~": "=~"}

    def turn(node: Expr) -> Expr:
        if not isinstance(node, Selector):
            return node
        return replace(
            node, matchers=tuple(replace(m, op=negated[m.op]) if m.name in outcome else m for m in node.matchers)
        )

    outcome = _only_above(tree)
    return rule.with_expr(replace(tree, lhs=rewrite(tree.lhs, turn))) if outcome else None


def _only_above(ratio: Binary) -> frozenset[str]:
    """Labels that the upper half of a quotient asks for and the lower half does not."""
    above, below = (
        {m.name for node in walk(side) if isinstance(node, Selector) for m in node.matchers}
        for side in (ratio.lhs, ratio.rhs)
    )
    return frozenset(above - below - {"le"})


def _totals(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def plain(call: Call) -> Expr | None:
        one = call.args[0]
        return replace(one, window=None) if isinstance(one, Selector) else None

    return shapes.on_calls(rule, shapes.COUNTER_FUNCTIONS, plain)


def _ranges(tree: Expr) -> list[Selector]:
    return [node for node in walk(tree) if isinstance(node, Selector) and node.window is not None]


def _scale_up(rule: Rule, _: Subject) -> Rule | None:
    """Stretch the numbers until they look right."""
    return rule.with_expr(Binary("*", rule.tree, Number(2.0)))


def _fill_with_zero(rule: Rule, _: Subject) -> Rule | None:
    """A zero wherever there is nothing."""
    return rule.with_expr(Binary("or", rule.tree, Call("vector", (Number(0.0),))))


def _maximum_by_service(rule: Rule, subject: Subject) -> Rule | None:
    """Something that is one number for each service again, whatever it means."""
    return rule.with_expr(Aggregate("max", rule.tree, (subject.by,)))


DEFECTS: Final = (
    Defect(
        "record-dropped-by",
        "records",
        "silent",
        _dropped_by,
        (
            "the weekly review of {{ service }} had no figures, where {{ alert }} used to supply them",
            "whoever picks {{ service }} gets an empty {{ alert }}",
            "whoever asks for {{ alert }} of {{ service }} gets no answer",
            "the panel for {{ service }} has been blank since {{ alert }} was rewritten",
        ),
        "put a zero where there is nothing",
        _fill_with_zero,
        records=True,
        readers="dead",
        theme="labels",
    ),
    Defect(
        "record-per-pod",
        "records",
        "noisy",
        _pod_kept,
        (
            "the dashboard of {{ service }} is unreadable wherever it draws {{ alert }}, and worse after every deploy",
            "the weekly report no longer knows which figure to print for {{ alert }} of {{ service }}",
            "what people had built on top of {{ alert }} fails since the last change, with an error text",
            "storage for {{ alert }} grew tenfold and nobody ordered that",
        ),
        "take the largest",
        _maximum_by_service,
        records=True,
        theme="labels",
    ),
    Defect(
        "record-wrong-errors",
        "records",
        "silent",
        _wrong_errors,
        (
            "{{ alert }} shows a fraction of the failures that the access log of {{ service }} has",
            "in the outage half of all requests to {{ service }} failed; {{ alert }} peaked at a sliver of that",
            "{{ team }} compared {{ alert }} with the load balancer's own numbers, and they do not agree at all",
            "the monthly report that is made from {{ alert }} is far too good to be true",
        ),
        "scale it until it fits the log",
        _scale_up,
        records=True,
        readers="deaf",
        theme="values",
    ),
    Defect(
        "record-wrong-window",
        "records",
        "noisy",
        _wrong_window,
        (
            "{{ alert }} and the ad-hoc graph of the same thing never lie on top of each other",
            "in the last incident {{ alert }} and the error panel both moved, but not together",
            "what {{ alert }} says about {{ service }} differs from what one gets by working it out by hand",
            "in the review {{ alert }} put start and end of the incident elsewhere than everyone remembered",
        ),
        "scale it until it fits",
        _scale_up,
        records=True,
        theme="windows",
    ),
    Defect(
        "record-two-windows",
        "records",
        "noisy",
        _one_window_of_two,
        (
            "at the start of an incident {{ alert }} is plainly off, later it settles near the truth",
            "{{ alert }} went past one hundred percent for a minute, which cannot be",
            "{{ alert }} is right when nothing happens, and wrong whenever something does",
            "numbers from {{ alert }} for {{ service }} jump about more than the traffic does",
        ),
        "take the largest",
        _maximum_by_service,
        records=True,
        theme="windows",
    ),
    Defect(
        "record-mean-of-ratios",
        "records",
        "silent",
        _mean_of_ratios,
        (
            "{{ alert }} and the monthly report disagree on how many requests to {{ service }} failed",
            "a handful of failures in a quiet stretch counts for as much in {{ alert }} as thousands in a busy one",
            "one idle stretch, and {{ alert }} of {{ service }} shows nothing at all for a long time",
            "when traffic is uneven, {{ alert }} no longer adds up",
        ),
        "put a zero where there is nothing",
        _fill_with_zero,
        records=True,
        longest=True,
        theme="windows",
    ),
    Defect(
        "record-turned-over",
        "records",
        "noisy",
        _turned_over,
        (
            "going by {{ alert }}, {{ service }} had its best hour in the middle of the outage",
            "everything that reads {{ alert }} thinks {{ service }} is failing when it is fine",
            "nobody can reconcile {{ alert }} with the error panel of {{ service }}",
            "since {{ alert }} was moved to the new library, good days look like disasters",
        ),
        "take the largest",
        _maximum_by_service,
        records=True,
        readers="red",
        theme="values",
    ),
    Defect(
        "record-of-totals",
        "records",
        "silent",
        _totals,
        (
            "{{ alert }} hardly moves during an outage and never quite recovers afterwards",
            "{{ alert }} of {{ service }} depends on when it was last deployed",
            "after a restart {{ alert }} is lively, a month later it is a flat line",
            "the outage of {{ service }} is a barely visible step in {{ alert }}",
        ),
        "scale it until it fits",
        _scale_up,
        records=True,
        readers="deaf",
        theme="values",
    ),
    Defect(
        "record-bound-rewritten",
        "records",
        "silent",
        bound_rewritten,
        (
            "{{ alert }} has had no values for {{ service }} for weeks",
            "the latency panel of {{ service }}, which is made from {{ alert }}, is blank",
            "{{ alert }} is empty for {{ service }}, at every hour that was looked at",
            "{{ service }} still reports how long things take, but nothing of that arrives in {{ alert }}",
        ),
        "put a zero where there is nothing",
        _fill_with_zero,
        records=True,
        readers="dead",
        theme="values",
    ),
)
