"""No right way to write an alert looks like tampering, clocks included."""

from __future__ import annotations

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.ways import general
from alertforge.grader import tamper
from alertforge.prometheus.rules import Group, RuleFile
from alertforge.seeds import Seed
from alertforge.world.create import create

WORLD = create(Seed.master("alerts-honest"), services=1)
SUBJECT = Subject(WORLD, WORLD.services[0])
CARRIED = ("job", "le", "namespace", SUBJECT.style.pod_label)


@pytest.mark.parametrize("kind", KINDS)
def test_no_right_way_is_taken_for_tampering(kind: str) -> None:
    own = KINDS[kind]
    inputs = [name for name, _ in own.exported(SUBJECT)]
    ways = {"reference": (own.rule(SUBJECT),), **own.accepted(SUBJECT), **general(own, SUBJECT, CARRIED)}
    for name, rules in ways.items():
        file = RuleFile("rules/a.yml", (Group("g", rules),))
        found = tamper.find([file], None, baseline_files=[], baseline_config=None, inputs=inputs)
        assert found == (), name


@pytest.mark.parametrize("kind", KINDS)
def test_right_ways_are_different_rules_and_wrong_ones_are_none_of_them(kind: str) -> None:
    own = KINDS[kind]
    right = [(own.rule(SUBJECT),), *own.accepted(SUBJECT).values(), *general(own, SUBJECT, CARRIED).values()]
    wrong = [rule for rule, _ in own.wrong(SUBJECT).values()]
    assert len(set(right)) == len(right)
    assert len(set(wrong)) == len(wrong)
    assert not {(rule,) for rule in wrong} & set(right)
