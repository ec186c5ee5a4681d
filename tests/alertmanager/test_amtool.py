"""amtool behind limits: which configurations Alertmanager loads, and what matchers say, by Alertmanager's own code."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from alertforge.alertmanager import amtool as module
from alertforge.alertmanager.amtool import (
    AmtoolError,
    CheckResult,
    Classifier,
    Match,
    check_config,
    neutral_copy,
)
from alertforge.alertmanager.config import Config, ConfigError, InhibitRule, Receiver, Route, parse
from alertforge.alertmanager.matchers import Matcher
from tests.hang import ends

from .test_config import FULL, RECEIVERS, REFUSED, ROUTE, TAKEN


def said(amtool: Path, text: str, folder: Path) -> bool:
    """amtool's verdict on the text as it is."""
    (folder / "original.yml").write_text(text, encoding="utf-8")
    done = subprocess.run([amtool, "check-config", "original.yml"], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


CASES = {**REFUSED, **TAKEN, "full": FULL}


def hook(extra: str, fields: str = "url: 'http://x.example/', ") -> str:
    """A receiver with one webhook."""
    return f"receivers: [{{name: a, webhook_configs: [{{{fields}{extra}}}]}}]\n"


PLAIN = "receivers: [{name: a}]\n"
SLACK = "receivers: [{name: a, slack_configs: [{channel: '#x'}]}]\n"

BODIES = {
    "unknown receiver field": hook("urll: x"),
    "receiver without what it needs": hook("send_resolved: true", fields=""),
    "quoted boolean in a receiver": hook("send_resolved: 'true'"),
    "plain boolean in a receiver": hook("send_resolved: on"),
    "both a URL and a file": hook("url_file: /x"),
    "a URL from a file": hook("url_file: /etc/passwd", fields=""),
    "files of a TLS client": hook("http_config: {tls_config: {ca_file: /dev/zero, cert_file: /x, key_file: /y}}"),
    "certificate without key": hook("http_config: {tls_config: {cert_file: /x}}"),
    "tags": hook("max_alerts: !!int '5'"),
    "text for a number": hook("max_alerts: '5'"),
    "no Slack URL anywhere": SLACK,
    "Slack URL from a global file": "global: {slack_api_url_file: /dev/zero}\n" + SLACK,
    "unknown global field": "global: {resolve_timeoutt: 5m}\n" + PLAIN,
    "templates as text": "templates: x.tmpl\n" + PLAIN,
    "null template": "templates: [~]\n" + PLAIN,
    "label named like a file": PLAIN + "inhibit_rules: [{source_match_re: {key_file: '('}}]\n",
    "broken weekday": PLAIN + "time_intervals: [{name: x, time_intervals: [{weekdays: [someday]}]}]\n",
    "broken pattern in match_re": PLAIN + "inhibit_rules: [{source_match_re: {x: 'a('}}]\n",
    "lookahead": PLAIN + "inhibit_rules: [{source_matchers: ['x=~\"(?=a)\"']}]\n",
    "merged body": "receivers: [{name: a, webhook_configs: [&w {url: 'http://x.example/'}, {<<: *w}]}]\n",
    "merge that repeats a key of a mapping": PLAIN
    + "inhibit_rules: [{source_match: &m {x: y}}, {source_match: {<<: *m, x: z}}]\n",
    "merge that repeats a field": PLAIN + "inhibit_rules: [&m {equal: [y]}, {<<: *m, equal: [x]}]\n",
    "odd characters": 'receivers: [{name: a, email_configs: [{to: "a\\u2028b\\U0001F600\\x07", from: f,'
    " smarthost: 'h:25'}]}]\n",
    "a long key": PLAIN + f"inhibit_rules: [{{source_match: {{? {'k' * 3000} : x}}}}]\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_parse_and_amtool_agree_on_what_can_be_loaded(text: str, amtool: Path, tmp_path: Path) -> None:
    try:
        parse(text)
        ours = True
    except ConfigError:
        ours = False
    assert ours is said(amtool, text, tmp_path)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_the_neutral_copy_is_taken_or_refused_as_the_original_is(body: str, amtool: Path, tmp_path: Path) -> None:
    text = ROUTE + body
    result = check_config(text, amtool)
    assert result.ok is said(amtool, text, tmp_path)
    assert result.ok is (result.message == "")
    assert "\n" not in result.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("receivers: [{name: b}]\n", "undefined receiver 'a'"),
        ("receivers: [{name: a, webhook_configs: [{urll: x}]}]\n", "field urll not found"),
        ("receivers: [{name: a}]\ninhibit_rules: [{source_matchers: ['a~b']}]\n", "bad matcher format"),
        ("receivers: [{name: a}]\ninhibit_rules: [{source_matchers: ['a=~(']}]\n", "error parsing regexp"),
    ],
)
def test_a_refusal_says_why(body: str, message: str, amtool: Path) -> None:
    result = check_config(ROUTE + body, amtool)
    assert not result.ok
    assert message in result.message


PATHS = f"""\
global: {{slack_api_url_file: &file /secret/1, opsgenie_api_key_file: *file}}
{ROUTE}
receivers:
  - name: a
    webhook_configs:
      - &hook
        url_file: /secret/2
        http_config: {{tls_config: {{ca_file: '/secret/3', "cert_file": "/secret/4", ? key_file : /secret/5}}}}
      - {{<<: *hook}}
  - name: &key templates
    email_configs: [{{*key : [/secret/6], to: x}}]
inhibit_rules: [{{source_match: {{ca_file: /kept}}}}]
templates: ["/secret/7", &list /secret/8, *list, *file]
time_intervals: [{{name: x, <<: {{templates: &more [/secret/9]}}, "templat\\x65s": *more}}]
---
templates: [/secret/10]
"""


def test_the_neutral_copy_names_no_path_however_it_is_written() -> None:
    copy = neutral_copy(PATHS)
    assert "/secret" not in copy
    assert "/kept" in copy
    assert copy.isascii()
    assert copy.count("\n") == 1


def test_a_template_path_is_not_opened(amtool: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.tmpl"
    os.mkfifo(pipe)  # reading it would hang
    with ends():
        assert check_config(f"{ROUTE}{RECEIVERS}templates: [{pipe}, {tmp_path}/*]\n", amtool) == CheckResult(True)


@pytest.mark.parametrize("text", ["a: &a [x]\na: *a\n", "\x00", "route: [", "[" * 100_000, "a: !<tag:x> *", "\ud800"])
def test_what_cannot_be_read_is_a_verdict_and_no_process(text: str) -> None:
    result = check_config(text, Path("/no/such/amtool"))
    assert not result.ok
    assert result.message
    assert "\n" not in result.message


# --- processes -------------------------------------------------------------------------------------------------------


def fake(folder: Path, body: str) -> Path:
    """A stand-in for amtool: it only shows what our side does with a process that misbehaves."""
    path = folder / "amtool"
    path.write_text(f"#!{sys.executable}\nimport os, sys, time\n{body}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


GOOD = ROUTE + RECEIVERS


def test_an_amtool_that_does_not_start_is_our_error() -> None:
    with pytest.raises(AmtoolError, match="/no/such/amtool does not start"):
        check_config(GOOD, Path("/no/such/amtool"))


@pytest.mark.parametrize("body", ["time.sleep(60)", "os.close(1); os.close(2); time.sleep(60)"])
def test_a_process_that_hangs_is_ended_with_its_children(
    body: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CALL_SECONDS", 1.0)
    child = tmp_path / "child"
    pid = f"pid = os.fork()\nif pid: open({str(child)!r}, 'w').write(str(pid))\n"
    with ends():
        assert check_config(GOOD, fake(tmp_path, pid + body)) == CheckResult(False, "amtool did not end within 1 s")
    for _ in range(100):  # a killed orphan is a zombie until it is reaped
        try:
            state = Path("/proc", child.read_text(), "stat").read_text().split()[2]
        except FileNotFoundError:
            state = "gone"
        if state in ("Z", "gone"):
            return
        time.sleep(0.02)
    pytest.fail("the child is still running")


def test_a_process_that_prints_without_end_is_ended(tmp_path: Path) -> None:
    result = check_config(GOOD, fake(tmp_path, "while True: os.write(1, b'x' * 65536)"))
    assert result == CheckResult(False, "amtool printed without end")


@pytest.mark.skipif(sys.platform != "linux", reason="limits are set through prlimit")
def test_a_process_that_eats_memory_is_stopped(tmp_path: Path) -> None:
    result = check_config(GOOD, fake(tmp_path, "time.sleep(0.2); x = bytearray(1 << 30); time.sleep(60)"))
    assert result == CheckResult(False, "amtool crashed or ran out of memory (exit code 1)")


def test_the_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    out = tmp_path / "environment"
    check_config(GOOD, fake(tmp_path, f"import json; json.dump(dict(os.environ), open({str(out)!r}, 'w'))"))
    environment = json.loads(out.read_text())
    assert sorted(set(environment) - {"LC_CTYPE"}) == ["GOMAXPROCS", "HOME", "PATH", "TMPDIR"]
    assert not Path(environment["TMPDIR"]).exists()


# --- classify --------------------------------------------------------------------------------------------------------


def tree(*matchers: Matcher, rules: tuple[InhibitRule, ...] = ()) -> Config:
    """One child route with these matchers."""
    return branches([matchers], ["child"], rules)


def branches(
    matchers: Sequence[Sequence[Matcher]], names: Sequence[str], rules: tuple[InhibitRule, ...] = ()
) -> Config:
    """One child route for each list of matchers, with the receivers in the same order."""
    routes = tuple(Route(name, matchers=tuple(wanted)) for name, wanted in zip(names, matchers, strict=True))
    return Config({}, Route("root", routes=routes), tuple(map(Receiver, ("root", *names))), rules)


def test_nodes_come_in_tree_order_with_what_they_inherit_and_sides_by_rule(amtool: Path) -> None:
    config = parse("""
route:
  receiver: root
  group_by: [x]
  routes:
    - {matchers: [team="a"], receiver: first, continue: true, routes: [{matchers: [s="page"], group_by: [y]}]}
    - {matchers: [team=~"a|b"], receiver: second}
    - {matchers: [team="a"], receiver: never}
receivers: [{name: root}, {name: first}, {name: second}, {name: never}, {name: unused}]
inhibit_rules:
  - {source_match: {s: page}, target_match_re: {s: "page|info"}, equal: [team]}
  - {source_matchers: [], target_matchers: [team=""]}
""")
    sets = [{"team": "a", "s": "page"}, {"team": "b"}, {}, {"s": "info", "z": "1"}]
    found = Classifier(config, amtool).classify(sets)
    assert [[(node.path, node.receiver, node.group_by) for node in match.nodes] for match in found] == [
        [((0, 0), "first", ("y",)), ((1,), "second", ("x",))],
        [((1,), "second", ("x",))],
        [((), "root", ("x",))],
        [((), "root", ("x",))],
    ]
    assert [(sorted(match.sources), sorted(match.targets)) for match in found] == [
        ([0, 1], [0]),
        ([1], []),
        ([1], [1]),
        ([1], [0, 1]),
    ]


ODD = [
    *("a", "a,b", '"', "\\", "\\n", "\n", "\r\n", "\t", "=", "a=b", "-x", "--help", "@file", "'", "`", "{}", "}"),
    *("$HOME", "%s", "é", "\u2028", "\U0001f600", "\x00", "\x7f", "\x85", "\ufeff", "\ufffe", " ", " a ", "a\x00b"),
    "a" * 90_000,
]  # fmt: skip


def test_any_value_and_any_name_is_taken_literally(amtool: Path) -> None:
    names = [value for value in ODD if len(value) < 100]
    for name in ("plain", *names):
        config = branches([[Matcher(name, "=", value)] for value in ODD], [str(number) for number in range(len(ODD))])
        # every name with one odd value, one name with all
        chosen = list(enumerate(ODD)) if name == "plain" else [(names.index(name), name)]
        found = Classifier(config, amtool).classify([{name: value} for _, value in chosen])
        assert [match.receivers for match in found] == [(str(number),) for number, _ in chosen], name


@pytest.mark.parametrize(
    "value", ["a" * 200_000, "\x01" * 30_000, "\ud800"], ids=["long", "long escaped", "half a pair"]
)
def test_a_value_that_cannot_be_passed_matches_nothing(value: str, amtool: Path) -> None:
    config = tree(Matcher("x", "=~", ".*"), rules=(InhibitRule(),))
    good, bad, unread = Classifier(config, amtool).classify([{"x": "a"}, {"x": value}, {"y": value}])
    assert (good.receivers, good.sources, good.targets) == (("child",), {0}, {0})
    assert bad == Match()
    assert unread.receivers == ("child",)


def test_an_empty_value_is_a_missing_label(amtool: Path) -> None:
    found = Classifier(tree(Matcher("x", "=", "")), amtool).classify([{"x": ""}, {}, {"x": "a"}])
    assert [match.receivers for match in found] == [("child",), ("child",), ("root",)]


@pytest.mark.parametrize("pattern", ["(", "(?=a)", "a{1001}", "\\u00e9"])
def test_a_pattern_that_go_refuses_is_a_configuration_error(pattern: str, amtool: Path) -> None:
    with pytest.raises(ConfigError, match="error parsing regexp"):
        Classifier(tree(Matcher("x", "=~", pattern)), amtool).classify([{"x": "a"}, {"x": "b"}])


def test_a_pattern_that_takes_python_forever_is_judged_at_once(amtool: Path) -> None:
    with ends():
        labels = {"x": "a" * 5_000 + "b"}
        match = Classifier(tree(Matcher("x", "=~", "(a|a?)+")), amtool).classify([labels])[0]
        assert match.receivers == ("root",)


def test_only_labels_that_a_matcher_reads_cost_a_process(amtool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = spy(monkeypatch)
    sets = [{"x": "a", "pod": str(n)} for n in range(500)]
    assert {m.receivers for m in Classifier(tree(Matcher("x", "=", "a")), amtool).classify(sets)} == {("child",)}
    assert len(calls) == 1


def test_a_memo_answers_without_a_process_and_survives_json(amtool: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tree(Matcher("x", "=", "a"), rules=(InhibitRule((Matcher("y", "!=", ""),)),))
    sets = [{"x": "a"}, {"x": "b", "y": "c"}, {"x": "\ud800"}]
    memo: dict[str, Any] = {}
    first = Classifier(config, amtool, memo=memo).classify(sets)
    calls = spy(monkeypatch)
    kept = json.loads(json.dumps(memo))
    assert Classifier(config, amtool, memo=kept).classify(sets) == first
    assert calls == []
    other = tree(Matcher("x", "=", "b"), rules=config.inhibit_rules)
    assert [m.receivers for m in Classifier(other, amtool, memo=kept).classify(sets[:2])] == [("root",), ("child",)]
    assert calls != []


def spy(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Counts the processes that are started."""
    calls: list[object] = []
    run = module._run

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return run(*arguments)

    monkeypatch.setattr(module, "_run", counted)
    return calls


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("nodes", [1, 7, 400])
def test_answers_do_not_depend_on_how_label_sets_are_batched(
    workers: int, nodes: int, amtool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH_NODES", nodes)
    monkeypatch.setattr(module, "ARGUMENT_BYTES", 200)
    config = branches([[Matcher("x", "=", str(number))] for number in range(3)], ["r0", "r1", "r2"])
    sets = [{"x": str(n)} for n in range(23)]
    found = Classifier(config, amtool, workers=workers).classify(sets)
    assert [m.receivers for m in found] == [("r0",), ("r1",), ("r2",), *[("root",)] * 20]


def test_a_batch_that_fails_is_asked_one_by_one(amtool: Path, tmp_path: Path) -> None:
    picky = fake(
        tmp_path,
        f"if any('_1\"' in a for a in sys.argv): sys.exit(2)\nos.execv({str(amtool)!r}, sys.argv)",
    )
    found = Classifier(tree(Matcher("x", "=", "1")), picky, workers=1).classify([{"x": "1"}, {"x": "2"}, {"x": "3"}])
    assert [m.receivers for m in found] == [("child",), ("root",), ("root",)]


def test_the_largest_configuration_that_is_read_is_classified(amtool: Path) -> None:
    patterns = [Matcher("x", "=~", f"v{number}|w.*[a-z]{{2,20}}") for number in range(1_999)]
    routes = tuple(Route(matchers=(pattern,), continue_=True) for pattern in patterns)
    rules = (InhibitRule((Matcher("x", "=~", "v.*"),)),) * 500
    config = Config({}, Route("root", routes=routes), (Receiver("root"),), rules)
    found = Classifier(config, amtool).classify([{"x": "v7"}, {"x": "wzzz"}, {}])
    assert [len(match.nodes) for match in found] == [1, 1_999, 1]
    assert [len(match.sources) for match in found] == [500, 0, 0]


def test_no_label_sets_need_no_amtool() -> None:
    assert Classifier(tree(), Path("/no/such/amtool")).classify([]) == []


SCALARS = [
    "5",
    "0x10",
    "1_000",
    ".5",
    "1.50",
    "1e3",
    "0o7",
    "010",
    "yes",
    "True",
    "2001-01-01",
    "2001-01-01 10:00:00",
    "1:30",
]
SCALARS += [
    "+1",
    ".inf",
    ".NaN",
    "!!str 6",
    "!!binary aGk=",
    "!x y",
    "! z",
    "'~'",
    '"null"',
    "~",
    "a  b",
    "a:b",
    "é",
    "|-\n      q\n      r",
]


def test_label_values_are_the_text_in_the_file_whatever_yaml_makes_of_them(amtool: Path, tmp_path: Path) -> None:
    routes = "".join(f"  - receiver: r{n}\n    match:\n     x: {text}\n" for n, text in enumerate(SCALARS))
    receivers = "".join(f"- name: r{n}\n" for n in range(len(SCALARS)))
    text = f"route:\n  receiver: root\n  routes:\n{routes}receivers:\n- name: root\n{receivers}"
    (tmp_path / "original.yml").write_text(text, encoding="utf-8")
    for number, route in enumerate(parse(text).route.routes):
        labels = Matcher("x", "=", route.matchers[0].value)
        command = [amtool, "config", "routes", "test", "--config.file=original.yml", str(labels)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.split("\n")[-2] == f"r{number}", SCALARS[number]
