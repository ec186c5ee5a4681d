"""Certificate expiry: a certificate of a service runs out and nobody has renewed it.

| | |
|---|---|
| means | users will soon be told that the connection is not safe |
| fires | some certificate of the service has less than the threshold left, or has expired, for `for` minutes; one alert a service |
| silent | with 1.15 of the threshold left, while an old copy is served briefly during a renewal, while a probe is missing, elsewhere |
| numbers | threshold in days; `for` in minutes; the newest samples count, no window |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Reading, Subject, over, some_or_same
from alertforge.alerts.scenes import Draw, MakeSeries, Scenes
from alertforge.alerts.sli import NAN
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.functions import arithmetic, select
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure
from alertforge.traffic.gauges import HOSTS, Readings, certificates
from alertforge.world.model import Service, Urgency

EXPIRY = "probe_ssl_earliest_cert_expiry"
DAY = 86_400


class CertExpiry(StyledKind):
    """Days until the first certificate runs out."""

    name: ClassVar[str] = "cert-expiry"
    title: ClassVar[str] = "certificate expiry"
    asks: ClassVar[Urgency] = "ticket"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = ((EXPIRY, "metric-cert"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Some certificate, or one and the same."""
        limit = self.threshold(subject)
        by_host = []
        for series in exposure.metric(EXPIRY):
            left = []
            for minute in range(exposure.minutes + 1):
                seconds = arithmetic(select([series], minute * 60), "-", minute * 60)
                left.append(next(iter(arithmetic(seconds, "/", DAY).values()), NAN))
            by_host.append(over(left, limit, under=True))
        return some_or_same(by_host, self.for_minutes(subject))

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The certificate that runs out first."""
        return self._rule(subject, f"{self._first(subject)} - time() < {self._seconds(subject)}")

    def _rule(self, subject: Subject, expr: str) -> Rule:
        return subject.rule(self, expr, summary=f"a certificate of {subject.service.name} is about to expire")

    def _first(self, subject: Subject, agg: str = "min") -> str:
        return f"{agg} by ({subject.by}) ({EXPIRY}{{{subject.scope}}})"

    def _seconds(self, subject: Subject) -> str:
        return f"{subject.style.thresholds[self.name]} * {DAY}"

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """In days; by the date; certificates counted; recorded; each first and the smallest of them; `unless`."""
        by, days, first = subject.by, subject.style.thresholds[self.name], self._first(subject)
        expiry, seconds = f"{EXPIRY}{{{subject.scope}}}", self._seconds(subject)
        record = f"{by}:certificate_days_left_{subject.snake}:min"
        return {
            "days": (self._rule(subject, f"({first} - time()) / {DAY} < {days}"),),
            "date": (self._rule(subject, f"{first} < time() + {seconds}"),),
            "counted": (self._rule(subject, f"count by ({by}) ({expiry} - time() < {seconds}) > 0"),),
            "recorded": (
                Rule(record, f"({first} - time()) / {DAY}", is_alert=False),
                self._rule(subject, f"{days} > {record}{{{subject.scope}}}"),
            ),
            "each": (self._rule(subject, f"min by ({by}) ({expiry} - time()) < {seconds}"),),
            "unless": (self._rule(subject, f"{first} unless {first} - time() >= {seconds}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """Hours for days; days against seconds; the last certificate; each of them; only once expired; no `for`."""
        days, first = subject.style.thresholds[self.name], self._first(subject)
        expiry, seconds = f"{EXPIRY}{{{subject.scope}}}", self._seconds(subject)
        return {
            "hours": (self._rule(subject, f"{first} - time() < {days} * 3600"), 0.35),
            "unscaled": (self._rule(subject, f"{first} - time() < {days}"), 0.1),
            "last": (self._rule(subject, f"{self._first(subject, 'max')} - time() < {seconds}"), 0.35),
            "per-host": (self._rule(subject, f"{expiry} - time() < {seconds}"), 0.95),
            "expired": (self._rule(subject, f"{first} < time()"), 0.1),
            "no-for": (replace(self.rule(subject), for_=0), 0.45),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """One runs short, all do, one expires; a little time left, an old copy, a missing probe, renewed, elsewhere."""
        scenes, wait = Scenes(subject, others), self.for_minutes(subject)
        limit = int(self.threshold(subject) * DAY)
        start = seed.rng(self.name, "start").between(8, 16)
        end = start + wait + seed.rng(self.name, "length").between(8, 14)
        minutes = end + 10
        one = seed.rng(self.name, "host").below(len(HOSTS))
        renewed = 90 * DAY

        def of(expiry: Readings) -> MakeSeries:
            return lambda own, exposure: certificates(subject.world, exposure, expiry)

        def left(share: int) -> int:
            return int(limit * Fraction(share, 100))

        def short(only: int | None = None) -> MakeSeries:
            """From the start on it is less than the threshold; renewed after the end."""
            return of(lambda at, minute: renewed if only not in (None, at) or minute > end else start * 60 - 30 + limit)

        fine = of(lambda at, minute: renewed)
        yield scenes.plan(
            "one-short", "one certificate runs short", "fire", minutes, extra=short(one), other_extra=fine
        )
        yield scenes.plan("all-short", "all certificates run short", "fire", minutes, extra=short(), other_extra=fine)
        yield scenes.plan(
            "over", "a little less left than the threshold", "fire", minutes,
            extra=of(lambda at, minute: left(85) if at == one else renewed), other_extra=fine,
        )  # fmt: skip
        yield scenes.plan(
            "expires", "one certificate expires", "fire", minutes,
            extra=of(lambda at, minute: (start + 2) * 60 if at == one else renewed), other_extra=fine,
        )  # fmt: skip
        yield scenes.plan(
            "under", "a little more left than the threshold", "silent", minutes,
            extra=of(lambda at, minute: left(115)), other_extra=fine, word="under",
        )  # fmt: skip
        yield scenes.plan(
            "old-copy", "an old copy is served for a while", "silent", minutes,
            extra=of(lambda at, minute: left(30) if start <= minute <= start + wait - 3 else renewed),
            other_extra=fine, word="old copy",
        )  # fmt: skip
        yield scenes.plan(
            "unprobed", "a probe is missing for a while", "silent", minutes,
            extra=of(lambda at, minute: None if at == one and start <= minute < start + 3 else left(140)),
            other_extra=fine, word="missing probe",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service's certificate runs short", "silent", minutes,
            extra=fine, other_extra=short(), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-cert",
            service=subject.service.name,
            limit=subject.style.thresholds[self.name],
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return (
            f"team {subject.team.title} gets a ticket in time before a certificate of `{subject.service.name}` expires"
        )


KIND = CertExpiry()
