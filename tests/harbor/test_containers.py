"""One task under the real Harbor, in containers: every scripted agent gets what the grader here gives it.

Needs Docker, or root on Debian; takes minutes. `pytest -m harbor`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from alertforge.cli import main
from alertforge.tools import find

SCRIPT = Path(__file__).parents[2] / "scripts" / "harbor_e2e"
TASK = "af-001-slo-onboarding-easy-s1"
CANNOT = 3  # exit code where no engine can run

pytestmark = pytest.mark.harbor


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with one easy task."""
    out = tmp_path_factory.mktemp("dataset")
    main(["build", "--out", str(out), "--only", TASK, "--no-gate"], standalone_mode=False)
    return out


def e2e(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The script's result; the test is skipped where this machine cannot run an engine."""
    tools = {f"AF_{name.upper()}": str(find(name)) for name in ("promtool", "amtool")}
    environment = {**os.environ, **tools, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=1800)
    if done.returncode == CANNOT:
        pytest.skip(done.stderr.strip())
    return done


def passed(done: subprocess.CompletedProcess[str], trials: int) -> bool:
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].startswith(f"passed: {trials} trials")


def test_the_solution_nothing_and_half_of_it(dataset: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.md"
    assert passed(e2e("--table", table, dataset / "tasks" / TASK), 3)
    row = table.read_text("utf-8").splitlines()[-1].split(" | ")
    assert row[0] == f"| `{TASK}`"
    assert float(row[1]) == 1.0 and float(row[2]) == 0.0 and 0.05 <= float(row[3]) <= 0.4


def test_a_dataset_by_its_name(dataset: Path) -> None:
    assert passed(e2e("--agents", "oracle", "--registry", dataset), 1)


def test_what_an_agent_leaves_is_graded_and_nothing_of_it_is_executed(dataset: Path) -> None:
    assert passed(e2e("--agents", "vandal,impostor,intruder", dataset / "tasks" / TASK), 3)


def test_the_agent_reaches_nothing_outside_of_its_container(dataset: Path) -> None:
    assert passed(e2e("--agents", "offline,online", dataset / "tasks" / TASK), 2)


def test_a_wrong_solution_fails_the_run(dataset: Path, tmp_path: Path) -> None:
    """A control: the script does not pass whatever it sees."""
    task = Path(shutil.copytree(dataset / "tasks" / TASK, tmp_path / TASK))
    (task / "solution" / "solve.sh").write_text("#!/bin/sh\ntrue\n")
    done = e2e("--agents", "oracle", task)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("FAILED: 1 trials")
    assert "the reward is 0.0, not 1.0" in done.stderr
