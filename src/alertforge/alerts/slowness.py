"""Scenarios of slow requests, for the kinds that judge how many of a service's requests are over its threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from alertforge.alerts.base import Subject
from alertforge.alerts.scenes import Draw, MakeFlow, Scenes, steps
from alertforge.alerts.styled import StyledKind
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Flow, calm
from alertforge.world.model import Service


def slow_plans(
    kind: StyledKind, subject: Subject, others: Sequence[Service], seed: Seed, limit: Fraction
) -> Iterable[Draw]:
    """Scenarios around a share of slow requests that is the limit.

    Slow, slow after a deploy, a little over and under, a spike, one slow pod, a busy hour, someone else.
    """
    scenes = Scenes(subject, others, histogram=True)
    wait, window = kind.for_minutes(subject), subject.windows(kind.name)
    high, low = min(Fraction(4, 10), limit * 4), limit / 20
    start = seed.rng(kind.name, "start").between(10, 18)
    end = start + wait + window + seed.rng(kind.name, "length").between(4, 12)
    minutes = end + window + 8
    outage = steps(minutes, low, (start, end, high))
    all_slow = steps(minutes, low, (start, end, Fraction(1)))
    yield scenes.plan("slow", "nobody is answered in time", "fire", minutes, _slow(minutes, all_slow))
    yield scenes.plan(
        "deploy", "a slow new version", "fire", minutes, _slow(minutes, outage, deploys=frozenset({start}))
    )
    near = window + wait + 16
    over_limit, under_limit = ([limit * Fraction(share, 100)] * (near + 1) for share in (115, 85))
    yield scenes.plan("over", "a few slow requests too many", "fire", near, _slow(near, over_limit))
    yield scenes.plan("under", "almost too many of them", "silent", near, _slow(near, under_limit), word="under")
    spike = steps(minutes, low, (start, start + window - 2, limit * Fraction(112, 100)))
    yield scenes.plan("spike", "a spike shorter than the wait", "silent", minutes, _slow(minutes, spike))
    share = min(limit * Fraction(85, 100), Fraction(8, 10) / subject.service.pods)
    yield scenes.plan(
        "one-pod", "one slow pod", "silent", minutes,
        _slow(minutes, steps(minutes, low, (start, end, share)), trouble_on=0), word="one pod",
    )  # fmt: skip
    yield scenes.plan(
        "busy", "a busy hour", "silent", minutes,
        _slow(minutes, [low] * (minutes + 1), rps=Fraction(subject.service.rps * 2)), word="busy",
    )  # fmt: skip
    yield scenes.plan(
        "elsewhere", "another service is slow", "silent", minutes,
        other_flow=_slow(minutes, outage), word="other service",
    )  # fmt: skip


def _slow(
    minutes: int,
    shares: Sequence[Fraction],
    *,
    deploys: frozenset[int] = frozenset(),
    trouble_on: int | None = None,
    rps: Fraction | None = None,
) -> MakeFlow:
    """Traffic with a given share of requests over the latency threshold a minute."""

    def flow(seed: Seed, service: Service) -> Flow:
        return calm(seed, service, minutes, slow=shares, deploys=deploys, trouble_on=trouble_on, rps=rps)

    return flow
