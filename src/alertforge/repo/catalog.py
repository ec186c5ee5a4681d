"""The service catalog, `slo/services.yaml`, in one of several shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from alertforge.repo.brief import Brief
from alertforge.repo.printer import print_yaml
from alertforge.seeds import Seed
from alertforge.world.model import Service, SliFamily, World
from alertforge.yamlsafe import Plain

PATH: Final = "slo/services.yaml"


@dataclass(frozen=True)
class Keys:
    """What a catalog calls the objectives of a service, dots between nested keys."""

    objective: str
    latency_objective: str
    latency_threshold: str


_Shape = Callable[[World], dict[str, Any]]


def catalog(brief: Brief, seed: Seed) -> str:
    """Every service of the company: owner, what counts as an error, objectives, dependencies; and every team."""
    shape, _ = _shape(seed)
    services = tuple(replace(one, depends_on=brief.needs.get(one.name, one.depends_on)) for one in brief.world.services)
    world = replace(brief.world, services=services)
    header = (f"canary {brief.canary}", f"services of {brief.world.company}, objectives over {_days(brief.world)} days")
    return print_yaml(shape(world), world.style, header)


def keys(seed: Seed) -> Keys:
    """Where the catalog that this seed draws has a service's objectives."""
    return _shape(seed)[1]


def _shape(seed: Seed) -> tuple[_Shape, Keys]:
    return seed.rng("shape").choice(_SHAPES)


def _days(world: World) -> int:
    return world.style.slo_days


def _errors(family: SliFamily) -> str:
    return f'{family.status_label}{family.error_op}"{family.error_value}"'


def _teams(world: World, name: str, title: str, lead: str, **fleet: str) -> list[dict[str, Any]]:
    """All teams, under these keys; the one that owns no service has an entry on what it runs instead."""
    return [
        {
            name: team.name,
            title: team.title,
            lead: team.lead.name,
            **(fleet if team.name == world.fleet else {}),
        }
        for team in world.teams
    ]


def _list_of_services(world: World) -> dict[str, Any]:
    return {
        "slo_period_days": _days(world),
        "services": [
            {
                "name": one.name,
                "title": one.title,
                "purpose": one.purpose,
                "owner": one.team,
                "namespace": one.namespace,
                "sli": {
                    "family": one.family.name,
                    "requests": one.family.counter,
                    "status_label": one.family.status_label,
                    "errors": _errors(one.family),
                    "durations": one.family.histogram,
                },
                "objectives": {
                    "availability": Plain(one.slo),
                    "latency": {"ratio": Plain(one.latency_slo), "seconds": Plain(one.latency_threshold)},
                },
                "depends_on": list(one.depends_on),
            }
            for one in world.services
        ],
        "teams": _teams(world, "name", "title", "lead", runs="hosts, data stores and their exporters"),
    }


def _families_apart(world: World) -> dict[str, Any]:
    families = {one.family.name: one.family for one in world.services}
    return {
        "families": {
            name: {
                "counter": family.counter,
                "status_label": family.status_label,
                "is_error": _errors(family),
                "histogram": family.histogram,
            }
            for name, family in families.items()
        },
        "services": {
            one.name: {
                "what": f"{one.title}, {one.purpose}",
                "team": one.team,
                "namespace": one.namespace,
                "family": one.family.name,
                "slo": Plain(one.slo),
                "latency_slo": Plain(one.latency_slo),
                "latency_threshold_seconds": Plain(one.latency_threshold),
                "needs": list(one.depends_on),
            }
            for one in world.services
        },
        "teams": {
            team.pop("team"): team
            for team in _teams(world, "team", "name", "led_by", looks_after="machines, stores, exporters")
        },
        "period": f"{_days(world)}d",
    }


def _by_team(world: World) -> dict[str, Any]:
    def entry(one: Service) -> dict[str, Any]:
        return {
            "service": one.name,
            "description": f"{one.title}: {one.purpose}",
            "runs_in": one.namespace,
            "counts_requests_with": one.family.counter,
            "request_family": one.family.name,
            "outcome_label": one.family.status_label,
            "error_if": _errors(one.family),
            "measures_latency_with": one.family.histogram,
            "availability_objective": Plain(one.slo),
            "latency_objective": {"share": Plain(one.latency_slo), "faster_than_seconds": Plain(one.latency_threshold)},
            "uses": list(one.depends_on),
        }

    return {
        "objective_window_days": _days(world),
        "teams": [
            {
                **team,
                "owns": [entry(one) for one in world.services if one.team == team["team"]],
            }
            for team in _teams(world, "team", "title", "lead", operates="hosts, databases and exporters")
        ],
    }


def _objectives_apart(world: World) -> dict[str, Any]:
    return {
        "window_days": _days(world),
        "services": [
            {
                "id": one.name,
                "is": one.title,
                "does": one.purpose,
                "owned_by": one.team,
                "kubernetes_namespace": one.namespace,
                "depends_on": list(one.depends_on),
            }
            for one in world.services
        ],
        "teams": _teams(world, "id", "called", "lead", responsible_for="the platform and its exporters"),
        "indicators": [
            {
                "service": one.name,
                "family": one.family.name,
                "total": one.family.counter,
                "bad_requests": _errors(one.family),
                "bad_requests_label": one.family.status_label,
                "durations": one.family.histogram,
            }
            for one in world.services
        ],
        "objectives": {
            one.name: {
                "good_requests": Plain(one.slo),
                "fast_requests": Plain(one.latency_slo),
                "fast_means_at_most_seconds": Plain(one.latency_threshold),
            }
            for one in world.services
        },
    }


_SHAPES: Final[tuple[tuple[_Shape, Keys], ...]] = (
    (
        _list_of_services,
        Keys("objectives.availability", "objectives.latency.ratio", "objectives.latency.seconds"),
    ),
    (_families_apart, Keys("slo", "latency_slo", "latency_threshold_seconds")),
    (
        _by_team,
        Keys("availability_objective", "latency_objective.share", "latency_objective.faster_than_seconds"),
    ),
    (_objectives_apart, Keys("good_requests", "fast_requests", "fast_means_at_most_seconds")),
)
