"""Visible tests pass on promtool, in plain repos and in those of manifests, and `bin/af-check` tells good from bad."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from briefs import brief

from alertforge import tools
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.repo import script
from alertforge.repo.exporters import load_all, render
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.repo.routing import base_config
from alertforge.repo.visible import visible_tests
from alertforge.world.catalog import FAMILIES
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


def series_of(tests: dict[str, str]) -> list[tuple[str, dict[str, str], str]]:
    """Metric, labels and values of every series of the tests."""
    out = []
    for text in tests.values():
        for test in yaml.safe_load(text)["tests"]:
            for one in test["input_series"]:
                name, _, labels = one["series"].partition("{")
                out.append((name, dict(re.findall(r'(\w+)="([^"]*)"', labels)), one["values"]))
    return out


@pytest.mark.parametrize("number", range(4))
def test_series_of_exporters_carry_what_every_scrape_has(number: int) -> None:
    told, seed = brief(number)
    for file in rule_files(told.world):
        for name, labels, _ in series_of(visible_tests([file], told.world, seed)):
            assert {"job", "instance"} <= set(labels), name
            assert labels["job"] != "kubelet" or "node" in labels, name


# what the README says of these metrics, beside the service's own label; `{pod}` is the house's label of a pod
PROMISED = {
    "kube_pod_container_status_restarts_total": {"job", "namespace", "pod", "container"},
    "pg_replication_lag_seconds": {"job", "server"},
    "probe_success": {"job", "instance", "vantage"},
    "up": {"job", "namespace", "{pod}"},
}


def service_files(world: World) -> list[RuleFile]:
    """One file for each alert that some service may have."""
    subjects = [Subject(world, service) for service in world.services]
    rules = [(kind, subject, subject.service.name) for subject in subjects for kind in KINDS.values()]
    return [
        RuleFile(f"rules/{name}-{kind.name}.yml", (Group(f"{name}-health", (kind.rule(subject),)),))
        for kind, subject, name in rules
    ]


@pytest.mark.parametrize("number", range(6))
def test_series_of_services_carry_what_the_readme_promises(number: int) -> None:
    told, seed = brief(number)
    style, seen = told.world.style, set()
    for file in service_files(told.world):
        for name, labels, _ in series_of(visible_tests([file], told.world, seed)):
            promised = {label.replace("{pod}", style.pod_label) for label in PROMISED[name]}
            assert set(labels) == {style.service_label, *promised}, name
            seen.add(name)
    assert len(seen) >= 3


def test_tests_of_services_pass(tmp_path: Path) -> None:
    written = {}
    for number in range(4):
        told, seed = brief(number)
        for file in service_files(told.world):
            moved = replace(file, path=file.path.replace("rules/", f"rules/{number}-"))
            written[moved.path] = print_rule_file(moved, told.world.style)
            written.update(visible_tests([moved], told.world, seed))
    tests = sorted(path for path in written if path.startswith("tests/"))
    assert len(tests) >= 20
    write(tmp_path, written)
    command = [str(tools.find("promtool")), "test", "rules", *tests]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("window", [10, 15, 20])
def test_a_container_restarts_every_other_minute_at_most(window: int) -> None:
    told, seed = brief(0)
    service, label = told.world.services[0].name, told.world.style.service_label
    selector = f'kube_pod_container_status_restarts_total{{{label}="{service}"}}'
    seen = 0
    for limit in (2, 3, 4):
        rule = Rule("Loops", f"max by ({label}) (increase({selector}[{window}m])) > {limit}", for_=180_000)
        file = RuleFile("rules/x.yml", (Group("g", (rule,)),))
        for _, _, values in series_of(visible_tests([file], told.world, seed)):
            calm, *steps = [part.split("x") for part in values.split()]
            assert calm[0] == "0"
            assert [int(value) for value, _ in steps] == list(range(1, len(steps) + 1))
            assert all(int(more) >= 1 for _, more in steps), "a value stands for at least two minutes"
            assert (window - 1) // (int(steps[0][1]) + 1) > limit, "and every window has more than the limit"
            seen += 1
    assert seen >= 2


def test_what_stands_before_services_is_about_services_that_answer_requests() -> None:
    web = {family.name for family in FAMILIES["web"]}
    ways, names = set(), set()
    for number in range(12):
        told, seed = brief(number)
        fitting = {one.name for one in told.world.services if one.family.name in web} or {"status-page"}
        (haproxy,) = [one for one in rule_files(told.world) if "haproxy" in one.path]
        of_one_repo = set()
        for key in range(8):
            # the draws of the same repo, with another of its rules first
            for _, labels, _ in series_of(visible_tests([haproxy], told.world, seed)):
                if proxy := labels.get("proxy"):
                    of_one_repo.add(proxy.startswith("be_"))
                    names.add(proxy)
                    assert proxy.removeprefix("be_").replace("_", "-") in fitting
            haproxy = replace(haproxy, path=f"rules/haproxy-{key}.yml")
        assert len(of_one_repo) <= 1, "one way to name backends"
        ways |= of_one_repo
    assert ways == {False, True} and len(names) >= 8


def test_databases_are_those_of_services_that_use_the_store() -> None:
    seen = set()
    for number in range(12):
        told, seed = brief(number)
        fitting = {one.name for one in told.world.services if "postgres" in one.depends_on} or {"status-page"}
        (postgres,) = [one for one in rule_files(told.world) if "postgres" in one.path]
        for key in range(6):
            file = replace(postgres, path=f"rules/postgres-{key}.yml")
            for _, labels, _ in series_of(visible_tests([file], told.world, seed)):
                if database := labels.get("datname"):
                    seen.add(database)
                    assert database.removesuffix("_prod").replace("_", "-") in fitting
    assert len(seen) >= 6


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
