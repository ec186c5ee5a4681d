"""What rules may look at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alertforge.grader.scope import within
from alertforge.grader.spec import (
    AlertCase,
    AlertRequirement,
    InputSeries,
    RecordCase,
    RecordingRequirement,
    Scenario,
    Spec,
)
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels

SHOP = Labels.of(svc="shop")
DESK = Labels.of(svc="desk")
REQUESTS = InputSeries('http_total{svc="shop", code="500"}', "0+1x60")
SHOP_REPLAY = Scenario("a", "a", 60, (REQUESTS, InputSeries("up", "1x60")))
DESK_REPLAY = Scenario("b", "b", 120, (InputSeries('jobs_total{svc="desk"}', "0+1x120"),))


def spec() -> Spec:
    """Alert A is judged in the shop's replay, alert B in the desk's; record r for the shop alone."""
    return Spec(
        1,
        "task",
        (SHOP_REPLAY, DESK_REPLAY),
        (
            AlertRequirement("A1", "alert", "A", (AlertCase("a", SHOP),)),
            AlertRequirement("A2", "alert", "B", (AlertCase("b", DESK),)),
        ),
        (RecordingRequirement("C1", ("r",), (RecordCase("a", 10, "r", SHOP, 1.0),), ()),),
    )


def rule_file(*rules: Rule) -> RuleFile:
    return RuleFile("rules/a.yml", (Group("g", rules),))


def record(name: str, expr: str) -> Rule:
    return Rule(name, expr, is_alert=False)


def aside(rules: list[Rule], baseline: list[Rule] | None = None) -> list[str]:
    """Names of the rules that are set aside, after making sure that each has its problem."""
    linted = within([rule_file(*rules)], [rule_file(*(baseline or []))], spec())
    left = [rule for file in linted.rule_files for rule in file.rules()]
    gone = [rule.name for rule in rules if rule not in left]
    assert len(linted.problems) == len(gone)
    return gone


@pytest.mark.parametrize(
    ("expr", "kept"),
    [
        ("up == 0", True),
        ("rate(http_total[1h]) > 1", True),
        ("http_total unless http_total offset 1h", True),
        ("http_total offset -1d > 1", True),
        ("http_total unless http_total offset 61m", False),
        ("max(count_over_time(up[61m])) < 60", False),
        ("count_over_time(up[1m:] offset 2d) > 3", False),
        ("http_total unless on () scrape_duration_seconds", False),
        ("http_total or jobs_total >= 0", False),
        ('{__name__="http_total"} > 1', True),
        ('{__name__=~"http_total|up"} > 1', True),
        ('{__name__=~"http_total|scrape_samples_scraped"} > 1', False),
        ('{__name__=~"http.*"} > 1', False),
        ('{svc="shop"} > 1', False),
        ("up == 0 and on () vector(1)", True),
        ("absent(http_total)", True),
    ],
)
def test_an_alert_reads_what_its_own_replays_hold_and_as_far_back(expr: str, kept: bool) -> None:
    assert aside([Rule("A", expr), Rule("B", "jobs_total > 1")]) == ([] if kept else ["A"])


def test_what_an_alert_reads_by_way_of_new_records_counts() -> None:
    assert aside([record("h", "rate(http_total[5m])"), Rule("A", "h > 1")]) == []
    assert aside([record("h", "rate(jobs_total[5m])"), Rule("A", "http_total or h > 1")]) == ["A"]
    assert aside([record("h", "i"), record("i", "count(scrape_duration_seconds)"), Rule("A", "up unless h")]) == ["A"]
    assert aside([record("h", "i"), record("i", "h"), Rule("A", "up unless h")]) == []  # a circle ends


def test_definitions_of_a_record_that_are_about_others_do_not_count() -> None:
    shop, desk = record("h", 'rate(http_total{svc="shop"}[5m])'), record("h", 'rate(jobs_total{svc="desk"}[5m])')
    assert aside([shop, desk, Rule("A", 'h{svc="shop"} > 1'), Rule("B", 'h{svc="desk"} > 1')]) == []


def test_definitions_that_a_selector_leaves_out_do_not_count() -> None:
    shop = Rule("h", "sum by (svc) (http_total)", is_alert=False, labels=(("family", "http"),))
    desk = Rule("h", "sum by (svc) (jobs_total)", is_alert=False, labels=(("family", "jobs"),))
    assert aside([shop, desk, Rule("A", 'h{family="http"} > 1')]) == []
    assert aside([shop, desk, Rule("A", "h > 1")]) == ["A"]


def test_a_record_of_the_baseline_may_be_read_where_it_has_values() -> None:
    there = [record("ok", "sum(http_total)"), record("load", "sum(node_load1)")]
    assert aside([*there, Rule("A", "ok > 1")], there) == []
    assert aside([*there, Rule("A", "up unless on () load")], there) == ["A"]


def test_a_requested_record_gets_no_definition_that_none_of_its_replays_can_show() -> None:
    right = record("r", 'sum by (svc) (http_total{svc="shop"})')
    assert aside([right]) == []
    assert aside([right, record("r", 'count by (svc) (probe_success{svc="depot"})')]) == ["r", "r"]


def test_a_requested_record_that_is_missing_still_may_be_read() -> None:
    reference = rule_file(record("r", "sum by (svc) (http_total)"))
    linted = within([rule_file(Rule("A", "r > 1"))], [], spec(), [reference])
    assert not linted.problems


def test_what_stands_in_the_baseline_stays_however_it_is_written() -> None:
    old = [Rule("A", "up unless on () scrape_duration_seconds"), Rule("N", "sum(node_load1) > 1 and rate(x[1d]) > 0")]
    assert aside(old, old) == []
    assert aside([replace(rule, expr=rule.expr.replace(" ", "  ")) for rule in old], old) == []


def test_an_edited_neighbour_reads_what_it_read_and_what_some_replay_holds() -> None:
    old = [Rule("N", "rate(node_load1[1d]) > 1")]
    assert aside([Rule("N", "rate(node_load1[1d]) > 2")], old) == []
    assert aside([Rule("N", "rate(node_load1[1d]) > 1 or jobs_total > 1")], old) == []
    assert aside([Rule("N", "rate(node_load1[1d]) > 1 unless on () scrape_duration_seconds")], old) == ["N"]
    assert aside([Rule("N", "rate(node_load1[2d]) > 1")], old) == ["N"]


def test_an_edited_neighbour_may_be_written_with_the_records_of_what_it_read_or_without() -> None:
    made = [record("load", "sum(node_load1)"), record("twice", "load * 2"), record("disk", "sum(node_disk)")]
    raw, recorded = Rule("N", "sum(node_load1) > 1"), Rule("N", "load > 1")
    assert aside([*made, recorded], [*made, raw]) == []
    assert aside([*made, raw], [*made, recorded]) == []
    assert aside([*made, Rule("N", "twice > 2")], [*made, raw]) == []
    assert aside([*made, Rule("N", "disk > 1")], [*made, raw]) == ["N"]


def test_new_names_that_nobody_asked_for_are_not_looked_at_here() -> None:
    assert aside([Rule("Z", "scrape_duration_seconds > 1"), record("z", "rate(node_load1[9d])")]) == []


def test_records_that_read_each_other_twice_are_looked_into_once() -> None:
    chain = [record("x0", 'http_total{svc="shop"}'), *(record(f"x{n}", f"x{n - 1} + x{n - 1}") for n in range(1, 900))]
    assert aside([*chain, Rule("A", "x899 > 0")]) == []
    assert aside([record("x0", "foreign"), *chain[1:], Rule("A", "x899 > 0")]) == ["A"]


@pytest.mark.parametrize(
    ("expr", "kept"),
    [
        ('http_total unless on () up{job="prometheus"} == 1', False),
        ('http_total unless on () up{job!=""} == 1', False),
        ("http_total and on () up == 1", True),
        ('http_total and on () up{job=""} == 1', True),
        ('http_total{svc="shop", code="504"} or http_total{svc="shop"}', True),
        ('http_total{code="504"} or http_total', True),
        ('http_total{svc="desk"} > 1 or http_total{svc="shop"}', False),
    ],
)
def test_a_requested_rule_asks_for_series_that_some_replay_holds_or_for_its_own(expr: str, kept: bool) -> None:
    assert (aside([Rule("A", expr)]) == []) == kept


LAG = tuple(
    InputSeries(f'lag{{svc="{svc}", topic="{svc}.events", partition="{part}"}}', "0+1x60")
    for svc in ("shop", "desk")
    for part in "01"
)


@pytest.mark.parametrize(
    ("selector", "kept"),
    [
        ('lag{topic="shop.events"}', True),
        ('lag{topic="desk.events"}', True),  # some replay holds it, and shows what comes of that
        ('lag{topic="pay.events"}', False),
        ('lag{topic=~"pay.*"}', False),
        ('lag{topic=~"pay[.]events|bill[.]events"}', False),
        ('lag{topic=~"pay.*|shop.*"}', True),
        ('lag{topic!~"shop.*|desk.*"}', False),
        ('lag{topic=~"s(hop|top)[.]ev.*"}', True),
        ('lag{topic=~"(?i)SHOP.*"}', True),  # not read here
        ('lag{partition="7"}', True),
        ('lag{svc=~"pay"}', False),
        ('lag{svc=~"shop"}', True),
    ],
)
def test_whose_series_a_selector_asks_for_is_told_by_what_services_do_not_share(selector: str, kept: bool) -> None:
    replay = replace(SHOP_REPLAY, series=(*SHOP_REPLAY.series, *LAG))
    held = replace(spec(), scenarios=(replay, DESK_REPLAY))
    linted = within([rule_file(Rule("A", f"http_total or {selector} > 1"))], [], held)
    assert (not linted.problems) == kept
