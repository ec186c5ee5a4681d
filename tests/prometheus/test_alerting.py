"""The alert state machine, on timelines small enough to check by hand."""

from __future__ import annotations

import pytest

from alertforge.prometheus.alerting import evaluate, firing
from alertforge.prometheus.series import Labels

A, B = Labels.of(service="a"), Labels.of(service="b")


def minutes(condition: str, **options: int) -> str:
    """`condition` and the result as one character a tick: `x` true or firing, `.` not."""
    return "".join("x" if fires else "." for fires in firing([char == "x" for char in condition], **options))


@pytest.mark.parametrize(
    ("condition", "for_seconds", "expected"),
    [
        ("..xxxx..", 0, "..xxxx.."),
        ("..xxxx..", 120, "....xx.."),
        ("..xxxx..", 90, "....xx.."),  # like two minutes on a one-minute interval
        ("..xx.xx.", 120, "........"),  # one false tick starts `for` again
        ("xxx", 60, ".xx"),
        ("x", 0, "x"),
        ("", 0, ""),
    ],
)
def test_for_fires_at_the_first_tick_that_is_long_enough_after_the_start(
    condition: str, for_seconds: int, expected: str
) -> None:
    assert minutes(condition, for_seconds=for_seconds) == expected


@pytest.mark.parametrize(
    ("condition", "keep", "expected"),
    [
        (".xx.....", 120, ".xxxx..."),  # ticks 3 and 4: less than two minutes after the first false tick, 3
        (".xx.x...", 120, ".xxxxxx."),  # a true tick resets the count
        (".xx.....", 30, ".xxx...."),
        (".xx.....", 0, ".xx....."),
    ],
)
def test_keep_firing_for_counts_from_the_first_false_tick(condition: str, keep: int, expected: str) -> None:
    assert minutes(condition, for_seconds=0, keep_firing_for_seconds=keep) == expected


def test_keep_firing_for_does_not_keep_a_pending_alert() -> None:
    assert minutes("xx.xx.x", for_seconds=120, keep_firing_for_seconds=600) == "......."


def test_after_keep_firing_for_has_run_out_for_starts_again() -> None:
    assert minutes("xx..xx", for_seconds=60, keep_firing_for_seconds=60) == ".xx..x"


def test_ticks_follow_the_interval() -> None:
    assert minutes("xxxx", for_seconds=30, interval=15) == "..xx"
    assert [tick.at for tick in evaluate([(), (), ()], for_seconds=0, interval=15)] == [0, 15, 30]


def test_each_label_set_has_its_own_clock() -> None:
    ticks = evaluate([[A], [B, A], [B], [B, A]], for_seconds=60)
    assert [tick.pending for tick in ticks] == [(A,), (B,), (), (A,)]
    assert [tick.firing for tick in ticks] == [(), (A,), (B,), (B,)]


def test_a_label_that_changes_makes_a_new_alert() -> None:
    conditions = [[A.with_(value=str(value))] for value in (1, 2, 3, 3)]
    assert [len(tick.firing) for tick in evaluate(conditions, for_seconds=60)] == [0, 0, 0, 1]


def test_a_vector_serves_as_a_condition() -> None:
    assert evaluate([{A: 1.0}], for_seconds=0)[0].firing == (A,)
