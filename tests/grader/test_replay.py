"""Replay on the real promtool: what fires, what is left out without a trace, and what one bad rule may cost."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from alertforge.grader import runner
from alertforge.grader.reach import Reach, place
from alertforge.grader.replay import Cache, plain_replay, replay
from alertforge.grader.spec import InputSeries, Scenario
from alertforge.grader.timeline import Ask, Firing, Seen, Timeline
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels, selector_text
from alertforge.tools import find
from tests.hang import ends


@pytest.fixture(scope="module")
def binary() -> Path:
    return find("promtool")


def scenario(name: str, minutes: int, **series: str) -> Scenario:
    """A scenario from `metric="samples"`; a label set is written `metric__label_value`."""
    return Scenario(name, name, minutes, tuple(InputSeries(_series(key), values) for key, values in series.items()))


def _series(key: str) -> str:
    name, *labels = key.split("__")
    pairs = [label.split("_", 1) for label in labels]
    return selector_text(Labels.of(pairs, __name__=name))


def rule_file(*rules: Rule, path: str = "rules/a.yml") -> RuleFile:
    return RuleFile(path, (Group("g", rules),))


def record(name: str, expr: str, **labels: str) -> Rule:
    return Rule(name, expr, is_alert=False, labels=tuple(labels.items()))


def alert(name: str, expr: str, **labels: str) -> Rule:
    return Rule(name, expr, labels=tuple(labels.items()))


def both(binary: Path, files: Iterable[RuleFile], asks: Iterable[Ask]) -> Timeline:
    """The replay, after making sure that the plain way sees the same."""
    files, asks = list(files), list(asks)
    seen = replay(files, asks, promtool=binary)
    assert seen == plain_replay(files, asks, promtool=binary)
    return seen


# --- what is seen ----------------------------------------------------------------------------------------------------


def test_an_alert_is_seen_on_its_whole_timeline(binary: Path) -> None:
    rule = Rule("High", "x > 3", for_=120_000, labels=(("severity", "page"),), annotations=(("s", "at {{ $value }}"),))
    asks = [Ask(scenario("up", 9, x__pod_a="0+1x9"), annotations=frozenset({"High"}))]
    seen = both(binary, [rule_file(rule)], asks)
    assert seen.firing_minutes("up", "High") == (6, 7, 8, 9)
    assert seen.firing("up", "High", 7) == (Firing(Labels.of(pod="a", severity="page"), (("s", "at 7"),)),)
    assert seen.firing("up", "High", 5) == ()
    assert seen.alerts("up", 6) == (("High", seen.firing("up", "High", 6)[0]),)
    assert seen.failures == {}


def test_annotations_are_given_only_where_asked_for(binary: Path) -> None:
    rules = [Rule(name, "x > 0", annotations=(("s", "text"),)) for name in ("A", "B")]
    one = scenario("s", 1, x="1x1")
    seen = both(binary, [rule_file(*rules)], [Ask(one, annotations=frozenset({"B"}))])
    assert [seen.firing("s", name, 1)[0].annotations for name in ("A", "B")] == [(), (("s", "text"),)]
    everything = both(binary, [rule_file(*rules)], [Ask(one, annotations=None)])
    assert everything.firing("s", "A", 1)[0].annotations == (("s", "text"),)


def test_only_the_alerts_asked_for_are_observed(binary: Path) -> None:
    seen = both(binary, [rule_file(alert("A", "x"), alert("B", "x"))], [Ask(scenario("s", 1, x="1x1"), frozenset("B"))])
    assert seen.firing_minutes("s", "A") == ()
    assert seen.firing_minutes("s", "B") == (0, 1)


def test_records_are_read_at_their_minutes(binary: Path) -> None:
    rules = [record("job:x:sum", "sum by (job) (x)"), record("job:nan", "x / 0"), alert("A", "job:x:sum > 100")]
    ask = Ask(
        scenario("s", 5, x__job_a="0x5", y="1x5"),
        records=(("job:x:sum", 2), ("job:x:sum", 4), ("job:nan", 1), ("unknown", 1)),
    )
    seen = both(binary, [rule_file(*rules)], [ask])
    assert seen.record("s", "job:x:sum", 2) == ((Labels.of(job="a"), 0.0),)
    assert seen.record("s", "job:x:sum", 3) is None
    assert seen.record("s", "unknown", 1) == ()
    found = seen.record("s", "job:nan", 1)
    assert found is not None and math.isnan(found[0][1])
    assert Timeline.from_plain(json.loads(json.dumps(seen.to_plain()))) == seen


def test_files_run_in_order_of_their_paths(binary: Path) -> None:
    late = rule_file(alert("A", "rec > 3"), path="rules/b.yml")
    early = rule_file(record("rec", "x"), path="rules/a.yml")
    seen = both(binary, [late, early], [Ask(scenario("s", 5, x="0+1x5"))])
    assert seen.firing_minutes("s", "A") == (4, 5)
    swapped = both(
        binary,
        [rule_file(alert("A", "rec > 3")), rule_file(record("rec", "x"), path="rules/b.yml")],
        [Ask(scenario("s", 5, x="0+1x5"))],
    )
    assert swapped.firing_minutes("s", "A") == (5,)


def test_group_labels_reach_alerts_and_group_settings_do_not(binary: Path) -> None:
    group = Group("g", (alert("A", "x"),), interval="10m", query_offset="3m", limit="1", labels=(("team", "core"),))
    asks = [Ask(scenario("s", 1, x__pod_a="1x1", x__pod_b="1x1"))]
    seen = both(binary, [RuleFile("rules/a.yml", (group, group))], asks)
    assert [firing.labels for firing in seen.firing("s", "A", 0)] == [
        Labels.of(pod=pod, team="core") for pod in ("a", "b")
    ]


# --- what may be left out --------------------------------------------------------------------------------------------

NEEDED_ANYWAY = (
    "absent(other)",
    "absent_over_time(other[5m])",
    "vector(1)",
    "vector(scalar(other)) != 1",
    "vector(time()) > 60 or other",
    "hour() == 0",
    "count(other) or vector(0)",
    "sum(other) or on () vector(3)",
    "x and on () absent(other)",
    "x unless other",
    '{__name__=~"x|other"}',
    'count({job="", pod="a"})',
    'x{pod=~"a|z"}',
    'x{missing=""}',
    'x{pod!="b"}',
    "-(x or other)",
    'label_replace(absent(other), "a", "b", "", "")',
    'ALERTS{alertname="Base"}',
    "count(ALERTS_FOR_STATE)",
    "late:rec",
    "max_over_time(x[3m:1m])",
)


@pytest.mark.parametrize("expr", NEEDED_ANYWAY)
def test_a_rule_that_yields_something_is_never_left_out(binary: Path, expr: str) -> None:
    files = [
        rule_file(alert("Base", "x"), alert("Probe", expr)),
        rule_file(record("late:rec", "x"), path="rules/z.yml"),
    ]
    seen = both(binary, files, [Ask(scenario("s", 6, x__pod_a="1x6"))])
    assert seen.firing_minutes("s", "Probe"), "the example itself is dull"


@pytest.mark.parametrize(
    "expr",
    [
        "other > 0",
        'x{pod="b"}',
        'x{pod!="a"}',
        'x{pod=""}',
        "other or x{pod='b'}",
        "x and other",
        "other unless x",
        "sum(rate(other[5m])) > vector(0)",
        "rec:of:other",
        "histogram_quantile(0.9, other)",
    ],
)
def test_a_rule_that_cannot_yield_anything_does_not_run(binary: Path, expr: str) -> None:
    files = [rule_file(record("rec:of:other", "other"), alert("Probe", expr), alert("Kept", "x"))]
    ask = Ask(scenario("s", 3, x__pod_a="1x3"))
    needed = ask.needed(Reach(place(files)))
    assert [placed.rule.name for placed in needed] == ["Kept"]
    assert both(binary, files, [ask]).firing_minutes("s", "Probe") == ()


SHAPED = (
    record("r:static", "x", env="prod"),
    record("r:sum", "sum by (pod, zone) (x)"),
    record("r:without", "sum without (zone) (x)"),
    record("r:to", 'label_replace(x, "to", "b", "", "")'),
    record("r:left", "y * on (pod) group_left (team) info"),
    record("r:values", 'count_values("val", x)'),
    record("r:top", "topk by (pod) (1, x)"),
    record("r:either", "sum by (pod) (x) or label_join(x, 'zone', '', 'pod')"),
    record("r:early", 'max by (pod) (r:late{side="b"} or x{pod="a"})', side="a"),
    record("r:late", 'label_replace(r:early, "side", "b", "", "")'),
    record("x", "info", pod="z"),
)
SHAPED_SERIES = {
    "y__pod_a": "1x6",
    "y__pod_b": "1x6",
    "x__pod_a__zone_n": "1x6",
    "x__pod_b__zone_s": "1x6",
    "info__pod_a__team_core": "1x6",
}


@pytest.mark.parametrize(
    "expr",
    [
        'r:static{env="prod"}',
        'r:static{env!="dev", pod="b"}',
        'r:sum{pod="a", zone="n", env=""}',
        'r:without{zone="", pod="a"}',
        'r:to{to="b"}',
        'r:left{team="core"}',
        'r:values{val="1"}',
        'r:top{zone="s"}',
        'r:either{zone="a"}',
        'r:either{zone=""}',
        'r:late{side="b"}',
        'max_over_time(r:early{side="a"}[3m])',
        'x{pod="z", team="core"}',
        'sum by (pod) (r:static{env="prod"}) * 2 > 1',
    ],
)
def test_labels_that_a_record_can_carry_keep_its_readers(binary: Path, expr: str) -> None:
    files = [rule_file(*SHAPED, alert("Probe", expr, severity="page", team="static"))]
    seen = both(binary, files, [Ask(scenario("s", 6, **SHAPED_SERIES))])
    assert seen.firing_minutes("s", "Probe"), "the example itself is dull"


@pytest.mark.parametrize(
    "expr", ['r:static{env="dev"}', 'r:static{env!="prod"}', 'r:sum{pod="q"}', 'r:sum{team="core"}', 'r:top{pod="q"}']
)
def test_readers_of_labels_that_no_record_carries_do_not_run(binary: Path, expr: str) -> None:
    files = [rule_file(*SHAPED, alert("Probe", expr), alert("Kept", "info"))]
    ask = Ask(scenario("s", 6, **SHAPED_SERIES))
    assert [placed.rule.name for placed in ask.needed(Reach(place(files)))] == ["Kept"]
    assert both(binary, files, [ask]).firing_minutes("s", "Probe") == ()


@pytest.mark.parametrize(
    "rule",
    [
        alert("A", "y", pod="same"),  # two series become one: an error
        alert("A", "y offset 1m", pod="same", zone="any"),
        alert("A", "x", pod=""),
        alert("A", "x > on (pod) group_left (team) info", team="other", severity="page"),
        alert("A", "sum by (pod) (x)", zone="static", alertname="Other", empty="", template="{{ $labels.pod }}"),
        alert("A", "absent(nothing)", service="s"),
        alert("A", 'absent(nothing{service="a"})', service="b"),
        alert("A", "vector(1)", service="s", **{"not a name": "ü"}),
    ],
)
def test_static_labels_are_those_that_promtool_would_set(binary: Path, rule: Rule) -> None:
    group = Group("g", (rule,), labels=(("team", "group"), ("severity", "ticket")))
    both(binary, [RuleFile("rules/a.yml", (group,))], [Ask(scenario("s", 6, **SHAPED_SERIES))])


def test_a_template_that_queries_keeps_what_it_may_read(binary: Path) -> None:
    label = '{{ with query "rec" }}{{ . | first | value }}{{ end }}'
    files = [rule_file(record("rec", "x * 7"), alert("A", "x", seven=label))]
    seen = both(binary, files, [Ask(scenario("s", 2, x="1x2"))])
    assert seen.firing("s", "A", 1)[0].labels == Labels.of(seven="7")


def test_a_record_that_nobody_reads_is_not_run(binary: Path) -> None:
    files = [rule_file(record("a:b", "x"), record("c:d", "x"), alert("A", "c:d"))]
    reach = Reach(place(files))
    ask = Ask(scenario("s", 2, x="1x2"))
    assert [placed.rule.name for placed in ask.needed(reach)] == ["c:d", "A"]


def test_what_one_set_of_rules_reached_says_nothing_about_the_next() -> None:
    asked = Ask(scenario("s", 2, x="1x2"))
    reading = alert("A", 'r{kind="b"} > 0')
    for recorded, reached in (("a", []), ("b", ["r", "A"]), ("c", [])):
        files = [rule_file(record("r", "x", kind=recorded), reading)]
        assert [placed.rule.name for placed in asked.needed(Reach(place(files)))] == reached
    assert asked.needed(Reach(place([rule_file(reading)]))) == []


def test_an_expression_that_our_reader_refuses_is_kept(binary: Path) -> None:
    wide = " or ".join(f'x{{pod="{number}"}}' for number in range(700)) + " or vector(1)"
    assert len(wide) > 8192
    seen = both(binary, [rule_file(alert("Wide", wide))], [Ask(scenario("s", 1, x="1x1"))])
    assert seen.firing_minutes("s", "Wide") == (0, 1)


# --- one bad rule ----------------------------------------------------------------------------------------------------

TWO_LATE = {"x__pod_a": "1x12", "y__pod_a": "1x12", "y__pod_b": "_x7 1x5"}  # a second y from minute 7 on


def test_a_rule_that_fails_at_minute_7_costs_only_itself(binary: Path) -> None:
    files = [
        rule_file(alert("Before", "x"), alert("Join", "x * on () y"), alert("After", "y"), record("rec", "sum(y)"))
    ]
    seen = both(binary, files, [Ask(scenario("s", 12, **TWO_LATE), records=(("rec", 11),))])
    assert seen.firing_minutes("s", "Before") == seen.firing_minutes("s", "After") == tuple(range(13))
    assert seen.firing_minutes("s", "Join") == ()
    assert seen.record("s", "rec", 11) == ((Labels(), 2.0),)
    assert len(seen.failures["s"]) == 1
    assert "Join" in seen.failures["s"][0] and "7m0s" in seen.failures["s"][0]


def test_of_two_definitions_only_the_failing_one_is_set_aside(binary: Path) -> None:
    files = [rule_file(alert("A", "x * on () y", tier="bad"), alert("A", "x", tier="good"))]
    seen = both(binary, files, [Ask(scenario("s", 12, **TWO_LATE))])
    assert [firing.labels.get("tier") for firing in seen.firing("s", "A", 12)] == ["good"]


def test_of_two_records_of_a_name_only_the_failing_one_is_set_aside(binary: Path) -> None:
    files = [rule_file(record("r", "x * on () y", k="bad"), record("r", "x", k="good"), alert("A", "r"))]
    seen = both(binary, files, [Ask(scenario("s", 12, **TWO_LATE), records=(("r", 12),))])
    assert seen.record("s", "r", 12) == ((Labels.of(k="good", pod="a"), 1.0),)
    assert [firing.labels.get("k") for firing in seen.firing("s", "A", 12)] == ["good"]


def test_a_failing_definition_is_found_also_where_alert_names_are_data(binary: Path) -> None:
    files = [rule_file(alert("A", "x * on () y", t="bad"), alert("A", "x", t="good"), alert("R", "count(ALERTS) > 0"))]
    seen = both(binary, files, [Ask(scenario("s", 12, **TWO_LATE))])
    assert [firing.labels.get("t") for firing in seen.firing("s", "A", 12)] == ["good"]
    assert seen.firing_minutes("s", "R")


def test_definitions_whose_label_sets_collide_fire_when_one_does(binary: Path) -> None:
    files = [rule_file(alert("A", "x > 2"), alert("A", "x > 4"), alert("B", "x > 6"))]
    seen = both(binary, files, [Ask(scenario("s", 9, x="0+1x9"))])
    assert seen.firing_minutes("s", "A") == tuple(range(3, 10))
    assert [len(seen.firing("s", "A", minute)) for minute in (3, 9)] == [1, 1]
    assert seen.failures == {}


def test_colliding_definitions_fire_also_where_alert_names_are_data(binary: Path) -> None:
    files = [rule_file(alert("A", "x > 2"), alert("A", "x > 4"), alert("R", 'count({__name__=~"AL.*"}) > 0'))]
    seen = both(binary, files, [Ask(scenario("s", 9, x="0+1x9"))])
    assert seen.firing_minutes("s", "A") == tuple(range(3, 10))
    assert seen.failures == {}


def test_values_and_messages_do_not_vary_with_the_order_of_series(binary: Path) -> None:
    rng = random.Random(5)
    series = {f"x__pod_{n}": " ".join(str(rng.random() * 1000) for _ in range(4)) for n in range(9)}
    files = [rule_file(record("spread", "stddev(x)"), record("mean", "avg(x)"), alert("Bad", "x * on () x"))]
    ask = Ask(scenario("s", 3, **series), records=(("spread", 2), ("mean", 3)))
    seen = [replay(files, [ask], promtool=binary) for _ in range(8)]
    assert len({json.dumps(one.to_plain()) for one in seen}) == 1
    assert "many-to-many" in seen[0].failures["s"][0]


def test_of_colliding_records_the_first_stays(binary: Path) -> None:
    files = [rule_file(record("r", "x"), record("r", "x * 2"), record("r", "x * 3"), alert("A", "r == 5"))]
    seen = both(binary, files, [Ask(scenario("s", 6, x="0+1x6"), records=(("r", 6),))])
    assert seen.record("s", "r", 6) == ((Labels(), 6.0),)
    assert seen.firing_minutes("s", "A") == (5,)
    assert len(seen.failures["s"]) == 2


def test_many_failing_rules_at_many_minutes_leave_the_rest(binary: Path) -> None:
    series = {f"y{n}__pod_{pod}": f"_x{n} 1x20" if pod == "b" else "1x20" for n in range(1, 9) for pod in "ab"}
    rules = [alert(f"Bad{n}", f"y{n} * on () y{n}") for n in range(1, 9)]
    seen = both(binary, [rule_file(*rules, alert("Good", "y1"))], [Ask(scenario("s", 20, **series))])
    assert len(seen.failures["s"]) == 8
    assert seen.firing_minutes("s", "Good") == tuple(range(21))


def test_recording_alerts_harms_only_its_author(binary: Path) -> None:
    files = [rule_file(record("ALERTS", "x", alertname="B", alertstate="firing"), alert("B", "x > 3"), alert("C", "x"))]
    seen = both(binary, files, [Ask(scenario("s", 6, x="0+1x6"))])
    assert seen.firing_minutes("s", "B") == (4, 5, 6)  # on a server too: only the write of its state fails
    assert seen.firing_minutes("s", "C") == tuple(range(7))


BOMBS = {
    "subquery": alert("Bomb", "max_over_time(x[10y:1ms]) > 0"),
    "label template": alert("Bomb", "x", boom="{{ $a := `aaaaaaaaaaaaaaaa` }}" + "{{ $a = printf `%s%s` $a $a }}" * 30),
    "does not load": alert("Bomb", "x >"),
    "half a character": alert("Bomb", "x", half="\ud83d"),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=list(BOMBS))
def test_a_rule_that_kills_promtool_costs_only_itself(
    binary: Path, bomb: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "GRACE_SECONDS", 1.5)
    files = [rule_file(alert("First", "x"), bomb, alert("Last", "x > 1"))]
    asks = [Ask(scenario("with", 3, x="0+1x3")), Ask(scenario("without", 3, y="1x3"))]
    seen = replay(files, asks, promtool=binary)
    assert seen.firing_minutes("with", "First") == (0, 1, 2, 3)
    assert seen.firing_minutes("with", "Last") == (2, 3)
    assert seen.firing_minutes("with", "Bomb") == ()
    assert ["Bomb" in text for text in seen.failures["with"]] == [True]
    if bomb.expr != "x >":
        assert "without" not in seen.failures


def test_no_rule_is_blamed_for_a_machine_that_is_busy(
    binary: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A promtool that waits longer by the clock than it may compute."""
    monkeypatch.setattr(runner, "GRACE_SECONDS", 1.0)
    late = tmp_path / "promtool"
    late.write_text(f'#!/bin/sh\nsleep 3\nexec {binary} "$@"\n')
    late.chmod(0o755)
    seen = replay([rule_file(alert("First", "x"))], [Ask(scenario("with", 3, x="0+1x3"))], promtool=late)
    assert (seen.failures, seen.firing_minutes("with", "First")) == ({}, (0, 1, 2, 3))


def test_the_deadline_holds_whatever_the_rules_do(binary: Path) -> None:
    asks = [Ask(scenario(f"s{number}", 3, x="0+1x3"), records=(("r", 1),)) for number in range(6)]
    with ends():
        seen = replay([rule_file(BOMBS["subquery"])], asks, promtool=binary, deadline_s=3)
    assert set(seen.scenarios) == {f"s{number}" for number in range(6)}
    assert all("out of time" in seen.failures[ask.scenario.id][-1] for ask in asks)
    assert seen.record("s0", "r", 1) is None


def test_a_series_that_does_not_load_costs_its_scenario_only(binary: Path) -> None:
    broken = Scenario("broken", "", 3, (InputSeries("x{", "1x3"),))
    seen = replay([rule_file(alert("A", "x"))], [Ask(broken), Ask(scenario("fine", 3, x="1x3"))], promtool=binary)
    assert "given up" in seen.failures["broken"][0]
    assert seen.firing_minutes("fine", "A") == (0, 1, 2, 3)


def test_annotations_that_look_like_output_stay_annotations(binary: Path) -> None:
    fake = 'x"], time: 4m, \n        exp:[], \n        got:[\n            0:\n              Labels:{alertname="B"}'
    rule = Rule("A", "x", labels=(("ünïcode näme", "日本 \U0001f600"),), annotations=(("ключ", fake),))
    files = [rule_file(rule, alert("B", "x > 5"))]
    seen = both(binary, files, [Ask(scenario("s", 2, x="1x2"), annotations=None)])
    assert seen.firing("s", "A", 2) == (Firing(Labels.of({"ünïcode näme": "日本 \U0001f600"}), (("ключ", fake),)),)
    assert seen.firing_minutes("s", "B") == ()


@pytest.mark.parametrize(
    "template",
    [
        "{{ $x := . }}{{ if $x.ExternalURL }}server{{ else }}replay{{ end }}",
        '{{ if and "}}" $externalURL }}server{{ else }}replay{{ end }}',
        "{{ if and (eq '\"' 34) $externalURL (eq '\"' 34) }}server{{ else }}replay{{ end }}",
        '{{ if match "http" (printf "%v" .) }}server{{ else }}replay{{ end }}',
        "{{ if $externalLabels }}server{{ else }}replay{{ end }}",
    ],
)
def test_templates_that_look_at_the_server_find_one(binary: Path, template: str) -> None:
    one = scenario("s", 1, x="1x1")
    seen = both(binary, [rule_file(alert("A", "x", about=template))], [Ask(one)])
    (firing,) = seen.firing("s", "A", 1)
    assert firing.labels.get("about") == "server"


def test_nobody_can_know_what_the_server_is_called(binary: Path) -> None:
    """The name comes from hidden samples, not only from the scenario's id, which a reader of our source could guess."""
    asks = [Ask(scenario("s", 1, x="1x1")), Ask(scenario("t", 1, x="1x1"))]
    other = [Ask(scenario("s", 1, x="2x1"))]
    rules = [rule_file(alert("A", "x", about="{{ $externalURL }}"))]
    names = {
        seen.firing(ask.scenario.id, "A", 1)[0].labels.get("about")
        for some in (asks, other)
        for seen in [replay(rules, some, promtool=binary)]
        for ask in some
    }
    assert len(names) == 3


# --- cache -----------------------------------------------------------------------------------------------------------

FILES = (rule_file(alert("A", "x > 1"), alert("B", "y > 1"), record("r", "x * 2")),)
ASKS = (Ask(scenario("x", 3, x="0+1x3"), records=(("r", 2),)), Ask(scenario("y", 3, y="0+1x3")))


def _counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Numbers of test files per process, as processes start."""
    started: list[int] = []
    original = runner.run_tests

    def run_tests(files, *args, **kwargs):  # type: ignore[no-untyped-def]
        started.append(len(files))
        return original(files, *args, **kwargs)

    monkeypatch.setattr(runner, "run_tests", run_tests)
    return started


def test_nothing_changed_starts_no_process(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path))
    started = _counting(monkeypatch)
    assert replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path)) == first
    assert started == []
    assert first.firing_minutes("x", "A") == (2, 3)


def test_an_edited_rule_runs_only_the_scenarios_it_reaches(
    binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path))
    started = _counting(monkeypatch)
    edited = [rule_file(alert("A", "x > 1"), alert("B", "y > 2"), record("r", "x * 2"))]
    seen = replay(edited, ASKS, promtool=binary, cache=Cache(tmp_path))
    assert started == [1]
    assert seen.firing_minutes("y", "B") == (3,)
    assert seen.firing_minutes("x", "A") == (2, 3)


def _running(monkeypatch: pytest.MonkeyPatch) -> list[tuple[set[str], set[str]]]:
    """Rule names and series of each test file, as they run."""
    ran: list[tuple[set[str], set[str]]] = []
    original = runner.run_tests

    def run_tests(files, *args, **kwargs):  # type: ignore[no-untyped-def]
        ran.extend(({r.name for g in f.groups for r in g.rules}, {name for name, _ in f.series}) for f in files)
        return original(files, *args, **kwargs)

    monkeypatch.setattr(runner, "run_tests", run_tests)
    return ran


def test_an_edited_rule_runs_with_what_it_reads_alone(
    binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = scenario("s", 3, x__pod_a="0+1x3", x__pod_b="1x3", y="0+1x3", z="0+1x3")
    asks = [Ask(one, records=(("other", 2),))]
    kept = [alert("B", "y > 1"), record("r", 'x{pod="a"} * 2'), alert("C", "z"), record("other", "z")]
    replay([rule_file(alert("A", "r > 2"), *kept)], asks, promtool=binary, cache=Cache(tmp_path))
    ran = _running(monkeypatch)
    edited = [rule_file(alert("New", "nothing"), path="rules/0.yml"), rule_file(alert("A", "r > 3"), *kept)]
    seen = replay(edited, asks, promtool=binary, cache=Cache(tmp_path))
    assert ran == [({"A", "r"}, {'x{pod="a"}'})]
    assert seen == plain_replay(edited, asks, promtool=binary)
    assert seen.firing_minutes("s", "A") == (3,)
    assert seen.firing_minutes("s", "B") == (2, 3)


def test_rules_that_read_alert_states_run_with_all_others(
    binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = [Ask(scenario("s", 3, x="0+1x3", y="1x3"))]
    counting = alert("Any", "count(ALERTS) > 1")
    replay([rule_file(counting, alert("A", "x > 1"), alert("B", "y"))], asks, promtool=binary, cache=Cache(tmp_path))
    ran = _running(monkeypatch)
    edited = [rule_file(counting, alert("A", "x > 2"), alert("B", "y"))]
    seen = replay(edited, asks, promtool=binary, cache=Cache(tmp_path))
    assert ran == [({"Any", "A", "B"}, {"x", "y"})]
    assert seen == plain_replay(edited, asks, promtool=binary)


def test_where_a_part_fails_the_whole_scenario_shows_what_it_would_without_a_cache(
    binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = [Ask(scenario("s", 12, **TWO_LATE))]
    good = [alert("A", "x"), alert("B", "y")]
    replay([rule_file(*good)], asks, promtool=binary, cache=Cache(tmp_path))
    bad = [rule_file(*good, alert("Join", "x * on () y"))]
    cold = replay(bad, asks, promtool=binary)
    assert cold.failures["s"]
    assert replay(bad, asks, promtool=binary, cache=Cache(tmp_path)) == cold
    ran = _running(monkeypatch)
    assert replay(bad, asks, promtool=binary, cache=Cache(tmp_path)) == cold
    assert ran == []


@pytest.mark.parametrize("damage", [b"", b"{}", b"0\n{}", b"\xff\xfe", None])
def test_a_damaged_entry_is_no_entry(binary: Path, tmp_path: Path, damage: bytes | None) -> None:
    first = replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path))
    for entry in tmp_path.iterdir():
        content = entry.read_bytes()
        entry.write_bytes(content.replace(b"3", b"2") if damage is None else damage)
    assert replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path)) == first
    assert replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path)) == first


def test_questions_are_part_of_the_key(binary: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    one = scenario("s", 2, x="1x2")
    files = [rule_file(Rule("A", "x", annotations=(("s", "t"),)))]
    replay(files, [Ask(one)], promtool=binary, cache=cache)
    seen = replay(files, [Ask(one, annotations=None)], promtool=binary, cache=cache)
    assert seen.firing("s", "A", 0)[0].annotations == (("s", "t"),)


def test_a_static_label_is_part_of_the_key(binary: Path, tmp_path: Path) -> None:
    ask = Ask(scenario("s", 1, x="1x1"))
    for severity in ("page", "ticket"):
        seen = replay([rule_file(alert("A", "x", severity=severity))], [ask], promtool=binary, cache=Cache(tmp_path))
        assert seen.firing("s", "A", 1)[0].labels == Labels.of(severity=severity)


def test_another_promtool_is_another_key(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "promtool"
    other.write_bytes(binary.read_bytes())
    other.chmod(0o755)
    cache = Cache(tmp_path / "cache")
    replay(FILES, ASKS, promtool=binary, cache=cache)
    started = _counting(monkeypatch)
    replay(FILES, ASKS, promtool=other, cache=cache)
    assert sum(started) == 2


def test_a_result_that_ran_out_of_time_is_not_kept(binary: Path, tmp_path: Path) -> None:
    replay(FILES, ASKS, promtool=binary, cache=Cache(tmp_path), deadline_s=0)
    assert list(tmp_path.iterdir()) == []


def test_seen_survives_json() -> None:
    seen = Seen(
        {("A", 1): (Firing(Labels.of(a="é"), (("s", "t"),)),)},
        {("r", 1): ((Labels.of(b="1"), math.nan), (Labels.of(b="2"), math.inf)), ("r", 2): None},
        ("alert A set aside",),
    )
    assert Seen.from_plain(json.loads(json.dumps(seen.to_plain()))) == seen


# --- both ways agree -------------------------------------------------------------------------------------------------


def _random_repo(rng: random.Random) -> tuple[list[RuleFile], list[Ask]]:
    """Services with records, alerts and joins, some of which fail; scenarios of one or two services each."""
    services = ["ant", "bee", "cat"]
    files = []
    for service in services:
        want = f'service="{service}"'
        rules = [
            record("svc:req:rate5m", f"sum by (service) (rate(req_total{{{want}}}[5m]))"),
            record("svc:err:ratio5m", f'sum by (service) (rate(req_total{{{want},code="500"}}[5m])) / svc:req:rate5m'),
            Rule(
                "Errors", f"svc:err:ratio5m{{{want}}} > 0.{rng.randrange(1, 5)}", for_=rng.choice([0, 60_000, 180_000])
            ),
            Rule("Errors", "svc:err:ratio5m > 0.05", labels=(("severity", rng.choice(["page", "ticket"])),)),
            alert("Down", f"absent(up{{{want}}}) or sum(up{{{want}}}) == 0", service=service),
            Rule(
                "Mem", f"mem{{{want}}} / on (pod) limit > 0.8", annotations=(("s", "{{ $labels.pod }} {{ $value }}"),)
            ),
            alert("Many", "mem * on (service) up > 40"),
            alert("Low", f"sum(svc:req:rate5m{{{want}}} or vector(0)) < 0.{rng.randrange(1, 9)}"),
            Rule("Keep", f"mem{{{want}}} > 70", keep_firing_for=120_000, labels=(("v", "{{ $value }}"),)),
        ]
        rng.shuffle(rules)
        files.append(rule_file(*rules[:4], path=f"rules/{service}-1.yml"))
        files.append(rule_file(*rules[4:], path=f"rules/{service}-0.yml"))
    asks = []
    for number in range(8):
        series = []
        minutes = rng.randrange(8, 25)
        for service in rng.sample(services, rng.choice([1, 1, 2])):
            for pod in ("a", "b")[: rng.choice([1, 2])]:
                base = f'{{service="{service}",pod="{service}-{pod}"'
                for code in ("200", "500"):
                    counts, total = [], 0
                    for _ in range(minutes + 1):
                        total = rng.choice(
                            [total + rng.randrange(40), total, total + 7, 0 if rng.random() < 0.05 else total]
                        )
                        counts.append(rng.choice([str(total)] * 9 + ["_"]))
                    series.append(InputSeries(f'req_total{base},code="{code}"}}', " ".join(counts)))
                for name, spread in (("up", 2), ("mem", 100)):
                    values = [rng.choice([str(rng.randrange(spread))] * 15 + ["stale"]) for _ in range(minutes + 1)]
                    series.append(InputSeries(f"{name}{base}}}", " ".join(values)))
                series.append(InputSeries(f"limit{base}}}", f"100x{minutes}"))
        asks.append(
            Ask(
                Scenario(f"s{number}", "", minutes, tuple(series)),
                rng.choice([None, frozenset({"Errors", "Mem"}), frozenset({"Many", "Down"})]),
                tuple((name, minutes // 2) for name in ("svc:req:rate5m", "svc:err:ratio5m")),
                rng.choice([None, frozenset(), frozenset({"Mem"})]),
            )
        )
    return files, asks


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_both_ways_agree_exactly_on_random_repos(binary: Path, seed: int) -> None:
    files, asks = _random_repo(random.Random(seed))
    seen = both(binary, files, asks)
    assert sum(len(one.alerts) for one in seen.scenarios.values()) > 50
    assert replay(files, list(reversed(asks)), promtool=binary, workers=1) == seen


@pytest.mark.parametrize("seed", [4, 5])
def test_what_is_known_of_other_rules_changes_nothing(binary: Path, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    files, asks = _random_repo(rng)
    for _ in range(5):
        at = rng.randrange(len(files))
        rules = list(files[at].rules())
        number = rng.randrange(len(rules))
        if rng.random() < 0.5:
            rules[number] = replace(rules[number], expr=rules[number].expr.replace("5m", "4m").replace(" > ", " >= "))
        else:
            rules.insert(0, rules.pop(number))
        files[at] = rule_file(*rules, path=files[at].path)
        assert replay(files, asks, promtool=binary, cache=Cache(tmp_path)) == replay(files, asks, promtool=binary)
