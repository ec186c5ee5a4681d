"""The fleet and exporter rules that surround the ones a task is about.

One YAML file per exporter beside this module, in no company's style: `exporter`, `title`, `role` (the type of team
that owns it: `platform` or `data`) and `rules`. `render` writes them in a house style.

They stay silent in every replay of application traffic: each selector names a metric of its exporter, and `job` as
well wherever the metric could come from somewhere else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, Literal, cast, get_args

from alertforge import yamlsafe
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Pairs, Rule, RuleFile
from alertforge.world.model import HouseStyle

ExporterUrgency = Literal["page", "ticket", "info"]

_FILE_KEYS: Final = frozenset({"exporter", "title", "role", "rules"})
_ALERT_KEYS: Final = frozenset({"alert", "urgency", "expr", "for", "summary"})
_RECORD_KEYS: Final = frozenset({"record", "expr"})


@dataclass(frozen=True)
class ExporterRule:
    """One rule in no company's style. `for_` is in milliseconds; a record has no urgency and no texts."""

    name: str
    is_alert: bool
    urgency: ExporterUrgency | None
    expr: str
    for_: int = 0
    summary: str = ""
    description: str | None = None


@dataclass(frozen=True)
class Exporter:
    """One exporter's rules, records first where alerts read them."""

    name: str  # "kube-state-metrics"
    title: str  # "Kubernetes objects (kube-state-metrics)"
    role: str  # type of team that owns it: "platform" or "data"
    rules: tuple[ExporterRule, ...]


@lru_cache(maxsize=1)
def load_all() -> tuple[Exporter, ...]:
    """Every exporter of the package, by name. Raises ValueError, with the file's name, where one is malformed."""
    entries = sorted((entry for entry in files(__name__).iterdir() if entry.name.endswith(".yml")), key=_name)
    return tuple(read(entry.name, entry.read_text(encoding="utf-8")) for entry in entries)


def _name(entry: Any) -> str:
    return str(entry.name).removesuffix(".yml")


def read(file_name: str, text: str) -> Exporter:
    """One exporter from its YAML. Raises ValueError in one line that starts with the file's name."""
    try:
        document = yamlsafe.load(text, scalars="text")
        if not isinstance(document, dict) or document.keys() != _FILE_KEYS:
            raise ValueError(f"needs exactly the fields {', '.join(sorted(_FILE_KEYS))}")
        if f"{document['exporter']}.yml" != file_name:
            raise ValueError(f"holds exporter {document['exporter']!r}")
        rules = tuple(_rule(raw) for raw in document["rules"])
    except ValueError as error:
        raise ValueError(f"{file_name}: {error}") from error
    return Exporter(document["exporter"], document["title"], document["role"], rules)


def _rule(raw: dict[str, str]) -> ExporterRule:
    if raw.keys() == _RECORD_KEYS:
        return ExporterRule(raw["record"], False, None, _one_line(raw["expr"]))
    if raw.keys() - {"description"} != _ALERT_KEYS:
        raise ValueError(f"rule {raw.get('alert', raw.get('record'))!r} has missing or unknown fields")
    if raw["urgency"] not in get_args(ExporterUrgency):
        raise ValueError(f"rule {raw['alert']!r} has urgency {raw['urgency']!r}")
    return ExporterRule(
        raw["alert"],
        True,
        cast(ExporterUrgency, raw["urgency"]),
        _one_line(raw["expr"]),
        promql.duration_ms(raw["for"]),
        raw["summary"],
        raw.get("description"),
    )


def _one_line(expr: str) -> str:
    """Prometheus' own spelling; where lines break is up to the house style's printer."""
    return promql.to_text(promql.parse(expr))


def render(exporter: Exporter, style: HouseStyle, team: str, domain: str, manifest_labels: Pairs = ()) -> RuleFile:
    """The exporter's rule file in a house style, owned by `team` (label value); `domain` is for runbook URLs."""
    rules = tuple(_in_style(rule, exporter, style, team, domain) for rule in exporter.rules)
    return RuleFile(
        path=f"rules/{exporter.name}.{style.yaml.extension}",
        groups=(Group(exporter.name, rules),),
        manifest_name=f"{exporter.name}-rules" if style.manifests else None,
        manifest_labels=manifest_labels if style.manifests else (),
    )


def _in_style(rule: ExporterRule, exporter: Exporter, style: HouseStyle, team: str, domain: str) -> Rule:
    if rule.urgency is None:
        return Rule(rule.name, rule.expr, is_alert=False)
    severity = style.info_severity if rule.urgency == "info" else style.severities[rule.urgency]
    runbook = style.runbook.format(
        service=exporter.name,
        Service="".join(part.capitalize() for part in exporter.name.split("-")),
        team=team,
        alert=rule.name,
        symptom=rule.name,
        slug=_slug(rule.name),
        domain=domain,
    )
    annotations = [(style.summary_key, rule.summary)]
    if style.description_key is not None and rule.description is not None:
        annotations.append((style.description_key, rule.description))
    return Rule(
        rule.name,
        rule.expr,
        for_=rule.for_,
        labels=((style.severity_label, severity), (style.owner_label, team), *style.extra_labels),
        annotations=(*annotations, (style.runbook_key, runbook)),
    )


def _slug(alert: str) -> str:
    """`NodeClockSkewed` as a page name: `node-clock-skewed`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", alert).lower()
