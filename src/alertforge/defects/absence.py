"""Defects of missing data: what happens to an alert when its series are gone."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, Selector, rewrite, selectors, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed


def _is_absent(expr: Expr) -> bool:
    return any(isinstance(node, Call) and node.func in shapes.ABSENT for node in walk(expr))


def _no_absence(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """The branch for missing series is missing."""

    def cut(node: Expr) -> Expr:
        if isinstance(node, Binary) and node.op == "or" and _is_absent(node.lhs) != _is_absent(node.rhs):
            return node.rhs if _is_absent(node.lhs) else node.lhs
        return node

    return rule.with_expr(rewrite(rule.tree, cut))


def _absence_only(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Only missing targets are noticed; those that are there and say that all is down are not."""
    if not any(one.name == "up" for one in selectors(rule.tree)):
        return None

    def cut(node: Expr) -> Expr:
        if isinstance(node, Binary) and node.op == "or" and _is_absent(node.lhs) != _is_absent(node.rhs):
            return node.lhs if _is_absent(node.lhs) else node.rhs
        return node

    return rule.with_expr(rewrite(rule.tree, cut))


def _absence_of_all(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    """Absence asked of two services at once: it holds when both are gone."""
    others = [one.name for one in subject.world.services if one != subject.service]
    if not others:
        return None
    # the first bystander is the one that is always there
    pair = f"{subject.service.name}|{others[0]}"

    def change(call: Call) -> Expr | None:
        selector = call.args[0]
        if not isinstance(selector, Selector):
            return None
        old = shapes.identity(selector, subject)
        if old is None:
            return None
        return replace(call, args=(shapes.with_matcher(selector, old, replace(old, op="=~", value=pair)),))

    return shapes.on_calls(rule, shapes.ABSENT, change)


def _zero_when_gone(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """A zero put in for missing data, beside the data as well because their labels differ."""

    def change(limit: Binary) -> Expr | None:
        value, way = shapes.value_of(shapes.threshold(limit)), shapes.direction(limit)
        zero_fires = (way == "==" and value == 0) or (way in ("<", "<=") and value > 0)
        if not zero_fires or _is_absent(limit):
            return None
        return shapes.with_measured(limit, Binary("or", shapes.measured(limit), Call("vector", (Number(0.0),))))

    return shapes.on_main_limits(rule, change)


def _never_absent(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Absence asked of a sum that has a zero to fall back on."""

    def change(call: Call) -> Expr | None:
        if call.func != "absent" or not isinstance(call.args[0], Selector):
            return None
        fallback = Binary("or", Aggregate("sum", call.args[0]), Call("vector", (Number(0.0),)))
        return replace(call, args=(fallback,))

    return shapes.on_calls(rule, frozenset({"absent"}), change)


DEFECTS: Final = (
    Defect(
        "no-absence",
        "absence",
        "silent",
        _no_absence,
        (
            "{{ service }} was taken out of the cluster by mistake, and {{ alert }} did not miss it",
            "when {{ service }} fails, {{ alert }} fires; when {{ service }} vanishes, it does not",
            "the deployment of {{ service }} was scaled to nothing by mistake, and no {{ alert }} told {{ team }}",
            "all graphs of {{ service }} simply ended; so did any chance of {{ alert }}",
            "{{ service }} was gone from one minute to the next, and {{ alert }} did not fire",
            "with nothing left of {{ service }} to look at, {{ alert }} is quiet",
            "the whole deployment of {{ service }} was deleted and restored; there was no {{ alert }} in between",
            "{{ team }} looked for {{ alert }} in the hour in which {{ service }} did not exist, and found nothing",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "absence-only",
        "absence",
        "silent",
        _absence_only,
        (
            "every instance of {{ service }} refused to talk and {{ alert }} stayed quiet: they were all still listed",
            "{{ alert }} came when {{ service }} was removed, but not when all of it crashed",
            "nothing of {{ service }} answered for half an hour; no {{ alert }}",
            "{{ service }} hung with every process still in place, and {{ alert }} did not fire",
            "all copies of {{ service }} were listed, none of them could be reached, and {{ alert }} was quiet",
            "{{ service }} was down for everyone, and {{ alert }} would only have come had it been deleted",
            "{{ team }} saw every copy of {{ service }} fail, and no {{ alert }}",
            "no copy of {{ service }} could be reached after the release, and {{ alert }} did not fire",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "absence-of-all",
        "absence",
        "silent",
        _absence_of_all,
        (
            "{{ service }} was gone for an hour, and there was no {{ alert }} in all that time",
            "since two alerts were merged into one, {{ service }} can vanish without {{ alert }}",
            "{{ alert }} did fire in the data centre drill, but not on the day {{ service }} alone disappeared",
            "someone removed {{ service }} from the cluster; customers told {{ team }}, {{ alert }} did not",
            "{{ service }} vanished on its own, and {{ alert }} did not fire",
            "{{ alert }} does not come when {{ service }} alone is gone",
            "nothing of {{ service }} was left in the cluster, everything else was there, and {{ alert }} was quiet",
            "{{ team }} deleted {{ service }} in a test to see {{ alert }}, and did not get to see it",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "zero-when-gone",
        "absence",
        "noisy",
        _zero_when_gone,
        (
            "{{ alert }} has been on ever since it was made to notice missing data",
            "{{ alert }} fires without naming a service while {{ service }} is plainly fine",
            "{{ team }} muted {{ alert }}: it is on all day, and nothing is down",
            "after the fix for the silent outage {{ alert }} does the opposite and never stops",
            "{{ alert }} is on from morning to night, and {{ service }} is up all the while",
            "{{ alert }} cannot be made to clear, with {{ service }} up and in use",
            "there are entries of {{ alert }} that belong to no service, and they never end",
            "{{ service }} has been up all week, and {{ alert }} has been on all week",
            "{{ alert }} reports trouble at {{ service }} where there is none",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        hidden=False,
    ),
    Defect(
        "never-absent",
        "absence",
        "silent",
        _never_absent,
        (
            "{{ service }} left the cluster without {{ alert }} taking any notice",
            "{{ service }} was not there at all for an hour, its graph showed a zero, and {{ alert }} stayed quiet",
            "{{ alert }} has missed both occasions on which {{ service }} disappeared",
            "{{ service }} was removed altogether, and {{ alert }} did not fire",
            "{{ service }} was deleted by a script, and {{ alert }} said nothing",
            "there was no {{ service }} for most of a morning, and no {{ alert }} either",
            "after {{ service }} had disappeared, {{ alert }} was as quiet as before",
            "{{ team }} took {{ service }} out of the cluster for a test, and {{ alert }} did not react",
        ),
        "do not wait before it fires",
        shapes.wait_less,
        hidden=False,
    ),
)
