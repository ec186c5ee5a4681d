"""What the contract knows of all alerts of a repo, and of who may suppress whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alertforge.alertmanager.config import parse
from alertforge.grader.spec import InhibitionCase, Preservation, RouteProbe, Suppression
from alertforge.items.strangers import stranger
from alertforge.items.surroundings import carried, known_alerts, with_surroundings
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels
from alertforge.repo.model import Repo
from alertforge.seeds import Seed
from alertforge.world.industries import INDUSTRIES

SEED = Seed.master("surroundings")
CONFIG = parse(
    "route: {receiver: d, routes: [{receiver: a, matchers: [team=a]}]}\nreceivers: [{name: d}, {name: a}]\n"
    "inhibit_rules: [{source_matchers: [alertname=Down], target_matchers: [alertname=Slow], equal: [service]}]"
)
DOWN = Rule("Down", 'sum by (service) (up{service="s"}) == 0 or absent(up{service="s"})', labels=(("team", "a"),))
SLOW = Rule("Slow", 'max by (service) (lag{service="s"}) > 1', labels=(("note", "{{ $value }}"),))
FULL = Rule("Full", "min by (instance) (free_ratio) < 0.1")


def repo(config: str = "") -> Repo:
    rules = (DOWN, SLOW, FULL, Rule("r", "x", is_alert=False))
    more = parse(config) if config else CONFIG
    return Repo((RuleFile("rules/a.yml", (Group("g", rules, labels=(("env", "prod"),)),)),), more)


def labels(name: str, **more: str) -> Labels:
    return Labels.of(alertname=name, env="prod", **more)


ALERTS = (
    labels("Down", service="s", team="a"),
    labels("Slow", service="s"),
    labels("Full", instance=stranger(SEED, "instance")),
)


def test_alerts_are_known_with_the_labels_that_their_rules_tell() -> None:
    assert known_alerts(repo(), SEED) == ALERTS


@pytest.mark.parametrize(
    ("expr", "names"),
    [
        ("sum by (a, b) (x)", "a b"),
        ('x{a="1", b!="2", c=~"3|4"} > 1', "a c"),
        ("1 < max by (a) (x)", "a"),
        ("sum by (a) (x) and on (a) sum by (a, b) (y)", "a"),
        ("sum by (a) (x) or sum by (b) (y)", "a b"),
        ("histogram_quantile(0.9, sum by (a, le) (rate(x[5m])))", "a le"),
        ("sum(x)", ""),
        ("vector(1)", ""),
    ],
)
def test_labels_that_an_expression_is_seen_to_carry(expr: str, names: str) -> None:
    assert carried(promql.parse(expr)) == set(names.split())


def test_receivers_suppressions_and_probes() -> None:
    wider = replace(
        CONFIG, inhibit_rules=(*CONFIG.inhibit_rules, replace(CONFIG.inhibit_rules[0], source=(), equal=("env",)))
    )
    found = with_surroundings(Preservation(("T",)), CONFIG, replace(repo(), config=wider), "service", SEED)
    assert found.touched_alerts == ("T",)
    assert found.alerts == tuple(
        RouteProbe(one, (receiver,)) for one, receiver in zip(ALERTS, ("a", "d", "d"), strict=True)
    )
    # Slow is suppressed by Down already; from now on by Full as well
    assert found.suppressions == (Suppression(ALERTS[2], ALERTS[1]),)
    assert found.inhibitions == (InhibitionCase(ALERTS[1], (ALERTS[0],), True, "as before"),)
    same = with_surroundings(Preservation(), CONFIG, repo(), "service", SEED)
    foreign = ALERTS[0].with_(service=stranger(SEED, "service"))
    assert same.suppressions == ()
    assert same.inhibitions == (
        InhibitionCase(ALERTS[1], (ALERTS[0],), True, "as before"),
        InhibitionCase(ALERTS[1], (foreign,), False, "as before"),
    )


def test_strangers_are_others_in_every_task_and_known_in_none() -> None:
    seeds = [Seed.master(number) for number in range(40)]
    assert len({stranger(seed, "instance") for seed in seeds}) == 40
    assert len({stranger(seed, "service") for seed in seeds}) > 25
    known = {service for industry in INDUSTRIES for service in str(industry).replace("'", '"').split('"')}
    assert not known & {stranger(Seed.master(number), "service") for number in range(500)}
