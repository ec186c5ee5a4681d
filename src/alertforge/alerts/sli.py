"""The error-ratio SLI of a service: its truth from traffic, and its PromQL from the house style.

The two halves are independent: the truth picks series by the statuses the family calls errors, the PromQL by the
family's matcher.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from alertforge.alerts.base import Subject, window_text
from alertforge.prometheus.functions import Number, Vector, arithmetic, rate, sum_
from alertforge.prometheus.series import Labels, Series
from alertforge.traffic.exposure import Exposure

NAN = float("nan")


def error_ratio(
    subject: Subject, exposure: Exposure, window: int, minutes: Iterable[int] | None = None
) -> list[Number]:
    """Failed share of requests over `window` minutes, at every minute or those asked for; NaN without traffic."""
    family = subject.service.family
    out = []
    for minute in _asked(exposure, minutes):
        rates = rate(exposure.metric(family.counter), window * 60, minute * 60)
        bad = {labels: value for labels, value in rates.items() if labels.get(family.status_label) in family.errors}
        out.append(divide(_sum(bad), _sum(rates)))
    return out


def request_rate(subject: Subject, exposure: Exposure, window: int) -> list[Number]:
    """Requests a second over `window` minutes, at every minute; NaN where there is no counter."""
    counter = exposure.metric(subject.service.family.counter)
    return [total(counter, window, minute) for minute in _asked(exposure, None)]


def total(counters: Sequence[Series], window: int, minute: int) -> Number:
    """Sum of the per-second rates of some counters over `window` minutes; NaN where none has two samples."""
    return _sum(rate(counters, window * 60, minute * 60))


def _asked(exposure: Exposure, minutes: Iterable[int] | None) -> Iterable[int]:
    return range(minutes_of(exposure) + 1) if minutes is None else minutes


def _sum(vector: Vector) -> Number:
    return next(iter(sum_(vector).values()), NAN)


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
