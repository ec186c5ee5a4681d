"""The SLIs of a service, availability and latency: their truth from traffic, and their PromQL from the house style.

The two halves are independent: the truth picks series by the statuses the family calls errors, or by what a bucket's
bound comes to; the PromQL uses the family's matcher, and the bound as the server stores it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar, Final, Protocol

from alertforge.alerts.base import Subject
from alertforge.prometheus.functions import Number, arithmetic
from alertforge.prometheus.number import NAN
from alertforge.prometheus.promql import parse, to_text
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Labels, Series
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, calm, stored_le
from alertforge.traffic.rates import summed_rates
from alertforge.world.model import HouseStyle, Service
from alertforge.world.naming import window_text

Shares = Sequence[Fraction] | Fraction | None  # a share a minute, one for all minutes, or the usual background

__all__ = ["AVAILABILITY", "LATENCY", "NAN", "Sli", "budget", "divide", "error_ratio", "windows"]


class Sli(Protocol):
    """A share of requests that is bad, and must stay under what the objective leaves over."""

    name: ClassVar[str]
    budget: ClassVar[str]  # what it leaves over, in words
    histogram: ClassVar[bool]  # needs the latency histogram
    per_service: ClassVar[bool]  # one reference rule a service; otherwise one for all services of the family
    metrics: ClassVar[tuple[tuple[str, str], ...]]  # what it reads, as `AlertKind.metrics`

    def objective(self, service: Service) -> str:
        """The share of requests that must be good, as the catalog writes it."""
        ...

    def record(self, subject: Subject, window: int) -> str:
        """The house's name for the bad share over `window` minutes."""
        ...

    def ratio(
        self, subject: Subject, exposure: Exposure, window: int, minutes: Iterable[int] | None = None
    ) -> list[Number]:
        """The bad share over `window` minutes, at every minute or those asked for; NaN without traffic. Exact."""
        ...

    def ratio_text(self, subject: Subject, window: int, *, scoped: bool = True) -> str:
        """The bad share from counters; unscoped for all services that one rule can be about."""
        ...

    def other_texts(self, subject: Subject, window: int) -> Mapping[str, str]:
        """Other ways to write it, of one service."""
        ...

    def rule(self, subject: Subject, window: int) -> Rule:
        """The reference record over `window` minutes."""
        ...

    def flow(
        self,
        seed: Seed,
        service: Service,
        minutes: int,
        *,
        bad: Shares = None,
        rps: Fraction | None = None,
        deploys: frozenset[int] = frozenset(),
    ) -> Flow:
        """Ordinary traffic with a given share of bad requests a minute."""
        ...


class Availability:
    """Requests that fail, by the statuses that the service's family calls errors."""

    name: ClassVar[str] = "availability"
    budget: ClassVar[str] = "error budget"
    histogram: ClassVar[bool] = False
    per_service: ClassVar[bool] = False
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (("{counter}", "metric-requests"),)

    def objective(self, service: Service) -> str:
        """The availability objective."""
        return service.slo

    def record(self, subject: Subject, window: int) -> str:
        """The house's name for the error ratio."""
        return subject.record(window)

    def ratio(
        self, subject: Subject, exposure: Exposure, window: int, minutes: Iterable[int] | None = None
    ) -> list[Number]:
        """Failed share of requests."""
        return error_ratio(subject, exposure, window, minutes)

    def ratio_text(self, subject: Subject, window: int, *, scoped: bool = True) -> str:
        """Errors over requests."""
        return f"{errors_text(subject, window, scoped=scoped)} / {requests_text(subject, window, scoped=scoped)}"

    def other_texts(self, subject: Subject, window: int) -> Mapping[str, str]:
        """By increases; one minus the good share."""
        family = subject.service.family
        opposite = {"=~": "!~", "!~": "=~", "=": "!=", "!=": "="}[family.error_op]
        good = _sum_rate(subject, window, f'{family.status_label}{opposite}"{family.error_value}"', True)
        return {
            "increase": self.ratio_text(subject, window).replace("rate(", "increase("),
            "one-minus-good": f"1 - {good} / {requests_text(subject, window)}",
        }

    def rule(self, subject: Subject, window: int) -> Rule:
        """The reference record, one rule for all services of the family."""
        return _record(self.record(subject, window), self.ratio_text(subject, window, scoped=False))

    def flow(
        self,
        seed: Seed,
        service: Service,
        minutes: int,
        *,
        bad: Shares = None,
        rps: Fraction | None = None,
        deploys: frozenset[int] = frozenset(),
    ) -> Flow:
        """Traffic with that share of failures."""
        return calm(seed, service, minutes, errors=bad, rps=rps, deploys=deploys)


class Latency:
    """Requests slower than the service's latency threshold, from the histogram that counts all requests."""

    name: ClassVar[str] = "latency"
    budget: ClassVar[str] = "latency budget"
    histogram: ClassVar[bool] = True
    per_service: ClassVar[bool] = True  # the bound is the service's own
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (
        ("{histogram}_bucket", "metric-bucket"),
        ("{histogram}_count", "metric-count"),
    )

    def objective(self, service: Service) -> str:
        """The share of requests that must be fast."""
        return service.latency_slo

    def record(self, subject: Subject, window: int) -> str:
        """The house's name for the slow share."""
        return subject.latency_record(window)

    def ratio(
        self, subject: Subject, exposure: Exposure, window: int, minutes: Iterable[int] | None = None
    ) -> list[Number]:
        """Slow share of requests: those that are not in the bucket of the threshold."""
        asked = _asked(exposure, minutes)
        histogram, bound = subject.service.family.histogram, float(subject.service.latency_threshold)
        buckets = exposure.metric(f"{histogram}_bucket")
        fast = summed_rates([one for one in buckets if float(one.labels.get("le")) == bound], window, asked)
        every = summed_rates(exposure.metric(f"{histogram}_count"), window, asked)
        return [1 - divide(some, all_) for some, all_ in zip(fast, every, strict=True)]

    def ratio_text(self, subject: Subject, window: int, *, scoped: bool = True) -> str:
        """One minus the share in the bucket of the threshold; always of one service, whose bound it is."""
        return f"1 - {self.fast_text(subject, window)} / {self.requests_text(subject, window)}"

    def fast_text(self, subject: Subject, window: int) -> str:
        """`sum by (service) (rate(bucket{le="0.5"}[w]))`: requests a second up to the threshold."""
        return self._sum(subject, "bucket", window, f', le="{stored_le(subject.service.latency_threshold)}"')

    def requests_text(self, subject: Subject, window: int) -> str:
        """`sum by (service) (rate(count[w]))`: all requests a second."""
        return self._sum(subject, "count", window)

    def _sum(self, subject: Subject, part: str, window: int, matcher: str = "") -> str:
        selector = f"{subject.service.family.histogram}_{part}{{{subject.scope}{matcher}}}"
        return f"sum by ({subject.by}) (rate({selector}[{window_text(window)}]))"

    def other_texts(self, subject: Subject, window: int) -> Mapping[str, str]:
        """What is not fast over all; all requests as the last bucket counts them."""
        fast, every = self.fast_text(subject, window), self.requests_text(subject, window)
        last = self._sum(subject, "bucket", window, ', le="+Inf"')
        return {"not-fast": f"({every} - {fast}) / {every}", "last-bucket": f"1 - {fast} / {last}"}

    def rule(self, subject: Subject, window: int) -> Rule:
        """The reference record of the one service."""
        return _record(self.record(subject, window), self.ratio_text(subject, window))

    def flow(
        self,
        seed: Seed,
        service: Service,
        minutes: int,
        *,
        bad: Shares = None,
        rps: Fraction | None = None,
        deploys: frozenset[int] = frozenset(),
    ) -> Flow:
        """Traffic with that share of slow requests."""
        return calm(seed, service, minutes, slow=bad, rps=rps, deploys=deploys)


AVAILABILITY: Final[Sli] = Availability()
LATENCY: Final = Latency()


def windows(style: HouseStyle) -> tuple[int, ...]:
    """The windows, in minutes, that the house's burn alerts read and its SLI records are made for; shortest first."""
    return tuple(sorted({window for tier in style.burn.values() for window in (tier.long, tier.short)}))


def budget(subject: Subject, sli: Sli = AVAILABILITY) -> Fraction:
    """The share of requests that may be bad: 1 - SLO."""
    return 1 - Fraction(sli.objective(subject.service))


def record_text(subject: Subject, window: int, sli: Sli = AVAILABILITY) -> str:
    """The recorded bad share of the service: a selector on the house's record."""
    return f"{sli.record(subject, window)}{{{subject.scope}}}"


def _record(name: str, expr: str) -> Rule:
    return Rule(name, to_text(parse(expr)), is_alert=False)


# --- truth -----------------------------------------------------------------------------------------------------------


def error_ratio(
    subject: Subject, exposure: Exposure, window: int, minutes: Iterable[int] | None = None
) -> list[Number]:
    """Failed share of requests over `window` minutes, at every minute or those asked for; NaN without traffic."""
    family, asked = subject.service.family, _asked(exposure, minutes)
    counters = exposure.metric(family.counter)
    failed = [one for one in counters if one.labels.get(family.status_label) in family.errors]
    bad, every = summed_rates(failed, window, asked), summed_rates(counters, window, asked)
    return [divide(some, all_) for some, all_ in zip(bad, every, strict=True)]


def request_rate(subject: Subject, exposure: Exposure, window: int) -> list[Number]:
    """Requests a second over `window` minutes, at every minute; NaN where there is no counter."""
    return total(exposure, exposure.metric(subject.service.family.counter), window)


def total(exposure: Exposure, counters: Sequence[Series], window: int) -> list[Number]:
    """Sum of the per-second rates of some counters, at every minute; NaN where none has two samples."""
    return summed_rates(counters, window, _asked(exposure, None))


def _asked(exposure: Exposure, minutes: Iterable[int] | None) -> Sequence[int]:
    return range(exposure.minutes + 1) if minutes is None else tuple(minutes)


def divide(left: Number, right: Number) -> Number:
    """Division as PromQL does it: 0/0 is NaN."""
    one = Labels()
    return next(iter(arithmetic({one: left}, "/", {one: right}).values()))


# --- PromQL ----------------------------------------------------------------------------------------------------------


def errors_text(subject: Subject, window: int, *, scoped: bool = True) -> str:
    """`sum by (service) (rate(errors[w]))`; unscoped for all services of the family."""
    family = subject.service.family
    return _sum_rate(subject, window, f'{family.status_label}{family.error_op}"{family.error_value}"', scoped)


def requests_text(subject: Subject, window: int, *, scoped: bool = True) -> str:
    """`sum by (service) (rate(requests[w]))`; unscoped for all services of the family."""
    return _sum_rate(subject, window, "", scoped)


def ratio_text(subject: Subject, window: int, *, scoped: bool = True) -> str:
    """The error ratio over `window` minutes from counters."""
    return AVAILABILITY.ratio_text(subject, window, scoped=scoped)


def _sum_rate(subject: Subject, window: int, matcher: str, scoped: bool) -> str:
    matchers = ", ".join(part for part in (subject.scope if scoped else "", matcher) if part)
    selector = f"{subject.service.family.counter}{{{matchers}}}" if matchers else subject.service.family.counter
    return f"sum by ({subject.by}) (rate({selector}[{window_text(window)}]))"
