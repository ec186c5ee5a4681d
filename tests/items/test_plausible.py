"""What the postmortems of one task tell can have happened in the repo that the task starts with."""

import re

import pytest
from jinja2 import Environment

from alertforge.alertmanager import routing
from alertforge.create import catalogue, draft
from alertforge.draft import Draft
from alertforge.items.alert import AlertItem
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.rehome import RehomeItem
from alertforge.plan import CONSEQUENCES
from alertforge.repo.model import alert_place
from alertforge.repo.routing import receiver

DRAWN = [entry[1:] for entry in catalogue() if entry[3] == 1]
UNLIKELY = {"cert-expiry", "disk-filling", "memory-limit", "cpu-throttling", "pool-saturation", "crash-looping"}


@pytest.fixture(scope="module", params=DRAWN, ids=lambda entry: "-".join(map(str, entry)))
def made(request: pytest.FixtureRequest) -> Draft:
    workflow, tier, number = request.param
    return draft(workflow, tier, number, "plausible")


def test_an_outage_keeps_quiet_what_follows_from_it_and_nothing_else(made: Draft) -> None:
    assert not UNLIKELY & set(CONSEQUENCES)
    for rule in made.solved.config.inhibit_rules:
        held = set(rule.target[0].value.split("|"))
        unlikely = {made.planner.subject(one).alert_name(kind) for one in made.world.services for kind in UNLIKELY}
        assert held and not held & unlikely
    for item in made.items:
        if isinstance(item, InhibitionItem):
            assert item.targets and item.bystanders and not set(item.targets) & set(item.bystanders)


def test_an_alert_is_said_to_reach_its_team_only_where_it_does(made: Draft) -> None:
    for item in made.items:
        if isinstance(item, AlertItem) and item.defect is not None:
            start, solved = (
                set(routing.receivers(repo.config.route, item.firing)) for repo in (made.start, made.solved)
            )
            if item.heard:
                assert receiver(made.world, item.subject.service.team, item.heard) in start
            if item.defect.routed:
                assert start == solved, item.defect.name


def test_an_alert_of_a_former_team_starts_among_its_alerts(made: Draft) -> None:
    for item in made.items:
        if isinstance(item, RehomeItem) and made.world.style.files == "by-team":
            assert item.former is not None and item.broken is not None
            files = [file.path for file in made.start.rule_files if item.broken in tuple(file.rules())]
            assert [path.rpartition("/")[2].partition(".")[0] for path in files] == [f"team-{item.former.name}"]
            solved = [file.path for file in made.solved.rule_files if item.rule in tuple(file.rules())]
            assert solved == [alert_place(made.world, item.subject.service, burn=item.kind.burn)[0]]


def test_an_inhibition_is_told_of_as_an_event_only_where_source_and_target_could_fire(made: Draft) -> None:
    for item in made.items:
        if not isinstance(item, InhibitionItem) or item.defect is None:
            continue
        broken = {
            one.rule.name: one.defect
            for one in made.items
            if isinstance(one, AlertItem) and one.subject.service == item.subject.service
        }
        started = {rule.name for file in made.start.rule_files for rule in file.rules() if rule.is_alert}
        silent = {name for name, defect in broken.items() if defect is not None and defect.flavour == "silent"}
        able = started - silent
        outside = item.subject.service.family.name in ("ingress", "traefik")  # what counts there is not down
        kinds = ["traffic-floor", "probe-failing", "batch-overdue", "consumer-lag"]
        kinds += ["error-ratio", "fast-burn", "slow-burn"] if outside else []
        after = {item.subject.alert_name(kind) for kind in kinds}  # those that begin when nothing is scraped any more
        if item.acted:
            assert item.source in able and able & set(item.targets) & after
        tried = item.defect.rehearsed if item.reachable else item.defect.listed
        told = item.defect.symptoms if item.acted or not tried else tried
        names = {"service": item.subject.service.name, "team": item.subject.team.title}
        assert item.request().symptom in {Environment().from_string(one).render(**names) for one in told}


def test_what_no_receiver_would_show_is_told_by_what_alertmanager_lists(made: Draft) -> None:
    for item in made.items:
        if isinstance(item, InhibitionItem) and item.defect is not None and not item.reachable:
            assert not item.acted
            if item.defect.listed:
                assert re.search(r"\blist(s|ed)?\b|alerts page", item.request().symptom)


def test_broken_records_leave_true_what_is_told_of_the_alerts_on_them(made: Draft) -> None:
    for item in made.items:
        if isinstance(item, RecordingItem):
            assert item.allows(made.items)
            if item.defect is not None and item.defect.readers and item.readers:
                assert any(name in item.request().symptom for name in (*item.readers, "burn alerts"))
