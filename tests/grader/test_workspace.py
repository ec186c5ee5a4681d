"""Loading what somebody else wrote: every kind of trap is a problem of the workspace, never an error."""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from alertforge.grader import workspace
from alertforge.grader.workspace import load
from tests.hang import ends

RULES = "groups: [{name: g, rules: [{alert: A, expr: x}]}]"
CONFIG = "route: {receiver: a}\nreceivers: [{name: a}]\n"


@pytest.fixture()
def root(tmp_path: Path) -> Path:
    (tmp_path / "w/rules/team").mkdir(parents=True)
    (tmp_path / "w/alertmanager").mkdir()
    (tmp_path / "w/rules/a.yml").write_text(RULES)
    (tmp_path / "w/rules/team/b.yaml").write_text(RULES)
    (tmp_path / "w/rules/notes.txt").write_text("not a rule file")
    (tmp_path / "w/alertmanager/alertmanager.yml").write_text(CONFIG)
    return tmp_path / "w"


def problems(root: Path) -> list[str]:
    return [str(problem) for problem in load(root).problems]


def test_rule_files_at_any_depth_in_order_of_their_paths(root: Path) -> None:
    loaded = load(root)
    assert [file.path for file in loaded.rule_files] == ["rules/a.yml", "rules/team/b.yaml"]
    assert loaded.alertmanager is not None
    assert loaded.problems == ()


def test_the_digest_follows_what_matters_alone(root: Path) -> None:
    before = load(root).digest
    (root / "README.md").write_text("new")
    (root / "rules/notes.txt").write_text("new")
    assert load(root).digest == before
    (root / "rules/a.yml").write_text(RULES + "\n")
    assert load(root).digest != before


def _symlinked_file(root: Path) -> None:
    (root / "secret.yml").write_text(RULES.replace("A", "Secret"))
    (root / "rules/z.yml").symlink_to("../secret.yml")


def _symlinked_folder(root: Path) -> None:
    (root / "elsewhere").mkdir()
    (root / "elsewhere/s.yml").write_text(RULES.replace("A", "Secret"))
    (root / "rules/z").symlink_to("../elsewhere")


def _dangling(root: Path) -> None:
    (root / "rules/z.yml").symlink_to("nowhere.yml")


def _loop(root: Path) -> None:
    (root / "rules/z.yml").symlink_to("z.yml")


def _folder(root: Path) -> None:
    (root / "rules/z.yml").mkdir()


def _huge(root: Path) -> None:
    with (root / "rules/z.yml").open("wb") as file:
        file.truncate(1 << 40)


def _binary(root: Path) -> None:
    (root / "rules/z.yml").write_bytes(b"groups: [\xff\xfe]")


def _bomb(root: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (root / "rules/z.yml").write_text("\n".join(lines))


def _duplicate_keys(root: Path) -> None:
    (root / "rules/z.yml").write_text("groups: []\ngroups: []")


def _deep(root: Path) -> None:
    (root / "rules/z.yml").write_text("[" * 20_000)


@pytest.mark.parametrize(
    ("trap", "said"),
    [
        (_symlinked_file, "symbolic link"),
        (_symlinked_folder, "symbolic link"),
        (_dangling, "symbolic link"),
        (_loop, "symbolic link"),
        (_folder, "a directory where a rule file should be"),
        (_huge, "bytes (at most"),
        (_binary, "not UTF-8"),
        (_bomb, "aliases written out"),
        (_duplicate_keys, "duplicate key"),
        (_deep, "nest"),
    ],
)
def test_a_trap_is_one_problem_and_the_rest_is_read(root: Path, trap: Callable[[Path], None], said: str) -> None:
    trap(root)
    with ends():
        loaded = load(root)
    (problem,) = loaded.problems
    assert str(problem).startswith("rules/z")
    assert said in str(problem)
    assert [rule.name for file in loaded.rule_files for rule in file.rules()] == ["A", "A"]


def _device(root: Path) -> None:
    (root / "rules/z.yml").symlink_to("/dev/zero")


def _pipe(root: Path) -> None:
    os.mkfifo(root / "rules/z.yml")


def _absolute(root: Path) -> None:
    (root / "rules/z.yml").symlink_to(root / "rules/a.yml")


def _outward(root: Path) -> None:
    (root.parent / "secret.yml").write_text(RULES.replace("A", "Secret"))
    (root / "rules/z.yml").symlink_to("../../secret.yml")


def _outward_by_detour(root: Path) -> None:
    (root / "rules/way").symlink_to("../..")
    (root / "rules/z.yml").symlink_to("way/secret.yml")


LEFT_BEHIND = pytest.mark.parametrize(
    ("trap", "problems"), [(_device, 0), (_pipe, 0), (_absolute, 0), (_outward, 0), (_outward_by_detour, 1)]
)


@LEFT_BEHIND
def test_what_does_not_reach_the_verifier_is_passed_over(
    root: Path, trap: Callable[[Path], None], problems: int
) -> None:
    trap(root)
    with ends():
        loaded = load(root)
    assert len(loaded.problems) == problems
    assert [rule.name for file in loaded.rule_files for rule in file.rules()] == ["A", "A"]


@pytest.mark.skipif(not hasattr(tarfile, "data_filter"), reason="this Python's tarfile has no filters")
@LEFT_BEHIND
def test_a_workspace_is_the_same_after_the_transfer_that_harbor_makes(
    root: Path, trap: Callable[[Path], None], problems: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """An archive, unpacked with the `data` filter."""
    trap(root)
    carried = tmp_path_factory.mktemp("carried")
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(root, arcname=".")
    buffer.seek(0)
    with tarfile.open(fileobj=buffer) as archive:
        for member in archive:
            with contextlib.suppress(tarfile.FilterError):
                archive.extract(member, carried, filter="data")
    assert load(root) == load(carried)


def test_an_absent_workspace(tmp_path: Path) -> None:
    assert problems(tmp_path / "nowhere") == [".: workspace is missing"]
    (tmp_path / "file").write_text("")
    assert problems(tmp_path / "file") == [".: workspace is not a directory"]
    (tmp_path / "link").symlink_to(tmp_path)
    assert problems(tmp_path / "link") == [".: workspace is a symbolic link"]
    assert problems(tmp_path / "nul\0byte") == [".: workspace is missing"]


def test_missing_parts(tmp_path: Path) -> None:
    assert problems(tmp_path) == ["rules: is missing", "alertmanager/alertmanager.yml: alertmanager/ is missing"]


def test_a_linked_folder_of_the_configuration_is_not_followed(root: Path) -> None:
    (root / "alertmanager").rename(root / "other")
    (root / "alertmanager").symlink_to(root / "other")
    assert load(root).alertmanager is None
    assert problems(root) == ["alertmanager/alertmanager.yml: alertmanager/ is a symbolic link"]


@pytest.mark.parametrize("text", ["", "# nothing\n", "route: {}", "a: b", "\t", "[1]"])
def test_an_unusable_configuration(root: Path, text: str) -> None:
    (root / "alertmanager/alertmanager.yml").write_text(text)
    loaded = load(root)
    assert loaded.alertmanager is None
    assert len(loaded.problems) == 1


def test_a_name_that_is_not_text(root: Path) -> None:
    Path(os.fsdecode(os.fsencode(root / "rules") + b"/\xff.yml")).write_text("groups: [")
    (problem,) = load(root).problems
    str(problem).encode()  # can be written out


def test_limits_on_number_and_total(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MAX_FILES", 1)
    assert problems(root) == ["rules: more than 1 rule files; the rest is not read"]
    monkeypatch.setattr(workspace, "MAX_FILES", 10)
    monkeypatch.setattr(workspace, "MAX_TOTAL", len(RULES))
    assert len(problems(root)) == 1
    monkeypatch.setattr(workspace, "MAX_TOTAL", 1 << 20)
    monkeypatch.setattr(workspace, "MAX_ENTRIES", 2)
    assert "not looked at" in problems(root)[0]


def test_a_directory_in_the_configurations_place_is_a_problem(root: Path) -> None:
    config = root / "alertmanager/alertmanager.yml"
    config.unlink(missing_ok=True)
    config.mkdir(parents=True)
    loaded = load(root)
    assert loaded.alertmanager is None
    assert any("not a regular file" in str(problem) for problem in loaded.problems)
