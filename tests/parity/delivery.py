"""Delivered pages: `grader.delivery` against what the server groups for its receivers, after inhibition.

A case is one alert of a random configuration while all its other alerts fire too: a company's own configuration,
healthy or broken by the defects that tasks use, or any tree with any inhibition rules.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from alertforge import yamlsafe
from alertforge.alertmanager.amtool import Classifier
from alertforge.alertmanager.config import ALL_LABELS, Config, dump, parse
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.defects import applicable_config
from alertforge.defects.config import Scene
from alertforge.grader.delivery import Classify, Delivery, deliver
from alertforge.prometheus.series import Labels
from alertforge.repo.printer import print_alertmanager
from alertforge.repo.routing import base_config, inhibit_rule
from alertforge.seeds import Seed
from alertforge.tools import find
from alertforge.world.create import create
from alertforge.world.model import World

from . import inhibition, routing
from .alertmanager_server import ANSWER_SECONDS, SENTINEL_RULE, Server, serving

CONFIGS_PER_SERVER = 40
ALERTS = 12  # per configuration
WORLD_SHARE = 0.6  # of the configurations; the others are of no company
CASE = "parity_case"  # tells the configurations of one server apart

Page = tuple[str, Labels]  # receiver, and the labels that its notification is grouped by
Pages = tuple[Page, ...]  # sorted; a receiver is there once for each group


@dataclass(frozen=True)
class Case:
    """A configuration as a file, and the alerts that fire under it."""

    text: str
    alerts: tuple[Labels, ...]


def draw(rng: random.Random) -> Case:
    """A random case; no two alerts are equal."""
    return _company(rng) if rng.random() < WORLD_SHARE else _anything(rng)


def _company(rng: random.Random) -> Case:
    """A company's configuration, in its own formatting, with up to two defects; alerts as its rules send them."""
    world = create(Seed.master(f"delivery {rng.getrandbits(40)}"), services=rng.randint(1, 3))
    config = base_config(world, world.teams)
    kinds = list(KINDS.values())
    for service in rng.sample(world.services, min(2, len(world.services))):
        subject = Subject(world, service)
        source, *targets = (subject.alert_name(kind.name) for kind in rng.sample(kinds, rng.randint(2, 4)))
        config = replace(config, inhibit_rules=(*config.inhibit_rules, inhibit_rule(world, source, targets)))
    for _ in range(rng.choice([0, 1, 1, 2])):
        rule = rng.choice([None, *config.inhibit_rules])
        broken = applicable_config(config, Scene(world, rng.choice(world.teams).name, rule))
        config = rng.choice(broken)[1] if broken else config
    wanted = {_alert(rng, world) for _ in range(ALERTS)}
    return Case(print_alertmanager(config, world.style), tuple(sorted(wanted)))


def _alert(rng: random.Random, world: World) -> Labels:
    """An alert of one of the company's rules, now and then without a label, or with one too many."""
    subject = Subject(world, rng.choice(world.services[:3]))
    kind = rng.choice(list(KINDS.values()))
    labels = {
        "alertname": subject.alert_name(kind.name),
        **dict(subject.labels(rng.choice(["page", "ticket"]))),
        **subject.identity.as_dict(),
    }
    if rng.random() < 0.3:
        labels[world.style.pod_label] = rng.choice(["p1", "p2"])
    if rng.random() < 0.1:
        labels[world.style.severity_label] = rng.choice([world.style.info_severity, "Page", ""])
    if rng.random() < 0.1:
        labels[world.style.owner_label] = rng.choice([*(team.name for team in world.teams), "nobody", ""])
    return Labels.of(labels)


def _anything(rng: random.Random) -> Case:
    """A random tree beside random inhibition rules, which now and then read the same labels."""
    tree, muting = routing.draw(rng), inhibition.draw(rng)
    sets = [dict(labels) for labels in tree.label_sets]
    for labels in sets:
        labels.update(rng.choice(muting.alerts) if rng.random() < 0.6 else {})
    document = {"route": tree.route, "receivers": [{"name": name} for name in routing.RECEIVERS]}
    text = json.dumps({**document, "inhibit_rules": list(muting.rules)})
    return Case(text, tuple(sorted({labels for one in sets if (labels := Labels.of(one))})))


# --- the grader's answer ---------------------------------------------------------------------------------------------


def delivered(delivery: Delivery, alerts: Sequence[Labels]) -> list[Pages]:
    """For each of the alerts that fire together what is sent about it."""
    return [() if delivery.suppressed(alert, alerts) else _pages(delivery, alert) for alert in alerts]


def _pages(delivery: Delivery, alert: Labels) -> Pages:
    pages = tuple(
        sorted(
            (node.receiver, alert if ALL_LABELS in node.group_by else alert.only(node.group_by))
            for node in delivery.nodes(alert)
        )
    )
    assert {receiver for receiver, _ in pages} == set(delivery.receivers(alert))
    return pages


# --- the server's answer ---------------------------------------------------------------------------------------------


def served(configs: Sequence[Config], cases: Sequence[Case]) -> Iterator[list[Pages]]:
    """For each case what the server would notify of: its groups without the inhibited alerts."""
    with serving(_server_config(configs)) as server:
        tagged = [alert.with_({CASE: str(index)}) for index, case in enumerate(cases) for alert in case.alerts]
        server.post([alert.as_dict() for alert in tagged])
        server.settle()
        told = _groups(server)
    for index, case in enumerate(cases):
        yield [tuple(sorted(told[alert.with_({CASE: str(index)})])) for alert in case.alerts]


def _groups(server: Server) -> dict[Labels, list[Page]]:
    """Per alert its groups; the dispatcher takes its time, so the groups must be all that the alerts' receivers say."""
    deadline = time.monotonic() + ANSWER_SECONDS
    expected = sum(len(alert["receivers"]) for alert in server.alerts())
    while True:
        groups = server.groups()
        if sum(len(group["alerts"]) for group in groups) == expected:
            break
        if time.monotonic() > deadline:
            raise TimeoutError("the dispatcher has not taken in all alerts")
        time.sleep(0.02)
    out: dict[Labels, list[Page]] = {}
    for group in groups:
        page = (group["receiver"]["name"], Labels.of(group["labels"]).without([CASE]))
        for alert in group["alerts"]:
            found = out.setdefault(Labels.of(alert["labels"]), [])
            if alert["status"]["state"] == "active":
                found.append(page)
    return out


def _server_config(configs: Sequence[Config]) -> str:
    """All configurations in one, each bound to the alerts of its own case; nothing in it sends anything."""
    routes: list[Any] = []
    rules: list[Any] = [SENTINEL_RULE]
    names = {"sentinel"}
    for index, config in enumerate(configs):
        own = f'{CASE}="{index}"'
        document = yamlsafe.load(dump(config))
        routes.append({**document["route"], "group_wait": "1h", "matchers": [own]})
        for rule in document.get("inhibit_rules", ()):
            rules.append(
                {
                    **rule,
                    **{key: [*rule.get(key, ()), own] for key in ("source_matchers", "target_matchers")},
                }
            )
        names |= {receiver.name for receiver in config.receivers}
    root = {"receiver": "sentinel", "group_wait": "1h", "routes": routes}
    receivers = [{"name": name} for name in sorted(names)]
    return json.dumps({"route": root, "receivers": receivers, "inhibit_rules": rules})


# --- comparison ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """One alert that the grader and the server deliver differently."""

    case: Case
    alert: Labels
    ours: Pages
    theirs: Pages

    def __str__(self) -> str:
        alerts = "\n".join(f"  {labels.as_dict()}" for labels in self.case.alerts)
        return f"{self.alert.as_dict()}\n  ours   {self.ours}\n  theirs {self.theirs}\n{alerts}\n{self.case.text}"


def compare(cases: Sequence[Case]) -> tuple[Counter[str], list[Difference]]:
    """What every alert of every case leads to; counts by outcome, and the differences."""
    counts: Counter[str] = Counter()
    differences: list[Difference] = []
    for start in range(0, len(cases), CONFIGS_PER_SERVER):
        chunk = cases[start : start + CONFIGS_PER_SERVER]
        configs = [parse(case.text) for case in chunk]
        for config, case, theirs in zip(configs, chunk, served(configs, chunk), strict=True):
            delivery = deliver(config, _classify(config), case.alerts)
            ours = delivered(delivery, case.alerts)
            for alert, mine, told in zip(case.alerts, ours, theirs, strict=True):
                counts["alerts"] += 1
                counts["inhibited" if not told else "several pages" if len(told) > 1 else "one page"] += 1
                if mine != told:
                    differences.append(Difference(case, alert, mine, told))
    return counts, differences


def _classify(config: Config) -> Classify:
    classifier = Classifier(config, find("amtool"))
    return lambda label_sets: classifier.classify([labels.as_dict() for labels in label_sets])


def run(cases: int, seed: int) -> int:
    """Compare at least this many alerts and print a summary; returns the number of differences."""
    total: Counter[str] = Counter()
    differences: list[Difference] = []
    number = 0
    while total["alerts"] < cases:
        missing = -(-(cases - total["alerts"]) // ALERTS)
        batch = range(number, number + min(CONFIGS_PER_SERVER, missing))
        number = batch.stop
        counts, found = compare([draw(random.Random(f"delivery {seed}/{index}")) for index in batch])
        total += counts
        differences += found
    print(f"delivery: {number} configurations, {total.pop('alerts')} alerts, {len(differences)} differ")
    for what, count in sorted(total.items()):
        print(f"  {what:<24}{count:>8}")
    for difference in differences[:3]:
        print(difference)
    return len(differences)
