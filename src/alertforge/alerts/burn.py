"""Multi-window burn rate: the mechanics of fast and slow burn, of either SLI.

| | |
|---|---|
| means | the error budget of the objective is spent `factor` times too fast |
| fires | both windows' bad shares are over factor x (1 - SLO), for `for` minutes |
| silent | at 0.85 of the limit, in a spike that only the short window sees, after recovery, elsewhere, at night |
| numbers | windows, factor and `for` of the tier in the house style; the objective of the service in the catalog |

The bad share is that of failed requests (availability) or of requests slower than the service's threshold (latency).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject, both, over
from alertforge.alerts.scenes import Draw, MakeFlow, Scenes, decimal, steps
from alertforge.alerts.sli import AVAILABILITY, Sli, budget, record_text
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.promql import parse, to_text
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.world.model import BurnTier, Service, Urgency
from alertforge.world.naming import window_text


class BurnKind(StyledKind):
    """A burn alert of one tier of the house style; its windows are the tier's."""

    tier: ClassVar[str]
    sli: ClassVar[Sli] = AVAILABILITY
    burn: ClassVar[bool] = True
    felt: ClassVar[bool] = True
    begins: ClassVar[Begins] = "failing"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = AVAILABILITY.metrics

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
        """The bad share that both windows must exceed."""
        return Fraction(self.of(subject).factor) * budget(subject, self.sli)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Both windows over the threshold."""
        tier, threshold = self.of(subject), self.threshold(subject)
        long = over(self.sli.ratio(subject, exposure, tier.long), threshold)
        short = over(self.sli.ratio(subject, exposure, tier.short), threshold)
        return (Reading(both(long, short), tier.for_),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Both recorded ratios over the threshold."""
        limit = self._limit(subject)
        long, short = self._records(subject)
        return self._rule(subject, f"{long} > {limit} and {short} > {limit}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        summary = f"{subject.service.name} is spending its {self.sli.budget} {self.of(subject).factor} times too fast"
        return subject.rule(self, expr, summary=summary)

    def _limit(self, subject: Subject) -> str:
        return f"{self.of(subject).factor} * (1 - {self.sli.objective(subject.service)})"

    def _records(self, subject: Subject) -> tuple[str, str]:
        tier = self.of(subject)
        return record_text(subject, tier.long, self.sli), record_text(subject, tier.short, self.sli)

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """From counters, in each of the SLI's ways; worked out; via a recorded burn rate; `unless`; the smaller one."""
        tier, limit = self.of(subject), self._limit(subject)
        long, short = self._records(subject)
        worked_out = decimal(self.threshold(subject))
        helper = f"{subject.by}:{self.sli.name}_burn_rate_{subject.snake}:ratio_rate{window_text(tier.long)}"
        burn_rate = f"{long} / (1 - {self.sli.objective(subject.service)})"
        every = {"counters": [self.sli.ratio_text(subject, window) for window in (tier.long, tier.short)]}
        for window in (tier.long, tier.short):
            for name, text in self.sli.other_texts(subject, window).items():
                every.setdefault(name, []).append(text)
        return {
            **{
                f"from-{name}": (self._rule(subject, f"({ratios[0]}) > {limit} and ({ratios[1]}) > {limit}"),)
                for name, ratios in every.items()
            },
            "worked-out": (self._rule(subject, f"{worked_out} < {short} and {worked_out} < {long}"),),
            "recorded-burn-rate": (
                Rule(helper, to_text(parse(burn_rate)), is_alert=False),
                self._rule(subject, f"{helper}{{{subject.scope}}} > {tier.factor} and {short} > {limit}"),
            ),
            "unless": (self._rule(subject, f"{long} > {limit} unless {short} <= {limit}"),),
            "smaller": (self._rule(subject, f"({long} < {short} or {short}) > {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """One window alone; either; a budget in percent; the objective; silent in a whole outage; no `for`."""
        limit = self._limit(subject)
        long, short = self._records(subject)
        percent = f"{self.of(subject).factor} * (100 - {Fraction(self.sli.objective(subject.service)) * 100})"
        objective = f"{self.of(subject).factor} * {self.sli.objective(subject.service)}"
        return {
            "long-only": (self._rule(subject, f"{long} > {limit}"), 0.9),
            "short-only": (self._rule(subject, f"{short} > {limit}"), 0.9),
            "either": (self._rule(subject, f"{long} > {limit} or {short} > {limit}"), 0.75),
            "percent": (self._rule(subject, f"{long} > {percent} and {short} > {percent}"), 0.1),
            "objective": (self._rule(subject, f"{long} > {objective} and {short} > {objective}"), 0.1),
            "capped": (self._rule(subject, f"{long} > {limit} and {short} > {limit} and {short} < 0.95"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Nine scenarios; lengths follow the windows of the tier."""
        scenes = Scenes(subject, others, histogram=self.sli.histogram)
        tier, threshold = self.of(subject), self.threshold(subject)
        high = min(Fraction(9, 10), threshold * 3)
        settle = tier.short + tier.for_ + 10
        start = seed.rng(self.name, "start").between(20, 30)

        def bad(minutes: int, *bursts: tuple[int, int, Fraction]) -> MakeFlow:
            return self._flow(minutes, steps(minutes, budget(subject, self.sli) / 20, *bursts))

        # the long window crosses once enough of the minutes so far were bad; then come `for` and some minutes of firing
        crossing = ceil(start * threshold / (high - threshold))
        end = start + crossing + tier.short + tier.for_ + 15
        minutes = end + settle + 10
        yield scenes.plan("sustained", "an outage and its end", "fire", minutes, bad(minutes, (start, end, high)))
        minutes = 30 + tier.for_ + tier.short
        over_limit, under_limit = ((0, minutes, threshold * Fraction(share, 100)) for share in (115, 85))
        yield scenes.plan("over", "burning a little over the limit", "fire", minutes, bad(minutes, over_limit))
        yield scenes.plan("under", "burning a little under the limit", "silent", minutes, bad(minutes, under_limit))
        spike = _spike(tier, threshold)
        minutes = spike[1] + 1 + tier.short + 10
        yield scenes.plan("spike", "a spike", "silent", minutes, bad(minutes, spike))
        first, again = (start, end, high), end + settle
        last = again + max(tier.short, _until_over(tier, threshold, first, again)) + tier.for_ + 4
        minutes = last + tier.short + 6
        second = (again, last, Fraction(1))  # nothing works any more
        yield scenes.plan("relapse", "a second outage after the first", "fire", minutes, bad(minutes, first, second))
        outage, late = _forgotten(tier, threshold)
        minutes = late[1] + 1 + tier.short + 5
        yield scenes.plan("forgotten", "a spike long after an outage", "fire", minutes, bad(minutes, outage, late))
        yield scenes.plan(
            "deploy", "two deploys", "silent", 55,
            lambda own, one: self.sli.flow(own, one, 55, deploys=frozenset({18, 37})),
        )  # fmt: skip
        yield scenes.plan(
            "night", "a quiet night", "silent", 55,
            lambda own, one: self.sli.flow(own, one, 55, bad=Fraction(0), rps=Fraction(1, 2)),
        )  # fmt: skip
        theirs = steps(55, Fraction(0), (10, 50, min(Fraction(9, 10), threshold * 5)))
        yield scenes.plan(
            "elsewhere", "another service's outage", "silent", 55,
            other_flow=self._flow(55, theirs), word="other service",
        )  # fmt: skip

    def _flow(self, minutes: int, shares: Sequence[Fraction]) -> MakeFlow:
        return lambda seed, service: self.sli.flow(seed, service, minutes, bad=shares)

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        tier, service = self.of(subject), subject.service
        return fact(
            "condition-burn",
            long=self.sli.record(subject, tier.long),
            short=self.sli.record(subject, tier.short),
            service=service.name,
            limit=f"{tier.factor} × (1 − {self.sli.objective(service)})",
            wait=tier.for_,
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        verb = "is paged" if self.urgency(subject) == "page" else "gets a ticket"
        pace = "fast" if self.tier == "fast" else "slowly but steadily"
        return f"team {subject.team.title} {verb} when `{subject.service.name}` burns its {self.sli.budget} {pace}"


def _until_over(tier: BurnTier, threshold: Fraction, first: tuple[int, int, Fraction], again: int) -> int:
    """Minutes of a whole outage until the long window is over; what it still holds of the first outage counts."""
    begin, end, share = first
    for minutes in range(1, tier.long):
        since = max(0, again + minutes - tier.long)
        bad = minutes + share * max(0, end + 1 - max(begin, since))
        if bad > threshold * (again + minutes - since):
            return minutes
    return tier.long


def _spike(tier: BurnTier, threshold: Fraction) -> tuple[int, int, Fraction]:
    """A spike that fills four fifths of the long window's allowance at once: only shorter windows see it."""
    history = max(tier.long * 2 // 3, 45)
    area = threshold * min(history, tier.long) * Fraction(78, 100)
    length = max(tier.short // 2, tier.for_ + 2, ceil(area / Fraction(9, 10)))
    return history, history + length - 1, area / length


def _forgotten(tier: BurnTier, threshold: Fraction) -> tuple[tuple[int, int, Fraction], tuple[int, int, Fraction]]:
    """An outage, and a spike once the long window no longer holds it: only longer windows see both."""
    first, last = 5, 5 + tier.short + tier.for_ + max(tier.long // 3, 12)
    spike = last + tier.long + 3
    area = threshold * tier.long * Fraction(70, 100)
    length = max(tier.short // 2, tier.for_ + 2, ceil(area / Fraction(9, 10)))
    return (first, last, min(Fraction(9, 10), threshold * 3)), (spike, spike + length - 1, area / length)
