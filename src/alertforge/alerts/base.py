"""What an alert kind is: a contract, a reference rule, scenarios, and other right and wrong ways to write it.

The contract reads the traffic through the reference evaluator and never looks at a rule; the reference rule is
written independently, and promtool proves the two equal in the gate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Final, Literal, Protocol

from alertforge.grader.spec import AlertCase, InputSeries, Quiet, Scenario, Span
from alertforge.prometheus import alerting
from alertforge.prometheus.functions import Number
from alertforge.prometheus.promql import Expr, parse
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Labels, notation, selector_text
from alertforge.repo.wordings import Fact, fact
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, calm, expose, healthy
from alertforge.world.model import HouseStyle, Service, Team, Urgency, World
from alertforge.world.naming import slug, window_text

MARGIN: Final = Fraction(1, 1_000_000)  # a value closer to a threshold than this share of it is drawn again
# what families of workers count in place of requests, and the slots in which their metrics are said to
WORK: Final[Mapping[str, str]] = {"worker": "jobs", "tasks": "tasks", "consumer": "messages"}
AT_WORK: Final[Mapping[str, str]] = {
    "metric-requests": "metric-work",
    "metric-bucket": "metric-work-bucket",
    "metric-count": "metric-work-count",
}
SLACK: Final = 1  # minutes that a right answer may lag: a record in a later group is seen a tick later


class TooCloseError(Exception):
    """A value lies so close to a threshold, or an outcome so far from its plan, that the traffic is drawn again."""


@dataclass(frozen=True)
class Subject:
    """One service of one company, as an alert kind sees it: names, labels and numbers of the house style."""

    world: World
    service: Service

    @property
    def style(self) -> HouseStyle:
        """The company's house style."""
        return self.world.style

    @property
    def team(self) -> Team:
        """The owning team."""
        return self.world.team(self.service.team)

    @property
    def identity(self) -> Labels:
        """The labels that say which service an alert is about."""
        return Labels.of({self.style.service_label: self.service.name})

    @property
    def snake(self) -> str:
        """The service's name as a part of a record's name: `chat_gw`."""
        return self.service.name.replace("-", "_")

    @property
    def scope(self) -> str:
        """The matcher text for this service: `service="chat-gw"`."""
        return f'{self.style.service_label}="{self.service.name}"'

    @property
    def by(self) -> str:
        """The label to aggregate by."""
        return self.style.service_label

    @property
    def unit(self) -> str:
        """What the service's family counts: `requests`, or the `jobs`, `tasks` or `messages` of a worker."""
        return WORK.get(self.service.family.name, "requests")

    def windows(self, kind: str) -> int:
        """Rate window of an alert kind, minutes."""
        return self.style.windows[kind]

    def alert_name(self, kind: str) -> str:
        """The alert's name in this house."""
        return self.style.alert_name.format(
            Service=self.service.camel, service=self.service.name, symptom=self.style.symptoms[kind]
        )

    def record(self, window: int) -> str:
        """Name of the SLI error ratio over `window` minutes."""
        return self._recorded(self.style.record_name, window)

    def latency_record(self, window: int) -> str:
        """Name of the fraction of slow requests over `window` minutes."""
        return self._recorded(self.style.latency_record_name, window)

    def _recorded(self, pattern: str, window: int) -> str:
        return pattern.format(
            family=self.service.family.name, window=window_text(window), service_label=self.style.service_label
        )

    def runbook(self, alert: str) -> str:
        """The runbook address of an alert."""
        return self.style.runbook.format(
            domain=self.world.domain,
            service=self.service.name,
            team=self.service.team,
            alert=alert,
            slug=slug(alert),
        )

    def labels(self, urgency: Urgency) -> tuple[tuple[str, str], ...]:
        """The static labels that the house asks of an alert."""
        return (
            (self.style.severity_label, self.style.severities[urgency]),
            (self.style.owner_label, self.service.team),
            *self.style.extra_labels,
        )

    def rule(self, kind: AlertKind, expr: str | Expr, *, summary: str, for_: int | None = None) -> Rule:
        """A rule of this house: its names, labels and annotations around an expression."""
        tree = parse(expr) if isinstance(expr, str) else expr
        name = self.alert_name(kind.name)
        minutes = kind.for_minutes(self) if for_ is None else for_
        annotations = [(self.style.summary_key, summary), (self.style.runbook_key, self.runbook(name))]
        return Rule(
            name,
            "0",
            for_=minutes * 60_000,
            labels=self.labels(kind.urgency(self)),
            annotations=tuple(annotations),
        ).with_expr(tree)


def exported(metrics: Iterable[tuple[str, str]], subject: Subject) -> tuple[tuple[str, Fact], ...]:
    """Metric patterns with the names of the subject's family filled in, and what each metric is, to be worded."""
    family = subject.service.family
    names = {"label": family.status_label, "by": subject.by, "pod": subject.style.pod_label}
    if family.name in WORK:
        names["unit"] = WORK[family.name]
        metrics = [(name, AT_WORK.get(slot, slot)) for name, slot in metrics]
    return tuple(
        (name.format(counter=family.counter, histogram=family.histogram), fact(slot, **names)) for name, slot in metrics
    )


# --- contract --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """One way to read the text: the condition a minute, and how long it must hold (minutes)."""

    condition: Sequence[bool]
    for_minutes: int
    keep_minutes: int = 0

    def firing(self) -> list[bool]:
        """Firing minutes of this reading."""
        return alerting.firing(
            self.condition, for_seconds=self.for_minutes * 60, keep_firing_for_seconds=self.keep_minutes * 60
        )


def over(values: Sequence[Number], threshold: Fraction, *, under: bool = False) -> list[bool]:
    """Whether each value is above (or under) a threshold. Raises TooCloseError where arithmetic could decide."""
    out = []
    for value in values:
        if isinstance(value, Fraction) and abs(value - threshold) <= MARGIN * max(abs(threshold), Fraction(1, 1000)):
            raise TooCloseError(f"{float(value)} against {float(threshold)}")
        out.append(value < threshold if under else value > threshold)
    return out


def both(left: Sequence[bool], right: Sequence[bool]) -> list[bool]:
    """Minute by minute `and`."""
    return [a and b for a, b in zip(left, right, strict=True)]


def either(left: Sequence[bool], right: Sequence[bool]) -> list[bool]:
    """Minute by minute `or`."""
    return [a or b for a, b in zip(left, right, strict=True)]


def some_or_same(each: Sequence[Sequence[bool]], wait: int) -> tuple[Reading, Reading]:
    """Any of several: some one at every minute, whichever; or one and the same all the time. Both are right."""
    some = [any(minute) for minute in zip(*each, strict=True)]
    same = [Reading(flags, wait).firing() for flags in each]
    return Reading(some, wait), Reading([any(minute) for minute in zip(*same, strict=True)], 0)


@dataclass(frozen=True)
class Expectation:
    """Minutes at which every right answer fires, and minutes at which some right answer does."""

    must: list[bool]
    may: list[bool]


def expectation(readings: Iterable[Reading], slack: int = SLACK) -> Expectation:
    """What all readings agree on, each of them possibly up to `slack` minutes late."""
    timelines = []
    for reading in readings:
        firing = reading.firing()
        for late in range(slack + 1):
            timelines.append([False] * late + firing[: len(firing) - late])
    return Expectation(
        [all(minute) for minute in zip(*timelines, strict=True)],
        [any(minute) for minute in zip(*timelines, strict=True)],
    )


# --- scenarios -------------------------------------------------------------------------------------------------------

Outcome = Literal["fire", "silent"]
Begins = Literal["gone", "failing", ""]  # that it is gone; that calls fail, where something else counts them; nothing


@dataclass(frozen=True)
class Plan:
    """One scenario of an alert kind: what its service and the others go through, and what should come of it.

    `exposures` holds every service of the scenario, the subject first. `outcome` says what the plan is for; contract
    and plan must agree, or the traffic is drawn again. `word` names the quiet in the checks of a silent scenario.
    """

    key: str
    title: str
    outcome: Outcome
    exposures: tuple[Exposure, ...]
    word: str = ""

    @property
    def minutes(self) -> int:
        """The last minute."""
        return len(self.exposures[0].series[0].samples) - 1


class AlertKind(Protocol):
    """One kind of alert. Implementations are stateless; one file each in this folder."""

    name: ClassVar[str]
    title: ClassVar[str]  # as a person says it: "fast burn"
    burn: ClassVar[bool]  # judged with the reference SLI records too
    definitions: ClassVar[int]  # how many rules of one name are fine
    histogram: ClassVar[bool]  # needs the latency histogram
    stores: ClassVar[tuple[str, ...]]  # what a service must depend on to have the alert: one of these
    anybody: ClassVar[bool]  # such a store is no surprise anywhere: a service may get it with the alert
    protocols: ClassVar[tuple[str, ...]]  # what a service speaks for which the alert makes sense
    felt: ClassVar[bool]  # users notice by themselves what it is for
    begins: ClassVar[Begins]  # what sets it off once nothing of the service is scraped any more
    windowed: ClassVar[bool]  # reads the house's rate window of its kind; otherwise the newest samples
    metrics: ClassVar[tuple[tuple[str, str], ...]]  # what it reads: `{counter}`-style names, and slots

    def exported(self, subject: Subject) -> tuple[tuple[str, Fact], ...]:
        """`metrics` with the subject's names filled in, as the README lists what targets export."""
        ...

    def urgency(self, subject: Subject) -> Urgency:
        """Page or ticket."""
        ...

    def for_minutes(self, subject: Subject) -> int:
        """How long the condition must hold."""
        ...

    def rule(self, subject: Subject) -> Rule:
        """The reference rule."""
        ...

    def readings(self, subject: Subject, exposure: Exposure) -> tuple[Reading, ...]:
        """The contract: all ways to read the text, over the subject's traffic."""
        ...

    def plans(self, subject: Subject, others: Sequence[Service], seed: Seed) -> Iterable[Callable[[Seed], Plan]]:
        """The scenarios, as functions of a seed so that one can be drawn again alone."""
        ...

    def novice(self, subject: Subject) -> Fact:
        """The whole condition in words with every number, for requests that spell everything out."""
        ...

    def outcome(self, subject: Subject) -> str:
        """What the alert is for, without a number: `someone is paged while checkout burns its budget fast`."""
        ...

    def accepted(self, subject: Subject) -> Mapping[str, tuple[Rule, ...]]:
        """At least three other right ways, by name: the rules (alerts and records) in place of the reference rule."""
        ...

    def wrong(self, subject: Subject) -> Mapping[str, tuple[Rule, float]]:
        """At least three wrong ways, by name: the rule, and the bound its requirement's s must not exceed."""
        ...


@dataclass(frozen=True)
class Judged:
    """A scenario with its case, and the cases of the services in trouble beside the subject: none of their business."""

    scenario: Scenario
    case: AlertCase
    beside: tuple[AlertCase, ...] = ()


def build_cases(
    kind: AlertKind, subject: Subject, others: Sequence[Service], seed: Seed, prefix: str
) -> tuple[Judged, ...]:
    """All scenarios of a kind for one subject, with what must happen when."""
    out = []
    for draw in kind.plans(subject, others, seed):
        out.append(_draw(kind, subject, others, draw, seed, prefix))
    return tuple(out)


def _draw(
    kind: AlertKind, subject: Subject, others: Sequence[Service], draw: Callable[[Seed], Plan], seed: Seed, prefix: str
) -> Judged:
    last = ""
    for attempt in range(20):
        plan = complete(draw(seed.child("attempt", attempt)), subject.world, seed)
        try:
            expected = expectation(kind.readings(subject, plan.exposures[0]))
            _agree(kind, plan, expected)
        except TooCloseError as error:
            last = f"{plan.key}: {error}"
            continue
        scenario = scenario_of(plan, prefix)
        return Judged(
            scenario,
            case_of(plan, expected, scenario.id, subject.identity),
            _beside(plan, scenario, subject, others),
        )
    raise RuntimeError(f"{kind.name} for {subject.service.name}: no usable traffic in 20 draws ({last})")


def _beside(plan: Plan, scenario: Scenario, subject: Subject, others: Sequence[Service]) -> tuple[AlertCase, ...]:
    """In another service's outage the alert must not fire for that service either: it has alerts of its own."""
    if plan.word != "other service":
        return ()
    whole = (Quiet("for the other service", Span(0, plan.minutes)),)
    return tuple(AlertCase(scenario.id, Subject(subject.world, other).identity, quiet=whole) for other in others)


def _agree(kind: AlertKind, plan: Plan, expected: Expectation) -> None:
    fires = sum(expected.must)
    if plan.outcome == "silent" and any(expected.may):
        raise TooCloseError("fires in a quiet scenario")
    if plan.outcome == "fire" and fires < 2:
        raise TooCloseError("does not fire in an outage")


def case_of(plan: Plan, expected: Expectation, scenario: str, subject: Labels) -> AlertCase:
    """The case of a plan: firing spans, named quiet spans, and the window of the first firing minute."""
    fires = tuple(Span(a, b) for a, b in _runs(expected.must))
    silent = _runs([not may for may in expected.may])
    first = None
    if fires:
        first = Span(expected.may.index(True), fires[0].first)
    quiet = []
    for start, end in silent:
        if not fires:
            word = plan.word or plan.key
        elif first is not None and end < first.first:
            word = "before"
        elif start > fires[-1].last:
            word = "recovered"
        else:
            word = "between"
        quiet.append(Quiet(word, Span(start, end)))
    return AlertCase(scenario, subject, fires, tuple(quiet), first)


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for minute, flag in enumerate(flags):
        if flag and runs and runs[-1][1] == minute - 1:
            runs[-1] = (runs[-1][0], minute)
        elif flag:
            runs.append((minute, minute))
    return runs


def scenario_of(plan: Plan, prefix: str) -> Scenario:
    """The plan as promtool input."""
    series = tuple(
        InputSeries(selector_text(one.labels), notation(one.samples))
        for exposure in plan.exposures
        for one in exposure.series
    )
    return Scenario(f"{prefix}-{plan.key}", plan.title, plan.minutes, series)


def complete(plan: Plan, world: World, seed: Seed) -> Plan:
    """The plan with the targets of every other service of the company up, so that no absence is seen by accident."""
    staged = {exposure.service.name for exposure in plan.exposures}
    rest = tuple(
        healthy(world, service, seed.child(service.name), plan.minutes)
        for service in world.services
        if service.name not in staged
    )
    return replace(plan, exposures=(*plan.exposures, *rest))


def stage(
    subject: Subject,
    others: Sequence[Service],
    seed: Seed,
    minutes: int,
    flow: Callable[[Seed, Service], Flow] | Flow,
    *,
    histogram: bool = False,
    other_flow: Callable[[Seed, Service], Flow] | None = None,
) -> tuple[Exposure, ...]:
    """The exposures of a scenario: the subject with a flow of its own, the others calm unless said otherwise."""
    own_seed = seed.child(subject.service.name)
    own = flow if isinstance(flow, Flow) else flow(own_seed, subject.service)
    out = [expose(subject.world, subject.service, own, own_seed, histogram=histogram)]
    for other in others:
        other_seed = seed.child(other.name)
        theirs = other_flow(other_seed, other) if other_flow else calm(other_seed, other, minutes)
        out.append(expose(subject.world, other, theirs, other_seed, histogram=histogram))
    return tuple(out)
