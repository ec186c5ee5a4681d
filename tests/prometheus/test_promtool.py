"""promtool for real: what it refuses, what it prints, and that neither hostile rules nor hostile names break us."""

from __future__ import annotations

import math
import resource
import time
from pathlib import Path

import pytest

from alertforge.prometheus import promtool
from alertforge.prometheus.promtool import Active, TestFile, TestResult, check, run_tests
from alertforge.prometheus.rules import Group, Rule
from alertforge.prometheus.series import Labels
from alertforge.tools import find
from tests.hang import ends


@pytest.fixture(scope="module")
def binary() -> Path:
    return find("promtool")


def run(binary: Path, file: TestFile) -> TestResult:
    results, reason = run_tests([file], binary, seconds=60)
    assert results is not None, reason
    return results[0]


def one_group(*rules: Rule) -> tuple[Group, ...]:
    return (Group("g", rules),)


# --- check -----------------------------------------------------------------------------------------------------------


def test_check_names_each_refused_rule_and_takes_the_rest(binary: Path) -> None:
    rules = [
        Rule("Good", "up == 0"),
        Rule("Unfinished", "up >"),
        Rule("BadTemplate", "up == 0", annotations=(("summary", "{{ nope }}"),)),
        Rule("good:record", "sum(up)", is_alert=False),
        Rule("Type", "rate(up)"),
    ]
    verdicts = check(rules, binary)
    assert [verdict is None for verdict in verdicts] == [True, False, False, True, False]
    assert "unexpected end of input" in (verdicts[1] or "")
    assert "nope" in (verdicts[2] or "")
    assert all("\n" not in verdict for verdict in verdicts if verdict)


def test_check_is_not_talked_into_success_by_a_rule_text(binary: Path) -> None:
    lie = "\n\nChecking 1.yml\n  SUCCESS: 1 rules found\n\n"
    rules = [Rule("Lie", f"up > {lie}"), Rule("Bad" + lie, "up >"), Rule("Good", "up")]
    assert [verdict is None for verdict in check(rules, binary)] == [False, False, True]


def test_check_takes_any_unicode_and_refuses_what_is_none(binary: Path) -> None:
    rules = [
        Rule("Ünï \U0001f600 日本", "up", labels=(("ключ", "\U0001f600\x85\x7f\u2028"),)),
        Rule("Half", "up", annotations=(("a", "\ud83d"),)),
        Rule("Halves", "up", annotations=(("a", "\ud83d\ude00"),)),
    ]
    assert [verdict is None for verdict in check(rules, binary)] == [True, False, False]


def test_check_answers_per_rule_also_when_rules_repeat_or_are_none(binary: Path) -> None:
    good, bad = Rule("A", "up"), Rule("A", "up >")
    assert [v is None for v in check([bad, good, bad, good], binary)] == [False, True, False, True]
    assert check([], binary) == []


def test_check_counts_a_rule_that_kills_promtool_as_refused(binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(promtool, "CHECK_SECONDS", 1.0)
    deep = Rule("Deep", "(" * 3_000_000 + "up" + ")" * 3_000_000)
    verdicts = check([Rule("Good", "up"), deep, Rule("AlsoGood", "up")], binary)
    assert [verdict is None for verdict in verdicts] == [True, False, True]


def test_a_missing_binary_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(promtool.PromtoolError, match="does not start"):
        check([Rule("A", "up")], tmp_path / "promtool")


# --- test rules: observing -------------------------------------------------------------------------------------------


def test_alerts_and_samples_come_back_per_minute(binary: Path) -> None:
    file = TestFile(
        one_group(
            Rule("svc:x:double", "x * 2", is_alert=False),
            Rule("High", "x > 2", for_=60_000, labels=(("severity", "page"),), annotations=(("v", "{{ $value }}"),)),
        ),
        (('x{a="1"}', "0+1x6"),),
        6,
        ("High",),
        ((3, '{__name__="svc:x:double"}'), (0, "x / 0"), (1, "nothing")),
    )
    result = run(binary, file)
    labels = Labels.of(alertname="High", a="1", severity="page")
    assert result.alerts == {(m, "High"): (Active(labels, (("v", str(m)),)),) for m in (4, 5, 6)}
    assert result.samples[3, '{__name__="svc:x:double"}'] == ((Labels.of(__name__="svc:x:double", a="1"), 6.0),)
    assert math.isnan(result.samples[0, "x / 0"][0][1])
    assert (1, "nothing") not in result.samples
    assert not result.errors and not result.problem


def test_times_over_an_hour_are_read(binary: Path) -> None:
    result = run(binary, TestFile(one_group(Rule("A", "x > 124")), (("x", "0+1x130"),), 126, ("A",)))
    assert sorted(result.alerts) == [(125, "A"), (126, "A")]


def test_a_failing_query_is_an_error_of_its_own(binary: Path) -> None:
    series = (('x{a="1"}', "1x3"), ('x{a="2"}', "1x3"))
    result = run(
        binary, TestFile(one_group(Rule("A", "x > 0")), series, 3, ("A",), ((1, "x * on () x"), (2, "sum(x)")))
    )
    assert "many-to-many" in result.sample_errors[1, "x * on () x"]
    assert result.samples[2, "sum(x)"] == ((Labels(), 2.0),)
    assert len(result.alerts) == 4


def test_a_failing_rule_is_named_with_its_time(binary: Path) -> None:
    series = (('x{a="1"}', "1x9"), ('x{a="2"}', "_x4 1 1 1 1"))
    result = run(binary, TestFile(one_group(Rule("Join", "x * on () x > 0")), series, 8, ("Join",)))
    assert [(error.rule, error.time) for error in result.errors] == [("Join", "4m0s")]


# --- test rules: names and texts chosen by the other side ------------------------------------------------------------

NASTY = (
    'a"], \\"b\\": \n            1:\n              Labels:{alertname="Fake"}',
    "time: 4m, \n        exp:[], \n        got:[\n            0:\n",
    "\x00\x07\x1b\x7f\x85\u2028\ufeff\ufffe\U0001f600日本",
    "back\\slash ` tick ' quote\ttab\rreturn",
    "</failure></testcase>&amp;<![CDATA[",
    "é" * 3000,
)


@pytest.mark.parametrize("text", NASTY)
def test_any_text_comes_back_as_it_was(binary: Path, text: str) -> None:
    plain = text.replace("\x00", "")  # a label may hold it, a YAML parser need not
    rule = Rule("A", "x > 0", labels=(("l", plain), ("nämе.x y", plain)), annotations=(("s", plain), ("ä b", plain)))
    result = run(binary, TestFile(one_group(rule), (("x", "1x2"),), 1, ("A",)))
    expected = Active(Labels.of({"alertname": "A", "l": plain, "nämе.x y": plain}), (("s", plain), ("ä b", plain)))
    assert result.problem == ""
    assert result.alerts == {(0, "A"): (expected,), (1, "A"): (expected,)}


def test_an_alert_name_cannot_speak_for_another(binary: Path) -> None:
    fake = (
        "Real, time: 0s, \n        exp:[], \n        got:[\n            0:\n"
        '              Labels:{alertname="Real"}\n              Annotations:{}\n            ]'
    )
    result = run(
        binary, TestFile(one_group(Rule(fake, "x > 0"), Rule("Real", "x > 5")), (("x", "1x2"),), 1, (fake, "Real"))
    )
    assert sorted(result.alerts) == [(0, fake), (1, fake)]


def test_a_rule_name_with_a_fake_error_is_told_apart(binary: Path) -> None:
    fake = "A, time: 1m0s, err: boom"
    series = (('x{a="1"}', "1x4"), ('x{a="2"}', "1x4"))
    rules = one_group(Rule("A", "x > 0"), Rule(fake, "x * on () x > 0"))
    assert [error.rule for error in run(binary, TestFile(rules, series, 3, ("A",))).errors] == [fake]


def test_bytes_that_are_no_text_become_replacement_characters(binary: Path) -> None:
    rule = Rule("A", "x > 0", annotations=(("s", '{{ slice "é" 1 }}'), ("t", "{{ `\\x` }}")))
    result = run(binary, TestFile(one_group(rule), (("x", "1"),), 0, ("A",)))
    assert dict(result.alerts[0, "A"][0].annotations) == {"s": "\ufffd", "t": "\\x"}


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r'"a\"b\\n"', 'a"b\\n'),
        (r'"\a\b\f\n\r\t\v"', "\a\b\f\n\r\t\v"),
        (r'"\x7f\u00a0\U000e0001"', "\x7f\u00a0\U000e0001"),
        (r'"\xff\xc3\xa9"', "\ufffdé"),
        ('"é\U0001f600"', "é\U0001f600"),
    ],
)
def test_go_strings_are_unquoted(literal: str, value: str) -> None:
    assert promtool.unquote(literal) == value


@pytest.mark.parametrize("literal", [r'"\q"', r'"\xZZ"', r'"\U00110000"'])
def test_what_is_no_go_string_is_refused(literal: str) -> None:
    with pytest.raises(ValueError):
        promtool.unquote(literal)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "    alertname: A, time: 1m, \n        exp:[], \n        got:[\n            ]",
        "    alertname: A, time: x, \n        exp:[], \n        got:[\n            0:\n              Labels:{",
        '    expr: "x", time: 1m,\n        exp: nil\n        got: {a="1"} one',
        "    rule: Unknown, time: 1m0s, err: boom",
        "r.yml: yaml: line 2",
    ],
)
def test_output_outside_the_grammar_is_a_problem_not_a_crash(text: str) -> None:
    file = TestFile(one_group(Rule("A", "x")), (), 1, ("A",), ((1, "x"),))
    assert promtool._read_failures([text], file).problem


# --- limits ----------------------------------------------------------------------------------------------------------


def test_a_rule_that_never_ends_is_stopped_in_time(binary: Path) -> None:
    rule = Rule("Bomb", "max_over_time(x[10y:1ms]) > 0")
    with ends():
        results, reason = run_tests([TestFile(one_group(rule), (("x", "1x5"),), 3, ("Bomb",))], binary, seconds=2)
        assert results is None
        assert "did not end" in reason or "crashed" in reason


def test_a_template_that_eats_memory_is_stopped(binary: Path) -> None:
    doubling = "{{ $x := `aaaaaaaaaaaaaaaa` }}" + "{{ $x = printf `%s%s` $x $x }}" * 30 + "{{ $x }}"
    file = TestFile(one_group(Rule("Bomb", "x > 0", annotations=(("s", doubling),))), (("x", "1"),), 0, ("Bomb",))
    results, reason = run_tests([file], binary, seconds=60)
    assert results is None
    assert "memory" in reason


def test_a_file_that_does_not_load_spoils_no_other(binary: Path) -> None:
    good = TestFile(one_group(Rule("A", "x > 0")), (("x", "1"),), 0, ("A",))
    bad = TestFile(one_group(Rule("A", "x >")), (("x", "1"),), 0, ("A",))
    results, reason = run_tests([good, bad, good], binary, seconds=60)
    assert results is not None, reason
    assert [bool(result.problem) for result in results] == [False, True, False]
    assert results[0] == results[2] and len(results[0].alerts) == 1


def test_the_environment_is_not_passed_on(binary: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spy = tmp_path / "promtool"
    spy.write_text(f"#!/bin/sh\n/usr/bin/env > {tmp_path}/seen\n", encoding="utf-8")
    spy.chmod(0o755)
    monkeypatch.setenv("SECRET_OF_THE_USER", "1")
    assert run_tests([TestFile((), (), 0)], spy, seconds=10)[0] is None
    seen = (tmp_path / "seen").read_text("utf-8")
    assert "SECRET_OF_THE_USER" not in seen and "GOGC=400" in seen


def test_children_of_a_stopped_process_die_with_it(tmp_path: Path) -> None:
    spy = tmp_path / "promtool"
    spy.write_text(f"#!/bin/sh\n(sleep 3; touch {tmp_path}/alive) &\nsleep 30\n", encoding="utf-8")
    spy.chmod(0o755)
    assert run_tests([TestFile((), (), 0)], spy, seconds=0.5)[0] is None
    time.sleep(3.5)
    assert not (tmp_path / "alive").exists()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="processor time is limited on Linux only")
def test_computing_is_limited_whatever_the_clock_says(binary: Path) -> None:
    rule = Rule("Bomb", "max_over_time(x[10y:1ms]) > 0")
    results, reason = run_tests(
        [TestFile(one_group(rule), (("x", "1x5"),), 3, ("Bomb",))], binary, seconds=60, processor_seconds=1
    )
    assert results is None
    assert "processor time" in reason
