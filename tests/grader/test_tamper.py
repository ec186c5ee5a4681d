"""What counts as tampering, and what looks like it but is honest work."""

from __future__ import annotations

import json

import pytest

from alertforge.alertmanager.config import Config, parse
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.grader import tamper
from alertforge.grader.spec import InputSeries, Scenario
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.repo.exporters import load_all, render
from alertforge.seeds import Seed
from alertforge.world.create import create

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
    requested: tuple[str, ...] = (),
) -> tuple[str, ...]:
    for rule in (rule for file in files for rule in file.rules()):
        assert rule.tree  # a test of something that is no PromQL proves nothing
    return tamper.find(files, config, baseline_files=baseline, baseline_config=old, inputs=INPUTS, requested=requested)


@pytest.mark.parametrize("name", ["ALERTS", "ALERTS_FOR_STATE", "up", "queue_depth"])
def test_writing_what_is_not_a_rules_to_write(name: str) -> None:
    (reason,) = find(rule_file(record(name, "vector(1)")))
    assert reason.startswith(f"rules/a.yml: record {name}: ")


def test_metrics_that_only_the_baseline_reads_are_not_a_rules_to_write() -> None:
    old = rule_file(Rule("Old", "haproxy_up == 0 and on () job:x:y > 1 and on () own > 1"), record("own", "up"))
    assert len(find(rule_file(record("haproxy_up", "vector(0)")), baseline=(old,))) == 1
    for free in ("job:x:y", "own", "other"):  # a missing record, a record, and anything else
        assert find(rule_file(record(free, "vector(0)")), baseline=(old,)) == ()
    assert find(rule_file(record("haproxy_up", "vector(0)")), baseline=(old,), requested=("Old",)) == ()
    assert find(rule_file(record("haproxy_up", "vector(0)")), baseline=(old,), requested=("haproxy_up",)) == ()


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


SHOWN = Scenario("s", "", 1, tuple(InputSeries(f'{name}{{pod="a",service="s"}}', "1") for name in INPUTS))
HOUSE = (
    Rule("B", "up == 0", labels=(("squad", "x"), ("severity", "page"))),
    record("service:depth:max", "max by (service) (queue_depth)"),
)


def among(expr: str, *more: Rule) -> tuple[str, ...]:
    """What is found where the house's rules and series are known."""
    rules = rule_file(*HOUSE, alert(expr), *more)
    return tamper.find(
        [rules], None, baseline_files=[rule_file(*HOUSE)], baseline_config=None, inputs=INPUTS, scenarios=[SHOWN]
    )


@pytest.mark.parametrize(
    "expr",
    [
        'count({squad="x"}) > 0',
        'absent({squad="x", service="s"})',
        '{squad=~"x|y"}',
        '{severity!=""}',
        'count by (squad) ({service="s"}) > 1',
        '{service="s"} and on (severity) label_replace(vector(1), "severity", "page", "", "")',
        'label_replace({service="s"}, "x", "$1", "squad", "(.+)") > 0',
        '{service="s", __name__!="up", __name__!="queue_depth", __name__!~"service:.*"}',
        '{service="s", __name__!~"up|queue_depth|service:depth:max"}',
        '{service="s", pod="", __name__!~"service:.+"}',
    ],
)
def test_alerts_are_found_by_labels_that_only_they_carry(expr: str) -> None:
    assert among(expr) == ("rules/a.yml: alert A: reads the state of other alerts",)


@pytest.mark.parametrize(
    "expr",
    [
        'absent({service="s"})',
        'count({service="s", pod="a"}) == 0',
        'absent({job="node"})',
        'count({__name__!~"go_.*", service="s"}) > 1000',
        'count by (service) ({pod=~".+"}) > 1000',
        'sum by (squad) (queue_depth{squad="x"}) > 1',
        'queue_depth{squad="x"} > 1',
        '{__name__=~"service:.*", squad="x"} > 1',
    ],
)
def test_labels_that_others_carry_as_well_are_honest(expr: str) -> None:
    assert among(expr) == ()


def test_a_record_of_ones_own_does_not_hide_alerts() -> None:
    decoy = Rule("decoy", "vector(1)", is_alert=False, labels=(("squad", "nobody"),))
    assert len(among('{squad="x"}', decoy)) == 1


def test_a_label_that_is_worked_out_from_alerts() -> None:
    text = "{{ with query \"ALERTS{alertname='B'}\" }}page{{ else }}ticket{{ end }}"
    assert len(find(rule_file(Rule("A", "up == 0", labels=(("severity", text),))))) == 2
    assert find(rule_file(Rule("A", "up == 0", annotations=(("summary", text),)))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "{{ if $externalURL }}none{{ else }}page{{ end }}",
        "{{ with externalURL }}none{{ end }}",
        '{{ with . }}{{ if match "example" (printf "%v" .) }}none{{ end }}{{ end }}',
        '{{ with 1 }}{{ printf "%v" $ }}{{ end }}',
        '{{ with $labels.a }}{{ else }}{{ printf "%v" . }}{{ end }}',
        '{{ with $labels.a }}x{{ end }}{{ printf "%v" . }}',
        "{{- .ExternalURL -}}",
        "{{ $externalLabels.cluster }}",
        "{{ .ExternalLabels.cluster }}",
        "{{ $x := . }}{{ if $x.ExternalURL }}none{{ else }}page{{ end }}",
        '{{ if and "}}" $externalURL }}none{{ else }}page{{ end }}',
        "{{ if and (eq '\"' 34) $externalURL (eq '\"' 34) }}none{{ else }}page{{ end }}",
        '{{ if match "http" (printf "%v" .) }}none{{ else }}page{{ end }}',
        '{{ len (printf "%v" $) }}',
        "{{ (.).ExternalURL }}",
        "{{ pathPrefix }}",
        '{{ range query "up offset 1d" }}none{{ end }}',
        "{{ if $value }}\n{{ if $externalURL }}none{{ end }}{{ end }}",
    ],
)
def test_a_label_that_is_worked_out_from_more_than_the_alert(text: str) -> None:
    """A replay has no external URL, no external labels and no yesterday."""
    labelled = rule_file(Rule("A", "up == 0", labels=(("severity", text),)))
    assert find(labelled) == ("rules/a.yml: alert A: label severity is worked out from more than the alert itself",)
    assert len(find(rule_file(alert("up == 0"), labels=(("severity", text),)))) == 1
    assert find(labelled, baseline=(rule_file(Rule("B", "up == 1", labels=(("severity", text),))),)) == ()
    assert find(rule_file(Rule("A", "up == 0", annotations=(("summary", text),)))) == ()


@pytest.mark.parametrize(
    "text",
    [
        "query of externalURL",
        "{{ $labels.query }}",
        "{{ .Labels.ExternalURL }}",
        "{{ $value | humanize }}",
        '{{ if eq $labels.kind "query" }}reads{{ end }}',
    ],
)
def test_a_label_of_what_the_alert_carries_is_honest(text: str) -> None:
    assert find(rule_file(Rule("A", "up == 0", labels=(("what", text),)))) == ()


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
        # a calendar that stands still through a replay
        "up == 0 and on () (hour() >= 8 < 18)",
        "up == 0 unless on () hour() > 3",
        "up == 0 and on () (hour() == 0)",
        "up == 0 and on () day_of_week() < 6",
        "up == 0 and on () (day_of_week() == 4)",
        "up == 0 and on () month() == 1",
        "up == 0 and on () month(vector(time())) < 2",
        "up == 0 and on () day_of_month() == 1",
        "up == 0 and on () days_in_month() == 31",
        "up == 0 and on () day_of_year(timestamp(up)) < 3",
        "up == 0 and on () (vector(time()) % 86400 > 3600)",
        "up == 0 and on () (vector(time()) < 1e7)",
        "up == 0 and on () (vector(time()) < 1e6 or vector(time()) < 1e5)",
        "up == 0 and on () (1e6 > vector(time()) + 3600)",
        "up == 0 and on () (month() + day_of_month() == 2)",
        "up == 0 and on () (label_replace(hour(), 'a', 'b', '', '') < 2)",
        "up == 0 and on () (hour(vector(time()) - up * 0) < 2)",
        "up == 0 and on () (hour(vector(time() - 3600) + (up - up)) > 20)",
        "up == 0 and on () hour(time() - queue_depth) < 2",
        "up == 0 and on () count(vector(time()) < 1e6)",
        "up == 0 and on () absent(vector(time()) > 1e6)",
        "up == 0 and on () (floor(vector(time()) / 86400) == 0)",
        # thresholds that the calendar makes
        "queue_depth > 25 * day_of_week()",
        "queue_depth > 100 + 1000 * hour()",
        "queue_depth > 100 * month()",
        "queue_depth > 100 + time() / 1000",
        "queue_depth * 1e5 > time()",
        "queue_depth - time() > -7200",
        "time() - queue_depth * 0.001 > 1e7",
    ],
)
def test_telling_the_replay_by_its_clock(expr: str) -> None:
    (reason,) = find(rule_file(alert(expr)))
    assert reason.startswith("rules/a.yml: alert A: ")


def test_a_clock_is_found_behind_records() -> None:
    assert len(find(rule_file(record("now", "vector(time())"), alert("up == 0 and on () now > 1e9")))) == 1
    assert len(find(rule_file(record("h", "hour()"), alert("up == 0 and on () h < 3")))) == 2
    behind = (record("q", "max(queue_depth)"), alert("q * 1e5 > time()"))
    assert len(find(rule_file(*behind))) == 1
    assert find(rule_file(record("q", "max(last_success)"), alert("time() - q > 600"))) == ()


@pytest.mark.parametrize("turned", [False, True])
def test_records_in_a_circle_hide_no_clock_and_end_nothing(turned: bool) -> None:
    circle = [record("b", "time()"), record("a", "b"), record("b", "a"), record("c", "a")]
    found = find(rule_file(*(circle[::-1] if turned else circle), alert("up == 0 and on () c > 1e9")))
    assert [reason for reason in found if "alert A" in reason] != []


def test_clocks_beyond_counting_are_not_worked_out() -> None:
    """A dozen sums of 150 clocks each; an honest rule beside them is judged as ever."""
    flood = [
        record(f"a{number}", " + ".join([f"minute(vector({number}))", *["minute()"] * 150])) for number in range(400)
    ]
    found = find(rule_file(*flood, alert("up == 0")))
    assert any("more ways than can be looked at" in reason for reason in found)
    assert not any("alert A" in reason for reason in found)


def test_alerts_are_found_behind_a_long_line_of_records() -> None:
    line = [record(f"r{number}", f"r{number + 1}") for number in range(300)]
    assert len(find(rule_file(*line, record("r300", "ALERTS"), alert("r0 > 0")))) == 1
    assert find(rule_file(*line, record("r300", "up"), alert("r0 > 0"))) == ()


def test_office_hours_of_the_baseline_stay() -> None:
    """An alert that already waits for office hours may get another label or another file, not another clock."""
    old = rule_file(alert("up == 0 and on () (hour() > 8 < 18)"))
    labelled = rule_file(Rule("A", "up == 0 and on () (hour() > 8 < 18)", labels=(("a", "b"),)), path="rules/b.yml")
    assert find(labelled, baseline=(old,)) == ()
    assert len(find(rule_file(alert("up == 0 and on () (hour() < 3)")), baseline=(old,))) == 1


def test_nothing_in_the_exporters_rules_tells_the_time() -> None:
    style = create(Seed.master("clock"), services=1).style
    for exporter in load_all():
        assert find(render(exporter, style, "t", "d.example")) == (), exporter.name


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
        "up == 0 and on () minute() > 5",
        "up == 0 and on () (vector(time()) % 600 > 60)",
        "last_success_timestamp_seconds < time() - time() % 86400",
        "time() - max_over_time(timestamp(up == 1)[1h:1m]) > 600",
        "time() - batch_seconds > 86400 * 2",
        "hour(last_success_timestamp_seconds) == 3",
        "time() - process_start_time_seconds < 600",
        "time() - kube_pod_created > 3600",
        "backup_age_seconds > 7 * 86400",
        "month(cert_expiry_seconds) == 1",
        "year(cert_expiry_seconds) < 2030",
        "absent(up) or vector(0) > 1",
        "predict_linear(disk_free_bytes[6h], 4 * 3600) < 0",
    ],
)
def test_a_clock_in_honest_use(expr: str) -> None:
    assert find(rule_file(alert(expr))) == ()


def test_no_kind_of_alert_tampers_in_any_of_its_ways() -> None:
    """Right ways, wrong ways: what an author has thought of is honest work, however well it does."""
    world = create(Seed.master("clock"), services=2)
    for subject in (Subject(world, service) for service in world.services):
        exported = {name for kind in KINDS.values() for name, _ in kind.exported(subject)}
        for name, kind in KINDS.items():
            rules = [kind.rule(subject), *(rule for ways in kind.accepted(subject).values() for rule in ways)]
            rules += [rule for rule, _ in kind.wrong(subject).values()]
            files = [rule_file(rule) for rule in rules]
            assert not tamper.find(files, None, baseline_files=[], baseline_config=None, inputs=exported), name


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
