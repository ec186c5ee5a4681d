"""The part of a repo that no item is about: healthy alerts and records, other teams' routing, exporters' rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from alertforge.alerts import KINDS
from alertforge.alerts.sli import Sli, windows
from alertforge.items.alert import AlertItem
from alertforge.items.base import Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.plan import Planner, consequences
from alertforge.prometheus.rules import Rule
from alertforge.repo import exporters
from alertforge.repo.model import Repo, alert_place, record_place
from alertforge.repo.routing import base_config, inhibit_rule
from alertforge.world.model import Service


def groundwork(planner: Planner, items: Sequence[Item]) -> Repo:
    """Everything in the solved repo that no item is about."""
    world, style = planner.world, planner.world.style
    taken = {name for item in items for name in item.touched().alerts}
    routed = {item.team.name for item in items if isinstance(item, RouteItem)}
    repo = Repo((), base_config(world, [team for team in world.teams if team.name not in routed]))
    for exporter in _exporters(planner, items):
        file = exporters.render(exporter, style, world.fleet, world.domain)
        repo = replace(repo, rule_files=(*repo.rule_files, file))
    repo = _with_records(repo, planner, items)
    inhibited = {item.source for item in items if isinstance(item, InhibitionItem)}
    for service in world.services:
        subject = planner.subject(service)
        names = {}
        for kind in standing_kinds(planner, service):
            rule = KINDS[kind].rule(subject)
            names[kind] = rule.name
            if rule.name not in taken:
                path, group = alert_place(world, service, burn=KINDS[kind].burn)
                repo = repo.add(path, group, (rule,), manifests=style.manifests)
        down = names["target-down"]
        if down not in inhibited:
            targets = tuple(names[kind] for kind in consequences(tuple(names)))
            rules = (*repo.config.inhibit_rules, inhibit_rule(world, down, targets))
            repo = repo.with_config(replace(repo.config, inhibit_rules=rules))
    return replace(repo, rule_files=tuple(sorted(repo.rule_files, key=lambda file: file.path)))


def standing_kinds(planner: Planner, service: Service) -> tuple[str, ...]:
    """The alerts of a service that stand in the repo."""
    return (*planner.health_kinds(service), *planner.siblings(service))


def sli_rules(planner: Planner, sli: Sli, service: Service) -> list[Rule]:
    """The reference records of a family or service, shortest window first."""
    return [sli.rule(planner.subject(service), window) for window in windows(planner.world.style)]


def _with_records(repo: Repo, planner: Planner, items: Sequence[Item]) -> Repo:
    made = {rule for item in items if isinstance(item, RecordingItem) for rule in item.rules}
    for sli, service in planner.records():
        path, group = record_place(planner.world, service.family.name)
        rules = [rule for rule in sli_rules(planner, sli, service) if rule not in made]
        if rules:
            repo = repo.add(path, group, rules, manifests=planner.world.style.manifests)
    return repo


def needs(planner: Planner, items: Sequence[Item], service: Service) -> tuple[str, ...]:
    """What a service depends on: what it is drawn with, and what its alerts are about."""
    asked = [item.kind.name for item in items if isinstance(item, AlertItem) and item.subject.service == service]
    out = list(service.depends_on)
    for kind in dict.fromkeys((*planner.health_kinds(service), *asked)):
        stores = KINDS[kind].stores
        if stores and not set(stores) & set(out):
            out.append(stores[0])
    return tuple(out)


def _exporters(planner: Planner, items: Sequence[Item]) -> tuple[exporters.Exporter, ...]:
    """As many as the recipe wants: half of stores that some service depends on, half of what all stand on."""
    used = {need for service in planner.world.services for need in needs(planner, items, service)}
    rng = planner.seed.rng("exporters")
    stores = rng.shuffled([one for one in exporters.load_all() if one.role == "data" and one.name in used])
    others = rng.shuffled([one for one in exporters.load_all() if one.role != "data"])
    wanted = planner.recipe.distractors
    half = max(min(len(stores), (wanted + rng.between(0, 1)) // 2), wanted - len(others))
    drawn = (*stores[:half], *others[: wanted - half])
    return tuple(sorted(drawn, key=lambda one: one.name))
