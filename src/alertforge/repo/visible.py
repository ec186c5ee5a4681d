"""Example promtool tests for alerts that nobody asks about: `tests/visible/*.yml`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, PromQLError, Selector
from alertforge.prometheus.rules import Rule, RuleFile
from alertforge.prometheus.series import Labels, selector_text
from alertforge.repo.printer import duration, print_yaml
from alertforge.seeds import Rng, Seed
from alertforge.world.model import Service, World

FOLDER: Final = "tests/visible"
MAX_FILES: Final = 2
MAX_ALERTS: Final = 2
_MINUTE: Final = 60_000
_CALM_MINUTES: Final = 10
_LABEL: Final = re.compile(r"\{\{ \$labels\.(\w+) \}\}")
_SWITCH: Final = re.compile(r"(?:^|_)(?:up|success|successful|healthy|has_leader|running|synced|connected|ready)$")
_OVER_TIME: Final = frozenset({"avg_over_time", "max_over_time", "min_over_time", "last_over_time"})
_GAUGE: Final = frozenset({"max", "min", "avg", "sum"})


def visible_tests(files: Sequence[RuleFile], world: World, seed: Seed, canary: str = "") -> dict[str, str]:
    """A few test files, by path, for alerts of `files` whose expression is simple enough to provoke by hand.

    `rule_files` are relative to the test, so they load as they are in a house of plain rule files; in a house of
    manifests `bin/af-check` first writes the plain files to the same places in a copy of the repo.
    """
    out: dict[str, str] = {}
    for file in seed.rng("files").shuffled(files):
        cases = [
            case
            for rule in file.rules()
            if (case := _case(rule, _Names(world, file, seed.rng("values", file.path, rule.name))))
        ]
        if cases and len(out) < MAX_FILES:
            picked = seed.rng("alerts", file.path).sample(cases, MAX_ALERTS)
            stem = file.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            out[f"{FOLDER}/{stem}.yml"] = _test_file(file, picked, world, canary)
    return dict(sorted(out.items()))


@dataclass(frozen=True)
class _Case:
    """One alert: what provokes it from a given minute on, and what then fires."""

    rule: Rule
    series: tuple[tuple[Labels, str], ...]
    fires: Labels
    start: int  # minute of the first bad sample
    lookback: int  # minutes until a bad sample counts fully


def _test_file(file: RuleFile, cases: Sequence[_Case], world: World, canary: str) -> str:
    document: dict[str, Any] = {
        "rule_files": [f"../../{file.path}"],
        "evaluation_interval": "1m",
        "tests": [_test(case) for case in cases],
    }
    header = [f"canary {canary}"] if canary else []
    return print_yaml(
        document,
        world.style,
        (
            *header,
            f"examples for {file.path}: a calm start, then trouble",
        ),
    )


def _test(case: _Case) -> dict[str, Any]:
    wait = case.rule.for_ // _MINUTE
    late = case.start + case.lookback + wait + 2
    annotations = {key: _LABEL.sub(lambda found: case.fires.get(found[1]), text) for key, text in case.rule.annotations}
    firing = {"exp_labels": {**case.fires.as_dict(), **dict(case.rule.labels)}, "exp_annotations": annotations}
    moments: list[tuple[int, list[Any]]] = [(case.start - 1, []), (late, [firing])]
    if wait > 1:
        moments.insert(1, (case.start + wait - 1, []))
    return {
        "name": case.rule.name,
        "interval": "1m",
        "input_series": [{"series": selector_text(labels), "values": values} for labels, values in case.series],
        "alert_rule_test": [
            {"eval_time": duration(minute * _MINUTE), "alertname": case.rule.name, "exp_alerts": alerts}
            for minute, alerts in moments
        ],
    }


# --- what provokes an alert ------------------------------------------------------------------------------------------


# `{n}` is a small number, `{service}` one of the company's services, `{file}` and `{group}` those of the rule
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "breaker": ("parent", "fielddata", "request", "in_flight_requests"),
    "cluster": ("search", "logs", "search-prod"),
    "controller_class": ("k8s.io/ingress-nginx", "k8s.io/internal-nginx"),
    "datname": ("{snake}", "{snake}_prod"),
    "deployment": ("{service}",),
    "eviction_signal": ("memory.available", "nodefs.available", "imagefs.available", "nodefs.inodesFree"),
    "ingress": ("{service}", "{service}-public"),
    "instance": ("10.20.{n}.14:9100", "10.20.3.{n}:9100"),
    "job_name": ("{service}-migrate", "{service}-backfill", "{service}-cleanup"),
    "namespace": ("{namespace}",),
    "node": ("worker-{n}", "pool-a-{n}"),
    "proxy": ("{service}", "be_{snake}"),
    "rule_group": ("/etc/prometheus/{file};{group}",),
    "server": ("{service}-{n}", "10.20.4.{n}:8080"),
    "to": ("10.0.0.{n}:53", "192.0.2.{n}:53"),
    "type": ("no-service", "no-endpoint"),
}
_OF_JOB: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "alertmanager": {"instance": ("alertmanager-{n}:9093",)},
    "blackbox-exporter": {"instance": ("blackbox-{n}:9115",)},
    "elasticsearch-exporter": {"name": ("es-data-{n}", "es-master-{n}")},
    "etcd": {"instance": ("etcd-{n}:2379", "10.20.1.{n}:2379")},
    "kafka-brokers": {"instance": ("kafka-{n}:9404", "broker-{n}:9404")},
    "mysqld-exporter": {"instance": ("mysql-{n}:9104", "db-{n}:9104")},
    "node-exporter": {
        "instance": ("worker-{n}:9100", "10.20.3.{n}:9100"),
        "name": ("chronyd.service", "containerd.service", "logrotate.service", "rsyslog.service"),
    },
    "postgres-exporter": {"instance": ("postgres-{n}:9187", "db-{n}:9187")},
    "prometheus": {"instance": ("prometheus-{n}:9090",)},
    "rabbitmq": {"instance": ("rabbitmq-{n}:15692",)},
    "redis-exporter": {"instance": ("redis-{n}:9121", "cache-{n}:9121")},
}


@dataclass(frozen=True)
class _Names:
    """Label values for the examples of one rule, as targets of this company would have them."""

    world: World
    file: RuleFile
    rng: Rng

    def value(self, label: str, job: str) -> str:
        """A value of a label under a `job`. Raises _NotSimpleError for a label whose values nobody knows here."""
        ways = _OF_JOB.get(job, {}).get(label) or _VALUES.get(label)
        if ways is None:
            raise _NotSimpleError
        return self.rng.choice(ways).format(
            n=self.rng.between(2, 9),
            service=self._service.name,
            snake=self._service.name.replace("-", "_"),
            namespace=self._service.namespace,
            file=self.file.path,
            group=self.file.groups[0].name,
        )

    @cached_property
    def _service(self) -> Service:
        return self.rng.choice(self.world.services)


@dataclass
class _Need:
    """What a selector must show: its level while all is well and afterwards; counters grow by that much a minute."""

    calm: Fraction
    bad: Fraction
    counter: bool = False
    lookback: int = 0
    labels: dict[str, str] = field(default_factory=dict)


class _NotSimpleError(Exception):
    """An expression that is not provoked by a few straight lines."""


def _case(rule: Rule, given: _Names) -> _Case | None:
    """A case for the rule; None where it is not simple."""
    if not rule.is_alert or rule.keep_firing_for or _templated(rule):
        return None
    try:
        tree = rule.tree
        if not isinstance(tree, Binary) or not isinstance(tree.rhs, Number) or tree.bool_:
            raise _NotSimpleError
        calm, bad = _levels(tree.op, Fraction(str(tree.rhs.value)))
        found = list(_needs(tree.lhs, _Need(calm, bad)))
        grouping = tree.lhs.grouping if isinstance(tree.lhs, Aggregate) else None
        names = grouping if grouping is not None else ("instance",) if isinstance(tree.lhs, Selector) else ()
        told = {one.name: one.value for selector, _ in found for one in selector.matchers}
        identity = {name: told.get(name) or given.value(name, told.get("job", "")) for name in names}
    except (PromQLError, _NotSimpleError, ValueError):
        return None
    start = _CALM_MINUTES + max(need.lookback for _, need in found)
    series = []
    for selector, need in found:
        labels = {**identity, **{one.name: one.value for one in selector.matchers}}
        series.append((Labels.of({"__name__": selector.name or "", **labels}), _samples(need, start, rule)))
    full = {**identity, **{one.name: one.value for one in found[0][0].matchers}}
    fires = full if isinstance(tree.lhs, Selector) else {name: full[name] for name in names if name in full}
    if len(dict(series)) < len(series):
        return None
    return _Case(rule, tuple(series), Labels.of(fires), start, max(need.lookback for _, need in found))


def _templated(rule: Rule) -> bool:
    """Whether a label or annotation needs more than label values to be rendered."""
    texts = [text for _, text in (*rule.labels, *rule.annotations)]
    return any("{{" in _LABEL.sub("", text) for text in texts) or any("{{" in text for _, text in rule.labels)


def _levels(op: str, limit: Fraction) -> tuple[Fraction, Fraction]:
    """A level at which the comparison is plainly false, and one at which it is plainly true.

    A share stays between 0 and 1, and what is compared with a whole number stays whole: nobody counts quarters.
    """
    share = 0 < limit < 1
    low = limit / 4 if share else Fraction(limit // 4) if limit.denominator == 1 and limit > 0 else limit / 4
    match op:
        case ">" | ">=":
            return (low if limit > 0 else limit - 1 if limit < 0 else limit), (
                1 + limit
            ) / 2 if share else limit * 2 + 1
        case "<" | "<=":
            return Fraction(1) if share or limit == 1 else limit * 2 + 1, low
        case "==":
            return (Fraction(1) if limit == 0 else Fraction(0)), limit
        case "!=":
            return limit, limit + 1
    raise _NotSimpleError


def _switched(need: _Need) -> _Need:
    """The same of a metric that is 0 or 1. Raises _NotSimpleError where neither will do."""
    if not all(0 <= level <= 1 for level in (need.calm, need.bad)):
        raise _NotSimpleError
    calm, bad = (1, 0) if need.calm > need.bad else (0, 1)
    return replace(need, calm=Fraction(calm), bad=Fraction(bad))


def _needs(expr: Expr, need: _Need) -> Iterator[tuple[Selector, _Need]]:
    """What each selector below an expression must show so that the expression has the levels asked for."""
    match expr:
        case Selector(window=None, offset=0, at=None) if expr.name and all(m.op == "=" for m in expr.matchers):
            yield expr, _switched(need) if _SWITCH.search(expr.name) else need
        case Aggregate(op=op, param=None, without=False) if op in _GAUGE:
            yield from _needs(expr.expr, need)
        case Call(func=func, args=(Selector() as inner,)) if inner.window and not (inner.offset or inner.at):
            minutes = inner.window // _MINUTE
            plain = Selector(inner.name, inner.matchers)
            if func in _OVER_TIME:
                yield from _needs(plain, _Need(need.calm, need.bad, lookback=minutes))
            elif func in ("rate", "increase"):
                scale = 60 if func == "rate" else Fraction(1, minutes)
                yield from _needs(plain, _Need(need.calm * scale, need.bad * scale, True, minutes))
            else:
                raise _NotSimpleError
        case _:
            raise _NotSimpleError


def _samples(need: _Need, start: int, rule: Rule) -> str:
    """Promtool's notation: a calm stretch, then a bad one that outlasts the wait."""
    rest = need.lookback + rule.for_ // _MINUTE + 5
    if not need.counter:
        return f"{_short(need.calm)}x{start - 1} {_short(need.bad)}x{rest}"
    # events are whole: fewer than plainly too few, or more than plainly too many
    worse = need.bad > need.calm
    calm, bad = (math.floor(need.calm), math.ceil(need.bad)) if worse else (math.ceil(need.calm), math.floor(need.bad))
    return f"0+{calm}x{start - 1} {calm * (start - 1)}+{bad}x{rest}"


def _short(level: Fraction) -> str:
    """A level as a short decimal."""
    return str(level) if level.denominator == 1 else f"{float(level):.4g}"
