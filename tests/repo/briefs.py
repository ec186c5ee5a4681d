"""Briefs of drawn companies with a queue of every kind of request."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import get_args

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.sli import AVAILABILITY, windows
from alertforge.defects import CONFIG_DEFECTS, DEFECTS, applicable
from alertforge.items.alert import AlertItem
from alertforge.items.base import told
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.repo import texts
from alertforge.repo.brief import AlertEntry, Brief, Expertise, Opening, Request, Tone, Turns
from alertforge.repo.routing import routing_policy
from alertforge.repo.wordings import fact
from alertforge.seeds import Seed
from alertforge.world.create import create
from alertforge.world.model import World

TASKS = 30
NUMBERS = pytest.mark.parametrize("number", range(TASKS))
TONES: tuple[Tone, ...] = get_args(Tone)
EXPERTISE: tuple[Expertise, ...] = get_args(Expertise)


@lru_cache(maxsize=64)
def brief(number: int) -> tuple[Brief, Seed]:
    """Brief number so-and-so, and the seed of its texts; expertise and tone take turns."""
    seed = Seed.master(f"texts-{number}")
    world = create(seed.child("world"), services=1 + number % 3)
    service = world.services[0]
    anyone = replace(
        service,
        name="<service>",
        family=replace(service.family, name="<family>"),
        slo="SLO",
        latency_threshold="<latency threshold>",
    )
    named, nameless = Subject(world, service), Subject(world, anyone)
    kinds = list(KINDS)[: 6 + number % 6]
    down = named.alert_name("target-down")
    return (
        Brief(
            task=f"af-{number:03d}-slo-onboarding-easy-s1",
            workflow="slo-onboarding",
            tier="easy",
            expertise=EXPERTISE[number % 3],
            tone=TONES[number % 4],
            world=world,
            requests=_requests(world, seed),
            policies=tuple(
                AlertEntry(
                    kind,
                    KINDS[kind].title,
                    KINDS[kind].novice(nameless),
                    world.style.severities[KINDS[kind].urgency(named)],
                    KINDS[kind].for_minutes(named),
                )
                for kind in kinds
            ),
            metrics=tuple(dict(pair for kind in kinds for pair in KINDS[kind].exported(named)).items()),
            records=tuple(
                dict.fromkeys(
                    AVAILABILITY.rule(Subject(world, one), window).name
                    for one in world.services
                    for window in windows(world.style)
                )
            ),
            files=("rules/x.yml",),
            canary=f"00000000-0000-4000-8000-{number:012d}",
            requester=world.sre,
            openings=(
                Opening("{{ services }} {{ get }} an SLO.", (service.name,)),
                Opening(
                    "This round is about {{ services }}.", tuple(one.name for one in world.services[: world.focus])
                ),
            ),
            windows=windows(world.style),
            examples=tuple((kind, world.services[-1].name) for kind in kinds),
            inhibitions=(
                fact("inhibit-policy", down=world.style.symptoms["target-down"], label=world.style.service_label),
                fact("inhibit-pair", source=down, targets=f"`{named.alert_name('error-ratio')}`"),
            ),
            routing=routing_policy(world),
            turns=Turns(Seed.master("texts"), number),
        ),
        seed.child("texts"),
    )


def _requests(world: World, seed: Seed) -> tuple[Request, ...]:
    service = world.services[0]
    subject = Subject(world, service)
    others = (world.services[-1],)
    out = [
        AlertItem("A1", subject, KINDS["fast-burn"], others, seed.child("A1")).request(),
        RecordingItem("C1", subject, others, seed.child("C1")).request(),
        RouteItem("R1", world, service, world.team(service.team), (), seed.child("R1")).request(),
        InhibitionItem(
            "I1", subject, subject.alert_name("target-down"), (subject.alert_name("error-ratio"),), (), others[0],
            seed.child("I1"),
        ).request(),
    ]  # fmt: skip
    for number, kind in enumerate(("error-ratio", "target-down", "latency-quantile"), 1):
        item_seed = seed.child(f"P{number}")
        choices = applicable(KINDS[kind].rule(subject), subject, item_seed)
        defect, broken = item_seed.rng("choice").choice(choices)
        item = AlertItem(f"P{number}", subject, KINDS[kind], others, item_seed, defect, broken, audit=number == 3)
        out.append(item.request())
    routes = [one for one in CONFIG_DEFECTS.values() if one.family == "routes"]
    records = [one for one in DEFECTS.values() if one.records]
    for copy, index, defects in (("R2", 2, routes), ("C2", 1, records)):
        defect = seed.rng(copy).choice(defects)
        names = {"alert": out[index].name, "service": service.name, "team": world.team(service.team).title}
        out.append(replace(out[index], id=copy, symptom=told(defect.symptoms, seed.child(copy), **names)))
    return tuple(out)


@lru_cache(maxsize=TASKS)
def everything(number: int) -> dict[str, str]:
    told, seed = brief(number)
    return {
        **texts.documents(told, seed),
        "instruction.md": texts.instruction(told, seed),
        "task README.md": texts.readme(told, seed),
    }


def plain(text: str) -> str:
    """A text without line breaks and marks, as a reader takes it in."""
    return re.sub(r"\s+", " ", text.replace("\\|", "|"))
