"""Slow share: too large a share of a service's requests takes longer than its latency threshold.

| | |
|---|---|
| means | users wait, now |
| fires | requests over the service's latency threshold as a share of all requests, over the window and all pods together, are above the threshold, for `for` minutes |
| silent | at 0.85 of the threshold, in a spike shorter than `for`, on one slow pod that is a small part, in a busy hour, elsewhere |
| numbers | threshold a fraction of requests; latency threshold in seconds (a bucket bound of the histogram); window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over
from alertforge.alerts.scenes import Draw, decimal
from alertforge.alerts.sli import LATENCY
from alertforge.alerts.slowness import slow_plans
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.world.model import Service, Urgency


class SlowShare(StyledKind):
    """The share of requests over a bound in seconds."""

    name: ClassVar[str] = "slow-share"
    title: ClassVar[str] = "slow share"
    asks: ClassVar[Urgency] = "page"
    histogram: ClassVar[bool] = True
    windowed: ClassVar[bool] = True
    felt: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = LATENCY.metrics

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The slow share is over the threshold."""
        shares = LATENCY.ratio(subject, exposure, subject.windows(self.name))
        return (Reading(over(shares, self.threshold(subject)), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """One minus the share in the bucket of the threshold."""
        share = LATENCY.ratio_text(subject, subject.windows(self.name))
        return self._rule(subject, f"{share} > {subject.style.thresholds[self.name]}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        service = subject.service
        summary = f"too many {subject.unit} of {service.name} take longer than {service.latency_threshold} s"
        return subject.rule(self, expr, summary=summary)

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """In the SLI's other ways; by increases; fast requests too few; the slow ones recorded; `unless`."""
        window, limit = subject.windows(self.name), subject.style.thresholds[self.name]
        fast, every = LATENCY.fast_text(subject, window), LATENCY.requests_text(subject, window)
        share = LATENCY.ratio_text(subject, window)
        record = f"{subject.by}:slow_requests_{subject.snake}:rate"
        return {
            **{
                name: (self._rule(subject, f"{text} > {limit}"),)
                for name, text in LATENCY.other_texts(subject, window).items()
            },
            "increase": (self._rule(subject, f"{limit} < {share}".replace("rate(", "increase(")),),
            "fast-share": (self._rule(subject, f"{fast} < {decimal(1 - Fraction(limit))} * {every}"),),
            "recorded": (
                Rule(record, f"{every} - {fast}", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} > {limit} * {every}"),
            ),
            "unless": (self._rule(subject, f"{every} unless {share} <= {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Percent; the fast share; each pod; the worst pod; slow requests a second; silent when all are; no `for`."""
        window, limit, by = subject.windows(self.name), subject.style.thresholds[self.name], subject.by
        fast, every = LATENCY.fast_text(subject, window), LATENCY.requests_text(subject, window)
        share = LATENCY.ratio_text(subject, window)
        each = share.replace(f"by ({by})", f"by ({by}, {subject.style.pod_label})")
        return {
            "percent": (self._rule(subject, f"{share} > {decimal(Fraction(limit) * 100)}"), 0.1),
            "upside-down": (self._rule(subject, f"{fast} / {every} > {limit}"), 0.2),
            "per-pod": (self._rule(subject, f"{each} > {limit}"), 0.6),
            "worst-pod": (self._rule(subject, f"max by ({by}) ({each}) > {limit}"), 0.85),
            "no-ratio": (self._rule(subject, f"{every} - {fast} > {limit}"), 0.75),
            "capped": (self._rule(subject, f"{share} > {limit} < 0.95"), 0.85),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Those of slowness, around the threshold."""
        return slow_plans(self, subject, others, seed, self.threshold(subject))

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-slow",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            window=subject.windows(self.name),
            bound=subject.service.latency_threshold,
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when too many requests to `{subject.service.name}` are slow"


KIND = SlowShare()
