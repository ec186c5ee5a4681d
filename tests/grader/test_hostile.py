"""Hostile workspaces, graded whole on the real tools: a score in bounded time, and only what is broken is lost."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from shop import ALERTMANAGER, SOLVED, Shop, scores

from alertforge.grader.result import Result
from tests.hang import ends

ALERTMANAGER_FILE = "alertmanager/alertmanager.yml"
HEALTHY = {"A1": 1.0, "A2": 1.0, "C1": 1.0, "I1": 1.0, "P1": 1.0, "R1": 1.0}


def rules(*items: dict[str, object]) -> str:
    return json.dumps({"groups": [{"name": "evil", "rules": list(items)}]})


def alert(expr: str, **more: object) -> dict[str, object]:
    return {"alert": "Evil", "expr": expr, **more}


def graded(shop: Shop, workspace: Path) -> Result:
    with ends():
        result = shop.grade(workspace)
    assert all(math.isfinite(value) for value in result.rewards.values())
    json.dumps(result.to_plain()).encode()
    return result


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(rules(alert("max_over_time(queue_depth[10y:1ms]) > 0")), id="10y:1ms"),
        pytest.param(rules(alert("queue_depth > 0", **{"for": "300y"})), id="for 300y"),
        pytest.param(rules(alert("(" * 9000 + "1" + ")" * 9000)), id="brackets"),
        pytest.param(rules(alert(" or ".join(["queue_depth"] * 20_000))), id="20k or"),
        pytest.param(rules(alert("queue_depth > ")), id="syntax"),
        pytest.param(
            rules(alert("queue_depth", annotations={"s": '{{ range query "up" }}' * 9 + "{{ end }}" * 9})), id="loops"
        ),
        pytest.param(rules(alert("queue_depth", labels={"l": '{{ printf "%999999999d" 1 }}'})), id="printf"),
        pytest.param(rules({"record": "a b {", "expr": "1"}), id="record name"),
        pytest.param(rules({"record": "r", "expr": "1", "labels": {"\ud800": "x"}}), id="surrogate"),
        pytest.param("a: &a [*a]", id="recursive alias"),
        pytest.param("groups: []\ngroups: []", id="duplicate key"),
        pytest.param("%YAML 9.9\n---\n\x00", id="control characters"),
        pytest.param("kind: PrometheusRule\napiVersion: monitoring.coreos.com/v1\nspec: 7", id="manifest"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param("- " * 100_000, id="dashes"),
        pytest.param("x: " + "9" * 900_000, id="long number"),
    ],
)
def test_a_hostile_rule_file_costs_only_itself(shop: Shop, text: str) -> None:
    workspace = shop.workspace()
    (workspace / "rules/evil.yml").write_bytes(text.encode("utf-8", "surrogatepass"))
    result = graded(shop, workspace)
    assert scores(result) == HEALTHY
    assert result.rewards["preservation"] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "expr",
    [
        'count_values("v", queue_depth + on () group_left () scalar(time()))',
        "queue_depth * on (service) group_left (pod) queue_depth",
        "max_over_time(sum_over_time(queue_depth[1h:1s])[6h:10m]) > 0",
        'label_replace(queue_depth, "x", "$1$1$1$1$1$1$1$1", "pod", "(.*)(.*)(.*)(.*)(.*)")',
        'queue_depth{pod=~"(((((a*)*)*)*)*)*b"}',
    ],
)
def test_catastrophic_expressions_end(shop: Shop, expr: str) -> None:
    evil = rules({"record": "evil", "expr": expr}, alert(expr, **{"for": "0s"}))
    assert scores(graded(shop, shop.workspace({"rules/evil.yml": evil}))) == HEALTHY


def test_a_label_that_differs_at_every_tick_is_judged_like_any_other(shop: Shop) -> None:
    cart = SOLVED["rules/cart.yml"].replace("team: cart}", 'team: cart, v: "{{ $value }}{{ now }}"}', 1)
    result = graded(shop, shop.workspace({"rules/cart.yml": cart}))
    assert scores(result)["A1"] < 1.0
    assert scores(result)["P1"] == 1.0


def test_files_outside_are_not_opened(shop: Shop, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # whoever opens it, waits
    config = f"templates: ['{pipe}', '/dev/zero']\n" + ALERTMANAGER.replace(
        "  - name: cart-chat\n",
        "  - name: cart-chat\n    slack_configs:\n      - {channel: c, api_url_file: '" + str(pipe) + "'}\n",
    ).replace('    webhook_configs: [{url: "http://cart.example/chat"}]\n', "")
    result = graded(shop, shop.workspace({ALERTMANAGER_FILE: config}))
    assert scores(result) == HEALTHY


@pytest.mark.parametrize(
    "config",
    [
        "",
        "route: &r {receiver: a, routes: [*r]}\nreceivers: [{name: a}]",
        ALERTMANAGER.replace('[team="cart"]', '[team=~"("]'),
        ALERTMANAGER.replace('[team="cart"]', '[team=~"' + "(a*)*" * 5000 + '"]'),
        ALERTMANAGER.replace('[team="cart"]', '["\\ud800=x"]'),
        ALERTMANAGER + "\nroute: {}\n",
    ],
)
def test_a_hostile_configuration_pages_nobody(shop: Shop, config: str) -> None:
    result = graded(shop, shop.workspace({ALERTMANAGER_FILE: config}))
    assert scores(result)["A1"] == 1.0
    assert scores(result)["R1"] == 0.0
    assert result.rewards["syntax_ok"] == 0.0


def test_a_workspace_of_traps(shop: Shop) -> None:
    workspace = shop.workspace()
    os.mkfifo(workspace / "rules/pipe.yml")  # these two do not reach the verifier
    (workspace / "rules/zero.yml").symlink_to("/dev/zero")
    (workspace / "rules/link.yml").symlink_to("../README.md")
    (workspace / "rules/loop").symlink_to("..")
    (workspace / "rules/dir.yml").mkdir()
    (workspace / "rules/bytes.yml").write_bytes(b"\xff\xfe\x00")
    with (workspace / "rules/huge.yml").open("wb") as file:
        file.truncate(1 << 40)
    result = graded(shop, workspace)
    assert scores(result) == HEALTHY
    assert len(result.problems) == 5
    assert result.rewards["outcome"] == 0.0


def test_nothing_in_the_workspace_is_executed(shop: Shop, tmp_path: Path) -> None:
    workspace = shop.workspace()
    for name in ("promtool", "amtool", "sitecustomize.py", "bin/af-check"):
        path = workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch {tmp_path}/executed\n")
        path.chmod(0o755)
    assert scores(graded(shop, workspace)) == HEALTHY
    assert not (tmp_path / "executed").exists()
