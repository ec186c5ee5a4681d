"""The ways in which items say they can be done too, replayed from whole repos by promtool and judged as in a grade."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from alertforge import tools
from alertforge.alertmanager.config import Config
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import AVAILABILITY, LATENCY, Sli, windows
from alertforge.grader import judge as judging
from alertforge.grader.definitions import index
from alertforge.grader.delivery import deliver
from alertforge.grader.observed import Observed
from alertforge.grader.replay import replay
from alertforge.grader.spec import AlertRequirement, Preservation, RecordingRequirement, Requirement, Scenario, Spec
from alertforge.grader.timeline import Ask
from alertforge.items.alert import MOST_WAYS, AlertItem
from alertforge.items.base import Edit
from alertforge.items.recording import RecordingItem
from alertforge.prometheus import rules
from alertforge.repo.model import Repo, record_place
from alertforge.repo.printer import print_rule_file
from alertforge.repo.routing import base_config
from alertforge.seeds import Seed
from alertforge.world.create import create
from alertforge.world.model import World

FILED = ("file-of-its-own", "group-labels", "two-files")


@cache
def company(manifests: bool) -> World:
    return create(Seed.master("items-ways"), services=1, manifests=manifests)


def alert_item(kind: str, *, manifests: bool = False, seed: str = "ways") -> AlertItem:
    world = company(manifests)
    return AlertItem("A1", Subject(world, world.services[0]), KINDS[kind], (), Seed.master(seed))


def recording_item(sli: Sli) -> RecordingItem:
    world = company(False)
    return RecordingItem("C1", Subject(world, world.services[0]), (), Seed.master("ways"), sli)


def placed(item: AlertItem | RecordingItem) -> Repo:
    """A repo with the item done, and with the records that a burn alert reads."""
    world = item.subject.world
    config: Config = base_config(world, world.teams)
    repo = Repo((), config)
    if isinstance(item, AlertItem) and isinstance(item.kind, BurnKind):
        sli = item.kind.sli
        records = [sli.rule(item.subject, window) for window in windows(item.subject.style)]
        repo = repo.add(*record_place(world, item.subject.service.family.name), records, manifests=False)
    return item.place(repo)


def quality(repo: Repo, requirement: Requirement, scenarios: tuple[Scenario, ...]) -> float:
    """q of a repo as it is written and read again, with every check of the requirement."""
    alerts = (requirement,) if isinstance(requirement, AlertRequirement) else ()
    records = (requirement,) if isinstance(requirement, RecordingRequirement) else ()
    spec = Spec(1, "t", scenarios, alerts, records, (), (), Preservation((), (), (), ()), (), "records.yml")
    names = frozenset(one.alert for one in alerts)
    wanted = {
        (one.scenario, one.record, one.minute) for found in records for one in (*found.values, *found.cardinality)
    }
    asks = [
        Ask(one, names, tuple(sorted((name, minute) for scenario, name, minute in wanted if scenario == one.id)), None)
        for one in scenarios
    ]
    style = company(False).style
    files = [rules.read(file.path, print_rule_file(file, style)) for file in repo.rule_files]
    assert [one.problems for one in files] == [()] * len(files)
    timeline = replay(files, asks, promtool=tools.find("promtool"))
    (judged,) = judging.judge(spec, Observed(timeline, timeline, deliver(None, lambda sets: (), ()), index(files)))
    return judged.q


def faults(item: AlertItem | RecordingItem, ways: dict[str, Edit]) -> dict[str, float]:
    """The ways that do not earn all."""
    repo = placed(item)
    requirement, scenarios = item.requirement(repo, (item,))
    found = {name: quality(edit(repo), requirement, scenarios) for name, edit in {"as-is": lambda r: r, **ways}.items()}
    return {name: q for name, q in found.items() if q != 1.0}


@pytest.mark.parametrize(
    "kind", [name if name == "traffic-floor" else pytest.param(name, marks=pytest.mark.slow) for name in KINDS]
)
def test_an_alert_is_the_same_whatever_is_written_and_filed_around_it(kind: str) -> None:
    item = alert_item(kind)
    assert faults(item, dict(item.general_ways())) == {}


@pytest.mark.parametrize("sli", [AVAILABILITY, pytest.param(LATENCY, marks=pytest.mark.slow)], ids=lambda sli: sli.name)
def test_records_are_the_same_however_they_are_summed_and_filed(sli: Sli) -> None:
    item = recording_item(sli)
    assert len(item.accepted()) <= MOST_WAYS
    assert faults(item, dict(item.accepted())) == {}


def test_these_checks_see_a_wrong_way() -> None:
    item = recording_item(AVAILABILITY)
    assert faults(item, {"no-by": item.wrong()["no-by"].edit})["no-by"] < 0.6


@pytest.mark.parametrize("manifests", [False, True])
def test_files_of_their_own_are_of_the_houses_format(manifests: bool) -> None:
    item = alert_item("target-down", manifests=manifests)
    before = placed(item)
    for name in ("file-of-its-own", "two-files"):
        after = item.general_ways()[name](before)
        new = [file for file in after.rule_files if file.path not in {one.path for one in before.rule_files}]
        assert len(new) == 1, name
        assert [file.manifest_name is not None for file in after.rule_files] == [manifests] * len(after.rule_files)
        assert item.rule.name in {rule.name for rule in after.rules()}


@pytest.mark.parametrize("kind", KINDS)
def test_filing_leaves_every_alert_under_its_name_with_its_labels(kind: str) -> None:
    item = alert_item(kind)
    repo = placed(item)
    ways = item.general_ways()
    assert {"file-of-its-own", "group-labels"} <= set(ways)  # not every alert can do with records that are behind
    for name in (name for name in FILED if name in ways):
        after = ways[name](repo)
        found = [(rule, group) for file in after.rule_files for group in file.groups for rule in group.rules]
        ours = [(rule, group) for rule, group in found if rule.is_alert]
        assert ours, name
        for rule, group in ours:
            assert rule.name == item.rule.name, name
            assert {**dict(group.labels), **dict(rule.labels)} == dict(item.rule.labels), name


def test_each_general_way_is_drawn_now_and_then_and_no_list_grows_long() -> None:
    item = alert_item("target-down")
    drawn: Counter[str] = Counter()
    for number in range(40):
        ways = replace(item, seed=Seed.master(f"draw-{number}")).accepted()
        assert {*item.kind.accepted(item.subject)} < {*ways}
        assert len(ways) == MOST_WAYS
        drawn.update([*ways])
    assert [name for name in item.general_ways() if drawn[name] < 1] == []


def test_what_is_drawn_follows_from_the_seed() -> None:
    item = alert_item("memory-limit")
    assert [*item.accepted()] == [*alert_item("memory-limit").accepted()]
