"""What lies in a task directory, and that it is written whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
import tiny

import alertforge
from alertforge import harbor
from alertforge.errors import AlertForgeError
from alertforge.grader import grade
from alertforge.grader.spec import load
from alertforge.harbor import directory
from alertforge.harbor.closure import sources
from alertforge.harbor.directory import WORKSPACE, read_metadata, read_tree
from alertforge.task import Task
from alertforge.tools import find


def write(task: Task, out: Path) -> Path:
    return harbor.write(task, out, promtool=find("promtool"), amtool=find("amtool"))


def test_the_workspace_is_the_start_repo_and_its_scripts_can_be_run(folder: Path, task: Task) -> None:
    workspace = folder / WORKSPACE
    assert read_tree(workspace) == {path: text.encode() for path, text in task.start.items()}
    assert os.access(workspace / "bin" / "af-check", os.X_OK)
    assert not os.access(workspace / "README.md", os.X_OK)


def test_settings_are_those_of_the_format(folder: Path) -> None:
    settings = tomllib.loads((folder / "task.toml").read_text("utf-8"))
    assert settings["schema_version"] == "1.4"
    assert settings["task"]["name"] == f"alertforge/{folder.name}"
    assert settings["artifacts"] == ["/workspace/monitoring"]
    assert settings["agent"]["network_mode"] == "no-network"
    assert settings["verifier"]["environment_mode"] == "separate"
    assert f"useradd --create-home --shell /bin/bash {settings['agent']['user']}" in (
        folder / "environment" / "Dockerfile"
    ).read_text("utf-8")
    assert settings["verifier"]["environment"]["memory_mb"] >= 512
    assert settings["metadata"]["requirements"] == {
        "alert": 0,
        "repair": 1,
        "recording": 0,
        "route": 1,
        "inhibition": 0,
    }
    assert settings["metadata"]["tools"] == {"prometheus": "3.5.0", "alertmanager": "0.28.1"}
    assert settings["metadata"]["generator_version"] == alertforge.__version__
    assert "seed" not in (folder / "task.toml").read_text("utf-8")


def test_the_number_of_checks_is_that_of_a_grade(folder: Path, tmp_path: Path) -> None:
    workspace = directory.put(tmp_path / "w", tiny.SOLVED)
    result = grade.grade(folder / "tests", workspace, promtool=find("promtool"), amtool=find("amtool"))
    assert read_metadata(folder)["checks"] == len(result.checks)


def test_the_start_state_is_measured(folder: Path) -> None:
    """Without `for` the alert fires and pages once, but too soon: 2/3 of firing, 1/2 of the silence. No route: 0."""
    starts = {one.id: one.q_start for one in load(folder / "tests" / "spec.json").requirements()}
    assert starts == {"P1": pytest.approx(1 / 3), "R1": 0.0}


def test_every_text_with_comments_carries_the_canary(folder: Path) -> None:
    bare = {
        path
        for path, data in read_tree(folder).items()
        if tiny.CANARY.encode() not in data and not path.endswith((".json", ".sha256"))
    }
    assert bare == set()


def test_images_are_pinned_by_tag_and_tools_come_before_the_task(folder: Path) -> None:
    for place in ("environment", "tests"):
        text = (folder / place / "Dockerfile").read_text("utf-8")
        assert not re.search(r"^# *syntax=|@sha256:|:latest", text, re.MULTILINE)
        assert "COPY --from=prom/prometheus:v3.5.0 /bin/promtool" in text
        assert "COPY --from=prom/alertmanager:v0.28.1 /bin/amtool" in text
        copies = [line for line in text.splitlines() if line.startswith(("COPY", "RUN"))]
        assert "--from" not in copies[-1] and copies[-1].startswith("COPY")


def test_no_path_of_this_machine_is_in_the_task(folder: Path) -> None:
    for path, data in read_tree(folder).items():
        assert str(Path.home()).encode() + b"/" not in data, path
        assert str(folder.parent).encode() not in data, path


def test_the_checksums_cover_every_file_of_the_tests(folder: Path) -> None:
    lines = (folder / "tests" / "checksums.sha256").read_text("utf-8").splitlines()
    listed = {line.split("  ", 1)[1] for line in lines}
    assert listed == set(read_tree(folder / "tests")) - {"checksums.sha256"}
    assert subprocess.run(["sha256sum", "--check", "--quiet", "checksums.sha256"], cwd=folder / "tests").returncode == 0


def test_the_closure_imports_nothing_but_itself_and_two_libraries() -> None:
    allowed = {"alertforge", "yaml", "promql_parser", "__future__"}
    for path, text in sources().items():
        for match in re.finditer(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE):
            assert match[1] in allowed | sys.stdlib_module_names, (path, match[1])
        for match in re.finditer(r"^\s*from alertforge\.(\w+)", text, re.MULTILINE):
            assert match[1] in ("prometheus", "alertmanager", "grader", "yamlsafe"), (path, match[1])


def test_written_twice_the_bytes_and_modes_are_the_same(folder: Path, task: Task, tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        again = write(task, tmp_path)
    finally:
        os.umask(before)
    modes = [{path: (root / path).stat().st_mode for path in read_tree(root)} for root in (folder, again)]
    assert read_tree(again) == read_tree(folder)
    assert modes[0] == modes[1]


def test_interrupted_nothing_is_left(task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(directory, "script", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write(task, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_while_writing_the_task_that_was_there_stays(
    folder: Path, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = shutil.copytree(folder, tmp_path / folder.name)
    real = directory.put

    def half(root: Path, files: dict[str, str], *scripts: frozenset[str]) -> Path:
        if root.name != "new":
            return real(root, files, *scripts)
        real(root, dict(list(files.items())[:5]))
        raise KeyboardInterrupt

    monkeypatch.setattr(directory, "put", half)
    with pytest.raises(KeyboardInterrupt):
        write(replace(task, instruction="another\n"), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert read_tree(old) == read_tree(folder)


def test_a_task_is_replaced_whole(folder: Path, task: Task, tmp_path: Path) -> None:
    old = shutil.copytree(folder, tmp_path / folder.name)
    (old / "stray.txt").write_text("from before\n")
    write(task, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert read_tree(old) == read_tree(folder)


def test_a_folder_that_is_no_task_is_not_replaced(task: Task, tmp_path: Path) -> None:
    (tmp_path / task.id).mkdir()
    (tmp_path / task.id / "precious.txt").write_text("mine\n")
    with pytest.raises(AlertForgeError, match="is not a task"):
        write(task, tmp_path)
    assert (tmp_path / task.id / "precious.txt").exists()


@pytest.mark.parametrize("text", ["", "[task]\n", "not toml", "[task]\nname = 3\n[metadata]\n"])
def test_another_task_toml_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "task.toml").write_text(text)
    with pytest.raises(AlertForgeError, match="is not one of ours"):
        read_metadata(tmp_path)


def test_the_spec_on_disk_is_the_contract(folder: Path, task: Task) -> None:
    on_disk = json.loads((folder / "tests" / "spec.json").read_text("utf-8"))
    assert on_disk["task"] == task.id
    assert {one["id"] for one in on_disk["scenarios"]} == {one.id for one in task.spec.scenarios}
