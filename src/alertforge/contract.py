"""The hidden contract of a task: requirements and scenarios of its items, and what must be preserved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle

from alertforge.alertmanager import routing as amrouting
from alertforge.alerts import KINDS
from alertforge.draft import Draft
from alertforge.grader.spec import (
    SPEC_VERSION,
    AlertRequirement,
    InhibitionRequirement,
    InputSeries,
    Preservation,
    RecordingRequirement,
    RouteProbe,
    RouteRequirement,
    Scenario,
    Spec,
)
from alertforge.groundwork import sli_rules
from alertforge.items.strangers import stranger, strangers
from alertforge.items.surroundings import with_surroundings
from alertforge.prometheus.rules import Group, Rule, machine_text
from alertforge.prometheus.series import Labels

RECORDS = "records.yml"  # the reference SLI records, below tests/hidden/


def contract(draft: Draft) -> Spec:
    """What the grader checks."""
    scenarios: list[Scenario] = []
    requirements = []
    for item in draft.items:
        requirement, own = item.requirement(draft.solved, draft.items)
        requirements.append(requirement)
        scenarios += own
    return Spec(
        SPEC_VERSION,
        draft.name,
        tuple(scenarios),
        tuple(r for r in requirements if isinstance(r, AlertRequirement)),
        tuple(r for r in requirements if isinstance(r, RecordingRequirement)),
        tuple(r for r in requirements if isinstance(r, RouteRequirement)),
        tuple(r for r in requirements if isinstance(r, InhibitionRequirement)),
        with_surroundings(
            _preservation(draft),
            draft.start.config,
            draft.solved,
            draft.world.style.service_label,
            draft.planner.seed.child("surroundings"),
        ),
        _inputs(draft, scenarios),
        RECORDS,
    )


def hidden(draft: Draft) -> dict[str, str]:
    """What lies beside the contract: the repo as it was, and the reference SLI records, by path."""
    return {
        **{f"baseline/{path}": text for path, text in draft.loaded(draft.start).items()},
        RECORDS: _reference_records(draft),
    }


def _reference_records(draft: Draft) -> str:
    groups: dict[str, list[Rule]] = {}
    for sli, service in draft.planner.records():
        groups.setdefault(f"{sli.name}-{service.family.name}", []).extend(sli_rules(draft.planner, sli, service))
    return machine_text([Group(name, tuple(rules)) for name, rules in groups.items()]) + "\n"


def _inputs(draft: Draft, scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Metrics that targets export: those replayed, and those that the README lists."""
    replayed = {_metric(series) for scenario in scenarios for series in scenario.series}
    listed = {
        name
        for service in draft.world.services
        for kind in KINDS.values()
        for name, _ in kind.exported(draft.planner.subject(service))
    }
    return tuple(sorted(replayed | listed))


def _preservation(draft: Draft) -> Preservation:
    """Names that items touch, and probes of routing that stay where they were."""
    touched = [item.touched() for item in draft.items]
    start, solved = draft.start.config.route, draft.solved.config.route
    routes = []
    for labels in _probe_labels(draft):
        before = amrouting.receivers(start, labels.as_dict())
        if before == amrouting.receivers(solved, labels.as_dict()):
            routes.append(RouteProbe(labels, before))
    return Preservation(
        _names(one.alerts for one in touched),
        _names(one.records for one in touched),
        _names(one.receivers for one in touched),
        tuple(routes),
    )


def _probe_labels(draft: Draft) -> Iterable[Labels]:
    """Alerts of every team, of one that does not exist and of none, at every severity, about whatever there may be."""
    style, seed = draft.world.style, draft.planner.seed.child("probes")
    names, services = cycle(strangers(seed, "alertname")), cycle(strangers(seed, style.service_label))
    for team in (*(one.name for one in draft.world.teams), stranger(seed, style.owner_label), ""):
        for level in (*style.severities.values(), style.info_severity):
            yield Labels.of(
                {
                    "alertname": next(names),
                    style.severity_label: level,
                    style.owner_label: team,
                    style.service_label: next(services),
                    **dict(style.extra_labels),
                }
            )


def _metric(series: InputSeries) -> str:
    return series.series.split("{", 1)[0]


def _names(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for group in groups for name in group}))
