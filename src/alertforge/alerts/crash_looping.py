"""Crash looping: a container of a service keeps being restarted.

| | |
|---|---|
| means | one container starts, dies and starts again |
| fires | some one container was restarted more than the threshold within the window, for `for` minutes; one alert a service |
| silent | with fewer restarts of each container, however many pods; with slow restarts over a long time; through a deploy; elsewhere |
| numbers | threshold a number of restarts; window and `for` in minutes |

`increase` extrapolates, `changes` and differences count what was scraped: all are right readings. They disagree at
the threshold itself, so scenarios stay one restart under it or go well over it.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, some_or_same
from alertforge.alerts.scenes import Draw, MakeFlow, MakeSeries, Scenes, deploying
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import Vector, arithmetic, changes, increase, select
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Series
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import Counts, restarts
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

RESTARTS = "kube_pod_container_status_restarts_total"


class CrashLooping(StyledKind):
    """Restarts of the worst container within a window."""

    name: ClassVar[str] = "crash-looping"
    title: ClassVar[str] = "crash looping"
    asks: ClassVar[Urgency] = "page"
    windowed: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((RESTARTS, "metric-restarts"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Extrapolated, counted and subtracted; of one container or of whichever."""
        window, wait, limit = subject.windows(self.name) * 60, self.for_minutes(subject), self.threshold(subject)
        series = exposure.metric(RESTARTS)

        def difference(one: Sequence[Series], at: int) -> Vector:
            return arithmetic(select(one, at), "-", select(one, at, offset=window))

        counted: tuple[Callable[[Sequence[Series], int], Vector], ...] = (
            lambda one, at: increase(one, window, at),
            lambda one, at: changes(one, window, at),
            difference,
        )
        out: list[Reading] = []
        for count in counted:
            by_container = [
                [any(value > limit for value in count([one], minute * 60).values()) for minute in _minutes(exposure)]
                for one in series
            ]
            out += some_or_same(by_container, wait)
        return tuple(out)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The increase of the worst container."""
        return self._rule(subject, f"max by ({subject.by}) ({self._counted(subject)}) > {self.threshold(subject)}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"a container of {subject.service.name} keeps being restarted")

    def _counted(self, subject: Subject, func: str = "increase", window: int = 0) -> str:
        return f"{func}({RESTARTS}{{{subject.scope}}}[{window_text(window or subject.windows(self.name))}])"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """By changes; by difference; by rate; recorded; containers counted."""
        by, limit, window = subject.by, self.threshold(subject), subject.windows(self.name)
        series = f"{RESTARTS}{{{subject.scope}}}"
        record = f"{by}:restarts_{subject.snake}:increase{window_text(window)}"
        return {
            "changes": (self._rule(subject, f"max by ({by}) ({self._counted(subject, 'changes')}) > {limit}"),),
            "difference": (
                self._rule(subject, f"max by ({by}) ({series} - {series} offset {window_text(window)}) > {limit}"),
            ),
            "rate": (
                self._rule(subject, f"max by ({by}) ({self._counted(subject, 'rate')}) * {window * 60} > {limit}"),
            ),
            "recorded": (
                Rule(record, f"max by ({by}) ({self._counted(subject)})", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} > {limit}"),
            ),
            "counted": (self._rule(subject, f"count by ({by}) (round({self._counted(subject)}) > {limit}) > 0"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """The raw counter; the sum of pods; a rate a second; per container; no `for`."""
        by, limit = subject.by, self.threshold(subject)
        worst = f"max by ({by}) ({self._counted(subject)})"
        return {
            "raw": (self._rule(subject, f"max by ({by}) ({RESTARTS}{{{subject.scope}}}) > {limit}"), 0.15),
            "sum": (self._rule(subject, f"sum by ({by}) ({self._counted(subject)}) > {limit}"), 0.7),
            "a-second": (self._rule(subject, f"max by ({by}) ({self._counted(subject, 'rate')}) > {limit}"), 0.1),
            "any-restart": (self._rule(subject, f"{worst} > 0"), 0.25),
            "per-container": (self._rule(subject, f"{self._counted(subject)} > {limit}"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.6),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """One container loops, all do; a restart, restarts everywhere, slow ones, a deploy, old ones, elsewhere."""
        scenes = Scenes(subject, others)
        wait, window, limit = self.for_minutes(subject), subject.windows(self.name), int(self.threshold(subject))
        pods = subject.service.pods
        pace = max(1, (window - 2) // (limit + 2))  # minutes from crash to crash
        start = seed.rng(self.name, "start").between(window // 2, window)
        end = start + window + wait + seed.rng(self.name, "length").between(4, 10)
        minutes = end + window + 6
        sick = seed.rng(self.name, "pod").below(pods)

        def of(events: Counts) -> MakeSeries:
            return lambda own, exposure: restarts(subject.world, own, exposure, events)

        def loops(only: int | None = None) -> MakeSeries:
            return of(
                lambda pod, minute: int(
                    only in (None, pod) and start <= minute <= end and (minute - start + pod) % pace == 0
                )
            )

        def at(*moments: int, lag: int = 0, only: int | None = None) -> MakeSeries:
            """Each pod (or one) restarts at the moments, each pod `lag` minutes after the one before."""
            return of(lambda pod, minute: int(only in (None, pod) and minute - pod * lag in moments))

        nothing = at()

        def quiet(key: str, title: str, extra: MakeSeries, flow: MakeFlow | None = None, word: str = "") -> Draw:
            return scenes.plan(key, title, "silent", minutes, flow, extra=extra, other_extra=nothing, word=word)

        yield scenes.plan("one", "one container loops", "fire", minutes, extra=loops(sick), other_extra=nothing)
        yield scenes.plan("all", "every container loops", "fire", minutes, extra=loops(), other_extra=nothing)
        yield scenes.plan(
            "new-version", "a new version loops", "fire", minutes, deploying(minutes, start),
            extra=loops(), other_extra=nothing,
        )  # fmt: skip
        yield quiet("single", "one restart", at(start, only=sick), word="single restart")
        few = [start + 2 * step for step in range(limit - 1)]
        yield quiet("few", "as many restarts as are fine, in every pod", at(*few, lag=1), word="few restarts")
        slow = range(2, minutes, -(-window // (limit - 1)) + 1)
        yield quiet("slow", "restarts that are far apart", at(*slow, only=sick), word="slow restarts")
        yield quiet(
            "deploy",
            "two deploys",
            at(start - 1, only=sick),
            deploying(minutes, start, (start + minutes) // 2, stagger=1),
            word="deploy",
        )
        yield scenes.plan(
            "elsewhere", "another service loops", "silent", minutes, extra=nothing, other_extra=loops(),
            word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-crash",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when a container of `{subject.service.name}` cannot stay up"


def _minutes(exposure: Exposure) -> range:
    return range(exposure.minutes + 1)


KIND = CrashLooping()
