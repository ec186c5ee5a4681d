"""Replica lag: a replica of a service's database falls behind.

| | |
|---|---|
| means | readers see old data, and a failover would lose what is missing |
| fires | the lag of some replica, averaged over the window, is above the threshold, for `for` minutes; one alert a service |
| silent | at 0.85 of the threshold, in a spike shorter than `for`, in short bursts that average out, when a replica is replaced, elsewhere |
| numbers | threshold in seconds; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over, some_or_same
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import avg_over_time
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import REPLICAS, Readings, replication
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

LAG = "pg_replication_lag_seconds"


class ReplicaLag(StyledKind):
    """Seconds behind, the worst replica."""

    name: ClassVar[str] = "replica-lag"
    title: ClassVar[str] = "replica lag"
    asks: ClassVar[Urgency] = "page"
    windowed: ClassVar[bool] = True
    stores: ClassVar[tuple[str, ...]] = ("postgres", "mysql")
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((LAG, "metric-replica"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Some replica, or one and the same."""
        window, by_replica = subject.windows(self.name) * 60, []
        for series in exposure.metric(LAG):
            means = []
            for minute in range(exposure.minutes + 1):
                means.append(next(iter(avg_over_time([series], window, minute * 60).values()), NAN))
            by_replica.append(over(means, self.threshold(subject)))
        return some_or_same(by_replica, self.for_minutes(subject))

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The replica that is furthest behind."""
        return self._rule(subject, f"max by ({subject.by}) ({self._mean(subject)}) > {self._limit(subject)}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"a database replica of {subject.service.name} is behind")

    def _limit(self, subject: Subject) -> str:
        return subject.style.thresholds[self.name]

    def _mean(self, subject: Subject, func: str = "avg_over_time") -> str:
        return f"{func}({LAG}{{{subject.scope}}}[{window_text(subject.windows(self.name))}])"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """Sum over count; replicas counted; recorded; in minutes; `unless`; the highest of all."""
        by, limit, mean = subject.by, self._limit(subject), self._mean(subject)
        record = f"{by}:replica_lag_seconds_{subject.snake}:max"
        total, count = self._mean(subject, "sum_over_time"), self._mean(subject, "count_over_time")
        return {
            "sums": (self._rule(subject, f"max by ({by}) ({total} / {count}) > {limit}"),),
            "counted": (self._rule(subject, f"count by ({by}) ({mean} > {limit}) > 0"),),
            "recorded": (
                Rule(record, f"max by ({by}) ({mean})", is_alert=False),
                self._rule(subject, f"{limit} < {record}{{{subject.scope}}}"),
            ),
            "minutes": (self._rule(subject, f"max by ({by}) ({mean}) / 60 > {decimal(Fraction(limit) / 60)}"),),
            "unless": (self._rule(subject, f"max by ({by}) ({mean} unless {mean} <= {limit})"),),
            "quantile": (self._rule(subject, f"quantile by ({by}) (1, {mean}) > {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Milliseconds; the mean replica; each replica; the worst moment; a rate of a gauge; no `for`."""
        by, limit, mean = subject.by, self._limit(subject), self._mean(subject)
        return {
            "milliseconds": (self._rule(subject, f"max by ({by}) ({mean}) > {decimal(Fraction(limit) * 1000)}"), 0.1),
            "mean-replica": (self._rule(subject, f"avg by ({by}) ({mean}) > {limit}"), 0.45),
            "per-replica": (self._rule(subject, f"{mean} > {limit}"), 0.95),
            "worst-moment": (
                self._rule(subject, f"max by ({by}) ({self._mean(subject, 'max_over_time')}) > {limit}"),
                0.5,
            ),
            "rate": (self._rule(subject, f"max by ({by}) ({self._mean(subject, 'rate')}) > {limit}"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.45),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """One behind, all behind, a little over; a little under, a spike, bursts, a new replica, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit = int(self.threshold(subject))
        start = seed.rng(self.name, "start").between(window, window + 8)
        end = start + window + wait + seed.rng(self.name, "length").between(6, 12)
        minutes = end + window + 8
        one = seed.rng(self.name, "replica").below(REPLICAS)

        def of(seconds: Readings) -> MakeSeries:
            return lambda own, exposure: replication(subject.world, exposure, seconds)

        def resting(at: int, minute: int) -> int:
            return (minute + at) % 3

        def behind(first: int, last: int, level: int, only: int | None = one) -> MakeSeries:
            return of(
                lambda at, minute: (
                    level + (minute + at) % 2 if first <= minute <= last and only in (None, at) else resting(at, minute)
                )
            )

        calm = of(resting)
        yield scenes.plan(
            "one-behind", "one replica is behind", "fire", minutes,
            extra=behind(start, end, 2 * limit), other_extra=calm,
        )  # fmt: skip
        yield scenes.plan(
            "all-behind", "all replicas are behind", "fire", minutes,
            extra=behind(start, end, 3 * limit, None), other_extra=calm,
        )  # fmt: skip
        near = window + wait + 15
        yield scenes.plan(
            "over", "a little too far behind", "fire", near,
            extra=behind(0, near, limit * 115 // 100), other_extra=calm,
        )  # fmt: skip
        yield scenes.plan(
            "under", "almost too far behind", "silent", near,
            extra=behind(0, near, limit * 85 // 100, None), other_extra=calm, word="under",
        )  # fmt: skip
        yield scenes.plan(
            "spike", "a spike that just fills the window", "silent", minutes,
            extra=behind(start, start + window - 1, limit * 108 // 100), other_extra=calm,
        )  # fmt: skip
        yield scenes.plan(
            "bursts", "short bursts", "silent", minutes,
            extra=of(lambda at, minute: 3 * limit if at == one and minute % window == 0 else resting(at, minute)),
            other_extra=calm, word="bursts",
        )  # fmt: skip
        yield scenes.plan(
            "replaced", "a replica is away and comes back far behind for a moment", "silent", minutes,
            extra=of(
                lambda at, minute: (
                    resting(at, minute) if at != one or minute < start or minute > start + 4
                    else None if minute < start + 3 else limit // 2
                )
            ),
            other_extra=calm, word="replaced replica",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service's replicas are behind", "silent", minutes,
            extra=calm, other_extra=behind(start, end, 3 * limit, None), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-replica",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when a database replica of `{subject.service.name}` stays behind"


KIND = ReplicaLag()
