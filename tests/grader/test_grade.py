"""Whole grades of the hand-written task on the real promtool and amtool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shop import ALERTMANAGER, CART_RULES, HOST, NODE_START, SPEC, START, Shop, failed, options, plain, scores

from alertforge.alertmanager import amtool
from alertforge.grader import grade as grading
from alertforge.grader.command import main
from alertforge.grader.grade import measure
from alertforge.grader.spec import LabelRule, to_json
from alertforge.prometheus import promtool
from alertforge.prometheus.rules import Rule
from alertforge.tools import find

CART_FILE, HOST_FILE, NODE_FILE = "rules/cart.yml", "rules/host.yml", "rules/node.yml"
ALERTMANAGER_FILE = "alertmanager/alertmanager.yml"


# --- both ends of the scale ------------------------------------------------------------------------------------------


def test_the_solved_repo_scores_one_with_every_check_met(shop: Shop) -> None:
    result = shop.grade(shop.workspace())
    assert result.rewards["reward"] == 1.0
    assert failed(result) == set()
    assert set(scores(result).values()) == {1.0}


def test_the_start_repo_scores_zero_and_keeps_everything(shop: Shop) -> None:
    result = shop.grade(shop.workspace(base=START))
    assert result.rewards["reward"] == result.rewards["progress"] == 0.0
    assert result.rewards["preservation"] == result.rewards["syntax_ok"] == 1.0
    assert {one.s for one in result.requirements} == {0.0}


def test_the_start_repo_measures_as_its_q_start(shop: Shop) -> None:
    found = measure(shop.spec_dir, shop.workspace(base=START), promtool=find("promtool"), amtool=find("amtool"))
    assert found == {r.id: pytest.approx(r.q_start) for r in SPEC.requirements()}


# --- a slip costs what it breaks -------------------------------------------------------------------------------------


def test_no_for_on_the_new_alert_fails_timing_alone(shop: Shop) -> None:
    result = shop.grade(shop.workspace({CART_FILE: CART_RULES.replace("        for: 5m\n", "")}))
    # fires at minute 10: before 14, and within the quiet minutes 0-13
    assert failed(result) == {"A1.timing.stuck", "A1.silent.stuck"}
    assert scores(result)["A1"] == pytest.approx(2 / 3 * 2 / 3)


def test_an_alert_per_pod_is_not_one_alert(shop: Shop) -> None:
    rules = CART_RULES.replace('expr: queue:depth:max{service="cart"} > 100', 'expr: queue_depth{service="cart"} > 100')
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    assert failed(result) == {"A1.once.stuck"}
    assert scores(result)["A1"] == pytest.approx(2 / 3)


def test_an_alert_that_lost_its_subject_fires_for_nobody(shop: Shop) -> None:
    rules = CART_RULES.replace('expr: queue:depth:max{service="cart"} > 100', "expr: max(queue:depth:max) > 100")
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    # it fires for the mail queue too, without saying so
    assert {"A1.fire.stuck", "A1.silent.other"} <= failed(result)
    assert scores(result)["A1"] == 0.0


def test_a_fleet_wide_alert_that_names_the_service_is_as_good(shop: Shop) -> None:
    rules = CART_RULES.replace('expr: queue:depth:max{service="cart"} > 100', "expr: queue:depth:max > 100")
    assert shop.grade(shop.workspace({CART_FILE: rules})).rewards["reward"] == 1.0


def test_a_wrong_severity_costs_its_label_and_the_page(shop: Shop) -> None:
    rules = CART_RULES.replace("{severity: page, team: cart}", "{severity: ticket, team: cart}", 1)
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    assert failed(result) == {"A1.label.severity", "R1.chain.1", "I1.chain.1"}
    assert scores(result)["A1"] == pytest.approx(0.7 + 0.3 * 2 / 3)
    assert scores(result)["R1"] == pytest.approx(2 / 3)  # two of three positives: it reaches the chat, not the pager


def test_a_second_different_definition_costs_a_fifth(shop: Shop) -> None:
    extra = CART_RULES.replace("name: cart", "name: scratch").replace("> 100", "> 120")
    extra = extra[: extra.index("      - record: cart:errors")]
    result = shop.grade(shop.workspace({"rules/scratch.yml": extra}))
    assert "A1.exists" in failed(result)
    assert scores(result)["A1"] == pytest.approx(0.8)


def test_an_identical_second_copy_costs_nothing(shop: Shop) -> None:
    copy = HOST.replace("name: host", "name: copy").replace("disk:free:min < 0.1", "0.1   > disk:free:min")
    assert shop.grade(shop.workspace({"rules/copy.yml": copy})).rewards["reward"] == 1.0


def test_wrong_records_halve_a_burn_alert(shop: Shop) -> None:
    rules = CART_RULES.replace('code="500"', 'code="5"')
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    assert scores(result)["A2"] == pytest.approx(0.5)
    assert not any(name.startswith("A2.ref.") for name in failed(result))


def test_a_forged_label_fires_for_the_wrong_service(shop: Shop) -> None:
    rules = CART_RULES.replace('expr: queue:depth:max{service="cart"} > 100', "expr: max(queue:depth:max) > 100")
    rules = rules.replace("{severity: page, team: cart}", "{severity: page, team: cart, service: cart}", 1)
    # the template sees the labels of the expression, not those of the rule
    assert failed(shop.grade(shop.workspace({CART_FILE: rules}))) == {"A1.silent.other", "A1.annotation.summary"}


def test_a_file_that_does_not_parse_costs_only_its_rules(shop: Shop) -> None:
    result = shop.grade(shop.workspace({NODE_FILE: "groups: [oops"}))
    assert result.rewards["syntax_ok"] == 0.0
    assert result.rewards["outcome"] == 0.0
    assert scores(result) == {"A1": 1.0, "A2": 1.0, "C1": 1.0, "I1": 1.0, "P1": 0.0, "R1": 1.0}
    assert [problem.split(":")[0] for problem in result.problems] == ["rules/node.yml"]


def test_a_rule_that_prometheus_refuses_costs_only_itself(shop: Shop) -> None:
    rules = CART_RULES.replace("expr: cart:errors:ratio5m > 0.1", "expr: sum(rate(requests_total)) > 0.1")
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    assert scores(result) == {"A1": 1.0, "A2": 0.0, "C1": 1.0, "I1": 1.0, "P1": 1.0, "R1": 1.0}
    assert len(result.problems) == 1


def test_a_rule_that_fails_to_evaluate_costs_only_itself(shop: Shop) -> None:
    rules = CART_RULES.replace(
        "expr: cart:errors:ratio5m > 0.1", "expr: requests_total / on (service) requests_total > 0.1"
    )
    result = shop.grade(shop.workspace({CART_FILE: rules}))
    assert scores(result) == {"A1": 1.0, "A2": 0.0, "C1": 1.0, "I1": 1.0, "P1": 1.0, "R1": 1.0}
    assert result.rewards["syntax_ok"] == 1.0
    assert any("CartBurn" in note for note in result.notes)


def test_a_broken_alertmanager_file_pages_nobody_and_spoils_no_alert(shop: Shop) -> None:
    result = shop.grade(shop.workspace({ALERTMANAGER_FILE: ALERTMANAGER.replace("receiver: cart-chat", "receiver: x")}))
    assert scores(result) == {"A1": 1.0, "A2": 1.0, "C1": 1.0, "I1": 0.0, "P1": 1.0, "R1": 0.0}
    assert not any(check.passed for check in result.checks if check.family.startswith("route"))
    # DiskFull, QueueLag, disk:free:min stand; two receivers, `global`, three probes, who is told and of whom do not
    assert result.rewards["preservation"] == pytest.approx(3 / 11)


def test_an_inhibition_without_equal_silences_bystanders(shop: Shop) -> None:
    result = shop.grade(shop.workspace({ALERTMANAGER_FILE: ALERTMANAGER.replace("    equal: [service]\n", "")}))
    assert failed(result) == {"I1.not-suppressed.2"}
    assert scores(result)["I1"] == 0.0


def test_a_shadowing_route_costs_its_share(shop: Shop) -> None:
    config = ALERTMANAGER.replace(
        '    - matchers: [team="cart"]',
        '    - {receiver: cart-chat, matchers: [team="cart"]}\n    - matchers: [team="cart"]',
    )
    result = shop.grade(shop.workspace({ALERTMANAGER_FILE: config}))
    assert failed(result) == {"R1.route-positive.1", "R1.chain.1"}
    assert scores(result)["R1"] == pytest.approx(1 / 3)


# --- preservation ----------------------------------------------------------------------------------------------------


def test_a_rewritten_equal_alert_is_preserved(shop: Shop) -> None:
    host = HOST.replace("expr: disk:free:min < 0.1", "expr: disk:free:min * 100 < 10")
    assert shop.grade(shop.workspace({HOST_FILE: host})).rewards["reward"] == 1.0


def test_a_changed_threshold_is_not_preserved(shop: Shop) -> None:
    host = HOST.replace("expr: disk:free:min < 0.1", "expr: disk:free:min < 0.01")
    result = shop.grade(shop.workspace({HOST_FILE: host}))
    assert failed(result) == {"P.alert.DiskFull"}
    assert result.rewards["preservation"] == pytest.approx(10 / 11)
    assert result.rewards["outcome"] == 0.0


def test_an_extra_label_is_judged_by_where_it_sends_the_alert(shop: Shop) -> None:
    harmless = HOST.replace("{severity: page, team: mail}", "{severity: page, team: mail, kind: disk}")
    rerouted = HOST.replace("{severity: ticket, team: cart}", "{severity: ticket, team: cart, who: ops}")
    config = ALERTMANAGER.replace("  routes:\n", "  routes:\n    - {receiver: default, matchers: [who=ops]}\n", 1)
    assert shop.grade(shop.workspace({HOST_FILE: harmless})).rewards["reward"] == 1.0
    result = shop.grade(shop.workspace({HOST_FILE: rerouted, ALERTMANAGER_FILE: config}))
    assert "P.alert.QueueLag" in failed(result)


def test_a_deleted_rule_and_a_nulled_receiver_are_not_preserved(shop: Shop) -> None:
    host = HOST[: HOST.index("      - alert: QueueLag")]
    config = ALERTMANAGER.replace('    webhook_configs: [{url: "http://mail.example/hook"}]\n', "")
    result = shop.grade(shop.workspace({HOST_FILE: host, ALERTMANAGER_FILE: config}))
    assert {"P.alert.QueueLag", "P.receiver.mail-pager"} <= failed(result)


def test_a_changed_record_is_proven_by_its_values(shop: Shop) -> None:
    same = HOST.replace("expr: min by (instance) (disk_free_ratio)", "expr: -max by (instance) (-disk_free_ratio)")
    other = HOST.replace("expr: min by (instance) (disk_free_ratio)", "expr: min by (instance) (disk_free_ratio) / 2")
    assert shop.grade(shop.workspace({HOST_FILE: same})).rewards["reward"] == 1.0
    assert "P.record.disk:free:min" in failed(shop.grade(shop.workspace({HOST_FILE: other})))


def test_grouping_of_an_untouched_route_is_preserved_or_not(shop: Shop) -> None:
    config = ALERTMANAGER.replace('matchers: [team="mail"]', 'matchers: [team="mail"]\n      group_wait: 5m')
    assert failed(shop.grade(shop.workspace({ALERTMANAGER_FILE: config}))) == {"P.route.1"}


# --- tamper ----------------------------------------------------------------------------------------------------------


def test_tampering_zeroes_the_reward_and_says_why(shop: Shop) -> None:
    rules = "groups: [{name: x, rules: [{record: queue_depth, expr: vector(500)}]}]"
    result = shop.grade(shop.workspace({"rules/x.yml": rules}))
    assert result.rewards["tamper"] == 1.0
    assert result.rewards["reward"] == 0.0
    assert result.tamper == ("rules/x.yml: record queue_depth: records queue_depth, which is not a rule's to write",)


def test_a_label_that_no_alert_ever_showed_is_missing(shop: Shop, tmp_path: Path) -> None:
    alerts = tuple(replace(one, labels=(LabelRule("tier", "1"),)) for one in SPEC.alerts)
    (shop.spec_dir / "spec.json").write_text(to_json(replace(SPEC, alerts=alerts)))
    assert {"A1.label.tier", "P1.label.tier"} <= failed(shop.grade(shop.workspace()))


# --- the same grade, and no process for it ---------------------------------------------------------------------------


def test_two_grades_are_identical_whatever_the_hash_seed(shop: Shop, tmp_path: Path) -> None:
    workspace = shop.workspace({CART_FILE: CART_RULES.replace("> 100", "> 450")})
    code = (
        "import sys, json; from pathlib import Path; from alertforge.grader.command import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    written = []
    for seed in ("1", "2"):
        out = tmp_path / f"details{seed}.json"
        arguments = ["--spec", str(shop.spec_dir), "--workspace", str(workspace)]
        arguments += ["--reward", str(tmp_path / "reward.json"), "--details", str(out)]
        arguments += ["--promtool", str(find("promtool")), "--amtool", str(find("amtool")), "--workers", seed]
        subprocess.run([sys.executable, "-c", code, *arguments], check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        written.append(out.read_bytes())
    assert written[0] == written[1]


def _refuse(*arguments: Any, **options: Any) -> Any:
    raise AssertionError("a process was started")


def test_a_regrade_of_an_unchanged_workspace_starts_no_process(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = HOST.replace("expr: disk:free:min < 0.1", "expr: disk:free:min * 100 < 10")
    workspace = shop.workspace({HOST_FILE: host, CART_FILE: CART_RULES.replace('code="500"', 'code="5"')})
    first = shop.grade(workspace, tmp_path / "cache")
    monkeypatch.setattr(promtool, "_run", _refuse)
    monkeypatch.setattr(amtool, "_run", _refuse)
    assert plain(shop.grade(workspace, tmp_path / "cache")) == plain(first)
    (workspace / "README.md").write_text("new")
    assert plain(shop.grade(workspace, tmp_path / "cache")) == plain(first)


def test_an_edit_to_the_alertmanager_file_starts_no_promtool(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.grade(shop.workspace(), tmp_path / "cache")
    monkeypatch.setattr(promtool, "_run", _refuse)
    config = ALERTMANAGER.replace('          matchers: [severity="page"]', '          matchers: [severity="paeg"]')
    result = shop.grade(shop.workspace({ALERTMANAGER_FILE: config}), tmp_path / "cache")
    assert failed(result) == {"R1.route-positive.1", "R1.chain.1"}


def test_promtool_is_asked_about_new_rules_only(shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.grade(shop.workspace(), tmp_path / "cache")
    asked: list[str] = []
    check = promtool.check
    monkeypatch.setattr(
        promtool, "check", lambda new, tool: asked.extend(rule.name for rule in new) or check(new, tool)
    )
    host = HOST.replace("disk:free:min < 0.1", "disk:free:min <! 0.1")
    before = HOST.split("alert: ")[1].split()[0]
    for _ in range(2):
        assert "syntax_ok" in shop.grade(shop.workspace({HOST_FILE: host}), tmp_path / "cache").rewards
    assert asked == [before]


def test_a_cache_does_not_change_a_grade(shop: Shop, tmp_path: Path) -> None:
    workspace = shop.workspace({NODE_FILE: NODE_START})
    fresh = plain(Shop(tmp_path / "fresh").grade(workspace))
    assert fresh == plain(shop.grade(workspace, tmp_path / "cache")) == plain(shop.grade(workspace, tmp_path / "cache"))


def test_a_spoilt_cache_is_no_cache(shop: Shop, tmp_path: Path) -> None:
    workspace, cache = shop.workspace(), tmp_path / "cache"
    before = plain(shop.grade(workspace, cache))
    for number, path in enumerate(sorted(path for path in cache.rglob("*") if path.is_file())):
        path.write_bytes([b"", b"\xff", b"{}", b"[[[", b'{"key": "x", "answer": []}'][number % 5])
    assert plain(shop.grade(workspace, cache)) == before


# --- what the grader itself stumbles over ----------------------------------------------------------------------------


@pytest.mark.parametrize("time", ["-1", "-0.5", "253402300800", "1e17", "1_000", "0x7fffffffffff", "-5m"])
def test_a_time_that_is_no_date_is_tamper_and_every_requirement_is_judged(
    shop: Shop, tmp_path: Path, time: str
) -> None:
    rules = f"groups: [{{name: zz, rules: [{{record: zz, expr: 'queue_depth @ {time}'}}]}}]"
    assert main(options(shop, shop.workspace({"rules/zz.yml": rules}), tmp_path)) == 0
    details = json.loads((tmp_path / "d.json").read_text())
    assert {one["q"] for one in details["requirements"]} == {1.0}
    assert [reason for reason in details["tamper"] if "pinned to a point in time" in reason]
    assert json.loads((tmp_path / "r.json").read_text())["reward"] == 0.0


@pytest.mark.parametrize("expr", ["queue_depth @ 1e300", "queue_depth offset -1e300", "queue_depth[1e14]", "1e400"])
def test_a_number_that_prometheus_refuses_costs_only_its_rule(shop: Shop, tmp_path: Path, expr: str) -> None:
    rules = f"groups: [{{name: zz, rules: [{{record: zz, expr: '{expr}'}}]}}]"
    assert main(options(shop, shop.workspace({"rules/zz.yml": rules}), tmp_path)) == 0
    details = json.loads((tmp_path / "d.json").read_text())
    assert {one["q"] for one in details["requirements"]} == {1.0}
    assert details["tamper"] == []
    assert [problem.split(":")[0] for problem in details["problems"]] == ["rules/zz.yml"]


class _PanicError(BaseException):
    """As the reader's own: no Exception."""


def _panic(*arguments: Any, **options: Any) -> Any:
    raise _PanicError("at the disco")


@pytest.mark.parametrize("step", ["_lint", "index"])
def test_a_file_on_which_the_grader_fails_costs_only_itself(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    right = getattr(grading, step)

    def fail_on_it(files: Any, *more: Any) -> Any:
        return _panic() if "rules/zz.yml" in {file.path for file in files} else right(files, *more)

    monkeypatch.setattr(grading, step, fail_on_it)
    rules = "groups: [{name: zz, rules: [{record: zz, expr: queue_depth}]}]"
    assert main(options(shop, shop.workspace({"rules/zz.yml": rules}), tmp_path)) == 0
    details = json.loads((tmp_path / "d.json").read_text())
    assert {one["q"] for one in details["requirements"]} == {1.0}
    assert details["rewards"]["syntax_ok"] == details["rewards"]["outcome"] == 0.0
    assert [text for text in details["problems"] if text.startswith("rules/zz.yml: set aside") and "disco" in text]


def test_a_configuration_on_which_the_grader_fails_pages_nobody(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = grading._deliver
    monkeypatch.setattr(grading, "_deliver", lambda config, *more: _panic() if config else right(config, *more))
    result = shop.grade(shop.workspace())
    assert scores(result) == {"A1": 1.0, "A2": 1.0, "C1": 1.0, "I1": 0.0, "P1": 1.0, "R1": 0.0}
    assert any(ALERTMANAGER_FILE in problem and "set aside" in problem for problem in result.problems)


@pytest.mark.parametrize("hide", [r'queue_depth{pod=~"\\101|.*"}', 'queue_depth{pod=~"[[]|.*"}', "queue_depth > 1_0"])
def test_no_spelling_hides_a_clock(shop: Shop, hide: str) -> None:
    expr = f"(vector(time()) < 1e6) and on () ({hide})"
    result = shop.grade(shop.workspace({"rules/zz.yml": _one_record(expr)}))
    assert result.tamper
    assert not result.problems


@pytest.mark.parametrize("expr", ["anchored", "sum by (smoothed) (queue_depth)"])
def test_what_prometheus_takes_and_nobody_here_can_read_is_set_aside(shop: Shop, expr: str) -> None:
    assert promtool.check([Rule("zz", expr, is_alert=False)], find("promtool")) == [None]
    result = shop.grade(shop.workspace({"rules/zz.yml": _one_record(expr)}))
    assert [problem.split(":")[0] for problem in result.problems] == ["rules/zz.yml"]
    assert result.rewards["outcome"] == 0.0
    assert set(scores(result).values()) == {1.0}


def _one_record(expr: str) -> str:
    return json.dumps({"groups": [{"name": "zz", "rules": [{"record": "zz", "expr": expr}]}]})
