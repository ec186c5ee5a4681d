"""A dataset on disk: what is where, that it is the same however it is made, and that nothing half-made stays."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tiny

from alertforge import build
from alertforge.create import catalogue
from alertforge.errors import AlertForgeError
from alertforge.harbor.directory import read_tree
from alertforge.task import Task
from alertforge.tools import find

FIRST, SECOND = (entry[0] for entry in catalogue()[:2])


def kit(gated: bool = True) -> build.Kit:
    return build.Kit(find("promtool"), find("amtool"), gated=gated)


@pytest.fixture()
def tiny_tasks(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Every order makes the tiny task, under its own id and with what is asked for changed."""

    def install(**changes: Any) -> None:
        def create(order: build.Order) -> Task:
            mine = changes.get(order.id, {})
            return replace(tiny.task(), id=order.id, spec=replace(tiny.SPEC, task=order.id), **mine)

        monkeypatch.setattr(build.Order, "create", create)

    install()
    return install


def rows(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "manifest.jsonl").read_text("utf-8").splitlines()]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.usefixtures("tiny_tasks")
def test_a_dataset_has_tasks_scripts_manifest_and_registry(tmp_path: Path) -> None:
    outcome = build.build(tmp_path, build.orders("onboarding-easy-"), kit())
    assert outcome.rejected == ()
    assert names(tmp_path) == ["manifest.jsonl", "null", "partial", "registry.json", "tasks"]
    for folder in ("tasks", "partial", "null"):
        assert names(tmp_path / folder) == [FIRST, SECOND]
    for folder in ("partial", "null"):
        assert names(tmp_path / folder / FIRST) == ["solve.sh"]
    assert [row["id"] for row in rows(tmp_path)] == [FIRST, SECOND]
    assert rows(tmp_path)[0] == {
        "id": FIRST,
        "workflow": "tiny",
        "tier": "tiny",
        "axes": {"tone": "plain"},
        "services": 1,
        "requirements": {"alert": 0, "repair": 1, "recording": 0, "route": 1, "inhibition": 0},
        "checks": 15,
        "rewards": {"oracle": 1.0, "nop": 0.0, "partial": 0.16},
        "generator_version": rows(tmp_path)[0]["generator_version"],
    }


@pytest.mark.usefixtures("tiny_tasks")
def test_a_rejected_task_is_set_apart_with_its_reasons_and_listed_nowhere(
    tmp_path: Path, tiny_tasks: Callable[..., None]
) -> None:
    build.build(tmp_path, build.orders("onboarding-easy-"), kit(gated=False))
    tiny_tasks(**{FIRST: {"partial": tiny.SOLVED}})
    outcome = build.build(tmp_path, build.orders("onboarding-easy-"), kit())
    assert [one.id for one in outcome.rejected] == [FIRST]
    assert [one.name for one in outcome.rejected[0].report.failures] == ["partial"]  # type: ignore[union-attr]
    assert names(tmp_path / "rejected") == [FIRST]
    for folder in ("tasks", "partial", "null"):
        assert names(tmp_path / folder) == [SECOND]
    assert [row["id"] for row in rows(tmp_path)] == [SECOND]
    assert FIRST not in (tmp_path / "registry.json").read_text("utf-8")
    tiny_tasks()
    build.build(tmp_path, build.orders(FIRST), kit(gated=False))
    assert not (tmp_path / "rejected").exists()
    assert [row["id"] for row in rows(tmp_path)] == [FIRST, SECOND]


@pytest.mark.usefixtures("tiny_tasks")
def test_what_is_not_built_now_stays_listed(tmp_path: Path) -> None:
    build.build(tmp_path, build.orders(SECOND), kit(gated=False))
    build.build(tmp_path, build.orders(FIRST), kit(gated=False))
    assert [row["id"] for row in rows(tmp_path)] == [FIRST, SECOND]
    listed = json.loads((tmp_path / "registry.json").read_text("utf-8"))
    assert [task["path"] for task in listed[0]["tasks"]] == [
        f"tasks/{FIRST}",
        f"tasks/{SECOND}",
    ]


@pytest.mark.usefixtures("tiny_tasks")
def test_interrupted_what_was_done_stays_and_nothing_half_made(tmp_path: Path) -> None:
    def stop(what: str) -> None:
        if what == f"{SECOND}: measure the start state":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build.build(tmp_path, build.orders("onboarding-easy-"), kit(gated=False), progress=stop)
    assert names(tmp_path) == ["null", "partial", "tasks"]
    assert names(tmp_path / "tasks") == [FIRST]


@pytest.mark.usefixtures("tiny_tasks")
def test_a_sample_is_one_folder(tmp_path: Path) -> None:
    one = build.sample(tmp_path, build.Order("slo-onboarding", "easy", 7, "x"), kit(gated=False))
    assert one.id == "af-x-slo-onboarding-easy-s7"
    assert names(tmp_path) == [one.id]
    assert "task.toml" in names(tmp_path / one.id)


@pytest.mark.usefixtures("tiny_tasks")
def test_a_damaged_manifest_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text("not json\n")
    with pytest.raises(AlertForgeError, match="is not a manifest"):
        build.build(tmp_path, build.orders(FIRST), kit())


def test_an_id_gives_its_order_back() -> None:
    for name, workflow, tier, number in catalogue():
        found = build.order(name, "m")
        assert (found.workflow, found.tier, found.number, found.id) == (workflow, tier, number, name)
    assert build.order("af-x-slo-onboarding-hard-s12").number == 12


@pytest.mark.parametrize(
    "name", ["", "af-001", "af-002-slo-onboarding-easy-s1", "af-x-slo-onboarding-easy-s1", "af-001-no-such-easy-s1"]
)
def test_what_is_no_id_is_refused(name: str) -> None:
    with pytest.raises(AlertForgeError, match="is not the id of a task"):
        build.order(name)


def test_nothing_that_matches_is_refused() -> None:
    with pytest.raises(AlertForgeError, match="no task id contains 'x-y-z'"):
        build.orders("x-y-z")


@pytest.mark.slow
def test_the_number_of_jobs_and_the_hash_seed_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes with another hash seed write what one writes, byte for byte; the master seed is in none of it."""
    secret = "a-secret-that-stands-nowhere"
    wanted = build.orders("onboarding-easy-", secret)
    build.build(tmp_path / "one", wanted, kit(gated=False))
    monkeypatch.setenv("PYTHONHASHSEED", "4242")  # for the processes that are started
    build.build(tmp_path / "two", wanted, kit(gated=False), jobs=2)
    one, two = read_tree(tmp_path / "one"), read_tree(tmp_path / "two")
    assert one == two
    assert len(one) > 100
    assert not any(secret.encode() in data or secret in path for path, data in one.items())


def test_the_generator_script_is_the_build_command() -> None:
    script = Path(__file__).parents[1] / "generator" / "generate.py"
    done = subprocess.run([sys.executable, script, "--only", "no-such", "--out", "x"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no task id contains 'no-such'")
