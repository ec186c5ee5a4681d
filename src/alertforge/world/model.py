"""What a task is about: company, people, teams, services, and the company's house style.

Plain values; `world.create` draws them from a seed. Everything a text or a rule needs to know about a company is
here, so that a new company convention is a new field or a new value, never a special case in a rule or template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Literal

Urgency = Literal["page", "ticket"]  # what an alert asks for; the company's word for it is in its house style


@dataclass(frozen=True)
class Person:
    """Someone who is on call, writes postmortems or files requests."""

    name: str  # "Ines Halvorsen"
    handle: str  # "ines"
    role: str


@dataclass(frozen=True)
class Team:
    """A team that owns services."""

    name: str  # label value, "payments"
    title: str  # "Payments"
    lead: Person
    members: tuple[Person, ...]


@dataclass(frozen=True)
class SliFamily:
    """How a service counts its requests: the metric, and which label values are errors.

    `error_matcher` is PromQL (`code=~"5.."`); `statuses` maps an outcome to the label value the exporter writes.
    """

    name: str  # "http", "grpc", ...
    counter: str  # "http_requests_total"
    status_label: str  # "code"
    ok: tuple[str, ...]  # values that are no errors, most frequent first: ("200", "302", "404")
    errors: tuple[str, ...]  # ("500", "503")
    error_op: Literal["=~", "!~", "=", "!="]
    error_value: str  # "5.."
    histogram: str  # base name, "http_request_duration_seconds"


@dataclass(frozen=True)
class Service:
    """One service and what it exports. `name` is the value of the style's service label."""

    name: str  # "chat-gw"
    title: str  # "the chat gateway"
    team: str
    family: SliFamily
    slo: str  # availability objective as written in the catalog, "0.995"
    namespace: str
    pods: int
    rps: int  # busy-hour requests a second, all pods
    purpose: str  # a clause: "terminates websocket sessions"
    depends_on: tuple[str, ...] = ()
    latency_slo: str = "0.99"  # fraction of requests faster than latency_threshold
    latency_threshold: str = "0.5"  # seconds; one of `buckets`
    buckets: tuple[str, ...] = ("0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10")  # seconds, without +Inf

    @property
    def camel(self) -> str:
        """The name as alert names spell it: `ChatGw`."""
        return "".join(part.capitalize() for part in self.name.split("-"))


@dataclass(frozen=True)
class BurnTier:
    """One multi-window burn-rate alert: both windows over `factor` times the error budget."""

    urgency: Urgency
    long: int  # minutes
    short: int  # minutes
    factor: str  # "14.4"
    for_: int  # minutes


@dataclass(frozen=True)
class HouseStyle:
    """One company's conventions. Rules, routes, texts and checks all read them from here.

    Patterns are `str.format` templates over `{service}` (label value), `{Service}` (camel case), `{team}`,
    `{alert}`, `{window}` (`5m`), `{domain}`, `{slug}`, `{symptom}` as far as they make sense for the field.
    """

    severity_label: str  # "severity", "priority", ...
    severities: Mapping[Urgency, str]  # {"page": "critical", "ticket": "warning"}
    info_severity: str  # a third word that neither pages nor files: "info"
    owner_label: str  # "team", "owner", "squad", ...
    service_label: str  # "service", "app", "component"; the identity of an alert
    pod_label: str  # "pod" or "instance"
    extra_labels: tuple[tuple[str, str], ...]  # every alert carries these too: (("env", "prod"),)
    alert_name: str  # "{Service}{symptom}": every service has rules of its own
    symptoms: Mapping[str, str]  # alert kind -> CamelCase symptom, "fast-burn" -> "ErrorBudgetBurnFast"
    record_name: str  # error ratio of a service, "app:sli_error:ratio_rate{window}"; `{family}` may occur
    latency_record_name: str  # fraction of slow requests of a service, same placeholders
    slo_days: int  # length of an SLO period
    burn: Mapping[str, BurnTier]  # "fast", "slow"
    for_: Mapping[str, int]  # alert kind -> minutes
    thresholds: Mapping[str, str]  # alert kind -> threshold as written in the README; units: `styles.UNITS`
    windows: Mapping[str, int]  # alert kind -> minutes its rate, average or regression looks back
    quantile: str  # which quantile latency-quantile alerts judge, "0.99"; the bound is the service's own
    min_rps: str  # ratios judge a service only above this rate, over the same window
    receiver: Mapping[Urgency, str]  # "{team}-pager", "{team}-tickets"
    default_receiver: str
    audit_receiver: str | None  # a receiver that hears of every page too (continue routes), if the company has one
    routing: Literal["team-first", "severity-first", "flat"]
    runbook: str  # "https://runbooks.{domain}/{service}/{slug}"
    runbook_key: str  # annotation: "runbook_url", "runbook"
    summary_key: str  # annotation: "summary"
    description_key: str | None
    group_by: tuple[str, ...]
    files: Literal["by-service", "by-purpose", "by-team"]
    manifests: bool  # PrometheusRule manifests instead of plain files
    yaml: YamlStyle

    def budget_spent(self, tier: BurnTier) -> Fraction:
        """Fraction of the error budget that burning at the tier's factor spends in its long window."""
        return Fraction(tier.factor) * tier.long / (self.slo_days * 24 * 60)


@dataclass(frozen=True)
class YamlStyle:
    """How this company's YAML looks; one printer serves healthy and broken rules alike."""

    indent_lists: bool  # list items indented under their key
    long_expr: Literal["literal", "folded", "plain"]  # how long expressions are written
    width: int  # characters of an expression before it is broken over lines
    flow_labels: bool  # labels: {severity: page}
    quotes: Literal["none", "double", "single"]  # around annotation texts
    spelling: Literal["compact", "spaced"]  # `sum by(x)(y)` or `sum by (x) (y)`
    extension: Literal["yml", "yaml"] = "yml"


@dataclass(frozen=True)
class Calendar:
    """Dates that agree inside one task."""

    today: date
    incident: date
    review: date  # the quarterly alert review
    first_incident: int  # number of the first postmortem
    first_ticket: int


@dataclass(frozen=True)
class World:
    """One fictional company."""

    company: str
    domain: str  # "lumafreight.example"
    industry: str
    blurb: str  # one sentence on what the company does
    teams: tuple[Team, ...]
    fleet: str  # the team of machines, stores and whatever else all services stand on; it owns their alerts
    services: tuple[Service, ...]  # those the task is about first, then bystanders
    focus: int  # how many of `services` the task is about
    sre: Person
    style: HouseStyle
    calendar: Calendar
    ticket_prefix: str  # "OBS"

    def team(self, name: str) -> Team:
        """A team by label value. Raises KeyError."""
        for team in self.teams:
            if team.name == name:
                return team
        raise KeyError(name)

    def service(self, name: str) -> Service:
        """A service by name. Raises KeyError."""
        for service in self.services:
            if service.name == name:
                return service
        raise KeyError(name)
