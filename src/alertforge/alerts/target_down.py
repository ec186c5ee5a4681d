"""Target down: none of a service's targets can be scraped.

| | |
|---|---|
| means | nobody is serving: no target of the service is up, or service discovery has none at all |
| fires | every `up` of the service is 0, or there is no `up` of it, for `for` minutes |
| silent | while one target of several is up; in a flap shorter than `for`; in a deploy; when another service is down |
| numbers | `for` in minutes; no threshold |
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject
from alertforge.alerts.scenes import Draw, MakeFlow, Scenes, deploying
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import select
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, Target, calm
from alertforge.world.model import Service, Urgency


class TargetDown(StyledKind):
    """All targets down, or none at all."""

    name: ClassVar[str] = "target-down"
    title: ClassVar[str] = "target down"
    asks: ClassVar[Urgency] = "page"
    definitions: ClassVar[int] = 2
    felt: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (("up", "metric-up"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """No target that is up, whether others are known or not."""
        ups = exposure.metric("up")
        none_up = [1 not in select(ups, minute * 60).values() for minute in range(exposure.minutes + 1)]
        return (Reading(none_up, self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The sum is 0, or there is nothing to sum."""
        up = f"up{{{subject.scope}}}"
        return self._rule(subject, f"sum by ({subject.by}) ({up}) == 0 or absent({up})")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"no target of {subject.service.name} is up")

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """The largest `up`; one rule a case; `absent` of what is up; recorded; a zero for nothing; mean; `unless`."""
        up, by, name = f"up{{{subject.scope}}}", subject.by, subject.service.name
        record = f"{by}:up_{subject.snake}:sum"
        return {
            "max": (self._rule(subject, f"absent({up}) or max by ({by}) ({up}) < 1"),),
            "two-rules": (
                self._rule(subject, f"sum by ({by}) ({up}) == 0"),
                self._rule(subject, f"absent({up})"),
            ),
            "absent-of-up": (self._rule(subject, f'label_replace(absent({up} == 1), "{by}", "{name}", "", "")'),),
            "recorded": (
                Rule(record, f"sum by ({by}) ({up})", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} == 0 or absent({record}{{{subject.scope}}})"),
            ),
            "zero": (self._rule(subject, f"(sum({up}) or vector(0)) == 0").with_label(by, name),),
            "average": (self._rule(subject, f"avg by ({by}) ({up}) == 0 or absent({up})"),),
            "none-counted": (
                self._rule(
                    subject, f"count by ({by}) ({up}) unless count by ({by}) ({up} == 1) or absent_over_time({up}[2m])"
                ),
            ),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """No absence; absence alone; any target; per target; no `for`."""
        up, by = f"up{{{subject.scope}}}", subject.by
        return {
            "no-absent": (self._rule(subject, f"sum by ({by}) ({up}) == 0"), 0.45),
            "absent-only": (self._rule(subject, f"absent({up})"), 0.75),
            "any-target": (self._rule(subject, f"min by ({by}) ({up}) == 0 or absent({up})"), 0.95),
            "per-target": (self._rule(subject, f"{up} == 0 or absent({up})"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """All down, all gone, gone from the start, a flap of each kind, one of several, a deploy, someone else."""
        scenes, wait = Scenes(subject, others), self.for_minutes(subject)
        start = seed.rng(self.name, "start").between(8, 16)
        end = start + wait + seed.rng(self.name, "length").between(10, 18)
        minutes = end + 10
        yield scenes.plan("down", "no scrape succeeds", "fire", minutes, _all(minutes, "down", (start, end)))
        yield scenes.plan("gone", "no target is left", "fire", minutes, _all(minutes, "gone", (start, end)))
        yield scenes.plan("unborn", "no target at first", "fire", minutes, _all(minutes, "gone", (0, end - start)))
        flaps = [(start, start + wait - 2), (start + wait + 6, start + 2 * wait + 4)]
        yield scenes.plan(
            "flap", "scrapes fail briefly, twice", "silent", minutes + wait, _all(minutes + wait, "down", *flaps),
            word="flap",
        )  # fmt: skip
        yield scenes.plan(
            "blink", "targets vanish briefly", "silent", minutes, _all(minutes, "gone", flaps[0]), word="flap"
        )
        survivor = seed.rng(self.name, "survivor").below(subject.service.pods)
        one_left = _all(minutes, "down", (start, end), spare=survivor)
        if subject.service.pods > 1:
            yield scenes.plan("one-left", "one target is still up", "silent", minutes, one_left, word="one target up")
        yield scenes.plan(
            "deploy", "a rolling deploy", "silent", minutes, deploying(minutes, start, stagger=1), word="deploy"
        )
        yield scenes.plan(
            "elsewhere", "another service is down", "silent", minutes,
            other_flow=_all(minutes, "down", (start, end)), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact("condition-down", scope=subject.scope, wait=self.for_minutes(subject))

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when nothing of `{subject.service.name}` is left running"


def _all(minutes: int, state: Target, *spans: tuple[int, int], spare: int | None = None) -> MakeFlow:
    """Every pod (but `spare`) is in a state during the spans."""

    def flow(seed: Seed, service: Service) -> Flow:
        targets: list[Target] = ["up"] * (minutes + 1)
        for first, last in spans:
            targets[first : last + 1] = [state] * (last + 1 - first)
        up: list[Target] = ["up"] * (minutes + 1)
        return calm(seed, service, minutes, target=targets, pod_targets={} if spare is None else {spare: up})

    return flow


KIND = TargetDown()
