"""The error-ratio SLI of a service: its truth from traffic, and its PromQL from the house style.

The two halves are independent: the truth picks series by the statuses the family calls errors, the PromQL by the
family's matcher.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from alertforge.alerts.base import Subject, window_text
from alertforge.prometheus.functions import Number, arithmetic, rate, sum_
from alertforge.prometheus.series import Labels, Series
from alertforge.traffic.exposure import Exposure

NAN = float("nan")


def total(vector_of: Sequence[Series], window: int, minute: int) -> Number:
    """Sum of the per-second rates of some counters over `window` minutes; NaN where none has two samples."""
    summed = sum_(rate(vector_of, window * 60, minute * 60))
    return next(iter(summed.values()), NAN)


def error_series(subject: Subject, exposure: Exposure) -> tuple[Series, ...]:
    """The counters of failed requests."""
    family = subject.service.family
    return tuple(s for s in exposure.metric(family.counter) if s.labels.get(family.status_label) in family.errors)


def error_ratio(subject: Subject, exposure: Exposure, window: int) -> list[Number]:
    """Failed share of requests over `window` minutes, at every minute; NaN without traffic."""
    bad, every = error_series(subject, exposure), exposure.metric(subject.service.family.counter)
    return [
        divide(total(bad, window, minute), total(every, window, minute)) for minute in range(minutes_of(exposure) + 1)
    ]


def request_rate(subject: Subject, exposure: Exposure, window: int) -> list[Number]:
    """Requests a second over `window` minutes, at every minute; NaN where there is no counter."""
    every = exposure.metric(subject.service.family.counter)
    return [total(every, window, minute) for minute in range(minutes_of(exposure) + 1)]


def minutes_of(exposure: Exposure) -> int:
    """The last minute of a scenario."""
    return len(exposure.series[0].samples) - 1


def divide(left: Number, right: Number) -> Number:
    """Division as PromQL does it: 0/0 is NaN."""
    one = Labels()
    return next(iter(arithmetic({one: left}, "/", {one: right}).values()))


def budget(subject: Subject) -> Fraction:
    """The error budget: 1 - SLO."""
    return 1 - Fraction(subject.service.slo)


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
    return f"{errors_text(subject, window, scoped=scoped)} / {requests_text(subject, window, scoped=scoped)}"


def _sum_rate(subject: Subject, window: int, matcher: str, scoped: bool) -> str:
    matchers = ", ".join(part for part in (subject.scope if scoped else "", matcher) if part)
    selector = f"{subject.service.family.counter}{{{matchers}}}" if matchers else subject.service.family.counter
    return f"sum by ({subject.by}) (rate({selector}[{window_text(window)}]))"


def record_text(subject: Subject, window: int) -> str:
    """The recorded error ratio of the service: a selector on the house's record."""
    return f"{subject.record(window)}{{{subject.scope}}}"
