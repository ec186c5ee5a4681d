"""The `tools` commands as a user meets them: output, exit codes, one-line errors."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from alertforge import cli, tools
from alertforge.errors import AlertForgeError


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool variables, one folder on PATH, an empty cache."""
    for tool in tools.TOOLS.values():
        monkeypatch.delenv(tool.variable, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("AF_CACHE", str(tmp_path / "cache"))


def put(tmp_path: Path, name: str, version: str) -> Path:
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{name}, version {version} (x)'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments)


def test_doctor_on_a_bare_machine_says_what_to_do_and_exits_1() -> None:
    result = run("tools", "doctor")
    assert result.exit_code == 1
    assert "promtool: promtool >=3.5,<4 not found; run `alertforge tools install --only promtool`" in result.stdout


def test_doctor_is_content_without_the_optional_servers(tmp_path: Path) -> None:
    path = put(tmp_path, "promtool", "3.5.0")
    put(tmp_path, "amtool", "0.28.1")
    result = run("tools", "doctor")
    assert result.exit_code == 0
    assert str(path) in result.stdout
    assert "missing (optional)" in result.stdout


def test_doctor_json_is_one_object_and_nothing_else(tmp_path: Path) -> None:
    path = put(tmp_path, "promtool", "2.42.0")
    put(tmp_path, "amtool", "0.28.1")
    result = run("tools", "doctor", "--json")
    assert (result.exit_code, result.stderr) == (1, "")
    report = json.loads(result.stdout)
    assert report["ok"] is False
    promtool = next(each for each in report["tools"] if each["name"] == "promtool")
    assert "left-open" in promtool.pop("advice")
    assert promtool == {
        "name": "promtool",
        "needed": True,
        "verdict": "wrong",
        "path": str(path),
        "origin": "PATH",
        "version": "2.42.0",
    }


def test_install_reports_what_was_found_in_place(tmp_path: Path) -> None:
    path = put(tmp_path, "promtool", "3.9.0")
    result = run("tools", "install", "--only", "promtool")
    assert result.exit_code == 0
    assert result.stdout == f"promtool 3.9.0 found (PATH): {path}\n"
    assert "warning: promtool version 3.9.0 is accepted" in result.stderr


def test_install_that_cannot_reach_its_source_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    result = run("tools", "install", "--source", "release", "--release-url", "http://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1] == "error: 127.0.0.1:1 cannot be reached (Connection refused)"


@pytest.mark.parametrize("arguments", [("tools", "install", "--only", "nosuch"), ("tools", "nosuch"), ("nosuch",)])
def test_bad_usage_is_exit_code_2_without_a_traceback(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def group_that_raises(error: BaseException) -> click.Group:
    """A group with the product's error handling and one command that fails."""

    @click.group(cls=type(cli.main))
    def group() -> None: ...

    @group.command()
    def fail() -> None:
        raise error

    return group


class NotAcceptedError(AlertForgeError):
    exit_code = 1


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (AlertForgeError("no such\ntask"), 2, "error: no such task"),
        (NotAcceptedError("af-001: nop scores 0.1"), 1, "error: af-001: nop scores 0.1"),
        (FileNotFoundError(2, "No such file or directory", "x.yml"), 2, "error: x.yml: No such file or directory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_an_expected_error_is_one_line_and_its_exit_code(error: BaseException, code: int, line: str) -> None:
    result = CliRunner().invoke(group_that_raises(error), ["fail"])
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", f"{line}\n")


def test_a_bug_keeps_its_traceback() -> None:
    result = CliRunner().invoke(group_that_raises(ZeroDivisionError()), ["fail"])
    assert isinstance(result.exception, ZeroDivisionError)


@pytest.mark.parametrize("group", ["", "tools"])
def test_help_explains_itself(group: str) -> None:
    result = run(*([group] if group else []), "--help")
    assert result.exit_code == 0
    assert "tools" in result.stdout
