"""Scenarios of one subject among other services: what alert kinds other than burns build their plans with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from alertforge.alerts.base import Outcome, Plan, Subject, stage
from alertforge.prometheus.series import Series
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, calm
from alertforge.world.model import Service

Draw = Callable[[Seed], Plan]
MakeFlow = Callable[[Seed, Service], Flow]
MakeSeries = Callable[[Seed, Exposure], Sequence[Series]]


@dataclass(frozen=True)
class Scenes:
    """Draws plans of one subject. `seed` gives the numbers that belong to the kind, not to one attempt."""

    subject: Subject
    others: Sequence[Service]
    histogram: bool = False

    def plan(
        self,
        key: str,
        title: str,
        outcome: Outcome,
        minutes: int,
        flow: MakeFlow | None = None,
        *,
        extra: MakeSeries | None = None,
        other_flow: MakeFlow | None = None,
        other_extra: MakeSeries | None = None,
        word: str = "",
    ) -> Draw:
        """One scenario. `flow` and `extra` (series of exporters) make the subject's part, `other_*` everyone else's."""

        def draw(seed: Seed) -> Plan:
            own = seed.child(key)
            make = flow or (lambda inner, service: calm(inner, service, minutes))
            exposures = stage(
                self.subject, self.others, own, minutes, make, histogram=self.histogram, other_flow=other_flow
            )
            makers = {self.subject.service.name: extra, **{other.name: other_extra for other in self.others}}
            full = []
            for one in exposures:
                maker = makers.get(one.service.name)
                full.append(one.plus(maker(own.child(one.service.name), one)) if maker else one)
            return Plan(key, f"{self.subject.service.name}: {title}", outcome, tuple(full), word)

        return draw


def deploying(minutes: int, *starts: int, stagger: int = 0) -> MakeFlow:
    """Ordinary traffic with deploys; `stagger` minutes lie between one pod's replacement and the next."""

    def flow(seed: Seed, service: Service) -> Flow:
        return calm(seed, service, minutes, deploys=frozenset(starts), stagger=stagger)

    return flow


def steps(minutes: int, low: Fraction, *stretches: tuple[int, int, Fraction]) -> list[Fraction]:
    """A value a minute: `low`, and in each stretch (first, last, level) its level."""
    values = [low] * (minutes + 1)
    for first, last, level in stretches:
        values[first : last + 1] = [level] * (min(last, minutes) + 1 - first)
    return values


def decimal(value: Fraction) -> str:
    """A fraction as people write it in a rule: at most 12 significant digits."""
    return format(float(value), ".12g")
