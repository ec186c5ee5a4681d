"""Disk filling: a volume of a service will be full before anyone looks at it again.

| | |
|---|---|
| means | at the present pace a volume runs out of space |
| fires | the straight line through the free bytes of some volume over the window comes to zero within the horizon, for `for` minutes; one alert a service |
| silent | with 1.15 of the horizon left, full but steady, with a temporary file, when someone makes room in time, elsewhere |
| numbers | horizon in hours; window and `for` in minutes |

The line may be taken on at the evaluation time (`predict_linear`) or from the newest sample (`deriv`): both are right
readings.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over, some_or_same
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import Vector, arithmetic, deriv, predict_linear, select
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Series
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import Curve, volumes
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

FREE = "kubelet_volume_stats_available_bytes"
USED = "kubelet_volume_stats_used_bytes"
CAPACITY = "kubelet_volume_stats_capacity_bytes"


class DiskFilling(StyledKind):
    """Free space, predicted."""

    name: ClassVar[str] = "disk-filling"
    title: ClassVar[str] = "disk filling"
    asks: ClassVar[Urgency] = "ticket"
    windowed: ClassVar[bool] = True
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        (FREE, "metric-volume-free"),
        (USED, "metric-volume-used"),
        (CAPACITY, "metric-volume-size"),
    )

    def horizon(self, subject: Subject) -> int:
        """Seconds to look ahead."""
        return int(self.threshold(subject) * 3600)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Some volume or one and the same; the line taken on from now, or from the newest sample."""
        window, ahead, wait = subject.windows(self.name) * 60, self.horizon(subject), self.for_minutes(subject)

        def newest_and_slope(series: Sequence[Series], at: int) -> Vector:
            ahead_of_now = arithmetic(deriv(series, window, at), "*", ahead)
            return arithmetic(select(series, at), "+", ahead_of_now)

        lines: tuple[Callable[[Sequence[Series], int], Vector], ...] = (
            lambda series, at: predict_linear(series, window, at, ahead),
            newest_and_slope,
        )
        out: list[Reading] = []
        for line in lines:
            by_volume = []
            for series in exposure.metric(FREE):
                claim = series.labels.get("persistentvolumeclaim")
                capacity = exposure.metric(CAPACITY, persistentvolumeclaim=claim)
                shares = []
                for minute in range(exposure.minutes + 1):
                    share = arithmetic(line([series], minute * 60), "/", select(capacity, minute * 60))
                    shares.append(1 - next(iter(share.values()), NAN))
                by_volume.append(over(shares, Fraction(1)))
            out += some_or_same(by_volume, wait)
        return tuple(out)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The volume that is worst off."""
        return self._rule(subject, f"min by ({subject.by}) ({self._predicted(subject)}) < 0")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"a volume of {subject.service.name} is filling up")

    def _ahead(self, subject: Subject) -> str:
        return f"{subject.style.thresholds[self.name]} * 3600"

    def _range(self, subject: Subject, metric: str = FREE, window: int = 0) -> str:
        return f"{metric}{{{subject.scope}}}[{window_text(window or subject.windows(self.name))}]"

    def _predicted(self, subject: Subject, metric: str = FREE, *, window: int = 0, ahead: str = "") -> str:
        return f"predict_linear({self._range(subject, metric, window)}, {ahead or self._ahead(subject)})"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """What will be used; the slope; hours left; volumes counted; recorded; a share of the capacity; `unless`."""
        by, free, size = subject.by, f"{FREE}{{{subject.scope}}}", f"{CAPACITY}{{{subject.scope}}}"
        slope, predicted = f"deriv({self._range(subject)})", self._predicted(subject)
        record = f"{by}:volume_free_{subject.snake}:predicted"
        return {
            "used": (self._rule(subject, f"max by ({by}) ({self._predicted(subject, USED)} - {size}) > 0"),),
            "slope": (self._rule(subject, f"min by ({by}) ({free} + {slope} * {self._ahead(subject)}) < 0"),),
            "hours-left": (
                self._rule(
                    subject,
                    f"min by ({by}) ({free} / -({slope} < 0)) / 3600 < {subject.style.thresholds[self.name]}",
                ),
            ),
            "counted": (self._rule(subject, f"count by ({by}) ({predicted} < 0) > 0"),),
            "recorded": (
                Rule(record, f"min by ({by}) ({predicted})", is_alert=False),
                self._rule(subject, f"{record}{{{subject.scope}}} < 0"),
            ),
            "share": (self._rule(subject, f"0 > min by ({by}) ({predicted} / {size})"),),
            "unless": (self._rule(subject, f"count by ({by}) ({free} unless {predicted} >= 0) >= 1"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """How full it is; minutes for hours; two samples; per volume; what is used under zero; no `for`."""
        by, size = subject.by, f"{CAPACITY}{{{subject.scope}}}"
        ahead = f"{subject.style.thresholds[self.name]} * 60"
        return {
            "fullness": (self._rule(subject, f"max by ({by}) ({USED}{{{subject.scope}}} / {size}) > 0.9"), 0.1),
            "minutes": (self._rule(subject, f"min by ({by}) ({self._predicted(subject, ahead=ahead)}) < 0"), 0.1),
            "jumpy": (self._rule(subject, f"min by ({by}) ({self._predicted(subject, window=3)}) < 0"), 0.75),
            "per-volume": (self._rule(subject, f"{self._predicted(subject)} < 0"), 0.85),
            "used-up": (self._rule(subject, f"min by ({by}) ({self._predicted(subject, USED)}) < 0"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """One volume fills, all do, a little too fast; a little too slow, cleaned, a big file, steady, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        horizon = self.horizon(subject) // 60
        start = seed.rng(self.name, "start").between(8, 16)
        free = Fraction(3, 5)
        pace = free * 2 / horizon  # of the volume a minute: full in half the horizon
        crossing = _crossing(window, horizon, start)
        end = start + crossing + wait + seed.rng(self.name, "length").between(8, 14)
        minutes = end + 12

        def of(curve: Curve) -> MakeSeries:
            """With the few kilobytes more or less that any volume shows."""
            return lambda own, exposure: volumes(
                subject.world, own, exposure,
                lambda at, minute: curve(at, minute) - Fraction((minute * 3 + at) % 7, 10**7),
            )  # fmt: skip

        def filling(until: int, only: int | None = None) -> MakeSeries:
            """From the start on; most of it is deleted after `until`."""
            return of(
                lambda at, minute: (
                    free
                    if only not in (None, at) or minute < start
                    else free - pace * (minute - start)
                    if minute <= until
                    else Fraction(95, 100)
                )
            )

        def steadily(left: Fraction, at_minute: int, length: int) -> MakeSeries:
            """At one pace from the first minute on; `left` minutes until it is full, as seen from a minute."""
            return of(lambda at, minute: free * (left + at_minute - minute) / (left + length))

        steady = of(lambda at, minute: free)
        yield scenes.plan("one-volume", "one volume fills", "fire", minutes, extra=filling(end, 1), other_extra=steady)
        yield scenes.plan("all-volumes", "all volumes fill", "fire", minutes, extra=filling(end), other_extra=steady)
        near = wait + 25
        yield scenes.plan(
            "over", "full a little before the horizon", "fire", near,
            extra=steadily(Fraction(2 * horizon + 11, 2), 0, near), other_extra=steady,
        )  # fmt: skip
        yield scenes.plan(
            "under", "full a little after it", "silent", near,
            extra=steadily(Fraction(horizon) * Fraction(115, 100), near, near), other_extra=steady, word="under",
        )  # fmt: skip
        yield scenes.plan(
            "cleaned", "someone makes room in time", "silent", minutes,
            extra=filling(start + crossing + 1, 0), other_extra=steady, word="cleaned",
        )  # fmt: skip
        length = max(3, window // 10)
        size = min(Fraction(1, 4), free * Fraction(window * window, 12 * horizon * length))
        yield scenes.plan(
            "temporary", "a temporary file", "silent", minutes,
            extra=of(lambda at, minute: free - size if window <= minute < window + length else free),
            other_extra=steady, word="temporary file",
        )  # fmt: skip
        whole = max(minutes, window + 3)  # some scenario is longer than what rules look back
        yield scenes.plan(
            "nearly-full", "nearly full, and not growing", "silent", whole,
            extra=of(lambda at, minute: Fraction(3, 100)), other_extra=steady, word="nearly full",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service's volume fills", "silent", minutes,
            extra=steady, other_extra=filling(end), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-disk",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return f"team {subject.team.title} gets a ticket before a volume of `{subject.service.name}` is full"


def _crossing(window: int, horizon: int, start: int) -> int:
    """Minutes until growth from `start` on that fills the volume in half the horizon shows as such in the regression.

    The slope over a window whose last share x is the growth is 3x^2 - 2x^3 of the pace.
    """
    for minute in range(1, window + 1):
        seen = Fraction(minute, min(window, start + minute))
        if 2 * (3 * seen**2 - 2 * seen**3) > 1 - Fraction(2 * minute, horizon):
            return minute
    return window


KIND = DiskFilling()
