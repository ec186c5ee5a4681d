"""CPU throttling: a service wants more CPU than its limit lets it have.

| | |
|---|---|
| means | the scheduler stops the service's containers for a good part of the time |
| fires | throttled CFS periods over all CFS periods of the service, both over the window and all pods together, are above the threshold, for `for` minutes |
| silent | at 0.85 of the threshold, in a spike shorter than `for`, with one throttled pod among idle ones, through a deploy, elsewhere |
| numbers | threshold a fraction of periods; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal, deploying
from alertforge.alerts.sli import divide, total
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import throttling
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

PERIODS = "container_cpu_cfs_periods_total"
THROTTLED = "container_cpu_cfs_throttled_periods_total"


class CpuThrottling(StyledKind):
    """Share of throttled periods, service-wide."""

    name: ClassVar[str] = "cpu-throttling"
    title: ClassVar[str] = "CPU throttling"
    asks: ClassVar[Urgency] = "ticket"
    windowed: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        (PERIODS, "metric-periods"),
        (THROTTLED, "metric-throttled"),
    )

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The share over all pods."""
        window = subject.windows(self.name)
        throttled, periods = (total(exposure, exposure.metric(name), window) for name in (THROTTLED, PERIODS))
        shares = [divide(some, every) for some, every in zip(throttled, periods, strict=True)]
        return (Reading(over(shares, self.threshold(subject)), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Sum over sum."""
        return self._rule(
            subject,
            f"{self._sum(subject, THROTTLED)} / {self._sum(subject, PERIODS)} > {subject.style.thresholds[self.name]}",
        )

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"{subject.service.name} is throttled too often")

    def _sum(self, subject: Subject, metric: str, func: str = "rate", by: str = "", agg: str = "sum") -> str:
        window = window_text(subject.windows(self.name))
        return f"{agg} by ({by or subject.by}) ({func}({metric}{{{subject.scope}}}[{window}]))"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """By increase; multiplied out; what is not throttled; recorded; averages on both sides."""
        limit, by = subject.style.thresholds[self.name], subject.by
        throttled, periods = self._sum(subject, THROTTLED), self._sum(subject, PERIODS)
        record = f"{by}:throttled_{subject.snake}:ratio"
        averages = self._sum(subject, THROTTLED, agg="avg"), self._sum(subject, PERIODS, agg="avg")
        return {
            "increase": (
                self._rule(
                    subject,
                    f"{limit} < {throttled} / {periods}".replace("rate(", "increase("),
                ),
            ),
            "multiplied": (self._rule(subject, f"{throttled} > {limit} * {periods}"),),
            "percent": (self._rule(subject, f"100 * {throttled} / {periods} > {decimal(Fraction(limit) * 100)}"),),
            "recorded": (
                Rule(record, f"{throttled} / {periods}", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} > {limit}"),
            ),
            "averages": (self._rule(subject, f"{averages[0]} / {averages[1]} > {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Percent against a fraction; the worst pod; per pod; upside down; silent when all is throttled; no `for`."""
        limit, by = subject.style.thresholds[self.name], subject.by
        throttled, periods = self._sum(subject, THROTTLED), self._sum(subject, PERIODS)
        each = f"{self._sum(subject, THROTTLED, by=f'{by}, pod')} / {self._sum(subject, PERIODS, by=f'{by}, pod')}"
        return {
            "fraction-as-percent": (
                self._rule(subject, f"{throttled} / {periods} > {decimal(Fraction(limit) * 100)}"),
                0.1,
            ),
            "worst-pod": (self._rule(subject, f"max by ({by}) ({each}) > {limit}"), 0.95),
            "per-pod": (self._rule(subject, f"{each} > {limit}"), 0.6),
            "inverted": (self._rule(subject, f"{periods} / {throttled} > {limit}"), 0.2),
            "no-ratio": (self._rule(subject, f"{throttled} > {limit}"), 0.2),
            "capped": (self._rule(subject, f"{throttled} / {periods} > {limit} < 0.95"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Throttled for a while, through a deploy, a little over and under, a spike, one pod, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit, pods = self.threshold(subject), subject.service.pods
        start = seed.rng(self.name, "start").between(10, 16)
        end = start + wait + window + seed.rng(self.name, "length").between(4, 10)
        minutes = end + window + 8
        high = min(limit * 2, Fraction(9, 10))

        def of(level: Fraction, first: int = 0, last: int = minutes, only: int | None = None) -> MakeSeries:
            def ratio(pod: int, minute: int) -> Fraction:
                busy = first <= minute <= last and only in (None, pod)
                return level + Fraction(pod % 3 - 1, 500) if busy else limit / 10

            return lambda own, exposure: throttling(subject.world, own, exposure, ratio)

        idle, busy, stuck = of(limit / 10), of(high, start, end), of(Fraction(99, 100), start, end)
        near = window + wait + 16
        yield scenes.plan("throttled", "throttled for a while", "fire", minutes, extra=busy, other_extra=idle)
        yield scenes.plan(
            "deploy", "throttled, with a deploy in between", "fire", minutes,
            deploying(minutes, start + window + wait), extra=stuck, other_extra=idle,
        )  # fmt: skip
        yield scenes.plan(
            "over", "a little over the threshold", "fire", near,
            extra=of(limit * Fraction(115, 100)), other_extra=idle,
        )  # fmt: skip
        yield scenes.plan(
            "under", "a little under it", "silent", near,
            extra=of(limit * Fraction(85, 100)), other_extra=idle, word="under",
        )  # fmt: skip
        spike = of(limit * Fraction(115, 100), start, start + window - 2)
        yield scenes.plan("spike", "a spike shorter than the wait", "silent", minutes, extra=spike, other_extra=idle)
        part = min(Fraction(95, 100), limit * pods * Fraction(8, 10))
        yield scenes.plan(
            "one-pod", "one busy pod", "silent", minutes,
            extra=of(part, start, end, 0), other_extra=idle, word="one pod",
        )  # fmt: skip
        yield scenes.plan(
            "calm-deploy", "a deploy", "silent", minutes, deploying(minutes, start), extra=idle, other_extra=idle,
            word="deploy",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service is throttled", "silent", minutes, extra=idle, other_extra=busy,
            word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-throttling",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} gets a ticket when `{subject.service.name}` runs into its CPU limit"


KIND = CpuThrottling()
