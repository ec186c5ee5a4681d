"""What counts as tampering, and what looks like it but is honest work."""

from __future__ import annotations

import json

import pytest

from alertforge.alertmanager.config import Config, parse
from alertforge.grader import tamper
from alertforge.prometheus.rules import Group, Rule, RuleFile

INPUTS = ("up", "queue_depth")


def rule_file(*rules: Rule, path: str = "rules/a.yml", **settings: str) -> RuleFile:
    return RuleFile(path, (Group("g", rules, **settings),))


def alert(expr: str) -> Rule:
    return Rule("A", expr)


def record(name: str, expr: str) -> Rule:
    return Rule(name, expr, is_alert=False)


def find(
    *files: RuleFile,
    baseline: tuple[RuleFile, ...] = (),
    config: Config | None = None,
    old: Config | None = None,
) -> tuple[str, ...]:
    return tamper.find(files, config, baseline_files=baseline, baseline_config=old, inputs=INPUTS)


@pytest.mark.parametrize("name", ["ALERTS", "ALERTS_FOR_STATE", "up", "queue_depth"])
def test_writing_what_is_not_a_rules_to_write(name: str) -> None:
    (reason,) = find(rule_file(record(name, "vector(1)")))
    assert reason.startswith(f"rules/a.yml: record {name}: ")


def test_any_other_record_is_fine() -> None:
    assert find(rule_file(record("job:up:sum", "sum by (job) (up)"))) == ()


@pytest.mark.parametrize(
    "expr",
    [
        'ALERTS{alertname="B"}',
        'count(ALERTS_FOR_STATE{alertname="B"})',
        '{__name__="ALERTS"}',
        '{__name__="\\x41LERTS"}',
        '{"ALERTS", alertname="B"}',
        '{__name__=~"ALERTS"}',
        '{__name__=~"AL.*"}',
        '{__name__=~"up|ALERTS"}',
        '{__name__=~"A(L|M)ERTS"}',
        '{__name__=~"(?i)alerts"}',
        '{__name__=~"[A]LERTS"}',
        '{__name__=~"ALERTSS?"}',
        '{__name__=~".+", alertstate="firing"}',
        '{alertname="B"}',
        'count by (alertname) ({__name__=~".+"})',
        'max_over_time(ALERTS{alertname="B"}[10m])',
    ],
)
def test_an_alert_reads_other_alerts(expr: str) -> None:
    (reason,) = find(rule_file(alert(expr)))
    assert reason == "rules/a.yml: alert A: reads the state of other alerts"


@pytest.mark.parametrize(
    "expr",
    [
        'count({__name__=~"job:.*"})',
        'count by (__name__) ({__name__=~".+"}) > 10000',
        'absent({job="node"})',
        'ALERTS_TOTAL{job="x"} > 1',
        '{__name__=~".+_total"} > 1',
        '{__name__=~"node_(cpu|memory)_x"} > 1',
    ],
)
def test_a_pattern_that_is_after_something_else_is_honest(expr: str) -> None:
    assert find(rule_file(alert(expr))) == ()


def test_alerts_are_found_behind_records() -> None:
    through = [record("x", "ALERTS"), record("y", "count by (service) (x)"), alert("y > 0")]
    assert find(rule_file(*through)) == ("rules/a.yml: alert A: reads the state of other alerts",)
    assert find(rule_file(*through[:2])) == ()  # a dashboard's record is nobody's page


def test_what_the_baseline_has_is_not_tampering() -> None:
    old = rule_file(alert('ALERTS{alertname="B"}'), record("up", "vector(1)"))
    moved = rule_file(alert("ALERTS{alertname='B'}"), record("up", "vector(1)"), path="rules/b.yml")
    assert find(moved, baseline=(old,)) == ()


@pytest.mark.parametrize(
    "expr",
    [
        "up == 0 and on () vector(time()) > 1e9",
        "up == 0 and on () (1e9 < vector(time()))",
        "up == 0 and year() > 1990",
        "up == 0 and on () year(vector(time())) != 1970",
        "up == 0 and day_of_year() > 1",
        "up == 0 and timestamp(up) > 1e9",
        "up == 0 and on () vector(time() / 3600) > 1e5",
        "up == 0 and on () vector(time() + 5 * 60) >= 1000000000",
        "up * (time() > bool 1e9)",
        "up > time() / 1e12 * up",
        "up > scalar(clamp_max(vector(time()), 1))",
        "up * 0 + time() > 1e9",
        "time() - (up == bool 2) > 1e9",
        "up @ 1609746000 == 0",
        "max_over_time(vector(time())[5m:1m]) > 1e9",
    ],
)
def test_telling_the_replay_by_its_clock(expr: str) -> None:
    (reason,) = find(rule_file(alert(expr)))
    assert reason.startswith("rules/a.yml: alert A: ")


def test_a_clock_is_found_behind_records() -> None:
    assert len(find(rule_file(record("now", "vector(time())"), alert("up == 0 and on () now > 1e9")))) == 1


@pytest.mark.parametrize(
    "expr",
    [
        "time() - last_success_timestamp_seconds > 86400",
        "(time() - max by (job) (last_success_timestamp_seconds)) / 3600 > 26",
        "last_success_timestamp_seconds < time() - 86400",
        "(cert_expiry_seconds - time()) / 86400 < 21",
        "time() - timestamp(up) > 300",
        "timestamp(up) < time() - 120",
        "time() > deadline_seconds",
        "up == 0 and on () (hour() >= 8 < 18)",
        "up == 0 and on () day_of_week() < 6",
        "up == 0 and on () minute() > 5",
        "up == 0 and on () (time() % 86400 > 3600)",
        "backup_age_seconds > 7 * 86400",
        "month(cert_expiry_seconds) == 1",
        "year(cert_expiry_seconds) < 2030",
        "absent(up) or vector(0) > 1",
        "predict_linear(disk_free_bytes[6h], 4 * 3600) < 0",
    ],
)
def test_a_clock_in_honest_use(expr: str) -> None:
    assert find(rule_file(alert(expr))) == ()


# --- groups ----------------------------------------------------------------------------------------------------------


def test_group_settings_are_the_baselines() -> None:
    old = rule_file(alert("up == 0"), interval="30s")
    assert find(rule_file(alert("up == 0"), interval="30s"), baseline=(old,)) == ()
    assert find(rule_file(alert("up == 0"), interval="0m30s"), baseline=(old,)) == ()
    assert len(find(rule_file(alert("up == 0"), interval="1h"), baseline=(old,))) == 1
    assert len(find(rule_file(alert("up == 0"), interval="30s", query_offset="5m"), baseline=(old,))) == 1
    assert len(find(rule_file(alert("up == 0"), interval="30s", limit="1"), baseline=(old,))) == 1


def test_a_new_group_has_no_settings_but_the_defaults_or_those_its_rules_come_with() -> None:
    old = rule_file(alert("up == 0"), interval="30s")
    other = Rule("B", "up == 0")
    assert find(old, rule_file(other, path="rules/b.yml"), baseline=(old,)) == ()
    assert find(old, rule_file(other, path="rules/b.yml", interval="60s", limit="0"), baseline=(old,)) == ()
    assert len(find(old, rule_file(other, path="rules/b.yml", interval="30s"), baseline=(old,))) == 1
    assert find(rule_file(alert("up == 0"), path="rules/b.yml", interval="30s"), baseline=(old,)) == ()


# --- time intervals --------------------------------------------------------------------------------------------------


def config(intervals: str = "", route: str = "") -> Config:
    tree = f"{{receiver: a, routes: [{{receiver: a, matchers: [x=y]{route}}}]}}"
    return parse(f"route: {tree}\nreceivers: [{{name: a}}]\n{intervals}")


NIGHT = f"time_intervals: {json.dumps([{'name': 'night', 'time_intervals': [{'weekdays': ['saturday']}]}])}"


def test_new_time_intervals_are_tampering() -> None:
    assert find(config=config(NIGHT), old=config()) == ("alertmanager.yml: time interval night is new or changed",)
    assert len(find(config=config(NIGHT, ", mute_time_intervals: [night]"), old=config(NIGHT))) == 1
    assert len(find(config=config(NIGHT, ", active_time_intervals: [night]"), old=config(NIGHT))) == 1


def test_time_intervals_of_the_baseline_are_not() -> None:
    muted = config(NIGHT, ", mute_time_intervals: [night]")
    assert find(config=muted, old=muted) == ()
    assert find(config=None, old=muted) == ()
    assert find(config=config(), old=config()) == ()
