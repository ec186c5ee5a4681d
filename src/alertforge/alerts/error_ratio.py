"""Error ratio: too large a share of a service's requests fails, while there is traffic to speak of.

| | |
|---|---|
| means | users see errors now |
| fires | failed requests over all requests, both over the window, are above the threshold while the rate over the same window is at least the traffic guard, for `for` minutes |
| silent | at 0.85 of the threshold, in a spike shorter than `for`, under the guard, while clients send bad requests, on one bad pod that is a small part, elsewhere |
| numbers | threshold a fraction of requests; guard in requests a second; window and `for` in minutes |
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from alertforge.alerts.base import Begins, Reading, Subject, both, over
from alertforge.alerts.scenes import Draw, MakeFlow, Scenes, decimal, steps
from alertforge.alerts.sli import AVAILABILITY, error_ratio, errors_text, ratio_text, request_rate, requests_text
from alertforge.alerts.styled import StyledKind
from alertforge.prometheus.rules import Rule
from alertforge.repo.wordings import Fact, Share, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, calm
from alertforge.traffic.shapes import steady
from alertforge.world.model import Service, Urgency
from alertforge.world.naming import window_text


class ErrorRatio(StyledKind):
    """The share of failed requests, with a traffic guard."""

    name: ClassVar[str] = "error-ratio"
    title: ClassVar[str] = "error ratio"
    asks: ClassVar[Urgency] = "page"
    windowed: ClassVar[bool] = True
    felt: ClassVar[bool] = True
    begins: ClassVar[Begins] = "failing"
    metrics: ClassVar[tuple[tuple[str, str], ...]] = (("{counter}", "metric-requests"),)

    # --- contract ----------------------------------------------------------------------------------------------------

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """Ratio over the threshold, and enough traffic."""
        window = subject.windows(self.name)
        failing = over(error_ratio(subject, exposure, window), self.threshold(subject))
        busy = over(request_rate(subject, exposure, window), Fraction(subject.style.min_rps))
        return (Reading(both(failing, busy), self.for_minutes(subject)),)

    # --- rule --------------------------------------------------------------------------------------------------------

    def rule(self, subject: Subject) -> Rule:
        """The ratio, and the guard on the same window."""
        window = subject.windows(self.name)
        return self._rule(
            subject,
            f"{ratio_text(subject, window)} > {subject.style.thresholds[self.name]}"
            f" and {requests_text(subject, window)} >= {subject.style.min_rps}",
        )

    def _rule(self, subject: Subject, expr: str) -> Rule:
        limit = Share(subject.style.thresholds[self.name])
        summary = f"more than {limit.hundredths}% of {subject.service.name} {subject.unit} fail"
        return subject.rule(self, expr, summary=summary)

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """Multiplied out; by increases; recorded first; what succeeds; without labels; guarded in other ways."""
        window, limit, least = subject.windows(self.name), subject.style.thresholds[self.name], subject.style.min_rps
        bad, every, ratio = errors_text(subject, window), requests_text(subject, window), ratio_text(subject, window)
        record = f"{subject.by}:requests_{subject.snake}:rate{window_text(window)}"
        per_window = decimal(Fraction(least) * window * 60)
        others = AVAILABILITY.other_texts(subject, window)
        dropped = f"{subject.style.pod_label}, {subject.service.family.status_label}"
        return {
            "multiplied": (self._rule(subject, f"{bad} > {limit} * ({every} >= {least})"),),
            "increase": (
                self._rule(
                    subject,
                    f"({bad} / {every} > {limit}) and {every} >= {per_window}".replace("rate(", "increase("),
                ),
            ),
            "recorded": (
                Rule(record, every, is_alert=False),
                self._rule(subject, f"{bad} / ({record}{{{subject.scope}}} >= {least}) > {limit}"),
            ),
            "unless-idle": (self._rule(subject, f"{ratio} > {limit} unless {every} < {least}"),),
            "good-share": (self._rule(subject, f"{others['one-minus-good']} > {limit} and {every} >= {least}"),),
            "without": (
                self._rule(
                    subject,
                    f"{ratio} > {limit} and {every} >= {least}".replace(f"by ({subject.by})", f"without ({dropped})"),
                ),
            ),
            "guard-first": (self._rule(subject, f"({every} >= {least}) and {limit} < {ratio}"),),
        }

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """No guard; percent; per pod; errors a second; silent when nothing works; no `for`."""
        window, limit, least = subject.windows(self.name), subject.style.thresholds[self.name], subject.style.min_rps
        every, ratio = requests_text(subject, window), ratio_text(subject, window)
        guard = f"{every} >= {least}"
        per_pod = f"{ratio} > {limit}".replace(f"by ({subject.by})", f"by ({subject.by}, {subject.style.pod_label})")
        return {
            "no-guard": (self._rule(subject, f"{ratio} > {limit}"), 0.95),
            "percent": (self._rule(subject, f"{ratio} > {decimal(Fraction(limit) * 100)} and {guard}"), 0.1),
            "per-pod": (self._rule(subject, f"{per_pod} and on ({subject.by}) {guard}"), 0.65),
            "no-ratio": (self._rule(subject, f"{errors_text(subject, window)} > {limit} and {guard}"), 0.9),
            "capped": (self._rule(subject, f"{ratio} > {limit} < 0.95 and {guard}"), 0.9),
            "no-for": (replace(self.rule(subject), for_=0), 0.5),
        }

    # --- scenarios ---------------------------------------------------------------------------------------------------

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Draw]:
        """Outage, outage with a deploy, thin traffic above the guard; and the quiet ones of the table."""
        scenes, wait, window = Scenes(subject, others), self.for_minutes(subject), subject.windows(self.name)
        limit, guard = self.threshold(subject), Fraction(subject.style.min_rps)
        high, low = min(Fraction(3, 5), limit * 5), limit / 20
        start = seed.rng(self.name, "start").between(12, 20)
        end = start + wait + window + seed.rng(self.name, "length").between(4, 12)
        minutes = end + window + 8

        def ratios(*stretches: tuple[int, int, Fraction]) -> list[Fraction]:
            return steps(minutes, low, *stretches)

        outage = ratios((start, end, high))
        yield scenes.plan("outage", "an outage and its end", "fire", minutes, _failing(minutes, outage))
        yield scenes.plan(
            "deploy", "a deploy after which nothing works", "fire", minutes,
            _failing(minutes, ratios((start, end, Fraction(1))), deploys=frozenset({start, (start + end) // 2 + 1})),
        )  # fmt: skip
        near = window + wait + 16
        over_limit, under_limit = ([limit * Fraction(share, 100)] * (near + 1) for share in (115, 85))
        yield scenes.plan("over", "a little over the threshold", "fire", near, _failing(near, over_limit))
        yield scenes.plan("under", "a little under it", "silent", near, _failing(near, under_limit), word="under")
        spike = ratios((start, start + window - 2, limit * Fraction(115, 100)))
        yield scenes.plan("spike", "a spike shorter than the wait", "silent", minutes, _failing(minutes, spike))
        thin = steps(minutes, Fraction(0), (start, end, Fraction(1, 2)))
        yield scenes.plan("idle", "errors in next to no traffic", "silent", minutes, _failing(minutes, thin, guard / 2))
        yield scenes.plan("thin", "errors in thin traffic", "fire", minutes, _failing(minutes, thin, guard * 2))
        refused = steps(minutes, Fraction(0), (start, end, high))
        yield scenes.plan(
            "refused", "clients send what cannot be served", "silent", minutes,
            _failing(minutes, ratios(), refused=refused), word="bad requests",
        )  # fmt: skip
        share = min(limit * Fraction(85, 100), Fraction(8, 10) / subject.service.pods)
        yield scenes.plan(
            "one-pod", "one bad pod", "silent", minutes,
            _failing(minutes, steps(minutes, low, (start, end, share)), trouble_on=0), word="one pod",
        )  # fmt: skip
        yield scenes.plan(
            "elsewhere", "another service fails", "silent", minutes,
            other_flow=_failing(minutes, outage), word="other service",
        )  # fmt: skip

    # --- words -------------------------------------------------------------------------------------------------------

    def novice(self, subject: Subject) -> Fact:
        """Everything spelled out."""
        return fact(
            "condition-errors",
            service=subject.service.name,
            limit=Share(subject.style.thresholds[self.name]),
            window=subject.windows(self.name),
            rps=subject.style.min_rps,
            wait=self.for_minutes(subject),
        )

    def outcome(self, subject: Subject) -> str:
        """Without numbers."""
        return (
            f"team {subject.team.title} is paged when too many requests to `{subject.service.name}` fail,"
            " but not for a handful of requests at night"
        )


def _failing(
    minutes: int,
    ratios: Sequence[Fraction],
    rps: Fraction | None = None,
    *,
    deploys: frozenset[int] = frozenset(),
    trouble_on: int | None = None,
    refused: Sequence[Fraction] | None = None,
) -> MakeFlow:
    """Traffic with a given share of failures a minute, steady at `rps` if that is given."""

    def flow(seed: Seed, service: Service) -> Flow:
        requests = None if rps is None else steady(seed, minutes, rps)
        return calm(
            seed, service, minutes, errors=ratios, requests=requests, deploys=deploys, trouble_on=trouble_on,
            refused=refused,
        )  # fmt: skip

    return flow


KIND = ErrorRatio()
