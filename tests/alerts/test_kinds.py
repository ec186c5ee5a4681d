"""Reference rules and accepted variants do what the contract says, wrong variants do not: on real promtool."""

from __future__ import annotations

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject, build_cases
from alertforge.seeds import Seed
from alertforge.world.create import create

from .bench import bench


def check(kind: str, seed: str) -> None:
    found = bench(KINDS[kind], seed)
    assert {name: found.faults(name) for name in found.right} == {name: [] for name in found.right}
    assert [name for name in found.wrong if not found.faults(name)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_right_rules_meet_the_contract_and_wrong_ones_do_not(kind: str) -> None:
    check(kind, "alerts-0")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_other_companies(kind: str, seed: int) -> None:
    check(kind, f"alerts-{seed}")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_enough_scenarios_and_variants(kind: str) -> None:
    world = create(Seed.master("alerts-0"), services=1)
    subject = Subject(world, world.services[0])
    own = KINDS[kind]
    cases = build_cases(own, subject, world.services[1:2], Seed.master("shape"), "A1")
    assert any(one.case.fires for one in cases)
    assert sum(not one.case.fires for one in cases) >= 3
    assert sum(len(one.case.fires) + len(one.case.quiet) + (one.case.first is not None) for one in cases) >= 12
    assert len(own.accepted(subject)) >= 3
    assert len(own.wrong(subject)) >= 4
    assert own.exported(subject)
    assert subject.service.name in own.novice(subject)
