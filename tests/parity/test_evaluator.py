"""The reference evaluator against promtool, quick form."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alertforge.prometheus.functions import QueryError, Vector

from .evaluator import FUNCTIONS, Case, agrees, rotation, trial
from .promtool import Failed, ask


@settings(
    max_examples=16,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.randoms(use_true_random=False), st.integers(0, len(FUNCTIONS) - 1))
def test_any_query_returns_what_promtool_returns(rng: random.Random, start: int) -> None:
    drawn = trial(rng, rotation(start))
    mismatches = [text for _, text in drawn.mismatches(ask([drawn.scenario])[0])]
    assert not mismatches, "\n".join(mismatches)


def test_every_function_agrees_on_some_hundred_queries() -> None:
    trials = [trial(random.Random(f"quick/{number}"), rotation(number * 25)) for number in range(20)]
    answers = ask([one.scenario for one in trials])
    mismatches = [text for one, got in zip(trials, answers, strict=True) for _, text in one.mismatches(got)]
    assert not mismatches, "\n".join(mismatches)
    assert {case.function for one in trials for case in one.cases} == set(FUNCTIONS)


@pytest.mark.parametrize("slip", ["value", "label", "missing", "error"])
def test_the_comparison_sees_a_wrong_answer(slip: str) -> None:
    drawn = trial(random.Random("slip"), rotation(0))
    answers = ask([drawn.scenario])[0]
    assert not list(drawn.mismatches(answers))
    case = next(case for case in drawn.cases if not isinstance(case.expected, QueryError) and len(case.expected) > 1)
    cases = [_with_slip(case, slip) if one is case else one for one in drawn.cases]
    assert [function for function, _ in replace(drawn, cases=tuple(cases)).mismatches(answers)] == [case.function]


def _with_slip(case: Case, slip: str) -> Case:
    assert not isinstance(case.expected, QueryError)
    (labels, value), *others = case.expected.items()
    if slip == "error":
        return replace(case, expected=QueryError("matching"))
    changed: dict[str, Vector] = {
        "value": {labels: value * (1 + 1e-8) + 1e-6},
        "label": {labels.with_(extra="x"): value},
        "missing": {},
    }
    return replace(case, expected={**changed[slip], **dict(others)})


def test_a_failed_query_agrees_only_with_the_error_it_stands_for() -> None:
    refused = Failed("many-to-many matching not allowed")
    assert agrees(QueryError("many-to-many"), refused, 0)
    assert not agrees({}, refused, 0)
    assert not agrees(QueryError("many-to-many"), {}, 0)
    assert not agrees(QueryError("many-to-many"), Failed("parse error"), 0)
