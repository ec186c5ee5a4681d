"""A script gives exactly the goal, whatever the files hold, and holds nothing that did not change."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from alertforge.harbor.directory import put, read_tree
from alertforge.harbor.patch import script

TEXTS = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40),
    st.sampled_from(
        [
            "",
            "\n",
            "a",
            "a\n",
            "a\n\n",
            "END_OF_FILE\n",
            "END_OF_FILE1",
            "$HOME `id` \\n 'x' \"y\"\n",
            "a\r\nb\r",
            "%s\n",
        ]
    ),
)
NAMES = st.sampled_from(["a.yml", "b c.yml", "rules/x.yml", "rules/it's.yml", "rules/deep/y.yml", "-n", "$(id).yml"])
TREES = st.dictionaries(NAMES, TEXTS, max_size=5)


def run(text: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    path = workspace.with_suffix(".sh")
    path.write_bytes(text.encode())
    return subprocess.run(["bash", path], env={"AF_WORKSPACE": str(workspace)}, capture_output=True, text=True)


def make(start: dict[str, str], goal: dict[str, str], executables: set[str] | None = None) -> str:
    return script(start, goal, executables or set(), title="A test", canary="0000")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=TREES, goal=TREES)
def test_any_goal_is_reached_byte_by_byte(tmp_path: Path, start: dict[str, str], goal: dict[str, str]) -> None:
    workspace = tmp_path / "w"
    shutil.rmtree(workspace, ignore_errors=True)
    workspace.mkdir()
    put(workspace, start)
    done = run(make(start, goal), workspace)
    assert (done.returncode, done.stderr) == (0, "")
    assert read_tree(workspace) == {path: text.encode() for path, text in goal.items()}


def test_only_what_differs_is_in_the_script() -> None:
    text = make(
        {"kept.yml": "kept text\n", "old.yml": "old text\n"}, {"kept.yml": "kept text\n", "new.yml": "new text\n"}
    )
    assert "new text" in text and "old.yml" in text
    assert "kept" not in text and "old text" not in text


def test_nothing_to_do_is_a_script_that_does_nothing(tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", {"a.yml": "a\n"})
    assert run(make({"a.yml": "a\n"}, {"a.yml": "a\n"}), workspace).returncode == 0
    assert read_tree(workspace) == {"a.yml": b"a\n"}


def test_folders_that_the_goal_lacks_go_unless_they_hold_something_else(tmp_path: Path) -> None:
    start = {"rules/old/a.yml": "a\n", "rules/kept/b.yml": "b\n"}
    workspace = put(tmp_path / "w", {**start, "rules/kept/own.yml": "not in the task\n"})
    assert run(make(start, {}), workspace).returncode == 0
    assert read_tree(workspace) == {"rules/kept/own.yml": b"not in the task\n"}
    assert not (workspace / "rules" / "old").exists()


def test_scripts_stay_executable(tmp_path: Path) -> None:
    workspace = put(tmp_path / "w", {})
    workspace.mkdir(exist_ok=True)
    run(make({}, {"bin/x": "#!/bin/sh\n"}, {"bin/x"}), workspace)
    assert (workspace / "bin" / "x").stat().st_mode & 0o111 == 0o111


def test_a_missing_workspace_is_an_error_and_nothing_is_written(tmp_path: Path) -> None:
    done = run(make({}, {"a.yml": "a\n"}), tmp_path / "missing")
    assert done.returncode != 0
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "a//b", "./a"])
def test_paths_out_of_the_workspace_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match="not a path below the workspace"):
        make({}, {path: "x"})


def test_a_nul_byte_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        make({}, {"a": "x\0y"})
