"""Traffic floor: a service gets next to no requests any more.

| | |
|---|---|
| means | whatever is in front of the service does not send it traffic, or the service does not count it |
| fires | requests a second over the window are under the floor, or the request counter is gone altogether, for `for` minutes |
| silent | at 1.15 of the floor, in the quietest hour of the night, in a dip shorter than `for`, through a deploy, elsewhere |
| numbers | floor in requests a second, all pods together; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject, either, over
from alertforge.alerts.scenes import Draw, MakeFlow, Scenes, decimal
from alertforge.alerts.sli import request_rate, requests_text
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import select
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, Target, calm
from alertforge.traffic.shapes import steady
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text


class TrafficFloor(StyledKind):
    """Too few requests, or no counter."""

    name: ClassVar[str] = "traffic-floor"
    title: ClassVar[str] = "traffic under its floor"
    asks: ClassVar[Urgency] = "page"
    definitions: ClassVar[int] = 2
    windowed: ClassVar[bool] = True
    begins: ClassVar[Begins] = "gone"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (("{counter}", "metric-requests"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Under the floor; the counter is gone as soon as it is not scraped, or once its window is empty."""
        wait, minutes = self.for_minutes(subject), range(exposure.minutes + 1)
        rates = request_rate(subject, exposure, subject.windows(self.name))
        series = exposure.metric(subject.service.family.counter)
        low = over(rates, self.threshold(subject), under=True)
        gone_now = [not select(series, minute * 60) for minute in minutes]
        no_rate = [value != value for value in rates]
        no_sample = [empty and gone for empty, gone in zip(no_rate, gone_now, strict=True)]
        split = [a or b for a, b in zip(Reading(low, wait).firing(), Reading(no_sample, wait).firing(), strict=True)]
        return (
            Reading(either(low, gone_now), wait),
            Reading(either(low, no_rate), wait),
            Reading(either(low, no_sample), wait),
            Reading(split, 0),
        )

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Under the floor, or absent."""
        window, limit = subject.windows(self.name), subject.style.thresholds[self.name]
        return self._rule(subject, f"{requests_text(subject, window)} < {limit} or absent({self._counter(subject)})")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"{subject.service.name} gets next to no {subject.unit}")

    def _counter(self, subject: Subject) -> str:
        return f"{subject.service.family.counter}{{{subject.scope}}}"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """A zero for what is missing; an absent window; `unless`; two rules; recorded; by increase."""
        window, limit, by = subject.windows(self.name), subject.style.thresholds[self.name], subject.by
        counter, every, name = self._counter(subject), requests_text(subject, window), subject.service.name
        span = window_text(window)
        record = f"{by}:requests_{subject.snake}:rate{span}"
        zero = f'label_replace(sum(rate({counter}[{span}])) or vector(0), "{by}", "{name}", "", "")'
        per_window = decimal(Fraction(limit) * window * 60)
        return {
            "zero": (self._rule(subject, f"{zero} < {limit}"),),
            "absent-window": (self._rule(subject, f"absent_over_time({counter}[{span}]) or {limit} > {every}"),),
            "unless": (
                self._rule(subject, f"absent({counter}) or count by ({by}) ({counter}) unless {every} >= {limit}"),
            ),
            "two-rules": (self._rule(subject, f"{every} < {limit}"), self._rule(subject, f"absent({counter})")),
            "recorded": (
                Rule(record, every, is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} < {limit} or absent({record}{{{subject.scope}}})"),
            ),
            "increase": (
                self._rule(subject, f"{every.replace('rate(', 'increase(')} < {per_window} or absent({counter})"),
            ),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """No absence; absence alone; upside down; per pod; requests a minute; no `for`."""
        window, limit, by = subject.windows(self.name), subject.style.thresholds[self.name], subject.by
        every, absent = requests_text(subject, window), f"absent({self._counter(subject)})"
        per_pod = every.replace(f"by ({by})", f"by ({by}, {subject.style.pod_label})")
        return {
            "no-absent": (self._rule(subject, f"{every} < {limit}"), 0.85),
            "absent-only": (self._rule(subject, absent), 0.35),
            "inverted": (self._rule(subject, f"{every} > {limit} or {absent}"), 0.1),
            "per-pod": (self._rule(subject, f"{per_pod} < {limit} or {absent}"), 0.8),
            "a-minute": (self._rule(subject, f"60 * {every} < {limit} or {absent}"), 0.6),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Dried up, stopped, vanished, a little under and over, a dip, a night, a deploy, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit = self.threshold(subject)
        start = seed.rng(self.name, "start").between(10, 16)
        end = start + wait + 2 * window + seed.rng(self.name, "length").between(6, 12)
        minutes = end + window + 8
        usual = Fraction(subject.service.rps)

        def rates(level: Fraction, first: int = start, last: int = end) -> list[Fraction]:
            return [level if first <= minute <= last else usual for minute in range(minutes + 1)]

        yield scenes.plan("trickle", "next to no traffic", "fire", minutes, _at(rates(limit / 3)))
        yield scenes.plan("nothing", "no traffic", "fire", minutes, _at(rates(Fraction(0))))
        gone: list[Target] = ["gone" if start <= minute <= end else "up" for minute in range(minutes + 1)]
        yield scenes.plan("vanished", "no counter", "fire", minutes, _at([usual] * (minutes + 1), target=gone))
        under, night = (rates(limit * Fraction(share, 100), last=minutes) for share in (85, 115))
        yield scenes.plan("under", "down to a little under the floor", "fire", minutes, _at(under))
        yield scenes.plan("night", "down to the quietest hour", "silent", minutes, _at(night), word="night")
        dip = rates(Fraction(0), start, start + window + wait - 7)
        yield scenes.plan("dip", "a dip shorter than the wait", "silent", minutes, _at(dip), word="dip")
        yield scenes.plan(
            "deploy", "a rolling deploy", "silent", minutes,
            _at([usual] * (minutes + 1), deploys=frozenset({start})), word="deploy",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service gets nothing", "silent", minutes,
            other_flow=_at(rates(Fraction(0))), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-floor",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when requests to `{subject.service.name}` dry up or are not counted"


def _at(
    rates: Sequence[Fraction],
    *,
    target: Sequence[Target] | None = None,
    deploys: frozenset[int] = frozenset(),
) -> MakeFlow:
    """Traffic at a given rate a minute, without errors."""
    minutes = len(rates) - 1

    def flow(seed: Seed, service: Service) -> Flow:
        shape = steady(seed, minutes, Fraction(1000))
        requests, carried = [], Fraction(0)
        for per_second, jitter in zip(rates, shape, strict=True):
            exact = per_second * jitter / 1000 + carried
            requests.append(int(exact))
            carried = exact - int(exact)
        return calm(
            seed, service, minutes, errors=Fraction(0), requests=requests, target=target,
            deploys=deploys, stagger=1 if deploys else 0,
        )  # fmt: skip

    return flow


KIND = TrafficFloor()
