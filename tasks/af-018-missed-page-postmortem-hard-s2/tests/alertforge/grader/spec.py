# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""The hidden contract of a task: what `tests/spec.json` holds, as values.

The spec says what must happen and when; it holds no PromQL but the baseline that preservation compares with. Minutes
are evaluation ticks: minute 0 is the first, `Scenario.minutes` the last. Label sets are plain mappings in JSON and
`Labels` here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from alertforge.prometheus.series import Labels

SPEC_VERSION: Final = 1

WEIGHTS: Final = {"alert": 3, "repair": 3, "recording": 2, "route": 2, "inhibition": 2}


class SpecError(ValueError):
    """The spec is not one this grader can read; one line."""


@dataclass(frozen=True)
class Span:
    """Minutes `first` to `last`, both included."""

    first: int
    last: int

    def __contains__(self, minute: object) -> bool:
        return isinstance(minute, int) and self.first <= minute <= self.last

    def minutes(self) -> range:
        """Every minute of the span."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True)
class InputSeries:
    """One input series in promtool's notation: `metric{label="value"}` and its samples."""

    series: str
    values: str


@dataclass(frozen=True)
class Scenario:
    """Synthetic series over `minutes` minutes, one sample and one evaluation a minute."""

    id: str
    title: str
    minutes: int
    series: tuple[InputSeries, ...]


# --- alerts ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Quiet:
    """Minutes in which an alert must not fire, and why in a word: `before`, `spike`, `recovered`, `other service`."""

    reason: str
    span: Span


@dataclass(frozen=True)
class AlertCase:
    """What one alert must do for one subject in one scenario.

    `fires` are minutes at which every right answer is firing, `quiet` minutes at which none is; what lies between is
    where right answers differ. `first` is the window in which the first firing minute must fall, counted from the
    start of the scenario (None where the case has no onset). An alert belongs to the subject when it carries all
    labels of `subject`.
    """

    scenario: str
    subject: Labels
    fires: tuple[Span, ...] = ()
    quiet: tuple[Quiet, ...] = ()
    first: Span | None = None


@dataclass(frozen=True)
class LabelRule:
    """A label that every firing alert of the requirement must carry, with its value, per subject."""

    name: str
    value: str
    subject: Labels = field(default_factory=Labels)  # applies to alerts that carry these labels


@dataclass(frozen=True)
class AnnotationRule:
    """An annotation as rendered: `present` (not empty), `contains` or `equals` a text."""

    name: str
    mode: Literal["present", "contains", "equals"]
    value: str = ""
    subject: Labels = field(default_factory=Labels)


@dataclass(frozen=True)
class AlertRequirement:
    """A new alert (`alert`) or the repair of one (`repair`).

    `definitions` is how many distinct rules of that name are fine; `burn` alerts are judged twice, once with the
    reference SLI records in place of the workspace's own. Under an `own_name`, which bears the subject's, it may
    fire for nobody else.
    """

    id: str
    kind: Literal["alert", "repair"]
    alert: str
    cases: tuple[AlertCase, ...]
    labels: tuple[LabelRule, ...] = ()
    annotations: tuple[AnnotationRule, ...] = ()
    definitions: int = 1
    burn: bool = False
    own_name: bool = False
    q_start: float = 0.0


# --- recording rules -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RecordCase:
    """A record's value for one subject at one minute. `value` None: no sample may be there."""

    scenario: str
    minute: int
    record: str
    subject: Labels
    value: float | None
    tolerance: float = 1e-6  # relative


@dataclass(frozen=True)
class CardinalityCase:
    """How many series a record has at one minute, without those of `others`, which are another request's.

    The empty label set among them: series that are about nobody.
    """

    scenario: str
    minute: int
    record: str
    count: int
    others: tuple[Labels, ...] = ()


@dataclass(frozen=True)
class RecordingRequirement:
    """Recording rules: values and how many series there are.

    `definitions` is how many distinct rules of one name are fine for one subject.
    """

    id: str
    records: tuple[str, ...]
    values: tuple[RecordCase, ...]
    cardinality: tuple[CardinalityCase, ...]
    definitions: int = 1
    kind: Literal["recording"] = "recording"
    q_start: float = 0.0


# --- routes ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RouteCase:
    """Where an alert with the labels given goes.

    A positive case names the exact set of `receivers`; a negative one (`receivers` None) only the `forbidden` ones.
    `why` is said to the reader of a failed check.
    """

    labels: Labels
    receivers: tuple[str, ...] | None
    forbidden: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True)
class ChainCase:
    """Where the page of an alert goes that really fired in a replay, after inhibition, at one minute."""

    scenario: str
    minute: int
    alert: str
    subject: Labels
    receivers: tuple[str, ...]
    why: str = ""


@dataclass(frozen=True)
class Grouping:
    """How alerts are put together for a receiver, inherited values included; milliseconds."""

    group_by: tuple[str, ...]
    group_wait: int
    group_interval: int
    repeat_interval: int


@dataclass(frozen=True)
class ReceiverRule:
    """How a receiver of a positive case notifies, where it is judged.

    `integrations` are texts of `integrations.canonical`.
    """

    name: str
    grouping: Grouping | None = None
    integrations: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RouteRequirement:
    """Routing of a team, a severity or a service. A receiver that `receivers` names must notify as it says."""

    id: str
    cases: tuple[RouteCase, ...]
    chain: tuple[ChainCase, ...] = ()
    receivers: tuple[ReceiverRule, ...] = ()
    kind: Literal["route"] = "route"
    q_start: float = 0.0


# --- inhibition ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class InhibitionCase:
    """With the `others` active beside it, is the alert with `labels` suppressed?"""

    labels: Labels
    others: tuple[Labels, ...]
    suppressed: bool
    why: str = ""


@dataclass(frozen=True)
class SuppressionCase:
    """Is the alert that really fired in a replay suppressed at that minute?"""

    scenario: str
    minute: int
    alert: str
    subject: Labels
    suppressed: bool
    why: str = ""


@dataclass(frozen=True)
class InhibitionRequirement:
    """Inhibition of some alerts by others."""

    id: str
    cases: tuple[InhibitionCase, ...]
    chain: tuple[SuppressionCase, ...] = ()
    kind: Literal["inhibition"] = "inhibition"
    q_start: float = 0.0


Requirement = AlertRequirement | RecordingRequirement | RouteRequirement | InhibitionRequirement


# --- preservation ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RouteProbe:
    """A label set whose delivery no item changes: its receivers and how they group, as in the baseline."""

    labels: Labels
    receivers: tuple[str, ...]


@dataclass(frozen=True)
class Suppression:
    """While the one alert fires, the other is inhibited."""

    source: Labels
    target: Labels


@dataclass(frozen=True)
class Preservation:
    """What must still do what it did. The baseline itself (rules and Alertmanager config) lies in `hidden/baseline`.

    Alerts, records and receivers that items may change or add are `touched` and not compared. `alerts` are the label
    sets of all alerts that can fire once everything is done, with the receivers they then have; `suppressions` are the
    pairs of them that the requests about inhibition are about. Beside these, each goes where it went, and none
    suppresses another that it did not suppress before.
    """

    touched_alerts: tuple[str, ...] = ()
    touched_records: tuple[str, ...] = ()
    touched_receivers: tuple[str, ...] = ()
    routes: tuple[RouteProbe, ...] = ()
    inhibitions: tuple[InhibitionCase, ...] = ()
    alerts: tuple[RouteProbe, ...] = ()
    suppressions: tuple[Suppression, ...] = ()


@dataclass(frozen=True)
class Spec:
    """Everything the grader knows about a task beside the workspace.

    `inputs` are the metric names that targets export (recording one is tampering); `reference_records` names the
    rule file in `hidden/` that holds the reference SLI records.
    """

    version: int
    task: str
    scenarios: tuple[Scenario, ...]
    alerts: tuple[AlertRequirement, ...] = ()
    recordings: tuple[RecordingRequirement, ...] = ()
    routes: tuple[RouteRequirement, ...] = ()
    inhibitions: tuple[InhibitionRequirement, ...] = ()
    preservation: Preservation = Preservation()
    inputs: tuple[str, ...] = ()
    reference_records: str | None = None

    def requirements(self) -> tuple[Requirement, ...]:
        """All requirements, by id."""
        every: list[Requirement] = [*self.alerts, *self.recordings, *self.routes, *self.inhibitions]
        return tuple(sorted(every, key=lambda r: (r.id[0], int(r.id[1:]))))

    def scenario(self, scenario_id: str) -> Scenario:
        """A scenario by id. Raises KeyError."""
        return next((s for s in self.scenarios if s.id == scenario_id), None) or _missing(scenario_id)


def _missing(scenario_id: str) -> Scenario:
    raise KeyError(scenario_id)


# --- JSON ------------------------------------------------------------------------------------------------------------


def to_json(spec: Spec) -> str:
    """The spec as JSON text: fields in declaration order, defaults left out, one line a list item for diffs."""
    return json.dumps(_plain(spec), ensure_ascii=False, indent=1) + "\n"


def load(path: Path) -> Spec:
    """Read and validate a spec file. Raises SpecError."""
    try:
        raw = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise SpecError(f"{path.name}: {error}") from None
    return from_plain(raw)


def from_plain(raw: Any) -> Spec:
    """Build a Spec from decoded JSON. Raises SpecError with the place of the first fault."""
    if not isinstance(raw, dict) or raw.get("version") != SPEC_VERSION:
        raise SpecError(f"spec version is not {SPEC_VERSION}")
    spec = _build(Spec, raw, "spec")
    assert isinstance(spec, Spec)
    _validate(spec)
    return spec


def _validate(spec: Spec) -> None:
    scenarios = {scenario.id: scenario for scenario in spec.scenarios}
    if len(scenarios) != len(spec.scenarios):
        raise SpecError("scenario ids repeat")
    ids = [requirement.id for requirement in spec.requirements()]
    if len(set(ids)) != len(ids):
        raise SpecError("requirement ids repeat")
    for place, scenario_id, last in _references(spec):
        if scenario_id not in scenarios:
            raise SpecError(f"{place}: unknown scenario {scenario_id!r}")
        if not 0 <= last <= scenarios[scenario_id].minutes:
            raise SpecError(f"{place}: minute {last} outside scenario {scenario_id!r}")


def _references(spec: Spec) -> Iterable[tuple[str, str, int]]:
    for alert in spec.alerts:
        for case in alert.cases:
            spans = [*case.fires, *(quiet.span for quiet in case.quiet), *([case.first] if case.first else [])]
            for span in spans or [Span(0, 0)]:
                yield alert.id, case.scenario, span.last
    for recording in spec.recordings:
        for value in recording.values:
            yield recording.id, value.scenario, value.minute
        for count in recording.cardinality:
            yield recording.id, count.scenario, count.minute
    for route in spec.routes:
        for page in route.chain:
            yield route.id, page.scenario, page.minute
    for inhibition in spec.inhibitions:
        for link in inhibition.chain:
            yield inhibition.id, link.scenario, link.minute


def _plain(value: Any) -> Any:
    if isinstance(value, Labels):
        return value.as_dict()
    if is_dataclass(value):
        return {
            f.name: _plain(getattr(value, f.name))
            for f in fields(value)
            if f.name in ("version", "kind") or getattr(value, f.name) != _default(f)
        }
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _default(f: Any) -> Any:
    return f.default_factory() if callable(f.default_factory) else f.default


def _build(kind: Any, raw: Any, where: str) -> Any:
    if kind is Labels:
        if not isinstance(raw, dict) or not all(isinstance(v, str) for v in raw.values()):
            raise SpecError(f"{where}: not a label set")
        return Labels.of(raw)
    if is_dataclass(kind):
        return _build_dataclass(kind, raw, where)
    origin = get_origin(kind)
    if origin is tuple:
        if not isinstance(raw, list):
            raise SpecError(f"{where}: not a list")
        return tuple(_build(get_args(kind)[0], item, f"{where}[{i}]") for i, item in enumerate(raw))
    if origin in (Union, UnionType):
        if raw is None:
            return None
        return _build(next(a for a in get_args(kind) if a is not type(None)), raw, where)
    if origin is Literal:
        if raw not in get_args(kind):
            raise SpecError(f"{where}: {raw!r} is not one of {', '.join(map(str, get_args(kind)))}")
        return raw
    if kind is float and isinstance(raw, int) and not isinstance(raw, bool):
        return float(raw)
    if not isinstance(raw, kind) or (isinstance(raw, bool) and kind is not bool):
        raise SpecError(f"{where}: not a {kind.__name__}")
    return raw


def _build_dataclass(kind: Any, raw: Any, where: str) -> Any:
    if not isinstance(raw, Mapping):
        raise SpecError(f"{where}: not an object")
    kinds = _field_kinds(kind)
    unknown = sorted(set(raw) - set(kinds))
    if unknown:
        raise SpecError(f"{where}: unknown key {unknown[0]!r}")
    try:
        return kind(**{name: _build(kinds[name], raw[name], f"{where}.{name}") for name in kinds if name in raw})
    except TypeError as error:
        raise SpecError(f"{where}: {error}") from None


@cache
def _field_kinds(kind: Any) -> Mapping[str, Any]:
    """The fields of one of the classes above, in order, with their types."""
    hints = get_type_hints(kind)
    return {f.name: hints[f.name] for f in fields(kind)}
