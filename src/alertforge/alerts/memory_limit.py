"""Memory limit: a pod of a service is about to be killed for its memory.

| | |
|---|---|
| means | a container is close to its memory limit |
| fires | the working set of a container over its memory limit is above the threshold for some pod of the service, for `for` minutes; one alert a service |
| silent | at 0.85 of the threshold in every pod, in a spike shorter than `for`, through a deploy, elsewhere |
| numbers | threshold a fraction of the limit; `for` in minutes; the newest samples count, no window |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over, some_or_same
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal, deploying
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import arithmetic, select
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import Curve, memory
from alertforge.world.model import Service, Urgency

USED = "container_memory_working_set_bytes"
LIMIT = "kube_pod_container_resource_limits"
SPEC = "container_spec_memory_limit_bytes"


class MemoryLimit(StyledKind):
    """Working set over limit, the worst pod."""

    name: ClassVar[str] = "memory-limit"
    title: ClassVar[str] = "memory near its limit"
    asks: ClassVar[Urgency] = "ticket"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        (USED, "metric-working-set"),
        (SPEC, "metric-memory-limit"),
        (LIMIT, "metric-memory-limit-ksm"),
    )

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Some pod is over, whichever; or: one and the same pod is over all the time."""
        by_pod: dict[str, list[bool]] = {}
        for series in exposure.metric(USED):
            pod = series.labels.get("pod")
            limits = exposure.metric(SPEC, pod=pod)
            values = []
            for minute in range(exposure.minutes + 1):
                ratio = arithmetic(select([series], minute * 60), "/", select(limits, minute * 60))
                values.append(next(iter(ratio.values()), NAN))
            by_pod[pod] = over(values, self.threshold(subject))
        return some_or_same(list(by_pod.values()), self.for_minutes(subject))

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The worst pod's ratio."""
        return self._rule(
            subject, f"max by ({subject.by}) ({self._ratio(subject)}) > {subject.style.thresholds[self.name]}"
        )

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"a pod of {subject.service.name} is close to its memory limit")

    def _ratio(self, subject: Subject, op: str = "/") -> str:
        limit = f'{LIMIT}{{{subject.scope}, resource="memory"}}'
        return f"{USED}{{{subject.scope}}} {op} on ({subject.by}, namespace, pod, container) {limit}"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """cAdvisor's own limit; aggregated sides; recorded; pods counted; compared with a multiple of the limit."""
        by, limit, scope = subject.by, subject.style.thresholds[self.name], subject.scope
        record = f"{by}:memory_of_limit_{subject.snake}:max"
        used, spec = f"{USED}{{{scope}}}", f"{SPEC}{{{scope}}}"
        memory_limit = f'{LIMIT}{{{scope}, resource="memory", unit="byte"}}'
        return {
            "cadvisor": (self._rule(subject, f"{limit} < max by ({by}) ({used} / {spec})"),),
            "aggregated": (
                self._rule(
                    subject,
                    f"max by ({by}) (sum by ({by}, pod) ({used}) / sum by ({by}, pod) ({memory_limit})) > {limit}",
                ),
            ),
            "recorded": (
                Rule(record, f"max by ({by}) ({self._ratio(subject)})", is_alert=False),
                self._rule(subject, f"{record}{{{scope}}} > {limit}"),
            ),
            "counted": (self._rule(subject, f"count by ({by}) ({self._ratio(subject)} > {limit}) > 0"),),
            "multiplied": (self._rule(subject, f"group by ({by}) ({used} > {limit} * {spec})"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Average of pods; percent; per pod; both limits of a container mixed up; silent at the limit; no `for`."""
        by, limit, scope = subject.by, subject.style.thresholds[self.name], subject.scope
        percent = decimal(Fraction(limit) * 100)
        sums = f'sum by ({by}) ({USED}{{{scope}}}) / sum by ({by}) ({LIMIT}{{{scope}, resource="memory"}})'
        return {
            "average": (self._rule(subject, f"avg by ({by}) ({self._ratio(subject)}) > {limit}"), 0.8),
            "sums": (self._rule(subject, f"{sums} > {limit}"), 0.8),
            "percent": (self._rule(subject, f"max by ({by}) ({self._ratio(subject)}) > {percent}"), 0.1),
            "per-pod": (self._rule(subject, f"{self._ratio(subject)} > {limit}"), 0.9),
            "capped": (self._rule(subject, f"max by ({by}) ({self._ratio(subject)}) > {limit} < 0.995"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.45),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """A leak in all pods, one pod, a little over and under, a spike, a restart in time, a deploy, elsewhere."""
        scenes, wait, limit = Scenes(subject, others), self.for_minutes(subject), self.threshold(subject)
        start = seed.rng(self.name, "start").between(8, 16)
        end = start + wait + seed.rng(self.name, "length").between(8, 14)
        minutes = end + 10
        above, below = min(limit * Fraction(115, 100), Fraction(99, 100)), limit * Fraction(85, 100)
        hot = seed.rng(self.name, "pod").below(subject.service.pods)

        def of(curve: Curve) -> MakeSeries:
            return lambda own, exposure: memory(subject.world, own, exposure, curve)

        def resting(pod: int, minute: int) -> Fraction:
            return limit * Fraction(45 + (pod * 7 + minute * 3) % 11, 100)

        def between(first: int, last: int, level: Fraction, only: int | None = None) -> MakeSeries:
            return of(
                lambda pod, minute: (
                    level + Fraction(minute % 3, 2000)
                    if first <= minute <= last and only in (None, pod)
                    else resting(pod, minute)
                )
            )

        def twice(pod: int, minute: int) -> Fraction:
            grows = start <= minute <= end or end + 6 <= minute <= end + 10 + wait
            return (
                (limit + above) / 2
                if grows and pod in (hot, (hot + 1) % subject.service.pods)
                else resting(pod, minute)
            )

        calm_extra = of(resting)
        yield scenes.plan(
            "all-pods", "every pod is at its limit", "fire", minutes,
            extra=between(start, end, Fraction(999, 1000)), other_extra=calm_extra,
        )  # fmt: skip
        yield scenes.plan(
            "one-pod", "one pod grows", "fire", minutes,
            extra=between(start, end, above - Fraction(1, 1000), hot), other_extra=calm_extra,
        )  # fmt: skip
        yield scenes.plan(
            "under", "every pod is a little under", "silent", minutes,
            extra=between(0, minutes, below), other_extra=calm_extra, word="under",
        )  # fmt: skip
        yield scenes.plan(
            "spike", "a spike shorter than the wait", "silent", minutes,
            extra=between(start, start + wait - 2, above - Fraction(1, 1000)), other_extra=calm_extra,
        )  # fmt: skip
        yield scenes.plan(
            "relapse", "the same pods twice", "fire", end + wait + 20, extra=of(twice), other_extra=calm_extra
        )
        yield scenes.plan(
            "deploy", "a deploy ends a growth in time", "silent", minutes, deploying(minutes, start + wait - 2),
            extra=between(start, start + wait - 3, above - Fraction(1, 1000)), other_extra=calm_extra, word="deploy",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service grows", "silent", minutes,
            extra=calm_extra, other_extra=between(start, end, above - Fraction(1, 1000)), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-memory",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} gets a ticket before a pod of `{subject.service.name}` runs out of memory"


KIND = MemoryLimit()
