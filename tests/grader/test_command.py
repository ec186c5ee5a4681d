"""The command that a task's verifier runs, on the real promtool and amtool."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shop import Shop, options

import alertforge
from alertforge.grader import grade as grading
from alertforge.grader.command import main


class _PanicError(BaseException):
    """As the reader's own: no Exception."""


def _panic(*arguments: Any, **options: Any) -> Any:
    raise _PanicError("at the disco")


def test_the_grader_runs_isolated_beside_its_launcher(shop: Shop, tmp_path: Path) -> None:
    package, tests = Path(alertforge.__file__).parent, tmp_path / "tests"
    (tests / "alertforge").mkdir(parents=True)
    for name in ("__init__.py", "yamlsafe.py"):
        shutil.copy(package / name, tests / "alertforge")
    for name in ("prometheus", "alertmanager", "grader"):
        shutil.copytree(package / name, tests / "alertforge" / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(package / "grader" / "launcher.py", tests / "grade.py")
    run = subprocess.run(
        [sys.executable, "-I", "-v", str(tests / "grade.py"), *options(shop, shop.workspace(), tmp_path)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert f"{tests}/alertforge/grader/grade.py" in run.stderr
    assert json.loads((tmp_path / "r.json").read_text())["reward"] == 1.0
    details = json.loads((tmp_path / "d.json").read_text())
    assert set(details) == {"rewards", "requirements", "checks", "problems", "tamper", "notes"}
    assert set(details["checks"][0]["evidence"]) == {"scenario", "minutes", "expected", "seen"}


def test_a_broken_task_is_a_zero_with_a_note(shop: Shop, tmp_path: Path) -> None:
    (shop.spec_dir / "spec.json").write_text("{}")
    assert main(options(shop, shop.workspace(), tmp_path)) == 1
    assert json.loads((tmp_path / "r.json").read_text())["reward"] == 0.0
    assert "spec version" in json.loads((tmp_path / "d.json").read_text())["grader_error"]


def test_every_reward_is_a_finite_number_for_an_absent_workspace(shop: Shop, tmp_path: Path) -> None:
    assert main(options(shop, tmp_path / "nowhere", tmp_path)) == 0
    rewards = json.loads((tmp_path / "r.json").read_text())
    assert len(rewards) == 16
    assert all(isinstance(value, (int, float)) for value in rewards.values())
    assert rewards["reward"] == 0.0
    assert rewards["preservation"] == 0.0


def test_where_the_grader_fails_on_everything_zeros_are_written(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grading, "judge", _panic)
    assert main(options(shop, shop.workspace(), tmp_path)) == 1
    assert json.loads((tmp_path / "r.json").read_text())["reward"] == 0.0
    assert "disco" in json.loads((tmp_path / "d.json").read_text())["grader_error"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_who_stops_the_grader_is_obeyed(
    shop: Shop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def stop(*arguments: Any) -> Any:
        raise error

    monkeypatch.setattr(grading, "_lint", stop)
    with pytest.raises(error):
        main(options(shop, shop.workspace(), tmp_path))


def test_missing_tools_are_no_fault_of_a_file(shop: Shop, tmp_path: Path) -> None:
    arguments = options(shop, shop.workspace(), tmp_path)
    arguments[arguments.index("--promtool") + 1] = str(tmp_path / "nowhere")
    assert main(arguments) == 1
    details = json.loads((tmp_path / "d.json").read_text())
    assert "does not start" in details["grader_error"]
    assert details["requirements"] == []
