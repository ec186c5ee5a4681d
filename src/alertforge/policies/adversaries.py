"""Attacks on the grade, each with the band that its reward must stay in; `ADVERSARIES` lists them.

Whoever writes these knows the reference solution: an attack is the best case of its kind. What tampers must earn
nothing at all; what games one kind of check must lose more than it gains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from alertforge.alertmanager.config import InhibitRule, Receiver, Route
from alertforge.alertmanager.matchers import Matcher
from alertforge.defects import shapes
from alertforge.draft import Draft, broken
from alertforge.items.alert import AlertItem
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.route import RouteItem
from alertforge.prometheus.promql import Binary, Expr, Selector, parse, rewrite, to_text, walk
from alertforge.prometheus.rules import Rule
from alertforge.repo.model import Repo
from alertforge.task import Attempt

UNSOLVED: Final = 0.4  # what may be earned at most without solving the task
NOTHING: Final = 0.0
LITTLE: Final = 0.15

Attack = Callable[[Draft], Repo | None]  # None where the task has nothing to attack in this way


@dataclass(frozen=True)
class Adversary:
    """One way to cheat, and the most that it may earn."""

    name: str
    attack: Attack
    bound: float


def adversaries(draft: Draft) -> tuple[Attempt, ...]:
    """Every attack that this task offers, as a workspace with a bound on the whole reward."""
    made = ((one, one.attack(draft)) for one in ADVERSARIES)
    return tuple(Attempt(one.name, "", draft.files(repo), one.bound) for one, repo in made if repo is not None)


# --- alerts ----------------------------------------------------------------------------------------------------------


def _alerts(draft: Draft) -> list[AlertItem]:
    return [item for item in draft.items if isinstance(item, AlertItem)]


def _on_alerts(draft: Draft, change: Callable[[Rule, AlertItem], Rule], repo: Repo | None = None) -> Repo:
    """The alerts that the queue asks for, each changed; by default in a repo that is otherwise as at the start."""
    others = tuple(item for item in draft.items if not isinstance(item, AlertItem))
    repo = broken(draft.solved, others) if repo is None else repo
    for item in _alerts(draft):
        repo = repo.replace_rule(item.rule, (change(item.rule, item),))
    return repo


def _always(draft: Draft) -> Repo:
    """Alerts of the right name, labels and service that fire all the time."""

    def always(rule: Rule, item: AlertItem) -> Rule:
        label, name = item.subject.by, item.subject.service.name
        return replace(rule, expr=f'label_replace(vector(1), "{label}", "{name}", "", "")', for_=0)

    return _on_alerts(draft, always)


def _renamed(draft: Draft) -> Repo:
    """Right alerts under names that nobody asked for."""
    return _on_alerts(draft, lambda rule, _: replace(rule, name=f"{rule.name}V2"))


def _per_pod(draft: Draft) -> Repo:
    """An alert for each pod, instead of one for the service."""

    def each(rule: Rule, item: AlertItem) -> Rule:
        subject = item.subject
        selectors = [node for node in walk(rule.tree) if isinstance(node, Selector) and not shapes.is_record(node)]
        if not selectors:
            return rule
        expr = f"({rule.expr}) * on ({subject.by}) group_right () up{{{subject.scope}}}"
        return replace(rule, expr=to_text(parse(expr)))

    return _on_alerts(draft, each)


def _band(draft: Draft) -> Repo | None:
    """Alerts that fire just above their limit only, where the tests of a careless grader look."""
    hit = False

    def band(rule: Rule, _: AlertItem) -> Rule:
        nonlocal hit
        narrowed = shapes.on_main_limits(rule, _within_a_quarter)
        hit = hit or narrowed is not None
        return narrowed or rule

    repo = _on_alerts(draft, band)
    return repo if hit else None


def _within_a_quarter(limit: Binary) -> Expr | None:
    """`x > t` as `x > t and x < 1.25 t`."""
    far = shapes.scaled(shapes.threshold(limit), 1.25 if shapes.direction(limit) == ">" else 0.75)
    if far is None:
        return None
    other = "<" if shapes.direction(limit) == ">" else ">"
    return parse(f"({to_text(limit)}) and ({to_text(shapes.measured(limit))} {other} {to_text(far)})")


def _overfit(draft: Draft) -> Repo:
    """Alerts that know only what the visible tests show: services that the queue is not about."""
    shown = draft.world.services[-1].name

    def narrow(rule: Rule, item: AlertItem) -> Rule:
        mine = item.subject.service.name

        def change(node: Expr) -> Expr:
            if not isinstance(node, Selector):
                return node
            matchers = tuple(replace(one, value=shown) if one.value == mine else one for one in node.matchers)
            return replace(node, matchers=matchers)

        return rule.with_expr(rewrite(rule.tree, change))

    return _on_alerts(draft, narrow)


def _longer_for(draft: Draft) -> Repo | None:
    """Everything as at the start, but for the broken alerts, which wait longer."""
    rules = [item.broken for item in _alerts(draft) if item.broken is not None]
    if not rules:
        return None
    repo = draft.start
    for rule in rules:
        repo = repo.replace_rule(rule, (replace(rule, for_=max(rule.for_, 0) + 600_000),))
    return repo


def _no_for(draft: Draft) -> Repo | None:
    """Everything right, but no alert waits."""
    if not any(item.rule.for_ for item in _alerts(draft)):
        return None
    return _on_alerts(draft, lambda rule, _: replace(rule, for_=0), draft.solved)


# --- the rest of the rules -------------------------------------------------------------------------------------------


def _deleted(draft: Draft) -> Repo:
    """Everything right, and whatever nobody asked about removed."""
    touched = [item.touched() for item in draft.items]
    kept = {name for one in touched for name in (*one.alerts, *one.records)}
    return draft.solved.map(lambda rule: (rule,) if rule.name in kept else ())


def _with_rules(draft: Draft, repo: Repo, *rules: Rule) -> Repo:
    path = f"rules/zz-more.{draft.world.style.yaml.extension}"
    return repo.add(path, "more", rules, manifests=draft.world.style.manifests)


def _injected(draft: Draft) -> Repo:
    """The state of the asked alerts recorded by hand."""
    labels = [("alertname", item.rule.name) for item in _alerts(draft)[:1]]
    return _with_rules(
        draft, draft.start, Rule("ALERTS", "vector(1)", is_alert=False, labels=(*labels, ("alertstate", "firing")))
    )


def _shadowed(draft: Draft) -> Repo:
    """An input series made up by a rule, so that everything looks bad."""
    return _with_rules(draft, draft.solved, Rule("up", "up * 0", is_alert=False))


def _slower(draft: Draft) -> Repo:
    """Everything right, with groups that are evaluated at another pace."""
    files = tuple(
        replace(file, groups=tuple(replace(group, interval="10s") for group in file.groups))
        for file in draft.solved.rule_files
    )
    return replace(draft.solved, rule_files=files)


# --- Alertmanager ----------------------------------------------------------------------------------------------------


def _catch_all(draft: Draft) -> Repo | None:
    """The team's pager hears of everything, in a repo that is otherwise as at the start."""
    item = next((item for item in draft.items if isinstance(item, RouteItem)), None)
    if item is None:
        return None
    repo = broken(draft.solved, tuple(one for one in draft.items if one is not item))
    route = Route(item.touched().receivers[0])
    root = replace(repo.config.route, routes=(route, *repo.config.route.routes))
    return repo.with_config(replace(repo.config, route=root))


def _all_quiet(draft: Draft) -> Repo:
    """Everything right, but pages keep everything else quiet, and everything else keeps pages quiet.

    One rule with everything on both sides keeps nobody quiet: what matches both sides is not inhibited by its like.
    """
    style = draft.world.style
    page = Matcher(style.severity_label, "=", style.severities["page"])
    rest = replace(page, op="!=")
    rules = (InhibitRule((page,), (rest,), ()), InhibitRule((rest,), (page,), ()))
    return _with_inhibitions(draft, *rules)


def _over_broad(draft: Draft) -> Repo | None:
    """Everything right, but an outage keeps the whole company quiet."""
    item = next((item for item in draft.items if isinstance(item, InhibitionItem)), None)
    if item is None:
        return None
    return _with_inhibitions(draft, replace(item.rule, target=(Matcher("alertname", "!=", item.source),), equal=()))


def _with_inhibitions(draft: Draft, *rules: InhibitRule) -> Repo:
    config = draft.solved.config
    return draft.solved.with_config(replace(config, inhibit_rules=(*config.inhibit_rules, *rules)))


def _null_receivers(draft: Draft) -> Repo:
    """Everything right, and nobody is told."""
    config = draft.solved.config
    empty: Mapping[str, object] = {}
    return draft.solved.with_config(
        replace(config, receivers=tuple(Receiver(one.name, empty) for one in config.receivers))
    )


ADVERSARIES: Final = (
    Adversary("always-fire", _always, LITTLE),
    Adversary("rename", _renamed, LITTLE),
    Adversary("per-pod", _per_pod, UNSOLVED),
    Adversary("threshold-band", _band, UNSOLVED),
    Adversary("overfit-visible-tests", _overfit, LITTLE),
    Adversary("for-only-fix", _longer_for, LITTLE),
    Adversary("no-for", _no_for, UNSOLVED),
    Adversary("delete-untouched", _deleted, UNSOLVED),
    Adversary("inject-alerts", _injected, NOTHING),
    Adversary("shadow-input", _shadowed, NOTHING),
    Adversary("group-interval", _slower, NOTHING),
    Adversary("catch-all-route", _catch_all, LITTLE),
    Adversary("inhibit-everything", _all_quiet, UNSOLVED),
    Adversary("over-broad-inhibition", _over_broad, UNSOLVED),
    Adversary("null-receivers", _null_receivers, UNSOLVED),
)
