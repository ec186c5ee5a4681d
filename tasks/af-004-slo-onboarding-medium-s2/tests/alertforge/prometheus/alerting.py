# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""Prometheus' alert state machine: from the condition at each evaluation to pending and firing alerts.

Mirrors `AlertingRule.Eval` of Prometheus 3.5. An alert is a label set: a label that changes (a `$value` in it, for
instance) makes a new alert and restarts `for`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from alertforge.prometheus.series import Labels


@dataclass(frozen=True)
class Tick:
    """One evaluation: its second and the label sets in each state, sorted."""

    at: int
    pending: tuple[Labels, ...]
    firing: tuple[Labels, ...]


@dataclass
class _Alert:
    active_at: int
    firing: bool = False
    false_since: int | None = None  # first evaluation without the condition while firing


def evaluate(
    conditions: Sequence[Iterable[Labels]],
    *,
    for_seconds: int,
    keep_firing_for_seconds: int = 0,
    interval: int = 60,
) -> tuple[Tick, ...]:
    """The states after each evaluation, the first at second 0 and then every `interval` seconds.

    `conditions` holds, per evaluation, the label sets (or a vector keyed by them) for which the expression returned a
    sample. An alert fires at the first evaluation with now - active_at >= `for_seconds` (0: at once), and goes on for
    `keep_firing_for_seconds` counted from the first evaluation without its condition; a pending alert is dropped there.
    """
    active: dict[Labels, _Alert] = {}
    ticks: list[Tick] = []
    for index, condition in enumerate(conditions):
        now, true = index * interval, set(condition)
        for labels in true:
            active.setdefault(labels, _Alert(now)).false_since = None
        for labels in [labels for labels in active if labels not in true]:
            if not _keeps_firing(active[labels], now, keep_firing_for_seconds):
                del active[labels]
        for alert in active.values():
            alert.firing = alert.firing or now - alert.active_at >= for_seconds
        ticks.append(
            Tick(
                now,
                tuple(sorted(labels for labels, alert in active.items() if not alert.firing)),
                tuple(sorted(labels for labels, alert in active.items() if alert.firing)),
            )
        )
    return tuple(ticks)


def _keeps_firing(alert: _Alert, now: int, keep_firing_for: int) -> bool:
    """Whether an alert without its condition fires on."""
    if not alert.firing:
        return False
    if alert.false_since is None:
        alert.false_since = now
    return now - alert.false_since < keep_firing_for


def firing(
    condition: Sequence[bool], *, for_seconds: int, keep_firing_for_seconds: int = 0, interval: int = 60
) -> list[bool]:
    """The same for one alert with a fixed label set: whether it fires at each evaluation."""
    only = (Labels(),)
    ticks = evaluate(
        [only if true else () for true in condition],
        for_seconds=for_seconds,
        keep_firing_for_seconds=keep_firing_for_seconds,
        interval=interval,
    )
    return [bool(tick.firing) for tick in ticks]
