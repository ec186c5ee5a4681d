"""Route and inhibition items, judged here by the reference evaluators alone; amtool judges them again in the gate."""

from collections.abc import Mapping

import pytest

from alertforge.alertmanager import inhibition, routing
from alertforge.alertmanager.config import Config
from alertforge.alerts.base import Subject
from alertforge.defects import CONFIG_DEFECTS
from alertforge.grader.spec import InhibitionRequirement, RouteRequirement
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.route import RouteItem
from alertforge.repo.model import Repo
from alertforge.repo.routing import base_config
from alertforge.seeds import Seed
from alertforge.world.create import create
from alertforge.world.model import World

WORLDS = [create(Seed.master("items").child(number), services=2) for number in range(12)]


def route_item(world: World) -> RouteItem:
    service = world.services[0]
    strangers = tuple(team for team in world.teams if team.name != service.team)
    return RouteItem("R1", world, service, world.team(service.team), strangers, Seed.master("route"))


def inhibition_item(world: World) -> InhibitionItem:
    service, other = world.services[0], world.services[1]
    return InhibitionItem(
        "I1", Subject(world, service), "Gone", ("Burning", "Failing"), ("Full",), other, Seed.master("inhibition")
    )


def base(world: World, without: str = "") -> Repo:
    return Repo((), base_config(world, [team for team in world.teams if team.name != without]))


def route_faults(requirement: RouteRequirement, config: Config) -> list[str]:
    faults = []
    for case in requirement.cases:
        found = routing.receivers(config.route, case.labels.as_dict())
        if case.receivers is not None and set(found) != set(case.receivers):
            faults.append(case.why)
        if set(found) & set(case.forbidden):
            faults.append(case.why)
    return faults


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
    assert not route_faults(requirement, solved.config)
    assert item.break_(solved).config == start.config
    assert route_faults(requirement, start.config)
    for name, edit in item.accepted().items():
        assert not route_faults(requirement, edit(solved).config), name
    for name, wrong in item.wrong().items():
        assert route_faults(requirement, wrong.edit(solved).config), name


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
                        route_faults(requirement, broken)
                        if isinstance(requirement, RouteRequirement)
                        else inhibition_faults(requirement, broken)  # type: ignore[arg-type]
                    )
                    assert faults, defect.name
    assert len(taken) >= 10
