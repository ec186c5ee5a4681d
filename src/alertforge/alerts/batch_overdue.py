"""Batch overdue: the batch job of a service has not succeeded for too long.

| | |
|---|---|
| means | the job fails, hangs, or is not started any more |
| fires | the last success on any of the runners is longer ago than the threshold, for `for` minutes |
| silent | with runs 0.85 of the threshold apart, a run that is late by less than `for`, one idle runner, a report that is missing briefly, elsewhere |
| numbers | threshold in hours since the last success; `for` in minutes; the newest samples count, no window |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject, over
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import arithmetic, max_, select
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import batch_runs
from alertforge.world.model import Service, Urgency

SUCCESS = "batch_last_success_timestamp_seconds"


class BatchOverdue(StyledKind):
    """Age of the newest success."""

    name: ClassVar[str] = "batch-overdue"
    title: ClassVar[str] = "batch job overdue"
    asks: ClassVar[Urgency] = "ticket"
    begins: ClassVar[Begins] = "gone"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((SUCCESS, "metric-job"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The newest success of all runners is too old."""
        series, ages = exposure.metric(SUCCESS), []
        for minute in range(exposure.minutes + 1):
            age = arithmetic(minute * 60, "-", max_(select(series, minute * 60)))
            ages.append(next(iter(arithmetic(age, "/", 3600).values()), NAN))
        return (Reading(over(ages, self.threshold(subject)), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Now, less the newest success."""
        return self._rule(subject, f"time() - {self._newest(subject)} > {self._seconds(subject)}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"the batch job of {subject.service.name} is overdue")

    def _newest(self, subject: Subject, agg: str = "max") -> str:
        return f"{agg} by ({subject.by}) ({SUCCESS}{{{subject.scope}}})"

    def _seconds(self, subject: Subject) -> str:
        return f"{subject.style.thresholds[self.name]} * 3600"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """In hours; by the date; in minutes, each runner first; recorded; unless there was a success."""
        by, hours, newest = subject.by, subject.style.thresholds[self.name], self._newest(subject)
        success, seconds = f"{SUCCESS}{{{subject.scope}}}", self._seconds(subject)
        record = f"{by}:batch_age_seconds_{subject.snake}:min"
        return {
            "hours": (self._rule(subject, f"(time() - {newest}) / 3600 > {hours}"),),
            "date": (self._rule(subject, f"{newest} < time() - {seconds}"),),
            "each": (
                self._rule(subject, f"min by ({by}) (time() - {success}) / 60 > {decimal(Fraction(hours) * 60)}"),
            ),
            "recorded": (
                Rule(record, f"time() - {newest}", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} > {seconds}"),
            ),
            "unless": (
                self._rule(
                    subject, f"count by ({by}) ({success}) unless count by ({by}) ({success} >= time() - {seconds})"
                ),
            ),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Hours against seconds; minutes for hours; the oldest; each runner; a job that is not known; no `for`."""
        hours, newest = subject.style.thresholds[self.name], self._newest(subject)
        success, seconds = f"{SUCCESS}{{{subject.scope}}}", self._seconds(subject)
        return {
            "unscaled": (self._rule(subject, f"time() - {newest} > {hours}"), 0.4),
            "minutes": (self._rule(subject, f"time() - {newest} > {hours} * 60"), 0.4),
            "oldest": (self._rule(subject, f"time() - {self._newest(subject, 'min')} > {seconds}"), 0.7),
            "per-runner": (self._rule(subject, f"time() - {success} > {seconds}"), 0.6),
            "absent": (self._rule(subject, f"absent({success})"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.6),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """No run succeeds on one runner, on both; rare runs, a late one, one runner, no report, regular, elsewhere."""
        scenes, wait = Scenes(subject, others), self.for_minutes(subject)
        limit = int(self.threshold(subject) * 60)
        first = seed.rng(self.name, "start").between(3, 9)
        late = first + limit + wait + seed.rng(self.name, "length").between(8, 14)
        minutes = late + 10
        often = max(limit // 3, 5)

        def of(*runs: Sequence[int], missing: range = range(0)) -> MakeSeries:
            """The minutes at which runs end on each runner, the first at minute 0; no report in the minutes missing."""

            def finished(at: int, minute: int) -> int | None:
                done = [run for run in (runs[at] if at < len(runs) else ()) if run <= minute]
                return None if minute in missing or not done else done[-1] * 60 + 1 + 10 * at

            return lambda own, exposure: batch_runs(subject.world, exposure, finished)

        usual = of(range(0, minutes, often), range(often // 2, minutes, often))
        yield scenes.plan(
            "stuck", "no run succeeds for long", "fire", minutes, extra=of((0, first, late)), other_extra=usual
        )
        yield scenes.plan(
            "both-stuck", "first one runner is gone, then the other", "fire", minutes,
            extra=of((0, 1), (0, first, late)), other_extra=usual,
        )  # fmt: skip
        rare = range(0, minutes + limit, int(limit * Fraction(85, 100)))
        yield scenes.plan(
            "rare", "runs that are a little less than the threshold apart", "silent", minutes,
            extra=of(rare), other_extra=usual, word="rare runs",
        )  # fmt: skip
        yield scenes.plan(
            "late", "a run that is a little late", "silent", minutes,
            extra=of((0, first, first + limit + wait - 2)), other_extra=usual, word="late run",
        )  # fmt: skip
        yield scenes.plan(
            "one-runner", "one runner is idle", "silent", minutes,
            extra=of(range(0, minutes, often), (0, 1)), other_extra=usual, word="one runner",
        )  # fmt: skip
        yield scenes.plan(
            "unreported", "no report for a while", "silent", minutes,
            extra=of(range(0, minutes, often), missing=range(first + 2, first + 5)), other_extra=usual,
            word="missing report",
        )  # fmt: skip
        yield scenes.plan(
            "regular", "run after run", "silent", minutes, extra=usual, other_extra=usual, word="regular runs"
        )
        yield scenes.plan(
            "elsewhere", "another service's job is stuck", "silent", minutes,
            extra=usual, other_extra=of((0, first, late)), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-batch",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} gets a ticket when the batch job of `{subject.service.name}` is overdue"


KIND = BatchOverdue()
