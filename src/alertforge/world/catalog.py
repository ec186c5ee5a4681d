"""What services can be: families of request metrics, and the archetypes that an industry's services are drawn from.

The archetypes themselves are tables in `industries`; this module says what a row means and reads them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from alertforge.world.model import SliFamily

Protocol = Literal["web", "rpc", "job"]  # what a service speaks; decides which metric families can count its requests

# Shared stores that a service may depend on; everything else it depends on is another service of its company.
STORES = ("elasticsearch", "kafka", "mysql", "objstore", "postgres", "rabbitmq", "redis")

# Metric, label and value shapes as the exporters and client libraries named in the comments write them.
FAMILIES: Mapping[Protocol, tuple[SliFamily, ...]] = {
    "web": (
        SliFamily(  # the common hand-written middleware
            "http",
            "http_requests_total",
            "code",
            ("200", "304", "404"),
            ("500", "503"),
            "=~",
            "5..",
            "http_request_duration_seconds",
        ),
        SliFamily(  # a house's own filter, with Micrometer's words for outcomes
            "http_server",
            "http_server_responses_total",
            "outcome",
            ("SUCCESS", "REDIRECTION", "CLIENT_ERROR"),
            ("SERVER_ERROR",),
            "=",
            "SERVER_ERROR",
            "http_server_response_seconds",
        ),
        SliFamily(  # ingress-nginx
            "ingress",
            "nginx_ingress_controller_requests",
            "status",
            ("200", "301", "404"),
            ("500", "502", "504"),
            "=~",
            "5[0-9][0-9]",
            "nginx_ingress_controller_request_duration_seconds",
        ),
        SliFamily(  # Traefik
            "traefik",
            "traefik_service_requests_total",
            "code",
            ("200", "302", "404"),
            ("500", "502"),
            "=~",
            "5..",
            "traefik_service_request_duration_seconds",
        ),
        SliFamily(  # Flask
            "flask",
            "flask_http_request_total",
            "status",
            ("200", "201", "400"),
            ("500", "503"),
            "=~",
            "50[0-9]",
            "flask_http_request_duration_seconds",
        ),
        SliFamily(  # instrumentators that group status codes
            "web",
            "http_responses_total",
            "status_class",
            ("2xx", "3xx", "4xx"),
            ("5xx",),
            "=",
            "5xx",
            "http_response_time_seconds",
        ),
    ),
    "rpc": (
        SliFamily(  # grpc-ecosystem middleware
            "grpc",
            "grpc_server_handled_total",
            "grpc_code",
            ("OK", "NotFound", "InvalidArgument"),
            ("Internal", "Unavailable"),
            "=~",
            "Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss",
            "grpc_server_handling_seconds",
        ),
        SliFamily(  # the same middleware in a house that lists what is fine
            "grpc_server",
            "grpc_server_handled_total",
            "grpc_code",
            ("OK", "NotFound", "AlreadyExists"),
            ("Unavailable", "DeadlineExceeded"),
            "!~",
            "OK|NotFound|AlreadyExists|InvalidArgument|Canceled",
            "grpc_server_handling_seconds",
        ),
        SliFamily(
            "rpc",
            "rpc_server_requests_total",
            "status",
            ("ok", "invalid"),
            ("error",),
            "=",
            "error",
            "rpc_server_request_duration_seconds",
        ),
        SliFamily(
            "thrift",
            "thrift_server_calls_total",
            "outcome",
            ("success", "declared_exception"),
            ("exception", "timeout"),
            "=~",
            "exception|timeout",
            "thrift_server_call_duration_seconds",
        ),
    ),
    "job": (
        SliFamily(
            "worker",
            "worker_jobs_total",
            "result",
            ("success", "skipped"),
            ("error",),
            "=",
            "error",
            "worker_job_duration_seconds",
        ),
        SliFamily(
            "tasks",
            "task_executions_total",
            "state",
            ("succeeded", "rescheduled"),
            ("failed", "timed_out"),
            "=~",
            "failed|timed_out",
            "task_execution_seconds",
        ),
        SliFamily(
            "consumer",
            "consumer_messages_processed_total",
            "outcome",
            ("ack",),
            ("nack", "dead_letter"),
            "!=",
            "ack",
            "consumer_processing_duration_seconds",
        ),
    ),
}


IN_FRONT: Final = ("ingress", "traefik")  # families that are exported by what stands in front of services


def protocol(family: SliFamily) -> Protocol:
    """What services speak whose requests a metric family counts. Raises KeyError for a family of no catalog."""
    for one, families in FAMILIES.items():
        if family in families:
            return one
    raise KeyError(family.name)


@dataclass(frozen=True)
class Archetype:
    """A kind of service that companies of one industry run."""

    name: str  # "quote-api"
    title: str  # "the quote API"
    purpose: str  # "prices a lane while the shipper waits"
    protocol: Protocol
    rps: int  # typical busy-hour requests a second
    pods: int  # typical number of pods
    needs: tuple[str, ...]  # STORES, or names of archetypes of the same industry


@dataclass(frozen=True)
class Area:
    """Services that one team would own, and what companies call that team."""

    teams: tuple[tuple[str, str], ...]  # (label value, title) of possible teams, ("quotes", "Quotes")
    archetypes: tuple[Archetype, ...]


def read_areas(table: str) -> tuple[Area, ...]:
    """Read a table of `industries`.

    A line `# quotes=Quotes; rates=Rates` opens an area; a line `name | title | purpose | protocol rps/pods | needs`
    is an archetype of it. Raises ValueError on any other line.
    """
    areas: list[Area] = []
    for line in filter(None, map(str.strip, table.splitlines())):
        if line.startswith("#"):
            teams = [team.strip().partition("=") for team in line[1:].split(";")]
            areas.append(Area(tuple((name, title) for name, _, title in teams), ()))
        else:
            last = areas[-1]
            areas[-1] = Area(last.teams, (*last.archetypes, _read_archetype(line)))
    return tuple(areas)


def _read_archetype(line: str) -> Archetype:
    name, title, purpose, size, needs = (cell.strip() for cell in line.split("|"))
    spoken, _, numbers = size.partition(" ")
    rps, _, pods = numbers.partition("/")
    for protocol in get_args(Protocol):
        if protocol == spoken:
            return Archetype(name, title, purpose, protocol, int(rps), int(pods), tuple(needs.split()))
    raise ValueError(f"unknown protocol {spoken!r} in {line!r}")
