"""What preservation must know of the alerts around the items: all that can fire, and who may suppress whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from alertforge.alertmanager import inhibition, routing
from alertforge.alertmanager.config import Config
from alertforge.grader.definitions import is_scalar, yielded
from alertforge.grader.spec import InhibitionCase, Preservation, RouteProbe, Suppression
from alertforge.grader.unasked import suppressed
from alertforge.items.strangers import stranger
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Selector, Subquery, Unary
from alertforge.prometheus.series import METRIC_NAME, Labels
from alertforge.repo.model import Repo
from alertforge.seeds import Seed


def with_surroundings(
    preservation: Preservation, start: Config, solved: Repo, service_label: str, seed: Seed
) -> Preservation:
    """The same with every alert of the solved repo, the suppressions that it adds, and probes of those that stay."""
    alerts = known_alerts(solved, seed)
    routes = tuple(RouteProbe(one, routing.receivers(solved.config.route, one.as_dict())) for one in alerts)
    before, after = suppressed(start, alerts), suppressed(solved.config, alerts)
    added = tuple(Suppression(alerts[source], alerts[target]) for source, target in sorted(after - before))
    kept = [(alerts[source], alerts[target]) for source, target in sorted(after & before)]
    probes = tuple(_probes(kept, (start, solved.config), {service_label: stranger(seed, service_label)}))
    return replace(preservation, alerts=routes, suppressions=added, inhibitions=probes)


def known_alerts(repo: Repo, seed: Seed) -> tuple[Labels, ...]:
    """The label sets of all alerts of a repo, one for each rule, as far as the rule tells them.

    A label whose value depends on the series has some value, drawn from `seed`.
    """
    out: dict[Labels, None] = {}
    for file in repo.rule_files:
        for group in file.groups:
            for rule in group.rules:
                if rule.is_alert:
                    static = {**dict(group.labels), **dict(rule.labels)}
                    fixed = {name: value for name, value in static.items() if "{{" not in value}
                    some = {name: stranger(seed, name) for name in sorted(carried(rule.tree) - {"le"})}
                    out[Labels.of({**some, **yielded(rule.tree), **fixed, "alertname": rule.name})] = None
    return tuple(out)


def carried(tree: Expr) -> frozenset[str]:
    """Labels that samples of the expression have by what is written: grouped by, matched on or selected by."""
    match tree:
        case Selector(matchers=matchers):
            return frozenset(m.name for m in matchers if m.op in ("=", "=~") and m.name not in (METRIC_NAME, "le"))
        case Aggregate(grouping=grouping, without=False):
            return frozenset(grouping or ())
        case Aggregate(expr=expr) | Subquery(expr=expr) | Unary(expr=expr):
            return carried(expr)
        case Call(args=args):
            return frozenset().union(*map(carried, args))
        case Binary(op=op, lhs=lhs, rhs=rhs):
            if op == "or":
                return carried(lhs) | carried(rhs)
            return carried(rhs) if is_scalar(lhs) else carried(lhs)
    return frozenset()


def _probes(
    pairs: Iterable[tuple[Labels, Labels]], configs: Sequence[Config], another: Mapping[str, str]
) -> Iterator[InhibitionCase]:
    """Each pair that is suppressed before and after, and the same with a source of another service."""
    for source, target in pairs:
        yield InhibitionCase(target, (source,), True, "as before")
        foreign = source.with_(another)
        alerts = [target.as_dict(), foreign.as_dict()]
        outcomes = {bool(inhibition.inhibited(config.inhibit_rules, alerts)[0]) for config in configs}
        if len(outcomes) == 1:
            yield InhibitionCase(target, (foreign,), outcomes.pop(), "as before")
