"""The alert state machine against promtool, quick form."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .promtool import ask
from .state_machine import KINDS, trial


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.randoms(use_true_random=False))
def test_any_rule_is_pending_and_firing_when_promtool_says_so(rng: random.Random) -> None:
    drawn = trial(rng)
    mismatches = [text for _, text in drawn.mismatches(ask([drawn.scenario])[0])]
    assert not mismatches, "\n".join(mismatches)


def test_every_kind_of_rule_agrees_over_some_hundred_timelines() -> None:
    trials = [trial(random.Random(f"quick/{number}")) for number in range(25)]
    answers = ask([one.scenario for one in trials])
    mismatches = [text for one, got in zip(trials, answers, strict=True) for _, text in one.mismatches(got)]
    assert not mismatches, "\n".join(mismatches)
    assert {rule.kind for one in trials for rule in one.rules} == set(KINDS)


def test_the_comparison_sees_a_for_that_is_one_evaluation_too_long() -> None:
    trials = [trial(random.Random(f"slip/{number}")) for number in range(5)]
    for one, answers in zip(trials, ask([one.scenario for one in trials]), strict=True):
        rules = [replace(rule, for_seconds=rule.for_seconds + one.evaluation_interval) for rule in one.rules]
        slipped = replace(one, rules=tuple(rules))
        seen = any(answer for answer in answers)
        assert bool(list(slipped.mismatches(answers))) == seen
