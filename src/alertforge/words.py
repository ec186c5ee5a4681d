"""What there is to say about a task: everything that its texts need, as a `Brief`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from alertforge.alertmanager.config import Config, InhibitRule
from alertforge.alerts import KINDS
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import windows
from alertforge.groundwork import needs, sli_rules, standing_kinds
from alertforge.items.alert import AlertItem
from alertforge.items.base import Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.rehome import RehomeItem
from alertforge.items.route import RouteItem
from alertforge.plan import Planner
from alertforge.repo.brief import AlertEntry, Brief, Expertise, Opening, Persona, Tone
from alertforge.repo.model import Repo
from alertforge.repo.routing import routing_policy
from alertforge.repo.wordings import Fact, fact
from alertforge.workflow import Situation
from alertforge.world.model import Person, Service


@dataclass(frozen=True)
class Axes:
    """What a task varies in beside its workflow, tier and world."""

    expertise: Expertise
    tone: Tone
    archetype: str
    persona: Persona


def axes(planner: Planner) -> Axes:
    """Draws them."""
    rng = planner.seed.rng("axes")
    expertise, tone = rng.choice(planner.recipe.expertise), rng.choice(planner.workflow.tones)
    return Axes(expertise, tone, rng.choice(planner.workflow.archetypes), rng.choice(planner.workflow.personas))


def brief(name: str, canary: str, planner: Planner, items: Sequence[Item], start: Repo, solved: Config) -> Brief:
    """The brief of the task `name`."""
    world, style, drawn = planner.world, planner.world.style, axes(planner)
    kinds = _kinds(planner, items)
    example = planner.subject(planner.focus[0])
    anyone = planner.subject(_placeholder(planner.focus[0]))
    metrics: dict[str, Fact] = {}
    for kind in kinds:
        for service in world.services:
            metrics.update(dict(KINDS[kind].exported(planner.subject(service))))
    records = dict.fromkeys(rule.name for sli, one in planner.records() for rule in sli_rules(planner, sli, one))
    return Brief(
        name,
        planner.workflow.name,
        planner.recipe.tier,  # type: ignore[arg-type]
        drawn.expertise,
        drawn.tone,
        world,
        tuple(replace(item.request(), traits=traits(item)) for item in items),
        tuple(
            AlertEntry(
                kind,
                KINDS[kind].title,
                KINDS[kind].novice(anyone),
                style.severities[KINDS[kind].urgency(example)],
                KINDS[kind].for_minutes(example),
            )
            for kind in kinds
        ),
        tuple(metrics.items()),
        tuple(records),
        tuple(file.path for file in start.rule_files),
        canary,
        _requester(planner, drawn.persona),
        _openings(planner, items),
        windows(style),
        _examples(planner, start),
        (
            fact("inhibit-policy", down=style.symptoms["target-down"], label=style.service_label),
            *(_suppression(rule) for rule in solved.inhibit_rules),
        ),
        routing_policy(world),
        {service.name: needs(planner, items, service) for service in world.services},
    )


def traits(item: Item) -> tuple[str, ...]:
    """What the story of a broken item has to know, as `Request.traits` has it."""
    match item:
        case RouteItem() if item.defect is not None and item.defect.everyone:
            return ("all",)
        case InhibitionItem() if item.defect is not None and item.defect.rehearsed and not item.acted:
            return ("drill", *(["toomuch"] if item.defect.theme == "too much" else []))
        case RecordingItem() if item.defect is not None:
            return (*(["read"] if item.readers else []), *(["empty"] if item.defect.readers == "dead" else []))
        case AlertItem() if item.defect is not None:
            return (*(["felt"] if item.kind.felt else []), *(["routed"] if item.defect.routed else []))
    return ()


def _kinds(planner: Planner, items: Sequence[Item]) -> list[str]:
    """The alert kinds that the house has a policy for: burn alerts, and whatever stands in the repo or should."""
    slis = planner.workflow.slis
    return list(
        dict.fromkeys(
            (
                *(name for name, kind in KINDS.items() if isinstance(kind, BurnKind) and kind.sli.name in slis),
                *(item.kind.name for item in items if isinstance(item, AlertItem)),
                *(kind for service in planner.world.services for kind in standing_kinds(planner, service)),
            )
        )
    )


def _examples(planner: Planner, start: Repo) -> tuple[tuple[str, str], ...]:
    """Alerts to explain names with: those of services that the queue is not about, as the repo has them today."""
    there = {rule.name for rule in start.rules() if rule.is_alert}
    return tuple(
        (kind, service.name)
        for service in planner.world.services
        if service not in planner.focus
        for kind in standing_kinds(planner, service)
        if planner.subject(service).alert_name(kind) in there
    )


def _openings(planner: Planner, items: Sequence[Item]) -> tuple[Opening, ...]:
    """The workflow's situations that are true of this queue, each with the services of which it is."""
    alerts = [item for item in items if isinstance(item, AlertItem)]
    openings = (_opening(one, planner, alerts) for one in planner.workflow.situations)
    return tuple(one for one in openings if one.services)


def _opening(situation: Situation, planner: Planner, alerts: Sequence[AlertItem]) -> Opening:
    """The situation with the services that it is true of, and how many of their alerts make it so."""
    if not situation.names:
        return Opening(situation.text, tuple(service.name for service in planner.focus))
    counting = [item for item in alerts if not situation.kinds or item.kind.name in situation.kinds]
    fitting = [item.subject.service.name for item in counting if _what_is_asked(item) == situation.names]
    spoilt = {item.subject.service.name for item in counting if item.defect and item.defect.flavour in situation.unless}
    named = [service.name for service in planner.focus if service.name in fitting and service.name not in spoilt]
    return Opening(situation.text, tuple(named), sum(name in named for name in fitting))


def _what_is_asked(item: AlertItem) -> str:
    """What people know of an alert: that it is `new` or `moved`, or what a report says it does; of an audit nothing."""
    if isinstance(item, RehomeItem):
        return "moved"
    if item.defect is None:
        return "new"
    return "" if item.audit else item.defect.flavour


def _requester(planner: Planner, persona: Persona) -> Person:
    """Who asks: the company's SRE, or somebody of a team that owns one of the services in focus."""
    rng = planner.seed.rng("requester")
    team = planner.world.team(rng.choice(planner.focus).team)
    match persona:
        case "sre":
            return planner.world.sre
        case "team-lead":
            return team.lead
        case "on-call":
            return rng.choice(team.members)


def _placeholder(service: Service) -> Service:
    """Any service, for sentences about the house's policy."""
    family = replace(service.family, name="<family>")
    return replace(
        service,
        name="<service>",
        family=family,
        slo="SLO",
        latency_threshold="<latency threshold>",
        latency_slo="latency SLO",
    )


def _suppression(rule: InhibitRule) -> Fact:
    """One inhibition of the house."""
    targets = ", ".join(f"`{name}`" for name in rule.target[0].value.split("|"))
    return fact("inhibit-pair", source=rule.source[0].value, targets=targets)
