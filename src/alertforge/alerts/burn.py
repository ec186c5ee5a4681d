"""Multi-window burn rate, the mechanics that fast and slow burn share.

| | |
|---|---|
| means | the error budget of the 30-day objective is spent `factor` times too fast |
| fires | both windows' error ratios are over factor x (1 - SLO), for `for` minutes |
| silent | at 0.85 of the limit, in a spike that only the short window sees, after recovery, elsewhere, at night |
| numbers | windows, factor and `for` of the tier in the house style; SLO of the service in the catalog |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

from alertforge.alerts.base import Plan, Reading, Subject, both, exported, over, stage, window_text
from alertforge.alerts.sli import budget, error_ratio, ratio_text, record_text
from alertforge.prometheus.promql import parse, to_text
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, calm
from alertforge.traffic.shapes import plateau
from alertforge.world.model import BurnTier, Service, Urgency


class BurnKind:
    """A burn alert of one tier of the house style."""

    name: ClassVar[str]
    title: ClassVar[str]
    tier: ClassVar[str]
    burn: ClassVar[bool] = True
    definitions: ClassVar[int] = 1
    histogram: ClassVar[bool] = False
    windowed: ClassVar[bool] = False  # the tier has windows of its own
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (("{counter}", "requests by `{status_label}`"),)

    def exported(self, subject: Subject) -> tuple[tuple[str, str], ...]:
        """What it reads."""
        return exported(self.metrics, subject)

    def of(self, subject: Subject) -> BurnTier:
        """The house's numbers for this tier."""
        return subject.style.burn[self.tier]

    def urgency(self, subject: Subject) -> Urgency:
        """As the house has it."""
        return self.of(subject).urgency

    def for_minutes(self, subject: Subject) -> int:
        """As the house has it."""
        return self.of(subject).for_

    def threshold(self, subject: Subject) -> Fraction:
        """The error ratio that both windows must exceed."""
        return Fraction(self.of(subject).factor) * budget(subject)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Both windows over the threshold."""
        tier, threshold = self.of(subject), self.threshold(subject)
        long = over(error_ratio(subject, exposure, tier.long), threshold)
        short = over(error_ratio(subject, exposure, tier.short), threshold)
        return (Reading(both(long, short), tier.for_),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Both recorded ratios over the threshold."""
        limit = self._limit(subject)
        long, short = self._records(subject)
        return self._rule(subject, f"{long} > {limit} and {short} > {limit}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        summary = f"{subject.service.name} is spending its error budget {self.of(subject).factor} times too fast"
        return subject.rule(self, expr, summary=summary)

    def _limit(self, subject: Subject) -> str:
        return f"{self.of(subject).factor} * (1 - {subject.service.slo})"

    def _records(self, subject: Subject) -> tuple[str, str]:
        tier = self.of(subject)
        return record_text(subject, tier.long), record_text(subject, tier.short)

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """From counters; the threshold worked out and the sides turned; by way of a recorded burn rate; `unless`."""
        tier, limit = self.of(subject), self._limit(subject)
        long, short = self._records(subject)
        worked_out = format(float(self.threshold(subject)), ".12g")
        helper = f"{subject.by}:burn_rate_{subject.service.name.replace('-', '_')}:ratio_rate{window_text(tier.long)}"
        return {
            "from-counters": (
                self._rule(
                    subject,
                    f"({ratio_text(subject, tier.long)}) > {limit} and ({ratio_text(subject, tier.short)}) > {limit}",
                ),
            ),
            "worked-out": (self._rule(subject, f"{worked_out} < {short} and {worked_out} < {long}"),),
            "recorded-burn-rate": (
                Rule(helper, to_text(parse(f"{long} / (1 - {subject.service.slo})")), is_alert=False),
                self._rule(subject, f"{helper}{{{subject.scope}}} > {tier.factor} and {short} > {limit}"),
            ),
            "unless": (self._rule(subject, f"{long} > {limit} unless {short} <= {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """One window alone, a budget in percent, no `for`."""
        limit = self._limit(subject)
        long, short = self._records(subject)
        percent = f"{self.of(subject).factor} * (100 - {Fraction(subject.service.slo) * 100})"
        return {
            "long-only": (self._rule(subject, f"{long} > {limit}"), 0.95),
            "short-only": (self._rule(subject, f"{short} > {limit}"), 0.95),
            "percent": (self._rule(subject, f"{long} > {percent} and {short} > {percent}"), 0.2),
            "no-for": (replace(self.rule(subject), for_=0), 0.9),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Callable[[Seed], Plan]]:
        """Eight scenarios; lengths follow the windows of the tier."""
        tier, threshold = self.of(subject), self.threshold(subject)
        high = min(Fraction(9, 10), threshold * 3)
        settle = tier.short + tier.for_ + 10
        start = seed.rng(self.name, "start").between(20, 30)

        def flow(minutes: int, *bursts: tuple[int, int, Fraction]) -> Callable[[Seed, Service], Flow]:
            def draw(own: Seed, service: Service) -> Flow:
                ratios = [budget(subject) / 20] * (minutes + 1)
                for first, last, level in bursts:
                    ratios = plateau(ratios, first, last, level)
                return calm(own, service, minutes, errors=ratios)

            return draw

        def scenario(
            key: str, title: str, outcome: str, minutes: int, *bursts: tuple[int, int, Fraction]
        ) -> Callable[[Seed], Plan]:
            def draw(own: Seed) -> Plan:
                exposures = stage(subject, others, own.child(key), minutes, flow(minutes, *bursts))
                return Plan(
                    key, f"{subject.service.name}: {title}", "fire" if outcome == "fire" else "silent", exposures
                )

            return draw

        # the long window crosses once half the minutes so far were bad; it then takes `for`, and some minutes of firing
        end = start + start // 2 + tier.short + tier.for_ + 15
        yield scenario("sustained", "an outage and its end", "fire", end + settle + 10, (start, end, high))
        steady = 30 + tier.for_ + tier.short
        yield scenario(
            "over", "burning a little over the limit", "fire", steady, (0, steady, threshold * Fraction(115, 100))
        )
        yield scenario(
            "under", "burning a little under the limit", "silent", steady, (0, steady, threshold * Fraction(85, 100))
        )
        yield self._spike(scenario, tier, threshold)
        again = end + settle
        yield scenario(
            "relapse", "a second outage after the first", "fire", again + settle + tier.short,
            (start, end, high), (again, again + tier.short + tier.for_ + 4, high),
        )  # fmt: skip
        yield self._forgotten(scenario, tier, threshold)
        yield self._calm(subject, others, "deploy", "two deploys", deploys=frozenset({18, 37}))
        yield self._calm(subject, others, "night", "a quiet night", rps=Fraction(1, 2))
        yield self._elsewhere(subject, others, threshold)

    @staticmethod
    def _spike(
        scenario: Callable[..., Callable[[Seed], Plan]], tier: BurnTier, threshold: Fraction
    ) -> Callable[[Seed], Plan]:
        """A spike that fills four fifths of the long window's allowance at once: only shorter windows see it."""
        history = max(tier.long * 2 // 3, 45)
        area = threshold * min(history, tier.long) * Fraction(78, 100)
        length = max(tier.short // 2, tier.for_ + 2, ceil(area / Fraction(9, 10)))
        end = history + length
        return scenario("spike", "a spike", "silent", end + tier.short + 10, (history, end - 1, area / length))

    @staticmethod
    def _forgotten(
        scenario: Callable[..., Callable[[Seed], Plan]], tier: BurnTier, threshold: Fraction
    ) -> Callable[[Seed], Plan]:
        """A spike after an outage that the long window no longer holds: only longer windows see both."""
        outage = min(Fraction(9, 10), threshold * 3)
        first, last = 5, 5 + tier.short + tier.for_ + max(tier.long // 3, 12)
        spike = last + tier.long + 3
        area = threshold * tier.long * Fraction(70, 100)
        length = max(tier.short // 2, tier.for_ + 2, ceil(area / Fraction(9, 10)))
        return scenario(
            "forgotten", "a spike long after an outage", "fire", spike + length + tier.short + 5,
            (first, last, outage), (spike, spike + length - 1, area / length),
        )  # fmt: skip

    @staticmethod
    def _calm(
        subject: Subject,
        others: Sequence[Service],
        key: str,
        title: str,
        *,
        rps: Fraction | None = None,
        deploys: frozenset[int] = frozenset(),
    ) -> Callable[[Seed], Plan]:
        def draw(own: Seed) -> Plan:
            def flow(inner: Seed, service: Service) -> Flow:
                errors = Fraction(0) if rps is not None else None
                return calm(inner, service, 55, rps=rps, errors=errors, deploys=deploys)

            exposures = stage(subject, others, own.child(key), 55, flow)
            return Plan(key, f"{subject.service.name}: {title}", "silent", exposures)

        return draw

    @staticmethod
    def _elsewhere(subject: Subject, others: Sequence[Service], threshold: Fraction) -> Callable[[Seed], Plan]:
        def draw(own: Seed) -> Plan:
            def theirs(inner: Seed, service: Service) -> Flow:
                ratios = plateau([Fraction(0)] * 56, 10, 50, min(Fraction(9, 10), threshold * 5))
                return calm(inner, service, 55, errors=ratios)

            exposures = stage(
                subject, others, own.child("elsewhere"), 55, lambda inner, one: calm(inner, one, 55), other_flow=theirs
            )
            return Plan("elsewhere", "another service's outage", "silent", exposures, "other service")

        return draw

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> str:
        """Everything spelled out."""
        tier = self.of(subject)
        long, short = subject.record(tier.long), subject.record(tier.short)
        return (
            f"fires when both `{long}` and `{short}` of `{subject.service.name}` are over "
            f"{tier.factor} × (1 − {subject.service.slo}), for {tier.for_} minutes"
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        verb = "is paged" if self.urgency(subject) == "page" else "gets a ticket"
        pace = "fast" if self.tier == "fast" else "slowly but steadily"
        return f"team {subject.team.title} {verb} when `{subject.service.name}` burns its error budget {pace}"
