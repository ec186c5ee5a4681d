"""What preservation must know of the alerts around the items: all that can fire, and who may suppress whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from alertforge.alertmanager import inhibition, routing
from alertforge.alertmanager.config import Config
from alertforge.grader.definitions import is_scalar, yielded
from alertforge.grader.spec import InhibitionCase, Preservation, RouteProbe, Suppression
from alertforge.grader.unasked import suppressed
from alertforge.items.strangers import strangers
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Selector, Subquery, Unary
from alertforge.prometheus.series import METRIC_NAME, Labels
from alertforge.repo.model import Repo
from alertforge.seeds import Seed

TARGET_LABELS: Final = frozenset({"instance", "job"})  # of every scraped series


def with_surroundings(
    preservation: Preservation, start: Config, solved: Repo, service_label: str, seed: Seed
) -> Preservation:
    """The same with every alert of the solved repo, the suppressions that it adds, and probes of those that stay."""
    alerts = known_alerts(solved, seed)
    routes = tuple(RouteProbe(one, routing.receivers(solved.config.route, one.as_dict())) for one in alerts)
    before, after = suppressed(start, alerts), suppressed(solved.config, alerts)
    added = tuple(Suppression(alerts[source], alerts[target]) for source, target in sorted(after - before))
    kept = _few([(alerts[source], alerts[target]) for source, target in sorted(after & before)], seed)
    others = [{service_label: value} for value in strangers(seed, service_label)]
    probes = tuple(_probes(kept, (start, solved.config), others))
    return replace(preservation, alerts=routes, suppressions=added, inhibitions=probes)


def known_alerts(repo: Repo, seed: Seed) -> tuple[Labels, ...]:
    """The label sets of all alerts of a repo, as far as the rules tell them.

    An alert with labels whose values depend on the series has one for every shape of values (`strangers`), drawn from
    `seed`. Where its rule leaves room for labels of which it does not tell, it has those of a target, and once none.
    """
    out: dict[Labels, None] = {}
    records = made(repo)
    for file in repo.rule_files:
        for group in file.groups:
            for rule in group.rules:
                if rule.is_alert:
                    static = {**dict(group.labels), **dict(rule.labels)}
                    told = {name: value for name, value in static.items() if "{{" not in value}
                    fixed = {**yielded(rule.tree), **told, "alertname": rule.name}
                    named = carried(rule.tree, records) - {"le"}
                    shown = _shaped(fixed, named, seed)
                    if is_loose(rule.tree, records):
                        shown = [shown[0], *_shaped(fixed, named | TARGET_LABELS, seed)]
                    out |= dict.fromkeys(shown)
    return tuple(out)


def _shaped(fixed: Mapping[str, str], names: Iterable[str], seed: Seed) -> list[Labels]:
    """The fixed labels with some value for every other name: a label set for each shape, or one where all is fixed."""
    drawn = {name: strangers(seed, name) for name in sorted(set(names) - set(fixed))}
    return [
        Labels.of({**dict(zip(drawn, some, strict=True)), **fixed}) for some in zip(*drawn.values(), strict=True)
    ] or [Labels.of(fixed)]


def is_loose(tree: Expr, records: Collection[str] = ()) -> bool:
    """Whether samples of the expression have labels of targets that nothing written tells of; `records` have none."""
    match tree:
        case Selector(name=name):
            return name not in records
        case Aggregate(op=op, expr=expr, grouping=grouping, without=without):
            return (without or (grouping is None and op in ("topk", "bottomk"))) and is_loose(expr, records)
        case Subquery(expr=expr) | Unary(expr=expr):
            return is_loose(expr, records)
        case Call(func=func, args=args):
            dropped = func in ("absent", "absent_over_time", "scalar", "vector")
            return not dropped and any(is_loose(arg, records) for arg in args)
        case Binary(op="or", lhs=lhs, rhs=rhs):
            return is_loose(lhs, records) or is_loose(rhs, records)
        case Binary(op=op, lhs=lhs, rhs=rhs, matching=matching):
            if is_scalar(lhs):
                return is_loose(rhs, records)
            joined = matching is not None and matching.on and op not in ("and", "unless")
            return not joined and is_loose(lhs, records)
    return False


def made(repo: Repo) -> dict[str, frozenset[str]]:
    """The records of a repo with the labels that they carry, but for those of which their rules tell the value."""
    rules = [rule for file in repo.rule_files for rule in file.rules() if not rule.is_alert]
    out: dict[str, frozenset[str]] = {rule.name: frozenset() for rule in rules}
    for rule in rules:
        names = carried(rule.tree) | (TARGET_LABELS if is_loose(rule.tree, out) else frozenset())
        out[rule.name] |= names - set(yielded(rule.tree)) - {name for name, _ in rule.labels}
    return out


def carried(tree: Expr, records: Mapping[str, frozenset[str]] = MappingProxyType({})) -> frozenset[str]:
    """Labels that samples of the expression have by what is written: grouped by, matched on or selected by.

    Those that `records` carry come along.
    """
    match tree:
        case Selector(name=name, matchers=matchers):
            told = (m.name for m in matchers if m.op in ("=", "=~") and m.name not in (METRIC_NAME, "le"))
            return frozenset(told) | records.get(name or "", frozenset())
        case Aggregate(grouping=grouping, without=False):
            return frozenset(grouping or ())
        case Aggregate(expr=expr) | Subquery(expr=expr) | Unary(expr=expr):
            return carried(expr, records)
        case Call(args=args):
            return frozenset().union(*(carried(arg, records) for arg in args))
        case Binary(op=op, lhs=lhs, rhs=rhs):
            if op == "or":
                return carried(lhs, records) | carried(rhs, records)
            return carried(rhs if is_scalar(lhs) else lhs, records)
    return frozenset()


def _few(pairs: Sequence[tuple[Labels, Labels]], seed: Seed) -> list[tuple[Labels, Labels]]:
    """Of every pair of alert names the plainest pair of label sets, and a drawn one."""
    named: dict[tuple[str, str], list[tuple[Labels, Labels]]] = {}
    for source, target in pairs:
        named.setdefault((source.get("alertname"), target.get("alertname")), []).append((source, target))
    drawn = {names: seed.rng("pair", *names).choice(found) for names, found in named.items()}
    return list(dict.fromkeys(one for names, found in named.items() for one in (found[0], drawn[names])))


def _probes(
    pairs: Iterable[tuple[Labels, Labels]], configs: Sequence[Config], others: Sequence[Mapping[str, str]]
) -> Iterator[InhibitionCase]:
    """Each pair that is suppressed before and after, and the same with sources of other services."""
    for source, target in pairs:
        yield InhibitionCase(target, (source,), True, "as before")
        foreign = tuple(source.with_(another) for another in others)
        alerts = [one.as_dict() for one in (target, *foreign)]
        outcomes = {bool(inhibition.inhibited(config.inhibit_rules, alerts)[0]) for config in configs}
        if outcomes == {False}:
            yield InhibitionCase(target, foreign, False, "as before")
        elif outcomes == {True}:
            yield InhibitionCase(target, foreign[:1], True, "as before")
