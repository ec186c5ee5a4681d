"""The commands as a user meets them: output, exit codes, one-line errors."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import tiny
from click.testing import CliRunner, Result

from alertforge import build, cli, harbor
from alertforge.grader.score import KEYS
from alertforge.harbor.directory import put
from alertforge.task import Task
from alertforge.tools import find

FIRST = "af-001-slo-onboarding-easy-s1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return harbor.write(tiny.task(), tmp_path_factory.mktemp("tasks"), promtool=find("promtool"), amtool=find("amtool"))


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools of this machine by name, and a cache of our own."""
    for name in ("promtool", "amtool"):
        monkeypatch.setenv(f"AF_{name.upper()}", str(find(name)))
    monkeypatch.setenv("AF_CACHE", str(tmp_path / "cache"))


@pytest.fixture()
def tiny_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    def create(order: build.Order) -> Task:
        return replace(tiny.task(), id=order.id, spec=replace(tiny.SPEC, task=order.id))

    monkeypatch.setattr(build.Order, "create", create)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli.main, [str(argument) for argument in arguments])


def error(result: Result) -> str:
    """The one line on standard error."""
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stdout == ""
    return result.stderr


# --- grade -----------------------------------------------------------------------------------------------------------


def test_json_is_one_object_and_nothing_else(folder: Path, tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", tiny.START)
    result = run("grade", "--task", folder, "--workspace", workspace, "--json", "--details", tmp_path / "d.json")
    assert (result.exit_code, result.stderr) == (0, "")
    document = json.loads(result.stdout)
    assert list(document["rewards"]) == list(KEYS)
    assert {one["id"] for one in document["requirements"]} == {"P1", "R1"}
    assert set(document["checks"][0]["evidence"]) == {"scenario", "minutes", "expected", "seen"}
    assert json.loads((tmp_path / "d.json").read_text("utf-8")) == document


def test_a_person_reads_the_failed_checks_last_with_what_was_expected_and_seen(folder: Path, tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", tiny.START)
    result = run("grade", "--task", folder, "--workspace", workspace)
    assert result.exit_code == 0
    before, _, after = result.stdout.partition("11 of 15 checks passed")
    assert "reward" in before and "P1" in before
    assert "P1.timing.q-full" in after and "first fires" in after
    assert "P1.once" not in after


def test_square_brackets_from_a_workspace_are_shown_as_they_are(folder: Path, tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", {**tiny.SOLVED, "rules/[red]x[/].yml": "groups: [[bold]\n"})
    result = run("grade", "--task", folder, "--workspace", workspace)
    assert result.exit_code == 0
    assert "rules/[red]x[/].yml" in result.stdout


@pytest.fixture()
def starts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The programs that were started, by name."""
    seen: list[str] = []

    class Counting(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, command: object, *more: object, **options: object) -> None:
            seen.append(Path(str(command[0] if isinstance(command, list | tuple) else command)).name)
            super().__init__(command, *more, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", Counting)
    yield seen


def test_an_unchanged_workspace_starts_no_process_and_a_new_route_no_promtool(
    folder: Path, tmp_path: Path, starts: list[str]
) -> None:
    workspace = put(tmp_path / "w", {**tiny.SOLVED, "alertmanager/alertmanager.yml": tiny.ROUTING})
    first = run("grade", "--task", folder, "--workspace", workspace, "--json")
    assert "promtool" in starts and "amtool" in starts
    starts.clear()
    assert run("grade", "--task", folder, "--workspace", workspace, "--json").stdout == first.stdout
    assert starts == []
    put(workspace, {"alertmanager/alertmanager.yml": tiny.ROUTED})
    result = run("grade", "--task", folder, "--workspace", workspace, "--json")
    assert json.loads(result.stdout)["rewards"]["reward"] == 1.0
    assert set(starts) == {"amtool"}


def test_tools_that_were_replaced_are_asked_again(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Path(shutil.copy2(find("promtool"), tmp_path / "promtool"))
    monkeypatch.setenv("AF_PROMTOOL", str(copy))
    workspace = put(tmp_path / "w", tiny.SOLVED)
    assert run("grade", "--task", folder, "--workspace", workspace, "--json").exit_code == 0
    copy.unlink()
    copy.write_text("#!/bin/sh\necho 'promtool, version 2.40.0 (x)'\n")
    copy.chmod(0o755)
    assert "Prometheus 2" in error(run("grade", "--task", folder, "--workspace", workspace, "--json"))


def test_bad_arguments_of_grade_are_one_clear_line(folder: Path, tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", tiny.SOLVED)
    assert "is not a task directory" in error(run("grade", "--task", tmp_path / "no", "--workspace", workspace))
    assert "is not a directory" in error(run("grade", "--task", folder, "--workspace", tmp_path / "no"))
    (tmp_path / "above" / "monitoring" / "rules").mkdir(parents=True)
    assert "did you mean" in error(run("grade", "--task", folder, "--workspace", tmp_path / "above"))
    details = tmp_path / "no" / "d.json"
    assert "no such folder" in error(run("grade", "--task", folder, "--workspace", workspace, "--details", details))


def test_a_broken_contract_is_one_clear_line(folder: Path, tmp_path: Path) -> None:
    broken = shutil.copytree(folder, tmp_path / "task")
    (broken / "tests" / "spec.json").write_text("{}")
    workspace = put(tmp_path / "w", tiny.SOLVED)
    assert "spec version" in error(run("grade", "--task", broken, "--workspace", workspace))


# --- build, sample, gate ---------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("tiny_tasks")
def test_build_says_what_became_of_each_task(tmp_path: Path) -> None:
    result = run("build", "--out", tmp_path / "out", "--only", FIRST)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"{FIRST} accepted: oracle 1, nop 0, partial 0.16; ")


@pytest.mark.usefixtures("tiny_tasks")
def test_a_rejected_task_is_exit_code_1_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = build.Order.create
    monkeypatch.setattr(build.Order, "create", lambda order: replace(real(order), partial=tiny.SOLVED))
    result = run("sample", "--workflow", "slo-onboarding", "--tier", "easy", "--seed", "1", "--out", tmp_path)
    assert result.exit_code == 1
    assert "REJECTED" in result.stdout
    assert f"{FIRST}: partial: reward 1" in result.stderr
    assert (tmp_path / "rejected" / FIRST / "task.toml").is_file()


@pytest.mark.usefixtures("tiny_tasks")
def test_gate_compares_with_what_the_id_gives(tmp_path: Path) -> None:
    run("build", "--out", tmp_path, "--only", FIRST, "--no-gate")
    task = tmp_path / "tasks" / FIRST
    good = run("gate", task)
    assert good.exit_code == 0, good.output
    assert "same bytes when built again" in good.stdout
    (task / "instruction.md").write_text("Do nothing.\n")
    bad = run("gate", task)
    assert bad.exit_code == 1
    assert "FAILED" in bad.stdout and "differs: instruction.md" in bad.stdout


def test_bad_arguments_of_the_makers_are_one_clear_line(tmp_path: Path) -> None:
    sample = ("sample", "--out", tmp_path / "out")
    unknown = run(*sample, "--workflow", "no-such", "--tier", "easy", "--seed", "1")
    assert "unknown workflow 'no-such'" in error(unknown)
    assert "unknown tier" in error(run(*sample, "--workflow", "slo-onboarding", "--tier", "x", "--seed", "1"))
    assert "start at 1" in error(run(*sample, "--workflow", "slo-onboarding", "--tier", "easy", "--seed", "0"))
    assert "no task id contains" in error(run("build", "--out", tmp_path / "out", "--only", "no-such"))
    assert "is not a task directory" in error(run("gate", tmp_path))


@pytest.mark.usefixtures("tiny_tasks")
def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file" in error(run("build", "--out", tmp_path / "file" / "out", "--only", FIRST))
    assert "file" in error(run("build", "--out", tmp_path / "file", "--only", FIRST))


def test_missing_tools_are_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AF_PROMTOOL")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "alertforge tools install --only promtool" in error(run("build", "--out", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("tiny_tasks")
def test_demo_grades_three_ways(tmp_path: Path) -> None:
    result = run("demo")
    assert result.exit_code == 0, result.output
    heading, *lines = [line.split() for line in result.stdout.splitlines() if line.strip()][1:]
    assert heading == ["reward", "key", "oracle", "nop", "partial"]
    assert lines[0] == ["reward", "1", "0", "0.16"]
    assert "checks that the partial solution failed" in result.stdout
