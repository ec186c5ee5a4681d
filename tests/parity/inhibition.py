"""Inhibition: `inhibition.inhibited` and `decide` over `amtool.Classifier` against the server.

A case is a random set of rules with a random set of alerts that fire at the same time.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from alertforge.alertmanager.amtool import Classifier
from alertforge.alertmanager.config import parse
from alertforge.alertmanager.inhibition import Inhibition, decide, inhibited
from alertforge.tools import find

from . import alertmanager_text as write
from .alertmanager_server import SENTINEL_RULE, serving

CASES_PER_SERVER = 60
CASE = "parity_case"  # tells the cases of one server apart
NAMES = ("severity", "team", "svc", "a b")  # few, so that rules meet alerts


Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Case:
    """Inhibition rules, as plain YAML values, and the alerts that fire."""

    rules: tuple[dict[str, Any], ...]
    text: str
    alerts: tuple[dict[str, str], ...]


def draw(rng: random.Random) -> Case:
    """A random case; no two alerts are equal."""
    severities = ["page", "ticket", "info"]
    rules = tuple(_rule(rng, severities) for _ in range(rng.choice([1, 1, 2, 2, 3])))
    alerts: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    for _ in range(rng.randint(2, 8)):
        labels = {name: rng.choice(["a", "a", "b", ""]) for name in NAMES[1:] if rng.random() < 0.6}
        if rng.random() < 0.9:
            labels["severity"] = rng.choice(severities)
        alerts.setdefault(_key(labels), labels)
    document = {"route": {"receiver": "root"}, "receivers": [{"name": "root"}], "inhibit_rules": list(rules)}
    return Case(rules, write.document(rng, document), tuple(alerts.values()))


def _rule(rng: random.Random, severities: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for side in ("source_", "target_"):
        wanted: list[write.Condition] = []
        if rng.random() < 0.85:
            op = rng.choice(["=", "=", "=", "=~", "!=", "!~"])
            pattern = op in ("=~", "!~")
            wanted.append(("severity", op, "|".join(rng.sample(severities, 2)) if pattern else rng.choice(severities)))
        if rng.random() < 0.35:
            op = rng.choice(["=", "!=", "=~", "!~"])
            text = rng.choice(["a|b", "a", ".+", "", "[^a]*"]) if op in ("=~", "!~") else rng.choice(["a", "b", ""])
            wanted.append((rng.choice(NAMES[1:]), op, text))
        out.update(write.fields(rng, wanted, side))
    equal = [name for name in NAMES[1:] if rng.random() < 0.35]
    if equal or rng.random() < 0.3:
        out["equal"] = equal
    return out


@dataclass(frozen=True)
class Difference:
    """One alert of one case where two answers differ."""

    what: str
    case: Case
    alert: dict[str, str]
    ours: object
    theirs: object

    def __str__(self) -> str:
        alerts = "\n".join(f"  {labels!r}" for labels in self.case.alerts)
        return f"{self.what}: {self.alert!r}\n  ours   {self.ours}\n  theirs {self.theirs}\n{alerts}\n{self.case.text}"


def compare(
    cases: Sequence[Case], *, server: bool = True, classified_share: int = 1
) -> tuple[Counter[str], list[Difference]]:
    """Ask about every alert of every case; counts per comparison, and the differences.

    `server` asks the server about all of them, amtool is asked about one in `classified_share` cases, 50 ms each.
    """
    counts: Counter[str] = Counter()
    differences: list[Difference] = []

    def note(what: str, case: Case, alert: dict[str, str], ours: object, theirs: object) -> None:
        counts[what] += 1
        if ours != theirs:
            differences.append(Difference(what, case, alert, ours, theirs))

    for case in cases[::classified_share]:
        config = parse(case.text)
        classified = Classifier(config, find("amtool")).classify(case.alerts)
        decided = decide(config.inhibit_rules, case.alerts, classified)
        expected = inhibited(config.inhibit_rules, case.alerts)
        for alert, ours, theirs in zip(case.alerts, decided, expected, strict=True):
            note("decide = inhibited", case, alert, ours, theirs)
    for start in range(0, len(cases) if server else 0, CASES_PER_SERVER):
        chunk = cases[start : start + CASES_PER_SERVER]
        told = _served(chunk)
        for index, case in enumerate(chunk):
            keys = [_key(_tagged(labels, index)) for labels in case.alerts]
            reasons = inhibited(parse(case.text).inhibit_rules, case.alerts)
            for key, alert, ours in zip(keys, case.alerts, reasons, strict=True):
                counts["alerts inhibited"] += bool(told[key])
                note("inhibited = server", case, alert, bool(ours), bool(told[key]))
                note("source = server", case, alert, _agree(ours, keys, told[key]), told[key])
    return counts, differences


def _agree(reasons: tuple[Inhibition, ...], keys: Sequence[Key], theirs: Key | None) -> Key | None:
    """The source that the server names, if it is one of the first rule that mutes the alert; else one of ours."""
    sources = [keys[source] for source in reasons[0].sources] if reasons else []
    return theirs if theirs in sources else next(iter(sources), None)


def _key(labels: dict[str, str]) -> Key:
    return tuple(sorted((name, text) for name, text in labels.items() if text))


def _tagged(labels: dict[str, str], index: int) -> dict[str, str]:
    return {CASE: str(index), **labels}


def _server_config(cases: Sequence[Case]) -> str:
    """All rules in one configuration, each bound to the alerts of its own case on both sides."""
    rules: list[dict[str, Any]] = []
    for index, case in enumerate(cases):
        own = f'{CASE}="{index}"'
        for rule in case.rules:
            sides = {key: [*rule.get(key, ()), own] for key in ("source_matchers", "target_matchers")}
            rules.append({**rule, **sides})
    document = {"route": {"receiver": "root", "group_wait": "1h"}, "receivers": [{"name": "root"}]}
    return write.document(random.Random(0), {**document, "inhibit_rules": [*rules, SENTINEL_RULE]})


def _served(cases: Sequence[Case]) -> dict[Key, Key | None]:
    """Per alert the source that the server names, None where it is not inhibited."""
    with serving(_server_config(cases)) as server:
        server.post([_tagged(labels, index) for index, case in enumerate(cases) for labels in case.alerts])
        server.settle()
        alerts = server.alerts()
    keys = {alert["fingerprint"]: _key(alert["labels"]) for alert in alerts}
    muted = {_key(alert["labels"]): alert["status"]["inhibitedBy"] for alert in alerts}
    return {key: keys[sources[0]] if sources else None for key, sources in muted.items()}


def run(cases: int, seed: int) -> int:
    """Compare this many cases and print a summary; returns the number of differences."""
    rng = random.Random(f"inhibition {seed}")
    drawn = [draw(rng) for _ in range(cases)]
    counts, differences = compare(drawn, classified_share=10)
    print(f"inhibition: {len(drawn)} cases, {sum(len(case.alerts) for case in drawn)} alerts")
    print(f"  {'alerts inhibited':<24}{counts.pop('alerts inhibited'):>8}")
    for what, count in sorted(counts.items()):
        wrong = [difference for difference in differences if difference.what == what]
        print(f"  {what:<24}{count:>8} compared{len(wrong):>6} differ")
        for difference in wrong[:3]:
            print(difference)
    return len(differences)
