"""Latency quantile: the slowest requests of a service take too long.

| | |
|---|---|
| means | the tail of the latency distribution is over what the service promises |
| fires | the house's quantile of request durations over the window, all pods together, is above the service's latency threshold, for `for` minutes |
| silent | with 0.85 of the slow requests that takes, in a spike shorter than `for`, on one slow pod that is a small part, elsewhere |
| numbers | threshold in seconds (a bucket bound of the histogram); quantile between 0 and 1; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isnan
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over
from alertforge.alerts.scenes import Draw, decimal
from alertforge.alerts.sli import NAN, total
from alertforge.alerts.slowness import slow_plans
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import histogram_quantile
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Labels, Series
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, stored_le
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text


class LatencyQuantile(StyledKind):
    """A quantile of a classic histogram over a bound in seconds."""

    name: ClassVar[str] = "latency-quantile"
    title: ClassVar[str] = "latency quantile"
    asks: ClassVar[Urgency] = "page"
    histogram: ClassVar[bool] = True
    windowed: ClassVar[bool] = True
    felt: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        ("{histogram}_bucket", "metric-bucket"),
        ("{histogram}_count", "metric-count"),
    )

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The quantile over all pods is over the bound."""
        by_bound: dict[Labels, list[Series]] = {}
        for one in exposure.metric(f"{subject.service.family.histogram}_bucket"):
            by_bound.setdefault(one.labels.only(["le"]), []).append(one)
        rates = {bound: total(exposure, series, subject.windows(self.name)) for bound, series in by_bound.items()}
        values = []
        for minute in range(exposure.minutes + 1):
            # a bucket that has no rate as yet is not there
            vector = {bound: column[minute] for bound, column in rates.items() if not isnan(column[minute])}
            quantiles = histogram_quantile(Fraction(subject.style.quantile), vector)
            values.append(next(iter(quantiles.values()), NAN))
        return (Reading(over(values, Fraction(subject.service.latency_threshold)), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The quantile of the summed buckets."""
        return self._rule(subject, f"{self._quantile(subject)} > {subject.service.latency_threshold}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        service = subject.service
        return subject.rule(self, expr, summary=f"{service.name} takes longer than {service.latency_threshold} s")

    def _quantile(self, subject: Subject, by: Sequence[str] = (), q: str = "") -> str:
        labels = ", ".join((subject.by, *by, "le"))
        return f"histogram_quantile({q or subject.style.quantile}, sum by ({labels}) ({self._buckets(subject)}))"

    def _buckets(self, subject: Subject, matcher: str = "", part: str = "bucket", *, window: int = 0) -> str:
        inside = ", ".join(text for text in (subject.scope, matcher) if text)
        span = window_text(window or subject.windows(self.name))
        return f"rate({subject.service.family.histogram}_{part}{{{inside}}}[{span}])"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """By increase; recorded buckets; recorded quantile; the share of slow requests; fast requests too few."""
        bound, by = subject.service.latency_threshold, subject.by
        name = subject.snake
        quantile, buckets = self._quantile(subject), self._buckets(subject)
        at_most, unbounded = f'le="{stored_le(bound)}"', 'le="+Inf"'
        fast = f"sum by ({by}) ({self._buckets(subject, at_most)})"
        every = f"sum by ({by}) ({self._buckets(subject, part='count')})"
        infinite = f"sum by ({by}) ({self._buckets(subject, unbounded)})"
        slow = decimal(1 - Fraction(subject.style.quantile))
        per_le, tail = f"{by}_le:latency_{name}:rate", f"{by}:latency_{name}:quantile"
        return {
            "increase": (self._rule(subject, f"{bound} < {quantile}".replace("rate(", "increase(")),),
            "recorded-buckets": (
                Rule(per_le, f"sum by ({by}, le) ({buckets})", is_alert=False),
                self._rule(
                    subject, f"histogram_quantile({subject.style.quantile}, {per_le}{{{subject.scope}}}) > {bound}"
                ),
            ),
            "recorded-quantile": (
                Rule(tail, quantile, is_alert=False),
                self._rule(subject, f"{tail}{{{subject.scope}}} > {bound}"),
            ),
            "slow-share": (self._rule(subject, f"1 - {fast} / {every} > {slow}"),),
            "fast-share": (self._rule(subject, f"{fast} < {subject.style.quantile} * {infinite}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """`le` lost; per pod; milliseconds; the median; the average of pods' quantiles; no `for`."""
        bound, by, pod = subject.service.latency_threshold, subject.by, subject.style.pod_label
        lost = self._quantile(subject).replace(f"{by}, le", by)
        return {
            "no-le": (self._rule(subject, f"{lost} > {bound}"), 0.1),
            "per-pod": (self._rule(subject, f"{self._quantile(subject, (pod,))} > {bound}"), 0.55),
            "milliseconds": (
                self._rule(subject, f"{self._quantile(subject)} > {decimal(Fraction(bound) * 1000)}"), 0.1,
            ),
            "median": (self._rule(subject, f"{self._quantile(subject, q='0.5')} > {bound}"), 0.2),
            "worst-pod": (self._rule(subject, f"max by ({by}) ({self._quantile(subject, (pod,))}) > {bound}"), 0.85),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }  # fmt: skip

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Those of slowness, where the quantile comes to the bound when this share of requests is slow."""
        return slow_plans(self, subject, others, seed, 1 - Fraction(subject.style.quantile))

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-latency",
            service=subject.service.name,
            quantile=subject.style.quantile,
            window=subject.windows(self.name),
            limit=subject.service.latency_threshold,
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when the slowest requests to `{subject.service.name}` take too long"


KIND = LatencyQuantile()
