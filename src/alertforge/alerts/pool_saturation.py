"""Pool saturation: a service has next to no database connections left.

| | |
|---|---|
| means | requests are about to wait for a connection |
| fires | connections in use over connections allowed, each summed over the service's pods, are above the threshold, for `for` minutes |
| silent | at 0.85 of the threshold, in a spike shorter than `for`, with one full pool among empty ones, through a deploy, elsewhere |
| numbers | threshold a fraction of the pool; `for` in minutes; the newest samples count, no window |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal, deploying
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import arithmetic, select, sum_
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import pool
from alertforge.world.model import Service, Urgency

USED = "go_sql_stats_connections_in_use"
SIZE = "go_sql_stats_connections_max_open"


class PoolSaturation(StyledKind):
    """Connections in use over connections allowed, service-wide."""

    name: ClassVar[str] = "pool-saturation"
    title: ClassVar[str] = "connection pool saturation"
    asks: ClassVar[Urgency] = "page"
    stores: ClassVar[tuple[str, ...]] = ("postgres", "mysql")
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        (USED, "metric-in-use"),
        (SIZE, "metric-may-open"),
    )

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The share over all pods."""
        used, size = exposure.metric(USED), exposure.metric(SIZE)
        shares = []
        for minute in range(exposure.minutes + 1):
            share = arithmetic(sum_(select(used, minute * 60)), "/", sum_(select(size, minute * 60)))
            shares.append(next(iter(share.values()), NAN))
        return (Reading(over(shares, self.threshold(subject)), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Sum over sum."""
        used, size = self._sum(subject, USED), self._sum(subject, SIZE)
        return self._rule(subject, f"{used} / {size} > {subject.style.thresholds[self.name]}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"{subject.service.name} is running out of database connections")

    def _sum(self, subject: Subject, metric: str, *, agg: str = "sum", by: str = "") -> str:
        return f"{agg} by ({by or subject.by}) ({metric}{{{subject.scope}}})"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """Averages on both sides; multiplied out; what is free; recorded; `unless`."""
        limit, by = subject.style.thresholds[self.name], subject.by
        used, size = self._sum(subject, USED), self._sum(subject, SIZE)
        record = f"{by}:pool_{subject.snake}:ratio"
        averages = self._sum(subject, USED, agg="avg"), self._sum(subject, SIZE, agg="avg")
        free = decimal(1 - Fraction(limit))
        return {
            "averages": (self._rule(subject, f"{limit} < {averages[0]} / {averages[1]}"),),
            "multiplied": (self._rule(subject, f"{used} > {limit} * {size}"),),
            "free": (self._rule(subject, f"({size} - {used}) / {size} < {free}"),),
            "recorded": (
                Rule(record, f"{used} / {size}", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} > {limit}"),
            ),
            "unless": (self._rule(subject, f"{used} / {size} unless {used} / {size} <= {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Percent; the fullest pool; per pod; the sum of shares; upside down; silent when all are full; no `for`."""
        limit, by, pod = subject.style.thresholds[self.name], subject.by, subject.style.pod_label
        used, size = self._sum(subject, USED), self._sum(subject, SIZE)
        each = f"{USED}{{{subject.scope}}} / {SIZE}{{{subject.scope}}}"
        per_pod = f"{self._sum(subject, USED, by=f'{by}, {pod}')} / {self._sum(subject, SIZE, by=f'{by}, {pod}')}"
        return {
            "fraction-as-percent": (
                self._rule(subject, f"{used} / {size} > {decimal(Fraction(limit) * 100)}"), 0.1,
            ),
            "fullest": (self._rule(subject, f"max by ({by}) ({each}) > {limit}"), 0.95),
            "per-pod": (self._rule(subject, f"{per_pod} > {limit}"), 0.6),
            "sum-of-shares": (self._rule(subject, f"sum by ({by}) ({each}) > {limit}"), 0.92),
            "upside-down": (self._rule(subject, f"{size} / {used} > {limit}"), 0.1),
            "capped": (self._rule(subject, f"{used} / {size} > {limit} < 0.995"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }  # fmt: skip

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Full for a while, a deploy meanwhile, twice, a little under, a spike, one pod, a calm deploy, elsewhere."""
        scenes, wait, limit = Scenes(subject, others), self.for_minutes(subject), self.threshold(subject)
        start = seed.rng(self.name, "start").between(8, 16)
        end = start + wait + seed.rng(self.name, "length").between(9, 15)
        minutes = end + 10
        above = min(limit * Fraction(115, 100), Fraction(99, 100))

        def of(level: Fraction, *spans: tuple[int, int], only: int | None = None) -> MakeSeries:
            def ratio(pod: int, minute: int) -> Fraction:
                busy = any(first <= minute <= last for first, last in spans) and only in (None, pod)
                return level if busy else Fraction(15 + (pod * 7 + minute * 3) % 11, 100)

            return lambda own, exposure: pool(subject.world, own, exposure, ratio)

        idle, full = of(above), of(above, (start, end))
        yield scenes.plan("full", "every pool is full", "fire", minutes, extra=full, other_extra=idle)
        yield scenes.plan(
            "deploy", "full, and a deploy does not help", "fire", minutes,
            deploying(minutes, start + wait + 2), extra=full, other_extra=idle,
        )  # fmt: skip
        yield scenes.plan(
            "twice", "full twice", "fire", end + wait + 22,
            extra=of(Fraction(1), (start, end), (end + 7, end + 12 + wait)), other_extra=idle,
        )  # fmt: skip
        yield scenes.plan(
            "under", "a little under the threshold", "silent", minutes,
            extra=of(limit * Fraction(85, 100), (0, minutes)), other_extra=idle, word="under",
        )  # fmt: skip
        yield scenes.plan(
            "spike", "a spike shorter than the wait", "silent", minutes,
            extra=of(above, (start, start + wait - 2)), other_extra=idle,
        )  # fmt: skip
        yield scenes.plan(
            "one-pod", "one full pool", "silent", minutes,
            extra=of(Fraction(1), (start, end), only=subject.service.pods - 1), other_extra=idle, word="one pod",
        )  # fmt: skip
        yield scenes.plan(
            "calm-deploy", "a rolling deploy", "silent", minutes, deploying(minutes, start, stagger=1),
            extra=idle, other_extra=idle, word="deploy",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service's pools are full", "silent", minutes, extra=idle, other_extra=full,
            word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-pool",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged before `{subject.service.name}` has no database connection left"


KIND = PoolSaturation()
