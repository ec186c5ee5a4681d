"""Names of people: plausible rows, none shared between rows, and nobody who works at two companies."""

from __future__ import annotations

import re
from collections import Counter

from alertforge.create import catalogue
from alertforge.seeds import Seed
from alertforge.world.companies import COMPANIES
from alertforge.world.create import MAX_FOCUS, create, deal
from alertforge.world.model import Person, World
from alertforge.world.people import NAMES, names_of


def people(world: World) -> list[Person]:
    return [world.sre, *(person for team in world.teams for person in (team.lead, *team.members))]


def test_rows_are_many_and_long_and_share_no_name() -> None:
    assert len(NAMES) >= 20
    assert all(len(given) >= 16 and len(surnames) >= 16 for given, surnames in NAMES)
    for names in ([one for given, _ in NAMES for one in given], [one for _, surnames in NAMES for one in surnames]):
        assert [name for name, count in Counter(map(str.lower, names)).items() if count > 1] == []
    for given, surnames in NAMES:
        assert all(re.fullmatch(r"[A-Z][a-z]+", name) for name in given)
        assert all(re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?", name) for name in surnames)


def test_nobody_may_work_at_two_companies() -> None:
    jobs = Counter(name for company in COMPANIES for name in names_of(company))
    assert len(jobs) == sum(len(given) * len(surnames) for given, surnames in NAMES)
    assert set(jobs.values()) == {1}


def test_no_full_name_comes_twice_in_a_core_tier() -> None:
    seed = Seed.master("names")
    companies = deal(seed.child("companies"), len(catalogue()))
    worlds = [
        create(seed.child("world", n), services=1 + n % MAX_FOCUS, company=company)
        for n, company in enumerate(companies)
    ]
    names = Counter(person.name for world in worlds for person in people(world))
    assert len(names) > 300
    assert [name for name, count in names.items() if count > 1] == []
    handles = Counter(person.handle for world in worlds for person in people(world))
    assert max(handles.values()) <= 8


def test_a_role_is_a_job_and_not_a_duty() -> None:
    roles = {person.role for n in range(40) for person in people(create(Seed.master(f"roles-{n}"), services=3))}
    assert len(roles) >= 12
    assert not any("on-call" in role or "on call" in role for role in roles)
