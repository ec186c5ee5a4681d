"""What the contract knows of all alerts of a repo, and of who may suppress whom."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from alertforge.alertmanager.config import parse
from alertforge.grader.spec import InhibitionCase, Preservation, RouteProbe, Suppression
from alertforge.items.strangers import stranger, strangers
from alertforge.items.surroundings import carried, is_loose, known_alerts, with_surroundings
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


DOWN_FIRES, SLOW_FIRES = labels("Down", service="s", team="a"), labels("Slow", service="s")
FULLS = tuple(labels("Full", instance=value) for value in strangers(SEED, "instance"))  # one of every shape
ALERTS = (DOWN_FIRES, SLOW_FIRES, *FULLS)


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
    assert found.alerts == (
        RouteProbe(DOWN_FIRES, ("a",)),
        *(RouteProbe(one, ("d",)) for one in (SLOW_FIRES, *FULLS)),
    )
    # Slow is suppressed by Down already; from now on by Full as well
    assert found.suppressions == tuple(Suppression(one, SLOW_FIRES) for one in FULLS)
    assert found.inhibitions == (InhibitionCase(SLOW_FIRES, (DOWN_FIRES,), True, "as before"),)
    same = with_surroundings(Preservation(), CONFIG, repo(), "service", SEED)
    foreign = tuple(DOWN_FIRES.with_(service=value) for value in strangers(SEED, "service"))
    assert same.suppressions == ()
    assert same.inhibitions == (
        InhibitionCase(SLOW_FIRES, (DOWN_FIRES,), True, "as before"),
        InhibitionCase(SLOW_FIRES, foreign, False, "as before"),
    )


def test_an_alert_on_raw_series_is_known_with_the_labels_of_a_target_too() -> None:
    raw, total = Rule("Raw", "x > 1"), Rule("Made", "r > 1")
    group = Group("g", (Rule("r", "sum(x)", is_alert=False), raw, total))
    found = known_alerts(Repo((RuleFile("rules/a.yml", (group,)),), CONFIG), SEED)
    targets = zip(strangers(SEED, "instance"), strangers(SEED, "job"), strict=True)
    shaped = (Labels.of(alertname="Raw", instance=instance, job=job) for instance, job in targets)
    assert found == (Labels.of(alertname="Raw"), *shaped, Labels.of(alertname="Made"))


def test_an_alert_on_a_record_is_known_with_what_the_record_carries() -> None:
    rules = (
        Rule("r:min", 'min by (instance, service) (x{service="s"})', is_alert=False),
        Rule("Low", "r:min < 1"),
        Rule("Lowest", "min(r:min) < 1"),
        Rule("Mine", 'r:min{instance="i"} < 1'),
    )
    found = known_alerts(Repo((RuleFile("rules/a.yml", (Group("g", rules),)),), CONFIG), SEED)
    assert found == (
        *(Labels.of(alertname="Low", instance=value) for value in strangers(SEED, "instance")),
        Labels.of(alertname="Lowest"),
        Labels.of(alertname="Mine", instance="i"),
    )


@pytest.mark.parametrize(
    ("expr", "loose"),
    [
        ("x > 1", True),
        ("rate(x[5m]) > 1", True),
        ("1 < x", True),
        ("topk(3, x)", True),
        ("sum without (pod) (x)", True),
        ("sum by (pod) (x) or x", True),
        ("x and on (pod) y", True),
        ("sum(x)", False),
        ("sum by (instance) (x) > 1", False),
        ("absent(x)", False),
        ("vector(scalar(x))", False),
        ("x / on (pod) y", False),
        ("r > 1", False),
    ],
)
def test_expressions_that_leave_room_for_labels_of_targets(expr: str, loose: bool) -> None:
    assert is_loose(promql.parse(expr), {"r"}) is loose


def test_of_many_label_sets_of_two_alerts_few_are_probed() -> None:
    config = parse(
        "route: {receiver: d}\nreceivers: [{name: d}]\n"
        "inhibit_rules: [{source_matchers: [alertname=Full], target_matchers: [alertname=Slow]}]"
    )
    found = with_surroundings(Preservation(), config, replace(repo(), config=config), "service", SEED)
    held = [one for one in found.inhibitions if len(one.others) == 1]
    assert {one.labels for one in held} == {SLOW_FIRES}
    assert 1 <= len({one.others for one in held} & {(full,) for full in FULLS}) <= 2


def test_strangers_are_others_in_every_task_and_known_in_none() -> None:
    seeds = [Seed.master(number) for number in range(40)]
    for label in ("instance", "service", "alertname"):
        assert len({value for seed in seeds for value in strangers(seed, label)}) > 0.99 * sum(
            len(strangers(seed, label)) for seed in seeds
        )
    known = {service for industry in INDUSTRIES for service in str(industry).replace("'", '"').split('"')}
    assert not known & {value for number in range(500) for value in strangers(Seed.master(number), "service")}


@pytest.mark.parametrize(
    "spared",
    [
        "[a-z]+-[a-z]+",
        "[a-z]+",
        "[A-Z].*",
        "[a-z0-9_]+",
        "[a-z0-9-]+",
        "[0-9.]+:[0-9]+",
        ".*:9100",
        ".*:[0-9]+",
        r".*\..*",
        "[^/]+",
        ".{1,12}",
        ".{12,}",
        r"[\w.-]+",
        "[a-zA-Z].*",
        ".*[a-z].*",
        ".*[0-9].*",
        ".*[aeiou].*",
        ".* .*",
        r"\w+|\w+-\w+|[0-9.]+:[0-9]+",
    ],
)
def test_no_pattern_of_a_look_spares_all_strangers(spared: str) -> None:
    """Whatever the task: a route for all but values of one look takes some stranger along."""
    for number in range(60):
        for label in ("instance", "proxy", "service"):
            values = strangers(Seed.master(number), label)
            assert not all(re.fullmatch(spared, value) for value in values), (number, label)


@pytest.mark.parametrize("spared", ["[^a-m].*", "[^n-z].*", "[^b-d]+"])
def test_a_pattern_of_letters_spares_all_strangers_of_few_tasks(spared: str) -> None:
    drawn = [strangers(Seed.master(number), label) for number in range(100) for label in ("proxy", "service")]
    assert sum(all(re.fullmatch(spared, value) for value in values) for values in drawn) < 0.05 * len(drawn)


def test_a_name_is_drawn_for_each_label() -> None:
    assert stranger(SEED, "proxy") == strangers(SEED, "proxy")[0] != stranger(SEED, "job")
    assert len(set(strangers(SEED, "proxy"))) == len(strangers(SEED, "proxy"))
