"""Route and inhibition items, judged here by the reference evaluators alone; amtool judges them again in the gate."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from alertforge.alertmanager import inhibition, routing
from alertforge.alertmanager.config import Config
from alertforge.alerts.base import Subject
from alertforge.defects import CONFIG_DEFECTS
from alertforge.grader.spec import Grouping, InhibitionRequirement, RouteRequirement
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.route import RouteItem
from alertforge.repo.model import Repo
from alertforge.repo.routing import base_config, routing_policy
from alertforge.seeds import Seed
from alertforge.words import traits
from alertforge.world.create import create
from alertforge.world.model import World

WORLDS = [create(Seed.master("items").child(number), services=2) for number in range(12)]


def route_item(world: World) -> RouteItem:
    service = world.services[0]
    strangers = tuple(team for team in world.teams if team.name != service.team)
    return RouteItem("R1", world, service, world.team(service.team), strangers, Seed.master("route"))


def inhibition_item(world: World) -> InhibitionItem:
    service, other = world.services[0], world.services[1]
    subject = Subject(world, service)
    down, burning, failing, full = map(subject.alert_name, ("target-down", "fast-burn", "error-ratio", "disk-filling"))
    return InhibitionItem("I1", subject, down, (burning, failing), (full,), other, Seed.master("inhibition"))


def base(world: World, without: str = "") -> Repo:
    return Repo((), base_config(world, [team for team in world.teams if team.name != without]))


def route_faults(requirement: RouteRequirement, config: Config, world: World) -> list[str]:
    faults = []
    url = {one.name: one.body.get("webhook_configs", [{}])[0].get("url") for one in config.receivers}
    for case in requirement.cases:
        nodes = routing.resolve(config.route, case.labels.as_dict())
        found = [node.receiver for node in nodes]
        if case.receivers is not None:
            if sorted(found) != sorted(case.receivers):
                faults.append(case.why)
            if any(set(node.group_by) != set(world.style.group_by) or node.group_wait != 30_000 for node in nodes):
                faults.append(f"{case.why}, grouped")
            faults += [f"{case.why}, url" for name in found if not url[name].endswith(f"/hooks/{slug(name)}")]
        if set(found) & set(case.forbidden):
            faults.append(case.why)
    return faults


def slug(name: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in name)


def inhibition_faults(requirement: InhibitionRequirement, config: Config) -> list[str]:
    faults = []
    for case in requirement.cases:
        alerts: list[Mapping[str, str]] = [case.labels.as_dict(), *(other.as_dict() for other in case.others)]
        if bool(inhibition.inhibited(config.inhibit_rules, alerts)[0]) != case.suppressed:
            faults.append(case.why)
    return faults


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.company)
def test_a_team_is_routed_by_every_right_way_and_by_no_wrong_one(world: World) -> None:
    item = route_item(world)
    start = base(world, item.team.name)
    solved = item.place(start)
    requirement, _ = item.requirement(solved, ())
    assert isinstance(requirement, RouteRequirement)
    assert not route_faults(requirement, solved.config, world)
    assert item.break_(solved).config == start.config
    assert route_faults(requirement, start.config, world)
    for name, edit in item.accepted().items():
        assert not route_faults(requirement, edit(solved).config, world), name
    for name, wrong in item.wrong().items():
        assert route_faults(requirement, wrong.edit(solved).config, world), name


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.company)
def test_an_inhibition_holds_by_every_right_way_and_by_no_wrong_one(world: World) -> None:
    item = inhibition_item(world)
    solved = item.place(base(world))
    requirement, _ = item.requirement(solved, ())
    assert isinstance(requirement, InhibitionRequirement)
    assert not inhibition_faults(requirement, solved.config)
    assert inhibition_faults(requirement, item.break_(solved).config)
    for name, edit in item.accepted().items():
        assert not inhibition_faults(requirement, edit(solved).config), name
    for name, wrong in item.wrong().items():
        assert inhibition_faults(requirement, wrong.edit(solved).config), name


def test_whose_outage_it_is_may_be_told_by_the_names_of_alerts_which_bear_the_services() -> None:
    for world in WORLDS:
        item = inhibition_item(world)
        solved = item.place(base(world))
        requirement, _ = item.requirement(solved, ())
        assert isinstance(requirement, InhibitionRequirement)
        for case in requirement.cases:
            for alert in (case.labels, *case.others):
                whose = world.service(alert.get(world.style.service_label))
                names = {Subject(world, whose).alert_name(kind) for kind in world.style.symptoms}
                assert alert.get("alertname") in {*names, "SomethingElse"}
        (alone,) = (rule for rule in solved.config.inhibit_rules if rule == item.rule)
        config = replace(solved.config, inhibit_rules=(replace(alone, equal=()),))
        assert not inhibition_faults(requirement, config)


def test_defects_that_an_item_takes_break_one_of_its_cases() -> None:
    taken = set()
    for world in WORLDS:
        for item in (route_item(world), inhibition_item(world)):
            solved = item.place(base(world, item.team.name if isinstance(item, RouteItem) else ""))
            requirement, _ = item.requirement(solved, ())
            for defect in CONFIG_DEFECTS.values():
                if defect.family == ("routes" if isinstance(item, RouteItem) else "inhibitions") and item.shows(
                    defect, solved.config
                ):
                    taken.add(defect.name)
                    broken = defect.apply(solved.config, item.scene)
                    assert broken is not None
                    faults = (
                        route_faults(requirement, broken, world)
                        if isinstance(requirement, RouteRequirement)
                        else inhibition_faults(requirement, broken)  # type: ignore[arg-type]
                    )
                    assert faults, defect.name
    assert len(taken) >= 10


@pytest.mark.parametrize("world", WORLDS[:4], ids=lambda world: world.company)
def test_what_the_readme_says_of_receivers_and_groups_is_what_is_judged(world: World) -> None:
    item = route_item(world)
    requirement, _ = item.requirement(item.place(base(world, item.team.name)), ())
    assert isinstance(requirement, RouteRequirement)
    rules = {rule.name: rule for rule in requirement.receivers}
    own = {style.format(team=item.team.name) for style in world.style.receiver.values()}
    assert own <= set(rules)
    assert {name for name, rule in rules.items() if rule.integrations is not None} == own
    for name in own:
        url = f"https://notify.{world.domain}/hooks/{slug(name)}"
        assert rules[name].integrations == (f'["webhook_configs", {{"url": "{url}"}}]',)
        assert f"`{url}`" in str(item.request().exact)
    assert {rule.grouping for rule in requirement.receivers} == {
        Grouping(world.style.group_by, 30_000, 300_000, 14_400_000)
    }
    policy = " ".join(map(str, routing_policy(world)))
    for stated in (f"https://notify.{world.domain}/hooks/<receiver>", "`30s`", "`5m`", "`4h`", "send_resolved: true"):
        assert stated in policy


def test_where_a_defect_concerns_everyone_a_repair_for_one_team_is_not_enough() -> None:
    judged = set()
    for world in WORLDS:
        item = route_item(world)
        solved = item.place(base(world, item.team.name))
        for defect in CONFIG_DEFECTS.values():
            if not defect.everyone or not item.shows(defect, solved.config):
                continue
            judged.add(defect.name)
            broken = replace(item, defect=defect)
            assert "all" in traits(broken) and "all" not in traits(item)
            requirement, _ = broken.requirement(solved, ())
            assert isinstance(requirement, RouteRequirement)
            assert not route_faults(requirement, solved.config, world)
            for name, edit in broken.accepted().items():
                assert not route_faults(requirement, edit(solved).config, world), name
            assert any(
                "that arrives" in fault
                for fault in route_faults(requirement, broken.wrong()["one-team-only"].edit(solved).config, world)
            ), defect.name
    assert judged == {"search-ends-early", "shadowed-by-severity", "a-dash-too-many"}
