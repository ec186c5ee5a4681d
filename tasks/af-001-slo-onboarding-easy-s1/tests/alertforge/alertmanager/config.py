# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""Alertmanager configuration as values: read, checked, walked and written.

Reading accepts what `config.Load` of Alertmanager 0.28.1 accepts and refuses what it refuses, but for what is inside
receivers, `global` and time intervals: that is `amtool check-config`'s to judge. Durations are milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import yaml

from alertforge import yamlsafe
from alertforge.alertmanager.matchers import LEGACY_NAME, Matcher, MatcherError
from alertforge.alertmanager.matchers import parse as parse_matchers

T = TypeVar("T")

MAX_ROUTES: Final = 2_000
MAX_INHIBIT_RULES: Final = 500

ALL_LABELS: Final = "..."  # the one entry of a `group_by` that groups by every label

DEFAULT_GROUP_WAIT: Final = 30_000
DEFAULT_GROUP_INTERVAL: Final = 300_000
DEFAULT_REPEAT_INTERVAL: Final = 4 * 3_600_000

_TRUE: Final = frozenset({"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"})
_FALSE: Final = frozenset({"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"})
_UNITS: Final = {
    "y": 31_536_000_000,
    "w": 604_800_000,
    "d": 86_400_000,
    "h": 3_600_000,
    "m": 60_000,
    "s": 1_000,
    "ms": 1,
}
_DURATION: Final = re.compile("".join(rf"(?:([0-9]{{1,20}}){unit})?" for unit in _UNITS))
_LONGEST: Final = (1 << 63) // 1_000_000  # Go holds nanoseconds in an int64


class ConfigError(ValueError):
    """Not a usable Alertmanager configuration; one line."""


@dataclass(frozen=True)
class Route:
    """One node of the routing tree as it is written; None is inherited from the parent."""

    receiver: str | None = None
    group_by: tuple[str, ...] | None = None
    group_wait: int | None = None
    group_interval: int | None = None
    repeat_interval: int | None = None
    matchers: tuple[Matcher, ...] = ()  # all that must hold, the legacy ones included
    continue_: bool = False
    routes: tuple[Route, ...] = ()
    mute_time_intervals: tuple[str, ...] = ()
    active_time_intervals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Receiver:
    """A receiver: its name, and its integrations as plain YAML values."""

    name: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class InhibitRule:
    """Alerts that match `source` mute those that match `target` and agree on every label of `equal`."""

    source: tuple[Matcher, ...] = ()
    target: tuple[Matcher, ...] = ()
    equal: tuple[str, ...] = ()


@dataclass(frozen=True)
class TimeInterval:
    """A named time interval; what it spans as plain YAML values."""

    name: str
    time_intervals: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Config:
    """A whole Alertmanager configuration."""

    global_: Mapping[str, Any]
    route: Route
    receivers: tuple[Receiver, ...] = ()
    inhibit_rules: tuple[InhibitRule, ...] = ()
    time_intervals: tuple[TimeInterval, ...] = ()
    mute_time_intervals: tuple[TimeInterval, ...] = ()  # the deprecated spelling of `time_intervals`
    templates: tuple[str, ...] = ()

    def nodes(self) -> tuple[RouteNode, ...]:
        """Every node of the routing tree, parents before children, in the order of the file."""
        return tuple(RouteNode.root(self.route).walk())


@dataclass(frozen=True)
class RouteNode:
    """A route in its tree: the path to it from the root, and what it does after inheritance."""

    path: tuple[int, ...]
    route: Route
    receiver: str
    group_by: tuple[str, ...] = ()
    group_wait: int = DEFAULT_GROUP_WAIT
    group_interval: int = DEFAULT_GROUP_INTERVAL
    repeat_interval: int = DEFAULT_REPEAT_INTERVAL

    @classmethod
    def root(cls, route: Route) -> RouteNode:
        """The root of a tree, with Alertmanager's defaults for what it leaves open."""
        return cls((), route, "")._with(route, ())

    def children(self) -> Iterator[RouteNode]:
        """The nodes right below, in the order of the file."""
        return (self._with(child, (*self.path, index)) for index, child in enumerate(self.route.routes))

    def walk(self) -> Iterator[RouteNode]:
        """This node and everything below, parents before children."""
        yield self
        for child in self.children():
            yield from child.walk()

    def _with(self, route: Route, path: tuple[int, ...]) -> RouteNode:
        """Mirrors `dispatch.NewRoute`; time intervals are not inherited."""
        return RouteNode(
            path,
            route,
            route.receiver or self.receiver,
            route.group_by or self.group_by,
            self.group_wait if route.group_wait is None else route.group_wait,
            self.group_interval if route.group_interval is None else route.group_interval,
            self.repeat_interval if route.repeat_interval is None else route.repeat_interval,
        )


# --- reading ---------------------------------------------------------------------------------------------------------


def parse(text: str) -> Config:
    """Read a configuration. Raises ConfigError, in one line, for whatever Alertmanager would not start with."""
    try:
        document = yamlsafe.load(text, scalars="marked")
    except yamlsafe.YamlError as error:
        raise ConfigError(str(error)) from None
    if document is None:
        raise ConfigError("empty configuration")
    fields = _mapping(
        document,
        "configuration",
        {"global", "route", "receivers", "inhibit_rules", "time_intervals", "mute_time_intervals", "templates"},
    )
    if fields.get("route") is None:
        raise ConfigError("no route")
    config = Config(
        _optional_mapping(fields.get("global"), "global"),
        _route(fields["route"], "route"),
        _each(fields.get("receivers"), "receivers", _receiver),
        _each(fields.get("inhibit_rules"), "inhibit_rules", _inhibit_rule),
        _each(fields.get("time_intervals"), "time_intervals", _time_interval),
        _each(fields.get("mute_time_intervals"), "mute_time_intervals", _time_interval),
        _strings(fields.get("templates"), "templates"),
    )
    _check(config)
    return config


def _check(config: Config) -> None:
    """The checks across sections, as in `Config.UnmarshalYAML` and `Load`, and a limit on size, which is ours."""
    nodes = config.nodes()
    if len(nodes) > MAX_ROUTES:
        raise ConfigError(f"more than {MAX_ROUTES} routes")
    if len(config.inhibit_rules) > MAX_INHIBIT_RULES:
        raise ConfigError(f"more than {MAX_INHIBIT_RULES} inhibit rules")
    root = config.route
    if not root.receiver:
        raise ConfigError("the root route has no receiver")
    if root.matchers:
        raise ConfigError("the root route has matchers")
    if root.mute_time_intervals or root.active_time_intervals:
        raise ConfigError("the root route has time intervals")
    if root.continue_:
        raise ConfigError("the root route has `continue`")
    receivers = _unique([receiver.name for receiver in config.receivers], "receiver")
    intervals = _unique([item.name for item in (*config.mute_time_intervals, *config.time_intervals)], "time interval")
    for node in nodes:
        if node.receiver not in receivers:
            raise ConfigError(f"{_where(node)}: undefined receiver {node.receiver[:60]!r}")
        for name in (*node.route.mute_time_intervals, *node.route.active_time_intervals):
            if name not in intervals:
                raise ConfigError(f"{_where(node)}: undefined time interval {name[:60]!r}")


def _unique(names: Sequence[str], what: str) -> frozenset[str]:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ConfigError(f"{what} {name[:60]!r} is defined twice")
        seen.add(name)
    return frozenset(seen)


def _where(node: RouteNode) -> str:
    return "route" + "".join(f".routes[{index}]" for index in node.path)


def _route(raw: Any, where: str) -> Route:
    fields = _mapping(
        raw,
        where,
        {"receiver", "group_by", "group_wait", "group_interval", "repeat_interval", "match", "match_re", "matchers"}
        | {"mute_time_intervals", "active_time_intervals", "continue", "routes"},
    )
    return Route(
        receiver=_text(fields.get("receiver"), f"{where}.receiver") or None,
        group_by=_group_by(fields.get("group_by"), f"{where}.group_by"),
        group_wait=_duration(fields.get("group_wait"), f"{where}.group_wait"),
        group_interval=_duration(fields.get("group_interval"), f"{where}.group_interval", positive=True),
        repeat_interval=_duration(fields.get("repeat_interval"), f"{where}.repeat_interval", positive=True),
        matchers=_matchers(fields, where, ""),
        continue_=_bool(fields.get("continue"), f"{where}.continue"),
        routes=_each(fields.get("routes"), f"{where}.routes", _route),
        mute_time_intervals=_strings(fields.get("mute_time_intervals"), f"{where}.mute_time_intervals"),
        active_time_intervals=_strings(fields.get("active_time_intervals"), f"{where}.active_time_intervals"),
    )


def _receiver(raw: Any, where: str) -> Receiver:
    if raw is None:  # Alertmanager takes a null entry for a receiver without a name
        return Receiver("")
    fields = _mapping(raw, where)
    name = _text(fields.get("name"), f"{where}.name")
    if not name:
        raise ConfigError(f"{where}: no name")
    return Receiver(name, {key: value for key, value in fields.items() if key != "name"})


def _inhibit_rule(raw: Any, where: str) -> InhibitRule:
    if raw is None:
        return InhibitRule()
    sides = ("source", "target")
    known = {f"{side}_{form}" for side in sides for form in ("match", "match_re", "matchers")}
    fields = _mapping(raw, where, known | {"equal"})
    source, target = (_matchers(fields, where, f"{side}_") for side in sides)
    equal = _strings(fields.get("equal"), f"{where}.equal")
    if "" in equal:
        raise ConfigError(f"{where}.equal: empty label name")
    return InhibitRule(source, target, equal)


def _time_interval(raw: Any, where: str) -> TimeInterval:
    if raw is None:
        return TimeInterval("")
    fields = _mapping(raw, where, {"name", "time_intervals"})
    name = _text(fields.get("name"), f"{where}.name")
    if not name:
        raise ConfigError(f"{where}: no name")
    return TimeInterval(name, tuple(_list(fields.get("time_intervals"), f"{where}.time_intervals")))


def _matchers(fields: Mapping[str, Any], where: str, side: str) -> tuple[Matcher, ...]:
    out: list[Matcher] = []
    for key, op in ((f"{side}match", "="), (f"{side}match_re", "=~")):
        for name, value in _optional_mapping(fields.get(key), f"{where}.{key}").items():
            if not LEGACY_NAME.fullmatch(name):
                raise ConfigError(f"{where}.{key}: invalid label name {name[:60]!r}")
            if value is None and op == "=~":
                raise ConfigError(f"{where}.{key}: no regular expression for {name[:60]!r}")
            out.append(Matcher(name, op, _text(value, f"{where}.{key}.{name}") or "", legacy=True))
    for line in _strings(fields.get(f"{side}matchers"), f"{where}.{side}matchers"):
        try:
            out += parse_matchers(line)
        except MatcherError as error:
            raise ConfigError(f"{where}.{side}matchers: {error}") from None
    return tuple(out)


def _group_by(raw: Any, where: str) -> tuple[str, ...] | None:
    labels = _strings(raw, where)
    if ALL_LABELS in labels:
        if any(label != ALL_LABELS for label in labels):
            raise ConfigError(f"{where}: `...` stands beside other labels")
        return (ALL_LABELS,)
    if "" in labels:
        raise ConfigError(f"{where}: empty label name")
    if len(set(labels)) < len(labels):
        raise ConfigError(f"{where}: a label stands there twice")
    return labels or None


def _mapping(raw: Any, where: str, known: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise ConfigError(f"{where} is not a mapping")
    unknown = sorted(key for key in raw if known is not None and key not in known)
    if unknown:
        raise ConfigError(f"{where}: unknown field {unknown[0][:60]!r}")
    return raw


def _optional_mapping(raw: Any, where: str) -> dict[str, Any]:
    return {} if raw is None else _mapping(raw, where)


def _list(raw: Any, where: str) -> list[Any]:
    if raw is None:
        return []
    if not isinstance(raw, list):
        raise ConfigError(f"{where} is not a list")
    return raw


def _each(raw: Any, where: str, read: Callable[[Any, str], T]) -> tuple[T, ...]:
    return tuple(read(item, f"{where}[{index}]") for index, item in enumerate(_list(raw, where)))


def _strings(raw: Any, where: str) -> tuple[str, ...]:
    return _each(raw, where, lambda item, at: _text(item, at) or "")


def _text(raw: Any, where: str) -> str | None:
    if raw is not None and not isinstance(raw, str):
        raise ConfigError(f"{where} is not text")
    return None if raw is None else str(raw)


def _bool(raw: Any, where: str) -> bool:
    if raw is None:
        return False
    if isinstance(raw, yamlsafe.Plain) and (raw in _TRUE or raw in _FALSE):
        return raw in _TRUE
    raise ConfigError(f"{where} is not a boolean")


def _duration(raw: Any, where: str, *, positive: bool = False) -> int | None:
    text = _text(raw, where)
    if text is None:
        return None
    found = _DURATION.fullmatch(text)
    if text != "0" and (not text or found is None):
        raise ConfigError(f"{where}: not a duration: {text[:40]!r}")
    parts = found.groups() if found else ()
    total = sum(int(part) * unit for part, unit in zip(parts, _UNITS.values(), strict=False) if part)
    if total >= _LONGEST:
        raise ConfigError(f"{where}: duration out of range: {text[:40]!r}")
    if positive and not total:
        raise ConfigError(f"{where} cannot be zero")
    return total


# --- writing ---------------------------------------------------------------------------------------------------------


def dump(config: Config) -> str:
    """The configuration as a person would write it: sections apart, lists indented, matchers one a line."""
    sections: list[dict[str, Any]] = [
        {"global": config.global_},
        {"route": _route_mapping(config.route)},
        {"inhibit_rules": [_inhibit_mapping(rule) for rule in config.inhibit_rules]},
        {"receivers": [{"name": receiver.name, **receiver.body} for receiver in config.receivers]},
        {"time_intervals": [_interval_mapping(item) for item in config.time_intervals]},
        {"mute_time_intervals": [_interval_mapping(item) for item in config.mute_time_intervals]},
        {"templates": list(config.templates)},
    ]
    return "\n".join(_write(section) for section in sections if any(section.values()))


def duration_text(milliseconds: int) -> str:
    """A duration in the largest units that hold it exactly: `90000` is `1m30s`, `86400000` is `1d`."""
    if milliseconds == 0:
        return "0s"
    out, rest = "", milliseconds
    for unit in ("d", "h", "m", "s", "ms"):
        count, rest = divmod(rest, _UNITS[unit])
        out += f"{count}{unit}" if count else ""
    return out


def _route_mapping(route: Route) -> dict[str, Any]:
    out = _matcher_mapping(route.matchers, "")
    if route.receiver is not None:
        out["receiver"] = route.receiver
    if route.group_by is not None:
        out["group_by"] = _Inline(route.group_by)
    for key in ("group_wait", "group_interval", "repeat_interval"):
        if getattr(route, key) is not None:
            out[key] = duration_text(getattr(route, key))
    for key in ("mute_time_intervals", "active_time_intervals"):
        if getattr(route, key):
            out[key] = _Inline(getattr(route, key))
    if route.continue_:
        out["continue"] = True
    if route.routes:
        out["routes"] = [_route_mapping(child) for child in route.routes]
    return out


def _inhibit_mapping(rule: InhibitRule) -> dict[str, Any]:
    out = {**_matcher_mapping(rule.source, "source_"), **_matcher_mapping(rule.target, "target_")}
    if rule.equal:
        out["equal"] = _Inline(rule.equal)
    return out


def _matcher_mapping(matchers: Sequence[Matcher], side: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, op in ((f"{side}match", "="), (f"{side}match_re", "=~")):
        legacy = {matcher.name: matcher.value for matcher in matchers if matcher.legacy and matcher.op == op}
        if legacy:
            out[key] = legacy
    modern = [str(matcher) for matcher in matchers if not matcher.legacy]
    if modern:
        out[f"{side}matchers"] = modern
    return out


def _interval_mapping(interval: TimeInterval) -> dict[str, Any]:
    return {"name": interval.name, "time_intervals": list(interval.time_intervals)}


class _Inline(list[str]):
    """A list on one line."""


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent the items of a list below their key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """Write equal values out each time."""
        return True


def _inline(dumper: yaml.SafeDumper, value: _Inline) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=True)


def _plain(dumper: yaml.SafeDumper, value: yamlsafe.Plain) -> yaml.Node:
    tag: str = dumper.resolve(yaml.ScalarNode, value, (True, False))  # type: ignore[no-untyped-call]
    return dumper.represent_scalar(tag, value)


def _string(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Dumper.add_representer(_Inline, _inline)
_Dumper.add_representer(yamlsafe.Plain, _plain)
_Dumper.add_representer(str, _string)


def _write(section: Mapping[str, Any]) -> str:
    return str(yaml.dump(section, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=10_000))
