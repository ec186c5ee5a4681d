"""Right ways to write any rule: the reference with something about it that changes nothing.

A kind's own `accepted` says what else its condition can be computed from; these say it of the rule around it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from alertforge.alerts.base import AlertKind, Subject
from alertforge.prometheus.promql import Aggregate, Expr, rewrite
from alertforge.prometheus.rules import Rule


def general(kind: AlertKind, subject: Subject, carried: Collection[str]) -> Mapping[str, tuple[Rule, ...]]:
    """One more label; one more annotation; the service named by a label, static or templated; aggregated `without`.

    `carried` are the names of all labels that the series have which the alert reads.
    """
    rule = kind.rule(subject)
    identity = f"{{{{ $labels.{subject.by} }}}}"
    ways = {
        "one-more-label": rule.with_label("rule_set", "reliability"),
        "one-more-annotation": rule.with_annotation("see_also", f"https://{subject.world.domain}/status"),
        "static-identity": _named_by_label(rule, subject),
        "templated-identity": rule.with_label(subject.by, identity),
        "without": rule.with_expr(without(rule.tree, subject.by, carried)),
    }
    return {name: (way,) for name, way in ways.items() if way != rule}


def without(tree: Expr, identity: str, carried: Collection[str]) -> Expr:
    """`sum without (pod, ...)` for `sum by (service)`: every label goes that is `carried` and not asked for."""

    def turned(node: Expr) -> Expr:
        if isinstance(node, Aggregate) and not node.without and identity in (node.grouping or ()):
            return replace(node, grouping=tuple(sorted({*carried} - {*(node.grouping or ())})), without=True)
        return node

    return rewrite(tree, turned)


def _named_by_label(rule: Rule, subject: Subject) -> Rule:
    """The expression is about one service anyway: `sum(...)` and a label that says which, for `sum by (service)`."""

    def plain(node: Expr) -> Expr:
        if isinstance(node, Aggregate) and not node.without and node.grouping == (subject.by,):
            return replace(node, grouping=None)
        return node

    return rule.with_expr(rewrite(rule.tree, plain)).with_label(subject.by, subject.service.name)
