"""What a queue is made of: evenly drawn, on services that have no more alerts than others."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import PurePosixPath

import pytest

from alertforge.alerts import KINDS
from alertforge.defects import DEFECTS
from alertforge.groundwork import groundwork, needs
from alertforge.items.alert import AlertItem
from alertforge.items.recording import RecordingItem
from alertforge.items.rehome import RehomeItem
from alertforge.plan import DOWN, HEALTH, SIDES, WATCHING, Planner
from alertforge.repo.exporters import load_all
from alertforge.seeds import Seed
from alertforge.workflow import core
from alertforge.world.catalog import FAMILIES
from alertforge.world.create import create

SEED = Seed.master("plans")


def planned(count: int) -> list[Planner]:
    """Planners with their queues placed, of each workflow and tier in turn."""
    turns = [(workflow, tier) for workflow in core().values() for tier in workflow.tiers]
    out = []
    for number in range(count):
        workflow, tier = turns[number % len(turns)]
        seed = SEED.child(number)
        out.append(Planner(workflow, workflow.tiers[tier], seed, create(seed, services=workflow.tiers[tier].services)))
    return out


def test_items_are_about_health_alerts_of_which_no_service_has_more_than_others() -> None:
    for planner in planned(15):
        alerts = [item for item in planner.items() if isinstance(item, AlertItem)]
        places = [(one.subject.service.name, one.kind.name) for one in alerts]
        defects = [one.defect.name for one in alerts if one.defect]
        assert len(set(places)) == len(places) and len(set(defects)) == len(defects)
        for service in planner.focus:
            kinds = planner.health_kinds(service)
            assert len(set(kinds)) == len(kinds) == 1 + HEALTH and kinds[0] == DOWN
            assert all(set(kinds) & set(side) for side in SIDES)
            mine = {one.kind.name for one in alerts if one.subject.service == service and one.broken}
            assert {kind for kind in mine if kind in WATCHING} <= set(kinds)


def test_exporters_of_stores_are_those_that_some_service_depends_on() -> None:
    stores = {one.name for one in load_all() if one.role == "data"}
    seen = set()
    for planner in planned(12):
        items = planner.items()
        files = groundwork(planner, items).rule_files
        there = {PurePosixPath(file.path).stem for file in files} & {one.name for one in load_all()}
        assert len(there) == planner.recipe.distractors
        used = {need for service in planner.world.services for need in needs(planner, items, service)}
        assert there & stores <= used
        seen |= there & stores
    assert len(seen) >= 3


def test_no_sound_alert_reads_records_that_are_still_to_be_made() -> None:
    asked = 0
    for planner in planned(30):
        for item in planner.items():
            if isinstance(item, RecordingItem) and item.defect is None:
                asked += 1
                assert not planner._readers(item)
    assert asked > 8


def test_a_worker_is_not_probed_and_what_has_no_database_has_no_pool_unless_nothing_else_is_left() -> None:
    jobs = set(FAMILIES["job"])
    for planner in planned(15):
        for service in planner.world.services:
            drawn = set(planner.health_kinds(service))
            assert service.family not in jobs or "probe-failing" not in drawn
            assert {"postgres", "mysql"} & set(service.depends_on) or not {"pool-saturation", "replica-lag"} & drawn


def test_what_has_lost_its_service_can_be_set_off_by_the_one_beside_it() -> None:
    """Slow requests there are slow by a bound of its own, which may be shorter than what this alert asks for."""
    seed = SEED.child("bounds")
    latency = core()["latency-slo"]
    world = create(seed, services=latency.tiers["medium"].services)
    one, other, *rest = world.services
    for theirs, shows in (("0.1", False), ("1", True)):
        services = (replace(one, latency_threshold="0.5"), replace(other, latency_threshold=theirs, family=one.family))
        planner = Planner(latency, latency.tiers["medium"], seed, replace(world, services=(*services, *rest)))
        rule = KINDS["slow-share"].rule(planner.subject(services[0]))
        broken = DEFECTS["everyone-counts"].apply(rule, planner.subject(services[0]), seed)
        assert broken is not None
        assert planner._counts_nobody_else(services[0], "slow-share", broken) != shows
        assert not planner._counts_nobody_else(services[0], "slow-share", rule)


@pytest.mark.slow
def test_no_alert_kind_and_no_defect_has_it_all() -> None:
    alerts = [item for planner in planned(90) for item in planner.items() if isinstance(item, AlertItem)]
    broken = Counter(one.defect.name for one in alerts if one.defect)
    rules = [name for name, defect in DEFECTS.items() if not defect.records]
    assert len(broken) > 0.9 * len(rules) and max(broken.values()) < 4 * broken.total() / len(rules)
    new = Counter(one.kind.name for one in alerts if one.broken is None)
    assert set(new) == set(KINDS)
    moved = Counter(one.kind.name for one in alerts if isinstance(one, RehomeItem))
    assert set(moved) == {DOWN, *WATCHING} and max(moved.values()) < 4 * moved.total() / len(moved)
