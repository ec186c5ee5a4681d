"""Every defect of routes and inhibitions: Alertmanager loads it, and delivers something else than before."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from jinja2 import Environment, StrictUndefined

from alertforge.alertmanager.amtool import Classifier, check_config
from alertforge.alertmanager.config import Config, Receiver, dump, parse
from alertforge.alertmanager.inhibition import decide
from alertforge.alertmanager.routing import receivers
from alertforge.alerts.base import Subject
from alertforge.defects import CONFIG_DEFECTS, applicable_config
from alertforge.defects.config import Scene
from alertforge.items.route import RouteItem
from alertforge.repo.routing import base_config, inhibit_rule
from alertforge.tools import find
from alertforge.world.model import World

from .hosts import SEED

LAYOUTS = [
    ("team-first", "page-archive"),
    ("severity-first", None),
    ("flat", "page-archive"),
]


def _world(subject: Subject, routing: str, audit: str | None) -> World:
    """The company laid out like that; the first service's team owns a second one."""
    world = subject.world
    first, *others, last = world.services
    services = (first, *others, replace(last, team=first.team))
    style = replace(subject.style, routing=routing, audit_receiver=audit)
    return replace(world, style=style, services=services)


def _config(world: World) -> Config:
    rules = dict.fromkeys(
        inhibit_rule(world, f"{one.camel}Down", [f"{one.camel}Slow", f"{one.camel}Errors"]) for one in world.services
    )
    config = base_config(world, world.teams)
    bare = tuple(Receiver(one.name) for one in config.receivers)
    return replace(config, inhibit_rules=tuple(rules), receivers=bare)


def _alerts(world: World) -> list[dict[str, str]]:
    """Alerts of every team and severity, three of each service, and one of nobody."""
    style = world.style
    levels = [*style.severities.values(), style.info_severity]
    out = [
        {"alertname": "SomethingElse", style.owner_label: team.name, style.severity_label: level}
        for team in world.teams
        for level in levels
    ]
    for service in world.services:
        for symptom, urgency in (("Down", "page"), ("Slow", "page"), ("Errors", "ticket")):
            out.append(
                {
                    "alertname": f"{service.camel}{symptom}",
                    style.owner_label: service.team,
                    style.severity_label: style.severities[urgency],  # type: ignore[index]
                    style.service_label: service.name,
                    **dict(style.extra_labels),
                }
            )
    return [*out, {"alertname": "Unowned", style.severity_label: levels[0]}]


def _delivered(config: Config, alerts: list[dict[str, str]]) -> list[object]:
    """Receivers of each alert, and who is muted in some outages, as Alertmanager's own matching has it."""
    classifier = Classifier(config, find("amtool"))
    matches = classifier.classify(alerts)
    out: list[object] = [match.receivers for match in matches]
    downs = [index for index, alert in enumerate(alerts) if alert["alertname"].endswith("Down")]
    rest = [index for index in range(len(alerts)) if index not in downs]
    for chosen in (*([down, *rest] for down in downs), rest):
        reasons = decide(config.inhibit_rules, [alerts[i] for i in chosen], [matches[i] for i in chosen])
        out.append([bool(reason) for reason in reasons])
    return out


@pytest.mark.parametrize(("routing", "audit"), LAYOUTS)
def test_every_broken_configuration_loads_and_delivers_differently(
    subject: Subject, routing: str, audit: str | None
) -> None:
    world = _world(subject, routing, audit)
    config, alerts = _config(world), _alerts(world)
    scene = Scene(world, world.services[0].team)
    right = _delivered(config, alerts)
    unchanged = []
    for defect, broken in applicable_config(config, scene):
        text = dump(broken)
        verdict = check_config(text, find("amtool"))
        assert verdict.ok, (defect.name, verdict.message)
        assert parse(text) == parse(dump(parse(text)))
        if _delivered(parse(text), alerts) == right:
            unchanged.append(defect.name)
    assert unchanged == []


@pytest.mark.parametrize(("routing", "audit"), LAYOUTS)
def test_every_defect_applies_to_every_layout_that_has_its_shape(
    subject: Subject, routing: str, audit: str | None
) -> None:
    world = _world(subject, routing, audit)
    held = {defect.name for defect, _ in applicable_config(_config(world), Scene(world, world.services[0].team))}
    missing = set(CONFIG_DEFECTS) - held
    expected = set()
    if audit is None:
        expected.add("search-ends-early")
    if routing == "severity-first":
        expected.add("any-severity-pages")
    assert missing == expected


def test_the_rule_that_the_scene_names_is_the_one_that_breaks(subject: Subject) -> None:
    world = _world(subject, "flat", None)
    config = _config(world)
    scene = Scene(world, world.services[1].team, config.inhibit_rules[1])
    for defect, broken in applicable_config(config, scene):
        if defect.family == "inhibitions":
            assert broken.inhibit_rules[0] == config.inhibit_rules[0], defect.name


@pytest.mark.parametrize("name", CONFIG_DEFECTS)
def test_tells_what_people_saw_in_at_least_four_ways(name: str) -> None:
    defect = CONFIG_DEFECTS[name]
    environment = Environment(undefined=StrictUndefined)
    for texts in filter(None, (defect.symptoms, defect.rehearsed, defect.filed)):
        assert len(set(texts)) >= 4
    texts = (*defect.symptoms, *defect.rehearsed, *defect.filed)
    told = [environment.from_string(text).render(service="S", team="T") for text in texts]
    giveaways = ("matcher", "regex", "continue", "equal", "inhibit", "receiver:", "severity", "label", "route")
    assert not [text for text in told if any(word in text.lower() for word in giveaways)]


def test_routes_and_inhibitions_are_told_of_in_eight_ways_at_least() -> None:
    for name, defect in CONFIG_DEFECTS.items():
        for texts in filter(None, (defect.symptoms, defect.rehearsed, defect.filed)):
            assert len(set(texts)) >= 8, name


def test_what_is_told_of_an_inhibition_does_not_tell_defects_of_one_kind_apart() -> None:
    for theme in ("too much", "no effect"):
        alike = [one for one in CONFIG_DEFECTS.values() if one.theme == theme and one.name != "inhibits-by-team"]
        assert len({(one.symptoms, one.rehearsed) for one in alike}) == 1


def test_alerts_that_are_held_back_too_often_are_told_of_with_another_service() -> None:
    """Held back by their own service's outage they would be as agreed."""
    elsewhere = re.compile(
        r"other|elsewhere|else|unrelated|nothing to do|does not need|two services|sister|any service|several services"
        r"|second problem|one alert where two|one of its services|one service of"
    )
    for defect in CONFIG_DEFECTS.values():
        if defect.theme == "too much":
            assert not [text for text in (*defect.symptoms, *defect.rehearsed) if not elsewhere.search(text)]


def test_symptoms_of_inhibitions_hold_whatever_the_urgency_of_the_alerts() -> None:
    urgent = ("phone", "call", "pager", "small", "minor", "ticket", "queue")
    for defect in CONFIG_DEFECTS.values():
        if defect.family == "inhibitions" and defect.name != "inhibits-everything-below":  # holds back all tickets
            texts = (*defect.symptoms, *defect.rehearsed)
            assert not [text for text in texts if any(word in text for word in urgent)], defect.name


@pytest.mark.parametrize(("routing", "audit"), LAYOUTS)
def test_a_route_that_takes_everything_is_told_by_whether_it_rings(
    subject: Subject, routing: str, audit: str | None
) -> None:
    world = _world(subject, routing, audit)
    service = world.services[0]
    team, *others = sorted(world.teams, key=lambda one: one.name != service.team)
    item = RouteItem("R1", world, service, team, tuple(others), SEED, CONFIG_DEFECTS["a-dash-too-many"])
    names = {"service": service.name, "team": team.title}
    filed = {Environment().from_string(one).render(**names) for one in item.defect.filed} if item.defect else set()
    assert (item.request().symptom in filed) == (routing == "team-first")


@pytest.mark.parametrize(("routing", "audit"), LAYOUTS)
def test_what_concerns_everyone_is_said_to_and_only_that_takes_pages_of_other_teams(
    subject: Subject, routing: str, audit: str | None
) -> None:
    world = _world(subject, routing, audit)
    config, team = _config(world), world.services[0].team
    alerts = [alert for alert in _alerts(world) if alert.get(world.style.owner_label) not in (None, team)]
    right = [receivers(config.route, alert) for alert in alerts]
    for defect, broken in applicable_config(config, Scene(world, team)):
        if defect.family == "routes":
            assert ([receivers(broken.route, alert) for alert in alerts] != right) == defect.everyone, defect.name
