"""Probe failing: a service does not answer when asked from outside.

| | |
|---|---|
| means | users on the internet cannot reach the service, whatever its own metrics say |
| fires | successful probes over all probes of the service, from all vantage points together and over the window, are under the threshold, for `for` minutes |
| silent | while enough probes succeed, with one vantage point cut off, in a blip shorter than `for`, when another service fails |
| numbers | threshold a fraction of probes that must succeed; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes, decimal, deploying
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import arithmetic, count_over_time, sum_, sum_over_time
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import VANTAGES, probes
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

PROBE = "probe_success"


class ProbeFailing(StyledKind):
    """Share of successful probes."""

    name: ClassVar[str] = "probe-failing"
    title: ClassVar[str] = "probe failing"
    asks: ClassVar[Urgency] = "page"
    protocols: ClassVar[tuple[str, ...]] = ("web", "rpc")  # a worker answers nobody
    windowed: ClassVar[bool] = True
    felt: ClassVar[bool] = True
    begins: ClassVar[Begins] = "gone"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((PROBE, "metric-probe"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Successes over probes, all vantage points together; at the threshold itself, floats may go either way."""
        window, series = subject.windows(self.name) * 60, exposure.metric(PROBE)
        shares = []
        for minute in range(exposure.minutes + 1):
            good, every = sum_over_time(series, window, minute * 60), count_over_time(series, window, minute * 60)
            shares.append(next(iter(arithmetic(sum_(good), "/", sum_(every)).values()), NAN))
        limit, wait = self.threshold(subject), self.for_minutes(subject)
        return Reading([share < limit for share in shares], wait), Reading([share <= limit for share in shares], wait)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The average of the vantage points' averages; all have as many probes."""
        return self._rule(subject, f"{self._of(subject)} < {subject.style.thresholds[self.name]}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"{subject.service.name} does not answer from outside")

    def _of(self, subject: Subject, agg: str = "avg", func: str = "avg_over_time", *, window: int = 0) -> str:
        span = window_text(window or subject.windows(self.name))
        return f"{agg} by ({subject.by}) ({func}({PROBE}{{{subject.scope}}}[{span}]))"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """Sum over count, also multiplied out; `unless`; what failed; recorded; averaged the other way round."""
        limit, by, span = subject.style.thresholds[self.name], subject.by, window_text(subject.windows(self.name))
        record = f"{by}:probe_success_{subject.snake}:avg{span}"
        good, every = self._of(subject, "sum", "sum_over_time"), self._of(subject, "sum", "count_over_time")
        nested = f"avg_over_time((avg by ({by}) ({PROBE}{{{subject.scope}}}))[{span}:1m])"
        return {
            "sums": (self._rule(subject, f"{good} / {every} < {limit}"),),
            "multiplied": (self._rule(subject, f"{good} < {limit} * {every}"),),
            "unless": (self._rule(subject, f"{every} unless {self._of(subject)} >= {limit}"),),
            "failed": (self._rule(subject, f"1 - {self._of(subject)} > {decimal(1 - Fraction(limit))}"),),
            "recorded": (
                Rule(record, self._of(subject), is_alert=False),
                self._rule(subject, f"{limit} > {record}{{{subject.scope}}}"),
            ),
            "nested": (self._rule(subject, f"{nested} < {limit}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """The newest probe; any vantage point; all of them; per vantage point; failures compared; no `for`."""
        limit, by = subject.style.thresholds[self.name], subject.by
        series = f"{PROBE}{{{subject.scope}}}"
        per_vantage = self._of(subject).replace(f"by ({by})", f"by ({by}, vantage)")
        return {
            "worst-vantage": (self._rule(subject, f"{self._of(subject, 'min')} < {limit}"), 0.95),
            "best-vantage": (self._rule(subject, f"max by ({by}) ({series}) == 0"), 0.2),
            "per-vantage": (self._rule(subject, f"{per_vantage} < {limit}"), 0.75),
            "upside-down": (self._rule(subject, f"{self._of(subject)} > {limit}"), 0.1),
            "absent": (self._rule(subject, f"absent({series})"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.55),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Unreachable, unreachable from most places, every other probe; one place, blips, a deploy, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit = self.threshold(subject)
        start = seed.rng(self.name, "start").between(window + 2, window + 8)
        end = start + wait + window + seed.rng(self.name, "length").between(5, 10)
        minutes = end + window + 8
        places = len(VANTAGES)
        cut_off = seed.rng(self.name, "vantage").below(places)

        def of(failing: Sequence[int], first: int = 0, last: int = -1, every: int = 1) -> MakeSeries:
            """From these vantage points every `every`-th probe of the stretch fails."""
            return lambda own, exposure: probes(
                subject.world, exposure,
                lambda at, minute: int(not (at in failing and first <= minute <= last and (minute + at) % every == 0)),
            )  # fmt: skip

        everywhere, well = range(places), of(())
        # as few vantage points as it takes to be well under the threshold, and as many as are well over it
        enough = next(n for n in everywhere if Fraction(places - n, places) <= limit * Fraction(85, 100))
        fine = max(n for n in everywhere if Fraction(places - n, places) >= limit * Fraction(105, 100))
        most = [(cut_off + step) % places for step in range(enough)]
        few = [(cut_off + step) % places for step in range(fine)]
        yield scenes.plan(
            "unreachable", "no probe succeeds", "fire", minutes,
            extra=of(everywhere, start, end), other_extra=well,
        )  # fmt: skip
        yield scenes.plan(
            "partly", "probes fail from most places", "fire", minutes, extra=of(most, start, end), other_extra=well
        )
        yield scenes.plan(
            "twice", "unreachable twice", "fire", minutes + end, other_extra=well,
            extra=lambda own, exposure: probes(
                subject.world, exposure,
                lambda at, minute: int(not (start <= minute <= end or end + start <= minute <= 2 * end)),
            ),
        )  # fmt: skip
        yield scenes.plan(
            "few", "probes fail from a few places", "silent", minutes,
            extra=of(few, start, end), other_extra=well, word="few places",
        )  # fmt: skip
        yield scenes.plan(
            "flaky", "one probe in five fails", "silent", minutes,
            extra=of(everywhere, start, end, 5), other_extra=well, word="flaky",
        )  # fmt: skip
        failing, length = _blip(limit, window, wait)
        yield scenes.plan(
            "blip", "a blip shorter than the wait", "silent", minutes,
            extra=of(range(failing), start, start + length - 1), other_extra=well, word="blip",
        )  # fmt: skip
        yield scenes.plan(
            "deploy", "a rolling deploy", "silent", minutes, deploying(minutes, start, stagger=1),
            extra=of([cut_off], start, start + 2), other_extra=well, word="deploy",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service is unreachable", "silent", minutes,
            extra=well, other_extra=of(everywhere, start, end), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-probe",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} is paged when `{subject.service.name}` cannot be reached from outside"


def _blip(limit: Fraction, window: int, wait: int) -> tuple[int, int]:
    """How many vantage points must fail for how many minutes to be under the limit, but no longer than the wait.

    Where no blip is that short, one vantage point fails for the whole window.
    """
    for failing in range(1, len(VANTAGES) + 1):
        length = floor((1 - limit) * window * len(VANTAGES) / failing) + 1
        at_limit = ceil((1 - limit) * window * len(VANTAGES) / failing)
        if length <= window and window + length - 2 * at_limit + 1 <= wait:
            return failing, length
    return 1, window


KIND = ProbeFailing()
