# canary df3559a3-57ad-47e7-a725-65604cf87216
"""Rule files as values: plain rule files and PrometheusRule manifests.

Reading is per rule: a rule that Prometheus would refuse becomes a `Problem` and the rest of its file is kept, so that
one slip costs what it breaks and nothing more. Fields and their checks mirror `rulefmt` of Prometheus 3.5.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from alertforge import yamlsafe
from alertforge.prometheus import promql
from alertforge.prometheus.series import METRIC_NAME

Pairs = tuple[tuple[str, str], ...]

MANIFEST_API: Final = "monitoring.coreos.com/v1"
MANIFEST_KIND: Final = "PrometheusRule"
KEPT_FILES: Final = 256  # what they say is remembered ...
KEPT_LENGTH: Final = 100_000  # ... where they have no more characters


@dataclass(frozen=True)
class Rule:
    """One alerting or recording rule; durations in milliseconds."""

    name: str
    expr: str
    is_alert: bool = True
    for_: int = 0
    keep_firing_for: int = 0
    labels: Pairs = ()
    annotations: Pairs = ()

    @property
    def tree(self) -> promql.Expr:
        """The parsed expression. Raises PromQLError where our reader refuses what Prometheus may take."""
        return promql.parsed(self.expr)

    def label(self, name: str) -> str:
        """A static label, empty where it is missing."""
        return dict(self.labels).get(name, "")

    def annotation(self, name: str) -> str:
        """An annotation template, empty where it is missing."""
        return dict(self.annotations).get(name, "")

    def with_expr(self, expr: promql.Expr) -> Rule:
        """The same rule with another expression."""
        return replace(self, expr=promql.to_text(expr))

    def with_label(self, name: str, value: str | None) -> Rule:
        """Set a static label in place (or at the end); None drops it."""
        return replace(self, labels=_set(self.labels, name, value))

    def with_annotation(self, name: str, value: str | None) -> Rule:
        """Set an annotation in place (or at the end); None drops it."""
        return replace(self, annotations=_set(self.annotations, name, value))


@dataclass(frozen=True)
class Group:
    """A rule group; the evaluation settings are kept as written because changing them is tampering."""

    name: str
    rules: tuple[Rule, ...] = ()
    interval: str | None = None
    query_offset: str | None = None
    limit: str | None = None
    labels: Pairs = ()


@dataclass(frozen=True)
class Problem:
    """Something Prometheus would refuse: where and why, in one line."""

    path: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.where}: {self.message}" if self.where else f"{self.path}: {self.message}"


@dataclass(frozen=True)
class RuleFile:
    """A rule file: its path in the repo, its groups, and how it is wrapped."""

    path: str
    groups: tuple[Group, ...] = ()
    manifest_name: str | None = None  # metadata.name where the file is a PrometheusRule manifest
    manifest_labels: Pairs = ()
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    def rules(self) -> Iterator[Rule]:
        """All rules, in file order."""
        for group in self.groups:
            yield from group.rules


def _set(pairs: Pairs, name: str, value: str | None) -> Pairs:
    if value is None:
        return tuple(pair for pair in pairs if pair[0] != name)
    if any(pair[0] == name for pair in pairs):
        return tuple((key, value if key == name else old) for key, old in pairs)
    return (*pairs, (name, value))


# --- reading ---------------------------------------------------------------------------------------------------------


class _RefusedError(ValueError):
    """A rule, group or file that Prometheus would not load."""


def read(path: str, text: str) -> RuleFile:
    """Read one file, plain or manifest. Never raises: what cannot be read is in `problems`."""
    return _kept(path, text) if len(text) <= KEPT_LENGTH else _read(path, text)


def _read(path: str, text: str) -> RuleFile:
    try:
        document = yamlsafe.load(text, scalars="text")
    except yamlsafe.YamlError as error:
        return RuleFile(path, problems=(Problem(path, "", str(error)),))
    try:
        return _file(path, document)
    except _RefusedError as error:
        return RuleFile(path, problems=(Problem(path, "", str(error)),))


_kept = lru_cache(maxsize=KEPT_FILES)(_read)


def _file(path: str, document: Any) -> RuleFile:
    if document is None:
        return RuleFile(path)
    if not isinstance(document, dict):
        raise _RefusedError("not a mapping with `groups`")
    manifest_name: str | None = None
    manifest_labels: Pairs = ()
    if "kind" in document or "apiVersion" in document:
        if document.get("kind") != MANIFEST_KIND or document.get("apiVersion") != MANIFEST_API:
            raise _RefusedError(f"manifest is not a {MANIFEST_KIND} of {MANIFEST_API}")
        metadata = document.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            raise _RefusedError("manifest has no metadata.name")
        manifest_name = metadata["name"]
        manifest_labels = _pairs(metadata.get("labels"), "metadata.labels")
        document = document.get("spec")
        if not isinstance(document, dict):
            raise _RefusedError("manifest has no spec")
    _only(document, {"groups"}, "file")
    groups: list[Group] = []
    problems: list[Problem] = []
    for position, raw in enumerate(_list(document.get("groups"), "groups"), 1):
        try:
            group, bad = _group(path, raw)
        except _RefusedError as error:
            problems.append(Problem(path, f"group {position}", str(error)))
            continue
        if any(group.name == other.name for other in groups):
            problems.append(Problem(path, f"group {group.name!r}", "repeated in the same file"))
        groups.append(group)
        problems += bad
    return RuleFile(path, tuple(groups), manifest_name, manifest_labels, tuple(problems))


def _group(path: str, raw: Any) -> tuple[Group, list[Problem]]:
    if not isinstance(raw, dict):
        raise _RefusedError("not a mapping")
    _only(raw, {"name", "rules", "interval", "query_offset", "limit", "labels"}, "group")
    name = raw.get("name")
    if not isinstance(name, str) or not name:
        raise _RefusedError("no name")
    rules: list[Rule] = []
    problems: list[Problem] = []
    for position, item in enumerate(_list(raw.get("rules"), "rules"), 1):
        try:
            rules.append(_rule(item))
        except (_RefusedError, promql.PromQLError) as error:
            problems.append(Problem(path, f"group {name!r}, rule {position}", str(error)))
    settings = {key: _text(raw.get(key), key) for key in ("interval", "query_offset", "limit")}
    return Group(name, tuple(rules), labels=_labels(raw.get("labels"), "labels"), **settings), problems


def _rule(raw: Any) -> Rule:
    if not isinstance(raw, dict):
        raise _RefusedError("not a mapping")
    _only(raw, {"alert", "record", "expr", "for", "keep_firing_for", "labels", "annotations"}, "rule")
    alert, record = _text(raw.get("alert"), "alert"), _text(raw.get("record"), "record")
    if bool(alert) == bool(record):
        raise _RefusedError("needs one of `alert` and `record`")
    expr = _text(raw.get("expr"), "expr")
    if not expr or not expr.strip():
        raise _RefusedError("no expr")
    for_, keep = _duration(raw.get("for"), "for"), _duration(raw.get("keep_firing_for"), "keep_firing_for")
    labels = _labels(raw.get("labels"), "labels")
    annotations = _pairs(raw.get("annotations"), "annotations")
    if record:
        if for_ or keep or annotations:
            raise _RefusedError("a recording rule takes no `for`, `keep_firing_for` or annotations")
        if "{" in record or "}" in record or not record.isprintable():
            raise _RefusedError(f"invalid recording rule name: {record[:80]!r}")
        return Rule(record, expr, is_alert=False, labels=labels)
    assert alert
    return Rule(alert, expr, True, for_, keep, labels, annotations)


def _only(mapping: Mapping[Any, Any], known: set[str], what: str) -> None:
    unknown = sorted(str(key) for key in mapping if key not in known)
    if unknown:
        raise _RefusedError(f"unknown field in {what}: {unknown[0][:60]!r}")


def _list(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _RefusedError(f"`{what}` is not a list")
    return value


def _text(value: Any, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _RefusedError(f"`{what}` is not a scalar")


def _pairs(value: Any, what: str) -> Pairs:
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise _RefusedError(f"`{what}` is not a mapping")
    for key, item in value.items():
        if not isinstance(key, str) or not (item is None or isinstance(item, str)):
            raise _RefusedError(f"`{what}` holds something that is not text")
    return tuple((key, item or "") for key, item in value.items())


def _labels(value: Any, what: str) -> Pairs:
    pairs = _pairs(value, what)
    if any(not name or name == METRIC_NAME for name, _ in pairs):
        raise _RefusedError(f"`{what}` holds an invalid label name")
    return pairs


def _duration(value: Any, what: str) -> int:
    text = _text(value, what)
    if text is None or text == "":
        return 0
    try:
        return promql.duration_ms(text)
    except promql.PromQLError as error:
        raise _RefusedError(f"`{what}`: {error}") from None


# --- writing ---------------------------------------------------------------------------------------------------------


def rule_mapping(rule: Rule) -> dict[str, Any]:
    """The rule as the plain mapping a rule file holds, fields in the usual order."""
    out: dict[str, Any] = {"alert" if rule.is_alert else "record": rule.name, "expr": rule.expr}
    if rule.for_:
        out["for"] = promql.duration_text(rule.for_)
    if rule.keep_firing_for:
        out["keep_firing_for"] = promql.duration_text(rule.keep_firing_for)
    if rule.labels:
        out["labels"] = dict(rule.labels)
    if rule.annotations:
        out["annotations"] = dict(rule.annotations)
    return out


def group_mapping(group: Group) -> dict[str, Any]:
    """The group as the plain mapping a rule file holds."""
    out: dict[str, Any] = {"name": group.name}
    for key in ("interval", "query_offset", "limit"):
        value = getattr(group, key)
        if value is not None:
            out[key] = int(value) if key == "limit" and value.isdecimal() else value
    if group.labels:
        out["labels"] = dict(group.labels)
    out["rules"] = [rule_mapping(rule) for rule in group.rules]
    return out


def machine_text(groups: Iterable[Group]) -> str:
    """A plain rule file for promtool (JSON, which is YAML): for machines, not for readers."""
    return json.dumps({"groups": [group_mapping(group) for group in groups]}, ensure_ascii=False)
