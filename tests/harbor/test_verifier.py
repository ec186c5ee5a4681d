"""`tests/test.sh` as the verifier runs it: the real grader, and a reward whatever happens."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tiny

from alertforge.grader.score import KEYS
from alertforge.harbor.directory import put
from alertforge.tools import find


class Verifier:
    """A copy of a task's tests, and where its results go."""

    def __init__(self, folder: Path, tests: Path) -> None:
        self.tests = shutil.copytree(tests, folder / "tests")
        self.logs = folder / "logs"
        self.workspace = folder / "monitoring"

    def run(self, **more: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": os.environ["PATH"],
            "AF_TESTS": str(self.tests),
            "AF_LOGS": str(self.logs),
            "AF_WORKSPACE": str(self.workspace),
            "AF_PYTHON": sys.executable,
            "AF_PROMTOOL": str(find("promtool")),
            "AF_AMTOOL": str(find("amtool")),
            **more,
        }
        return subprocess.run(
            ["bash", self.tests / "test.sh"], env=environment, capture_output=True, text=True, timeout=120
        )

    def rewards(self) -> dict[str, float]:
        found: dict[str, float] = json.loads((self.logs / "reward.json").read_text("utf-8"))
        assert list(found) == list(KEYS)
        assert all(type(value) is float and math.isfinite(value) for value in found.values())
        return found

    def details(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.logs / "details.json").read_text("utf-8"))
        return found


@pytest.fixture()
def verifier(folder: Path, tmp_path: Path) -> Verifier:
    return Verifier(tmp_path, folder / "tests")


def test_the_solved_repo_gets_everything(verifier: Verifier) -> None:
    put(verifier.workspace, tiny.SOLVED)
    done = verifier.run()
    assert done.returncode == 0, done.stderr
    assert verifier.rewards()["reward"] == 1.0
    assert all(check["score"] == 1.0 for check in verifier.details()["checks"])


def test_the_start_repo_gets_nothing_and_keeps_what_was_there(verifier: Verifier) -> None:
    put(verifier.workspace, tiny.START)
    verifier.run()
    assert (verifier.rewards()["reward"], verifier.rewards()["preservation"]) == (0.0, 1.0)


def test_relative_folders_will_do(verifier: Verifier, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    put(verifier.workspace, tiny.SOLVED)
    monkeypatch.chdir(tmp_path)
    verifier.run(AF_TESTS="tests", AF_LOGS="logs", AF_WORKSPACE="monitoring")
    assert verifier.rewards()["reward"] == 1.0


def test_a_missing_workspace_gets_a_reward(verifier: Verifier) -> None:
    verifier.run()
    assert verifier.rewards()["reward"] == 0.0
    assert verifier.rewards()["syntax_ok"] == 0.0


def test_rewards_that_lie_there_already_are_not_kept(verifier: Verifier) -> None:
    verifier.logs.mkdir()
    for name in ("reward.json", "reward.txt", "details.json"):
        (verifier.logs / name).write_text('{"reward": 1.0}')
    (verifier.tests / "alertforge" / "grader" / "grade.py").unlink()
    assert verifier.run().returncode != 0
    assert set(verifier.rewards().values()) == {0.0}
    assert not (verifier.logs / "reward.txt").exists()


@pytest.mark.parametrize(
    "name", ["spec.json", "hidden/baseline/rules/mail.yml", "alertforge/grader/score.py", "grade.py"]
)
def test_a_changed_grader_or_contract_gives_zeros(verifier: Verifier, name: str) -> None:
    put(verifier.workspace, tiny.SOLVED)
    path = verifier.tests / name
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert verifier.run().returncode != 0
    assert set(verifier.rewards().values()) == {0.0}
    assert "not as it was built" in verifier.details()["grader_error"]


def test_a_grader_that_dies_gives_zeros(verifier: Verifier, tmp_path: Path) -> None:
    put(verifier.workspace, tiny.SOLVED)
    dying = tmp_path / "python"
    dying.write_text("#!/bin/sh\nkill -9 $$\n")
    dying.chmod(0o755)
    verifier.run(AF_PYTHON=str(dying))
    assert set(verifier.rewards().values()) == {0.0}
    assert verifier.details()["grader_error"] == "the grader died"


def test_a_missing_promtool_gives_zeros_and_says_so(verifier: Verifier, tmp_path: Path) -> None:
    put(verifier.workspace, tiny.SOLVED)
    verifier.run(AF_PROMTOOL=str(tmp_path / "no-promtool"))
    assert set(verifier.rewards().values()) == {0.0}
    assert "no-promtool" in verifier.details()["grader_error"]


def test_modules_of_the_workspace_and_of_the_caller_are_not_imported(verifier: Verifier, tmp_path: Path) -> None:
    """A `yaml.py` that an agent leaves where Python might look changes nothing."""
    evil = put(tmp_path / "evil", {"yaml.py": "raise SystemExit(3)\n", "sitecustomize.py": "raise SystemExit(3)\n"})
    put(verifier.workspace, {**tiny.SOLVED, "yaml.py": "raise SystemExit(3)\n"})
    verifier.run(PYTHONPATH=str(evil), PYTHONSTARTUP=str(evil / "yaml.py"))
    assert verifier.rewards()["reward"] == 1.0


def test_grading_leaves_the_tests_and_the_workspace_as_they_were(verifier: Verifier) -> None:
    put(verifier.workspace, tiny.SOLVED)
    before = {path for root in (verifier.tests, verifier.workspace) for path in root.rglob("*")}
    verifier.run()
    assert {path for root in (verifier.tests, verifier.workspace) for path in root.rglob("*")} == before
