"""Example promtool tests for alerts that nobody asks about: `tests/visible/*.yml`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, PromQLError, Selector
from alertforge.prometheus.rules import Rule, RuleFile
from alertforge.prometheus.series import METRIC_NAME, Labels, Series, selector_text
from alertforge.repo.printer import duration, print_yaml
from alertforge.seeds import Rng, Seed
from alertforge.traffic import gauges
from alertforge.traffic.exposure import Flow, expose
from alertforge.world.catalog import protocol
from alertforge.world.model import Service, World

FOLDER: Final = "tests/visible"
MAX_FILES: Final = 2
MAX_ALERTS: Final = 2
_MINUTE: Final = 60_000
_CALM_MINUTES: Final = 10
_LABEL: Final = re.compile(r"\{\{ \$labels\.(\w+) \}\}")
_SWITCH: Final = re.compile(r"(?:^|_)(?:up|success|successful|healthy|has_leader|running|synced|connected|ready)$")
_OVER_TIME: Final = frozenset({"avg_over_time", "max_over_time", "min_over_time", "last_over_time"})
_RESTARTS: Final = "kube_pod_container_status_restarts_total"
_GAUGE: Final = frozenset({"max", "min", "avg", "sum"})


def visible_tests(files: Sequence[RuleFile], world: World, seed: Seed, canary: str = "") -> dict[str, str]:
    """A few test files, by path, for alerts of `files` whose expression is simple enough to provoke by hand.

    `rule_files` are relative to the test, so they load as they are in a house of plain rule files; in a house of
    manifests `bin/af-check` first writes the plain files to the same places in a copy of the repo.
    """
    out: dict[str, str] = {}
    for file in seed.rng("files").shuffled(files):
        cases = [case for rule in file.rules() if (case := _case(rule, _Targets(world, file, seed, rule.name)))]
        if cases and len(out) < MAX_FILES:
            picked = seed.rng("alerts", file.path).sample(cases, MAX_ALERTS)
            stem = file.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]
            out[f"{FOLDER}/{stem}.yml"] = _test_file(file, picked, world, canary)
    return dict(sorted(out.items()))


@dataclass(frozen=True)
class _Case:
    """One alert: what provokes it from a given minute on, and what then fires."""

    rule: Rule
    series: Labels
    samples: str  # in promtool's notation
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
        "input_series": [{"series": selector_text(case.series), "values": case.samples}],
        "alert_rule_test": [
            {"eval_time": duration(minute * _MINUTE), "alertname": case.rule.name, "exp_alerts": alerts}
            for minute, alerts in moments
        ],
    }


# --- what provokes an alert ------------------------------------------------------------------------------------------


# `{n}` and `{few}` are small numbers, the latter of a cluster's members; `{service}` one of the company's services,
# `{file}` and `{group}` those of the rule
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {
    "breaker": ("parent", "fielddata", "request", "in_flight_requests"),
    "cluster": ("search", "logs", "search-prod"),
    "controller_class": ("k8s.io/ingress-nginx", "k8s.io/internal-nginx"),
    "datname": ("{snake}", "{snake}_prod"),
    "deployment": ("{service}",),
    "eviction_signal": ("memory.available", "nodefs.available", "imagefs.available", "nodefs.inodesFree"),
    "ingress": ("{service}", "{service}-public"),
    "job_name": ("{service}-migrate", "{service}-backfill", "{service}-cleanup"),
    "namespace": ("{namespace}",),
    "node": ("worker-{n}", "pool-a-{n}"),
    "proxy": ("{service}", "be_{snake}"),
    "rule_group": ("/etc/prometheus/{file};{group}",),
    "server": ("{service}-{few}", "10.20.4.{n}:8080"),
    "to": ("10.0.0.{n}:53", "192.0.2.{n}:53"),
    "type": ("no-service", "no-endpoint"),
}
# what Prometheus scrapes under each job, as `instance` has it
_INSTANCES: Final[Mapping[str, tuple[str, ...]]] = {
    "alertmanager": ("alertmanager-{few}:9093", "10.20.2.{few}:9093"),
    "blackbox-exporter": ("blackbox-{few}:9115", "10.20.5.{n}:9115"),
    "coredns": ("10.244.{n}.11:9153", "10.96.{n}.4:9153"),
    "elasticsearch-exporter": ("elasticsearch-exporter:9114", "10.20.6.{n}:9114"),
    "etcd": ("etcd-{few}:2379", "10.20.1.{n}:2379"),
    "haproxy": ("haproxy-{few}:8404", "lb-{few}:8404"),
    "ingress-nginx": ("10.244.{n}.17:10254", "10.96.{n}.9:10254"),
    "kafka-brokers": ("kafka-{few}:9404", "broker-{few}:9404"),
    "kafka-exporter": ("kafka-exporter:9308", "10.20.7.{n}:9308"),
    "kube-state-metrics": ("kube-state-metrics:8080", "10.244.{n}.21:8080"),
    "kubelet": ("10.20.3.{n}:10250",),
    "mysqld-exporter": ("mysql-{n}:9104", "db-{n}:9104"),
    "node-exporter": ("worker-{n}:9100", "10.20.3.{n}:9100"),
    "postgres-exporter": ("postgres-{n}:9187", "db-{n}:9187"),
    "prometheus": ("prometheus-{few}:9090", "10.20.2.{n}:9090"),
    "rabbitmq": ("rabbitmq-{few}:15692", "10.20.9.{n}:15692"),
    "redis-exporter": ("redis-{n}:9121", "cache-{n}:9121"),
}
# `name` means something else to every exporter
_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "elasticsearch-exporter": ("es-data-{n}", "es-master-{few}"),
    "node-exporter": ("chronyd.service", "containerd.service", "logrotate.service", "rsyslog.service"),
}
_BY_JOB: Final = {"instance": _INSTANCES, "name": _MEMBERS}
_STORE_OF: Final[Mapping[str, str]] = {"mysqld-exporter": "mysql", "postgres-exporter": "postgres"}
_IN_FRONT: Final = ("haproxy", "ingress-nginx")  # jobs of what stands before services that answer requests
_NAMELESS: Final = ("status-page", "ops")  # name and namespace of something that is in no catalog


@dataclass(frozen=True)
class _Targets:
    """Labels of the examples of one rule, as targets of this company would have them; one way to name them a repo."""

    world: World
    file: RuleFile
    seed: Seed
    rule: str

    def labels(self, selector: Selector, names: Sequence[str]) -> dict[str, str]:
        """Every label of one scraped series that the selector selects, `names` among them.

        Raises _NotSimpleError where nobody knows here who exports it.
        """
        told = {one.name: one.value for one in selector.matchers}
        owner = told.get(self.world.style.service_label)
        return self._of_exporter(told, names) if owner is None else self._of_service(owner, selector, told)

    def _of_exporter(self, told: Mapping[str, str], names: Sequence[str]) -> dict[str, str]:
        job = told.get("job", "")
        wanted = dict.fromkeys(("instance", *(["node"] if job == "kubelet" else []), *names))
        return {**{name: self._value(name, job) for name in wanted if name not in told}, **told}

    def _of_service(self, owner: str, selector: Selector, told: Mapping[str, str]) -> dict[str, str]:
        for service in self.world.services:
            if service.name == owner:
                for series in _exposed(self.world, service, self.seed.child("pods")):
                    if series.labels.name == selector.name and series.labels.contains(Labels.of(told)):
                        return series.labels.without([METRIC_NAME]).as_dict()
        raise _NotSimpleError

    def _value(self, label: str, job: str) -> str:
        """A value of a label under a `job`. Raises _NotSimpleError for a label whose values nobody knows here."""
        ways = _BY_JOB[label].get(job) if label in _BY_JOB else _VALUES.get(label)
        if ways is None:
            raise _NotSimpleError
        name, namespace = self._about(job)
        return (
            self.seed.rng("way", job, label)
            .choice(ways)
            .format(
                n=self._draws("n").between(2, 9),
                few=self._draws("few").between(1, 3),
                service=name,
                snake=name.replace("-", "_"),
                namespace=namespace,
                file=self.file.path,
                group=self.file.groups[0].name,
            )
        )

    def _about(self, job: str) -> tuple[str, str]:
        """Name and namespace of a service that what is scraped under a job can be about."""
        fitting = [one for one in self.world.services if _fits(one, job)]
        if not fitting:
            return _NAMELESS
        one = self._draws("service").choice(fitting)
        return one.name, one.namespace

    def _draws(self, what: str) -> Rng:
        """The same draws for every label of the rule, so that its numbers and its service agree."""
        return self.seed.rng("values", self.file.path, self.rule, what)


def _fits(service: Service, job: str) -> bool:
    """Whether exporters under a job have something to say about a service."""
    if job in _STORE_OF:
        return _STORE_OF[job] in service.depends_on
    return job not in _IN_FRONT or protocol(service.family) == "web"


def _exposed(world: World, service: Service, seed: Seed) -> Iterator[Series]:
    """A series of everything that is exported about a service, as in the replays of its alerts."""
    own = expose(world, service, Flow((60, 60), (0, 0), (0, 0), ("up", "up")), seed)
    yield from own.series
    yield from gauges.memory(world, seed, own, lambda pod, minute: Fraction(1, 2))
    yield from gauges.restarts(world, seed, own, lambda pod, minute: 0)
    yield from gauges.pool(world, seed, own, lambda pod, minute: Fraction(1, 2))
    yield from gauges.probes(world, own, lambda vantage, minute: 1)
    yield from gauges.volumes(world, seed, own, lambda volume, minute: Fraction(1, 2))
    yield from gauges.consumer_lag(world, own, lambda partition, minute: 0)
    yield from gauges.replication(world, own, lambda replica, minute: 0)


@dataclass(frozen=True)
class _Need:
    """What a selector must show: its level while all is well and afterwards; counters grow by that much a minute."""

    limit: Fraction
    calm: Fraction
    bad: Fraction
    counter: bool = False
    lookback: int = 0


class _NotSimpleError(Exception):
    """An expression that is not provoked by a few straight lines."""


def _case(rule: Rule, targets: _Targets) -> _Case | None:
    """A case for the rule; None where it is not simple."""
    if not rule.is_alert or rule.keep_firing_for or _templated(rule):
        return None
    try:
        tree = rule.tree
        if not isinstance(tree, Binary) or not isinstance(tree.rhs, Number) or tree.bool_:
            raise _NotSimpleError
        limit = Fraction(str(tree.rhs.value))
        selector, need = _need(tree.lhs, _Need(limit, *_levels(tree.op, limit)))
        names = tree.lhs.grouping or () if isinstance(tree.lhs, Aggregate) else ()
        labels = Labels.of(targets.labels(selector, names))
        start = _CALM_MINUTES + need.lookback
        samples = _samples(selector, need, start, rule)
    except (PromQLError, _NotSimpleError, ValueError):
        return None
    fires = labels.only(names) if isinstance(tree.lhs, Aggregate) else labels
    return _Case(rule, labels.with_({METRIC_NAME: selector.name or ""}), samples, fires, start, need.lookback)


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


def _need(expr: Expr, need: _Need) -> tuple[Selector, _Need]:
    """The selector of an expression, and what it must show so that the expression has the levels asked for."""
    match expr:
        case Selector(window=None, offset=0, at=None) if (
            expr.name and ":" not in expr.name and all(m.op == "=" for m in expr.matchers)
        ):
            return expr, _switched(need) if _SWITCH.search(expr.name) else need
        case Aggregate(op=op, param=None, without=False) if op in _GAUGE:
            return _need(expr.expr, need)
        case Call(func=func, args=(Selector() as inner,)) if inner.window and not (inner.offset or inner.at):
            minutes = inner.window // _MINUTE
            plain = Selector(inner.name, inner.matchers)
            if func in _OVER_TIME:
                return _need(plain, replace(need, lookback=minutes))
            if func in ("rate", "increase"):
                scale = 60 if func == "rate" else Fraction(1, minutes)
                scaled = _Need(need.limit * scale, need.calm * scale, need.bad * scale, True, minutes)
                return _need(plain, scaled)
    raise _NotSimpleError


def _samples(selector: Selector, need: _Need, start: int, rule: Rule) -> str:
    """Promtool's notation: a calm stretch, then a bad one that outlasts the wait.

    Raises _NotSimpleError where containers would restart faster than a kubelet restarts them.
    """
    rest = need.lookback + rule.for_ // _MINUTE + 5
    if not need.counter:
        return f"{_short(need.calm)}x{start - 1} {_short(need.bad)}x{rest}"
    # events are whole: fewer than plainly too few, or more than plainly too many
    worse = need.bad > need.calm
    calm, bad = (math.floor(need.calm), math.ceil(need.bad)) if worse else (math.ceil(need.calm), math.floor(need.bad))
    pace = _pace(need) if worse and not calm else 1
    if pace > 1:
        steps = " ".join(f"{step + 1}x{pace - 1}" for step in range(-(-rest // pace)))
        return f"0x{start - 1} {steps}"
    if selector.name == _RESTARTS:
        raise _NotSimpleError
    return f"0+{calm}x{start - 1} {calm * (start - 1)}+{bad}x{rest}"


def _pace(need: _Need) -> int:
    """Minutes from one event to the next so that every window has more than the limit, by one more if that is slow."""
    allowed = math.floor(need.limit * need.lookback)
    return max(((need.lookback - 1) // (allowed + more) for more in (2, 1)), key=lambda pace: pace > 1)


def _short(level: Fraction) -> str:
    """A level as a short decimal."""
    return str(level) if level.denominator == 1 else f"{float(level):.4g}"
