"""Defects of alerts that join two conditions: burn windows and traffic guards."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Binary, Expr, rewrite, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed


def _joined(tree: Expr) -> Binary | None:
    """The `and` between the two windows."""
    pair = shapes.window_pair(tree)
    if pair is None:
        return None
    return next(
        n
        for n in walk(tree)
        if isinstance(n, Binary) and n.op == "and" and {id(n.lhs), id(n.rhs)} == set(map(id, pair))
    )


def _in_place(rule: Rule, old: Expr, new: Expr) -> Rule:
    return rule.with_expr(rewrite(rule.tree, lambda node: new if node == old else node))


def _only(rule: Rule, kept: int) -> Rule | None:
    pair, joined = shapes.window_pair(rule.tree), _joined(rule.tree)
    return None if pair is None or joined is None else _in_place(rule, joined, pair[kept])


def _long_only(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return _only(rule, 0)


def _short_only(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return _only(rule, 1)


def _same_window_twice(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Both sides read the long window: a copied line that nobody finished."""
    pair, joined = shapes.window_pair(rule.tree), _joined(rule.tree)
    if pair is None or joined is None:
        return None
    return _in_place(rule, joined, replace(joined, lhs=pair[0], rhs=pair[0]))


def _either(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    joined = _joined(rule.tree)
    return None if joined is None else _in_place(rule, joined, replace(joined, op="or"))


def _no_guard(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    guard = next(iter(shapes.guards(rule.tree)), None)
    if guard is None:
        return None
    return rule.with_expr(
        rewrite(
            rule.tree,
            lambda node: node.lhs if isinstance(node, Binary) and node.op == "and" and node.rhs == guard else node,
        )
    )


DEFECTS: Final = (
    Defect(
        "long-window-only",
        "windows",
        "noisy",
        _long_only,
        (
            "{{ service }} had recovered, yet {{ alert }} stayed on for a good while longer",
            "long after the fix was out, {{ alert }} was still up and {{ team }} kept searching",
            "{{ alert }} takes ages to clear; the last one outlived the incident by far",
            "when {{ alert }} came at the very end, {{ service }} had long been fine",
            "{{ alert }} was still on when the last trace of trouble at {{ service }} was long gone",
            "{{ team }} keeps {{ alert }} on a screen just to see when it finally clears",
            "after a repair of {{ service }} one has to wait for a long time until {{ alert }} calms down",
            "the last bad request to {{ service }} was long past, and {{ alert }} was still on",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
    ),
    Defect(
        "short-window-only",
        "windows",
        "noisy",
        _short_only,
        (
            "one short burst of bad requests at {{ service }} set off {{ alert }}, and it hardly shows in the month",
            "{{ alert }} fires on every spike at {{ service }}; by the time somebody looks it is over",
            "{{ alert }} fired over a blip that no report will ever mention",
            "{{ alert }} has become jumpy: a bad ten minutes now and then is all it takes",
            "{{ alert }} cannot tell a blip at {{ service }} from an outage",
            "a deploy of {{ service }} with a few bad minutes is enough for {{ alert }}",
            "{{ alert }} comes and goes within minutes, and the figures of {{ service }} for the month hardly change",
            "most of what {{ alert }} reports about {{ service }} does no harm to its objective",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        paged=("{{ team }} was called out for a blip that no report will ever mention",),
        ticketed=("{{ team }} has a ticket about a blip that no report will ever mention",),
    ),
    Defect(
        "same-window-twice",
        "windows",
        "noisy",
        _same_window_twice,
        (
            "{{ alert }} went on and on after {{ service }} was healthy again",
            "the rollback worked at once, but {{ alert }} did not believe it for a long time",
            "{{ team }} can no longer tell from {{ alert }} whether an outage is over",
            "{{ alert }} cleared long after the last failed request at {{ service }}",
            "nothing was wrong with {{ service }} any more, and {{ alert }} stayed up regardless",
            "for {{ alert }} the trouble at {{ service }} went on well after its end",
            "people went on searching {{ service }} for trouble because {{ alert }} was on; there was none left",
            "whether a repair of {{ service }} has worked has to be read off the graphs, because {{ alert }} goes on",
        ),
        "keep it from firing so early",
        shapes.wait_longer,
    ),
    Defect(
        "either-is-enough",
        "windows",
        "noisy",
        _either,
        (
            "since it was rewritten {{ alert }} fires much more often, mostly for things that pass by themselves",
            "half of what {{ alert }} reports about {{ service }} turns out to be nothing",
            "{{ alert }} now goes off in situations that were meant to be excluded",
            "{{ alert }} is on with {{ service }} plainly healthy",
            "{{ alert }} is far more frequent than before, and {{ service }} has not become worse",
            "{{ alert }} comes early for nothing and stays late for nothing",
            "a little trouble at {{ service }} is enough for {{ alert }}, and so is trouble that has passed",
            "{{ alert }} is on for spikes at {{ service }} that nobody felt, and for outages that are over",
        ),
        "raise the threshold until it is quiet",
        shapes.threshold_up,
        delivered=("{{ team }} gets {{ alert }} with {{ service }} plainly healthy",),
    ),
    Defect(
        "no-traffic-guard",
        "windows",
        "noisy",
        _no_guard,
        (
            "with hardly anybody on {{ service }} one customer got an error, and {{ alert }} fired",
            "{{ alert }} only ever fires at night and on holidays, when there is hardly anybody on {{ service }}",
            "a handful of requests, one of them bad, and {{ alert }} is on",
            "{{ alert }} is quiet in the busy hours and nervous in the empty ones",
            "two requests to {{ service }}, one of them failed, and {{ alert }} fires",
            "a test by hand against an idle {{ service }} failed, and {{ alert }} fired",
            "the fewer people use {{ service }}, the likelier {{ alert }} becomes",
            "one failed request to {{ service }} at four in the morning is enough for {{ alert }}",
        ),
        "raise the threshold until it is quiet",
        shapes.threshold_up,
        paged=("with hardly anybody on {{ service }} one customer got an error, and {{ alert }} called {{ team }}",),
        ticketed=("one error of {{ service }} while hardly anybody is there, and {{ team }} finds a ticket about it",),
    ),
)
