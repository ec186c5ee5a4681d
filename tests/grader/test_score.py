"""The arithmetic of the contract, on numbers made by hand."""

from __future__ import annotations

import math

import pytest

from alertforge.grader import score
from alertforge.grader.result import Check, Judgement


@pytest.mark.parametrize(
    ("q", "start", "s"),
    [
        (0.0, 0.0, 0.0),
        (1.0, 0.0, 1.0),
        (0.4, 0.4, 0.0),
        (0.7, 0.4, 0.5),
        (0.3, 0.4, -1 / 6),
        (0.0, 0.4, -0.25),  # -2/3, clipped
        (1.0, 1.0, 1.0),
        (0.9, 1.0, -0.1),
        (0.1, 1.0, -0.25),
        (1.0 - 1e-12, 0.2, 1.0),
    ],
)
def test_s_is_relative_to_the_start(q: float, start: float, s: float) -> None:
    assert score.relative(q, start) == pytest.approx(s)


def judged(kind: str, q: float, name: str = "A1") -> Judgement:
    return Judgement(name, kind, q, ())


def kept(*values: float) -> list[Check]:
    return [Check(f"P.{n}", "preservation", "preserved", value, "", "") for n, value in enumerate(values)]


def test_progress_weighs_kinds_and_preservation() -> None:
    lines = [score.requirement_score(judged("alert", 1.0), 0.0), score.requirement_score(judged("route", 0.5), 0.0)]
    rewards = score.rewards(lines, kept(1, 0), syntax_ok=True, tampered=False)
    # (3 · 1 + 2 · 0.5) / 5 = 0.8, times 1/2 + 1/2 · 1/2
    assert rewards["progress"] == pytest.approx(0.6)
    assert rewards["reward"] == pytest.approx(0.24)
    assert rewards["outcome"] == rewards["solved"] == 0.0
    assert (rewards["req_alerts"], rewards["req_routing"], rewards["preservation"]) == (1.0, 0.5, 0.5)


def test_everything_right_is_one() -> None:
    lines = [score.requirement_score(judged("repair", 1.0), 0.3)]
    assert score.rewards(lines, kept(1, 1), syntax_ok=True, tampered=False)["reward"] == 1.0


@pytest.mark.parametrize(
    ("values", "syntax_ok", "tampered", "reward"),
    [((1, 1), False, False, 0.4), ((1, 1), True, True, 0.0), ((1, 0), True, False, 0.3)],
)
def test_one_thing_wrong_is_no_outcome(values: tuple[int, int], syntax_ok: bool, tampered: bool, reward: float) -> None:
    lines = [score.requirement_score(judged("repair", 1.0), 0.3)]
    rewards = score.rewards(lines, kept(*values), syntax_ok=syntax_ok, tampered=tampered)
    assert rewards["outcome"] == 0.0
    assert rewards["reward"] == pytest.approx(reward)


def test_regressions_never_make_a_negative_reward() -> None:
    lines = [score.requirement_score(judged("repair", 0.0), 0.9)]
    rewards = score.rewards(lines, kept(1), syntax_ok=True, tampered=False)
    assert rewards["progress"] == rewards["reward"] == rewards["req_repairs"] == 0.0


def test_there_are_sixteen_finite_keys() -> None:
    rewards = score.rewards([], [], syntax_ok=True, tampered=False)
    assert list(rewards) == list(score.KEYS)
    assert len(score.KEYS) == 16
    assert all(math.isfinite(value) for value in rewards.values())
    assert set(score.nothing().values()) == {0.0}
