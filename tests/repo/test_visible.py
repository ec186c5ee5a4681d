"""Visible tests pass on promtool, in plain repos and in those of manifests, and `bin/af-check` tells good from bad."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from briefs import brief

from alertforge import tools
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.repo import script
from alertforge.repo.exporters import load_all, render
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.repo.routing import base_config
from alertforge.repo.visible import visible_tests
from alertforge.world.model import World


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def rule_files(world: World, count: int = 17) -> list[RuleFile]:
    return [render(one, world.style, world.teams[0].name, world.domain) for one in load_all()[:count]]


@pytest.mark.parametrize("number", range(5))
def test_the_tests_of_every_exporter_pass(number: int, tmp_path: Path) -> None:
    told, seed = brief(number)
    files = rule_files(told.world)
    written = {}
    for file in files:
        plain = replace(file, manifest_name=None)
        written[file.path] = print_rule_file(plain, told.world.style)
        written.update(visible_tests([file], told.world, seed, told.canary))
    tests = sorted(path for path in written if path.startswith("tests/"))
    assert len(tests) >= 15, "nearly every exporter has an alert that is simple enough"
    write(tmp_path, written)
    command = [str(tools.find("promtool")), "test", "rules", *tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_repo_gets_a_few_files_and_the_same_ones_again() -> None:
    told, seed = brief(0)
    files = rule_files(told.world)
    tests = visible_tests(files, told.world, seed, told.canary)
    assert tests == visible_tests(files, told.world, seed, told.canary)
    assert 1 <= len(tests) <= 2
    assert all(told.canary in text for text in tests.values())


@pytest.mark.parametrize("number", range(3))
def test_labels_have_values_of_targets_and_not_of_their_own_names(number: int) -> None:
    told, seed = brief(number)
    made_up = re.compile(r"(\w+)(?:=|: )[\"']?([a-z-]+)-\d[\"',}\s]")
    seen = 0
    for file in rule_files(told.world):
        for text in visible_tests([file], told.world, seed).values():
            for label, stem in made_up.findall(text):
                assert stem.replace("-", "_") != label, f"{label}={stem}"
            seen += len(re.findall(r"[a-z_]+=", text))
    assert seen > 30
    services = {one.name: one.namespace for one in told.world.services}
    (kubernetes,) = [one for one in rule_files(told.world) if "kube-state-metrics" in one.path]
    for key in range(20):
        for text in visible_tests([kubernetes], told.world, seed.child(key)).values():
            for name in re.findall(r'deployment="([^"]+)"', text):
                assert f'namespace="{services[name]}"' in text


def test_what_is_not_simple_is_left_out() -> None:
    told, seed = brief(0)
    expressions = ["a and b", "absent(a)", "predict_linear(a[1h], 60) < 0", 'a{b=~"c"} > 1', "a > b", "a offset 1m > 1"]
    rules = tuple(Rule(f"A{n}", text) for n, text in enumerate(expressions))
    templated = Rule("T", "a > 1", annotations=(("summary", "{{ $value }}"),))
    file = RuleFile("rules/x.yml", (Group("g", (*rules, templated, Rule("r", "a", is_alert=False))),))
    assert visible_tests([file], told.world, seed) == {}


# --- bin/af-check ----------------------------------------------------------------------------------------------------


def repo(number: int) -> dict[str, str]:
    told, seed = brief(number)
    world = told.world
    files = rule_files(world, 8)
    return {
        **{file.path: print_rule_file(file, world.style) for file in files},
        **visible_tests(files, world, seed),
        "alertmanager/alertmanager.yml": print_alertmanager(base_config(world, world.teams), world.style),
        script.PATH: script.af_check(told),
    }


def check(root: Path) -> subprocess.CompletedProcess[str]:
    folders = {tools.find(name).parent for name in ("promtool", "amtool")} | {Path(sys.executable).parent}
    path = os.pathsep.join([*sorted(map(str, folders)), "/usr/bin", "/bin"])
    command = ["bash", str(root / script.PATH)]
    return subprocess.run(
        command, cwd="/", env={"PATH": path}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture(params=[False, True], ids=["plain", "manifests"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    number = next(n for n in range(30) if brief(n)[0].world.style.manifests == request.param)
    write(tmp_path, repo(number))
    return tmp_path


def test_a_healthy_repo_passes_and_stays_as_it_is(root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    done = check(root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("OK\n")
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_rule_that_does_not_parse_fails(root: Path) -> None:
    spoil(next((root / "rules").glob("redis*"), None) or next((root / "rules").glob("etcd*")), "== 0", "== (0")
    done = check(root)
    assert done.returncode == 1 and "FAILED" in done.stdout


def test_yaml_that_does_not_parse_fails(root: Path) -> None:
    path = next((root / "rules").iterdir())
    path.write_text("groups: [\n", encoding="utf-8")
    done = check(root)
    assert done.returncode == 1 and path.name in done.stdout + done.stderr


def test_a_visible_test_that_does_not_hold_fails(root: Path) -> None:
    path = next((root / "tests" / "visible").iterdir())
    spoil(path, "exp_alerts: []", "exp_alerts: [{exp_labels: {a: b}}]")
    assert check(root).returncode == 1


def test_a_route_to_nowhere_fails(root: Path) -> None:
    spoil(root / "alertmanager" / "alertmanager.yml", "receiver: ", "receiver: nobody-")
    assert check(root).returncode == 1
