"""Right ways to write any alert: the reference rule with something about it that changes nothing.

A kind's own `accepted` says what else its condition can be computed from; these say it of the rule around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from alertforge.alerts.base import AlertKind, Subject
from alertforge.prometheus.promql import Aggregate, Expr, rewrite
from alertforge.prometheus.rules import Rule


def general(kind: AlertKind, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
    """One more label; one more annotation; the service named by a static label in place of the aggregation."""
    rule = kind.rule(subject)
    return {
        "one-more-label": (rule.with_label("rule_set", "reliability"),),
        "one-more-annotation": (rule.with_annotation("see_also", f"https://{subject.world.domain}/status"),),
        "static-identity": (_named_by_label(rule, subject),),
    }


def _named_by_label(rule: Rule, subject: Subject) -> Rule:
    """The expression is about one service anyway: `sum(...)` and a label that says which, for `sum by (service)`."""

    def plain(node: Expr) -> Expr:
        if isinstance(node, Aggregate) and not node.without and node.grouping == (subject.by,):
            return replace(node, grouping=None)
        return node

    return rule.with_expr(rewrite(rule.tree, plain)).with_label(subject.by, subject.service.name)
