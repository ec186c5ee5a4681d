"""Consumer lag: a service falls behind with reading its messages and does not catch up.

| | |
|---|---|
| means | whoever waits for the messages waits longer and longer |
| fires | the lag of the consumer group, all partitions together, is above the threshold and no lower than it was a window before, for `for` minutes |
| silent | at 0.85 of the threshold, while a large backlog drains, in a stall shorter than `for`, while the exporter is away, elsewhere |
| numbers | threshold in messages; window and `for` in minutes; the window is shorter than `for` |

Compared with the value a window ago, by the change over the window or by its trend: all are right readings of "not
draining".
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject, both, over
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import Number, Vector, arithmetic, deriv, select, sum_
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import PARTITIONS, consumer_lag
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text

LAG = "kafka_consumergroup_lag"


class ConsumerLag(StyledKind):
    """Messages behind, and not getting fewer."""

    name: ClassVar[str] = "consumer-lag"
    title: ClassVar[str] = "consumer lag"
    asks: ClassVar[Urgency] = "page"
    windowed: ClassVar[bool] = True
    stores: ClassVar[tuple[str, ...]] = ("kafka",)
    anybody: ClassVar[bool] = True
    begins: ClassVar[Begins] = "gone"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((LAG, "metric-consumer"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Over the threshold, and not lower than before, or not on the way down."""
        window, wait, series = subject.windows(self.name) * 60, self.for_minutes(subject), exposure.metric(LAG)
        minutes = range(exposure.minutes + 1)

        def before(at: int) -> Vector:
            return arithmetic(sum_(select(series, at)), "-", sum_(select(series, at, offset=window)))

        def trend(at: int) -> Vector:
            return sum_(deriv(series, window, at))

        behind = over([_value(sum_(select(series, minute * 60))) for minute in minutes], self.threshold(subject))
        ways: tuple[Callable[[int], Vector], ...] = (before, trend)
        return tuple(Reading(both(behind, [_value(way(minute * 60)) >= 0 for minute in minutes]), wait) for way in ways)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """Over the threshold, and at least as much as a window before."""
        lag, earlier = self._sum(subject), self._sum(subject, self._earlier(subject))
        return self._rule(subject, f"{lag} > {subject.style.thresholds[self.name]} and {lag} >= {earlier}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"{subject.service.name} does not keep up with its messages")

    def _lag(self, subject: Subject) -> str:
        return f"{LAG}{{{subject.scope}}}"

    def _earlier(self, subject: Subject) -> str:
        return f"{self._lag(subject)} offset {self._span(subject)}"

    def _span(self, subject: Subject) -> str:
        return window_text(subject.windows(self.name))

    def _sum(self, subject: Subject, expr: str = "", *, agg: str = "sum") -> str:
        return f"{agg} by ({subject.by}) ({expr or self._lag(subject)})"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """By the trend; the change over the window; unless it drains; recorded; what came in less what was read."""
        limit, by, lag, span = subject.style.thresholds[self.name], subject.by, self._lag(subject), self._span(subject)
        total, earlier = self._sum(subject), self._sum(subject, self._earlier(subject))
        trend, gained = self._sum(subject, f"deriv({lag}[{span}])"), self._sum(subject, f"{lag} - {lag} offset {span}")
        record = f"{by}:consumer_lag_{subject.snake}:sum"
        recorded = f"{record}{{{subject.scope}}}"
        return {
            "trend": (self._rule(subject, f"{total} > {limit} and {trend} >= 0"),),
            "change": (
                self._rule(subject, f"{self._sum(subject, f'delta({lag}[{span}])')} >= 0 and {limit} < {total}"),
            ),
            "unless-draining": (self._rule(subject, f"{total} > {limit} unless {total} < {earlier}"),),
            "recorded": (
                Rule(record, total, is_alert=False),
                self._rule(subject, f"{recorded} > {limit} and deriv({recorded}[{span}]) >= 0"),
            ),
            "difference": (self._rule(subject, f"({total} > {limit}) and {gained} >= 0"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Draining as well; one partition; each partition; growth alone; a rate of a gauge; no `for`."""
        limit, by, lag, span = subject.style.thresholds[self.name], subject.by, self._lag(subject), self._span(subject)
        total = self._sum(subject)
        partitions = f"sum by ({by}, partition) ({lag})"
        return {
            "also-draining": (self._rule(subject, f"{total} > {limit}"), 0.95),
            "one-partition": (self._rule(subject, f"{self._sum(subject, agg='max')} > {limit}"), 0.45),
            "per-partition": (self._rule(subject, f"{partitions} > {limit} / {PARTITIONS}"), 0.65),
            "growing": (self._rule(subject, f"{self._sum(subject, f'deriv({lag}[{span}])')} > 0"), 0.6),
            "rate": (self._rule(subject, f"{self._sum(subject, f'rate({lag}[{span}])')} > {limit}"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.45),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Stalled, one partition too, a little over; a little under, a backlog, a hiccup, no exporter, elsewhere."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit = int(self.threshold(subject))
        start = seed.rng(self.name, "start").between(8, 16)
        pace = limit // 6  # messages a minute while nothing is read
        end = start + 7 + wait + seed.rng(self.name, "length").between(8, 14)
        minutes = end + 12
        stuck = seed.rng(self.name, "partition").below(PARTITIONS)
        usual = limit // 20

        def of(lag: Callable[[int], int], only: int | None = None, missing: range = range(0)) -> MakeSeries:
            """`lag` of all partitions together, on all alike or on one."""

            def messages(partition: int, minute: int) -> int | None:
                share = lag(minute) // PARTITIONS if only is None else lag(minute) * (partition == only)
                return None if minute in missing else share + (minute * 7 + partition * 5) % 4

            return lambda own, exposure: consumer_lag(subject.world, exposure, messages)

        def stalled(until: int) -> Callable[[int], int]:
            """Nothing is read from the start on; afterwards the backlog is gone within two minutes."""
            return lambda minute: usual + pace * (minute - start) if start < minute <= until else usual

        def level(share: int) -> Callable[[int], int]:
            """From the start on at one height, a few messages more every minute."""
            return lambda minute: limit * share // 100 + 5 * (minute - start) if minute >= start else usual

        idle = of(lambda minute: usual)
        yield scenes.plan("stalled", "nothing is read", "fire", minutes, extra=of(stalled(end)), other_extra=idle)
        yield scenes.plan(
            "partition", "one partition is not read", "fire", minutes, extra=of(stalled(end), stuck), other_extra=idle
        )
        near = start + wait + 20
        yield scenes.plan("over", "a little too far behind", "fire", near, extra=of(level(115)), other_extra=idle)
        yield scenes.plan(
            "under", "almost too far behind", "silent", near, extra=of(level(85)), other_extra=idle, word="under"
        )
        last = end + 20
        yield scenes.plan(
            "backlog", "a large backlog drains", "silent", last,
            extra=of(lambda minute: usual if minute < start else limit * 4 - 2 * limit * (minute - start) // last),
            other_extra=idle, word="draining",
        )  # fmt: skip
        yield scenes.plan(
            "hiccup", "nothing is read for a moment", "silent", minutes,
            extra=of(stalled(start + 6 + wait - window - 1)), other_extra=idle, word="hiccup",
        )  # fmt: skip
        yield scenes.plan(
            "unseen", "the exporter is away for a moment", "silent", minutes,
            extra=of(lambda minute: usual, missing=range(start, start + 3)), other_extra=idle, word="missing exporter",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service reads nothing", "silent", minutes,
            extra=idle, other_extra=of(stalled(end)), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-consumer",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            window=subject.windows(self.name),
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return (
            f"team {subject.team.title} is paged when `{subject.service.name}` falls behind with its messages,"
            " but not while it is catching up"
        )


def _value(vector: Vector) -> Number:
    return next(iter(vector.values()), NAN)


KIND = ConsumerLag()
