"""What every drawn world promises to those who write rules, routes and texts about it."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest

from alertforge.seeds import Seed
from alertforge.world.catalog import STORES
from alertforge.world.create import MAX_FOCUS, WorldError, create, deal
from alertforge.world.model import World

WORLDS = [create(Seed.master(f"world-{n}"), services=1 + n % MAX_FOCUS) for n in range(200)]

DIGEST = """
import hashlib
from alertforge.seeds import Seed
from alertforge.world.create import create
text = "".join(repr(create(Seed.master(n), services=1 + n % 4)) for n in range(20))
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_same_seed_gives_the_same_world_under_any_hash_seed() -> None:
    def digest(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", DIGEST], env=environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    here = "".join(repr(create(Seed.master(n), services=1 + n % 4)) for n in range(20))
    assert digest("1") == digest("4242") == hashlib.sha256(here.encode()).hexdigest()


def test_different_seeds_give_different_worlds() -> None:
    assert len({repr(world) for world in WORLDS}) == len(WORLDS)


def test_focus_is_what_was_asked_for_and_bystanders_belong_to_other_teams() -> None:
    for n, world in enumerate(WORLDS):
        assert world.focus == 1 + n % MAX_FOCUS
        owners = {service.team for service in world.services[: world.focus]}
        bystanders = world.services[world.focus :]
        assert len(bystanders) >= 2
        assert not owners & {service.team for service in bystanders}


def test_some_team_owns_exactly_one_service_in_focus() -> None:
    for world in WORLDS:
        owned = Counter(service.team for service in world.services[: world.focus])
        assert 1 in owned.values()
        owned_anywhere = Counter(service.team for service in world.services)
        assert any(owned[team] == owned_anywhere[team] == 1 for team in owned)


def test_three_to_five_teams_own_services_and_one_more_what_they_stand_on() -> None:
    for world in WORLDS:
        assert 4 <= len(world.teams) <= 6
        assert world.team(world.fleet) and world.fleet not in {service.team for service in world.services}
        assert len({team.name for team in world.teams}) == len(world.teams)
        for service in world.services:
            assert world.team(service.team).name == service.team
        assert {team.name for team in world.teams} == {world.fleet, *(service.team for service in world.services)}


def test_no_name_begins_another_in_either_spelling() -> None:
    for world in WORLDS:
        names = [service.name for service in world.services]
        for spelled in (names, [service.camel for service in world.services]):
            for one in spelled:
                assert [other for other in spelled if other.startswith(one)] == [one]
        teams = [team.name for team in world.teams]
        for team in teams:
            assert [other for other in (*teams, *names) if other.startswith(team)] == [team]


def test_dependencies_exist() -> None:
    for world in WORLDS:
        names = {service.name for service in world.services}
        for service in world.services:
            assert set(service.depends_on) <= names | set(STORES)
            assert service.name not in service.depends_on
    assert any(set(service.depends_on) - set(STORES) for world in WORLDS for service in world.services)


def test_services_are_of_a_size_that_can_be_replayed() -> None:
    for service in (service for world in WORLDS for service in world.services):
        assert 2 <= service.pods <= 6
        assert service.pods <= service.rps <= 2000


def test_latency_objectives_are_bucket_bounds_with_room_above_and_below() -> None:
    thresholds = set()
    for service in (service for world in WORLDS for service in world.services):
        bounds = [Fraction(bound) for bound in service.buckets]
        threshold = Fraction(service.latency_threshold)
        assert bounds == sorted(set(bounds))
        assert service.latency_threshold in service.buckets
        assert bounds[0] < threshold and threshold * 4 <= bounds[-1]
        thresholds.add(threshold)
    assert len(thresholds) >= 8


def test_families_of_one_world_share_no_metric() -> None:
    for world in WORLDS:
        families = {service.family for service in world.services}
        metrics = [metric for family in families for metric in (family.counter, family.histogram)]
        assert len(set(metrics)) == len(metrics)


def test_every_burn_alert_can_fire_for_every_service() -> None:
    for world in WORLDS:
        for tier in world.style.burn.values():
            for service in world.services:
                for objective in (service.slo, service.latency_slo):
                    assert Fraction(tier.factor) * (1 - Fraction(objective)) <= Fraction(2, 3)


def test_labels_of_one_world_do_not_collide() -> None:
    for world in WORLDS:
        style = world.style
        keys = [style.severity_label, style.owner_label, style.service_label, style.pod_label, "alertname"]
        keys += ["job", "namespace", "le", *(key for key, _ in style.extra_labels)]
        keys += {service.family.status_label for service in world.services}
        assert len(set(keys)) == len(keys)


def test_alert_names_differ_by_kind_and_by_service() -> None:
    for world in WORLDS:
        names = [
            world.style.alert_name.format(Service=service.camel, service=service.name, symptom=symptom)
            for service in world.services
            for symptom in world.style.symptoms.values()
        ]
        assert len(set(names)) == len(world.services) * len(world.style.symptoms)


def test_dates_follow_each_other() -> None:
    for world in WORLDS:
        calendar = world.calendar
        assert calendar.incident < calendar.review < calendar.today
        assert (calendar.today - calendar.incident).days <= 42
        for day in (calendar.incident, calendar.review, calendar.today):
            assert day.weekday() < 5


def test_people_have_handles_of_their_own() -> None:
    for world in WORLDS:
        people = [world.sre, *(person for team in world.teams for person in (team.lead, *team.members))]
        handles = [person.handle for person in people]
        assert len(set(handles)) == len(handles)
        for person in people:
            assert re.fullmatch(r"[a-z]+", person.handle)
            assert person.name.lower().startswith(person.handle)


def test_no_two_people_of_a_company_share_a_surname() -> None:
    for world in WORLDS:
        people = [world.sre, *(person for team in world.teams for person in (team.lead, *team.members))]
        surnames = [person.name.split(" ", 1)[1] for person in people]
        assert len(set(surnames)) == len(surnames)


def test_manifests_can_be_forced_without_changing_anything_else() -> None:
    for n in range(10):
        plain, manifests = (create(Seed.master(n), services=2, manifests=wanted) for wanted in (False, True))
        assert (plain.style.manifests, manifests.style.manifests) == (False, True)
        assert repr(plain).replace("manifests=False", "") == repr(manifests).replace("manifests=True", "")


def test_a_company_can_be_given_and_is_dealt_once_before_it_comes_back() -> None:
    companies = deal(Seed.master("deck"), 30)
    assert len({company.name for company in companies}) == 30
    world: World = create(Seed.master("given"), services=1, company=companies[0])
    assert (world.company, world.domain) == (companies[0].name, companies[0].domain)
    assert companies[0].domain in world.style.runbook


@pytest.mark.parametrize("services", [0, -1, MAX_FOCUS + 1])
def test_impossible_sizes_are_refused_in_one_line(services: int) -> None:
    with pytest.raises(WorldError, match=rf"1 to {MAX_FOCUS} services in focus, not {services}$"):
        create(Seed.master("x"), services=services)
