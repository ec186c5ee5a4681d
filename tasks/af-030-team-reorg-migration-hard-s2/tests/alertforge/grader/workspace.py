# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""Load a workspace that someone else wrote: rule files and Alertmanager's configuration, and nothing else.

Nothing is followed, executed or trusted: symbolic links, huge or undecodable files are problems of the workspace,
never errors of the grader. Rule files are `rules/**/*.yml` and `*.yaml`, by path. Links that lead out of the workspace,
pipes and devices below `rules/` are passed over: what carries a workspace to the verifier leaves them behind.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from alertforge.alertmanager import config as alertmanager
from alertforge.prometheus import rules
from alertforge.prometheus.rules import Problem, RuleFile

RULES: Final = "rules"
ALERTMANAGER: Final = "alertmanager/alertmanager.yml"
SUFFIXES: Final = (".yml", ".yaml")

MAX_FILE: Final = 1 << 20  # bytes
MAX_TOTAL: Final = 16 << 20
MAX_FILES: Final = 500
MAX_ENTRIES: Final = 10_000  # directory entries looked at
MAX_DEPTH: Final = 8  # directories under rules/


@dataclass(frozen=True)
class Workspace:
    """What a workspace says: its rule files, its Alertmanager configuration (None: unusable) and what is wrong."""

    rule_files: tuple[RuleFile, ...] = ()
    alertmanager: alertmanager.Config | None = None
    problems: tuple[Problem, ...] = ()
    alertmanager_text: str = ""
    digest: str = ""  # of every text that was read: equal digests, equal grades


class _UnreadableError(Exception):
    """A file that is not read, and why."""


def load(root: Path) -> Workspace:
    """Load a workspace directory (the `monitoring` tree). Never raises: what is wrong is in `problems`."""
    fault = _not_a_directory(root)
    if fault:
        return Workspace(problems=(Problem(".", "", f"workspace {fault}"),))
    problems: list[Problem] = []
    digest = hashlib.sha256()
    files: list[RuleFile] = []
    for path, text in _rule_texts(root, problems):
        digest.update(f"{path}\0{text}\0".encode("utf-8", "replace"))
        file = rules.read(path, text)
        files.append(file)
        problems += file.problems
    config, config_text = _alertmanager(root, problems)
    digest.update(b"\1" + config_text.encode("utf-8", "replace"))
    return Workspace(tuple(files), config, tuple(problems), config_text, digest.hexdigest())


def _not_a_directory(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except (OSError, ValueError):
        return "is missing"
    if stat.S_ISLNK(mode):
        return "is a symbolic link"
    return "" if stat.S_ISDIR(mode) else "is not a directory"


# --- rule files ------------------------------------------------------------------------------------------------------


def _rule_texts(root: Path, problems: list[Problem]) -> Iterator[tuple[str, str]]:
    fault = _not_a_directory(root / RULES)
    if fault:
        problems.append(Problem(RULES, "", fault))
        return
    total = 0
    for count, (shown, path) in enumerate(sorted(_walk(root / RULES, problems))):
        if count == MAX_FILES:
            problems.append(Problem(RULES, "", f"more than {MAX_FILES} rule files; the rest is not read"))
            return
        try:
            data = _read(path)
            total += len(data)
            if total > MAX_TOTAL:
                problems.append(
                    Problem(shown, "", f"rule files over {MAX_TOTAL >> 20} MiB in all; the rest is not read")
                )
                return
            yield shown, data.decode("utf-8")
        except _UnreadableError as error:
            problems.append(Problem(shown, "", str(error)))
        except UnicodeDecodeError as error:
            problems.append(Problem(shown, "", f"not UTF-8 (byte {error.start})"))


def _walk(top: Path, problems: list[Problem]) -> Iterator[tuple[str, Path]]:
    """Candidates below a directory, by the path shown to readers; links and other odd entries become problems."""
    waiting, seen = [(top, 1)], 0
    while waiting:
        folder, depth = waiting.pop()
        shown_folder = _shown(folder, top)
        try:
            with os.scandir(folder) as listing:
                entries = []
                for entry in listing:
                    seen += 1
                    if seen > MAX_ENTRIES:
                        problems.append(Problem(RULES, "", f"more than {MAX_ENTRIES} files; the rest is not looked at"))
                        waiting.clear()
                        break
                    entries.append(entry)
        except OSError as error:
            problems.append(Problem(shown_folder, "", f"cannot be listed: {error.strerror}"))
            continue
        for entry in sorted(entries, key=lambda entry: os.fsencode(entry.name)):
            path = folder / entry.name
            shown = _shown(path, top)
            if _stays_behind(entry, top.parent):
                continue
            if entry.is_symlink():
                problems.append(Problem(shown, "", "symbolic link; not followed"))
            elif entry.is_dir(follow_symlinks=False):
                if path.suffix in SUFFIXES:
                    problems.append(Problem(shown, "", "a directory where a rule file should be"))
                elif depth >= MAX_DEPTH:
                    problems.append(Problem(shown, "", f"more than {MAX_DEPTH} directories deep"))
                else:
                    waiting.append((path, depth + 1))
            elif path.suffix in SUFFIXES:
                yield shown, path


def _stays_behind(entry: os.DirEntry[str], root: Path) -> bool:
    """Whether Harbor drops an entry on its way to the verifier, as the `data` filter of Python's `tarfile` does."""
    if not entry.is_symlink():
        return not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False))
    try:
        target = Path(entry.path).readlink()
    except OSError:
        return False
    within = Path(entry.path).parent.relative_to(root)
    return target.is_absolute() or os.path.normpath(within / target).startswith("..")


def _shown(path: Path, top: Path) -> str:
    return os.fsencode(path.relative_to(top.parent).as_posix()).decode("utf-8", "replace")


def _read(path: Path) -> bytes:
    """The bytes of a regular file. Raises _UnreadableError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = "symbolic link; not followed" if path.is_symlink() else getattr(error, "strerror", None) or str(error)
        raise _UnreadableError(f"cannot be read: {reason}") from None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _UnreadableError("not a regular file")
        if status.st_size > MAX_FILE:
            raise _UnreadableError(f"{status.st_size} bytes (at most {MAX_FILE})")
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            data = stream.read(MAX_FILE + 1)
    finally:
        os.close(descriptor)
    if len(data) > MAX_FILE:
        raise _UnreadableError(f"more than {MAX_FILE} bytes")
    return data


# --- Alertmanager ----------------------------------------------------------------------------------------------------


def _alertmanager(root: Path, problems: list[Problem]) -> tuple[alertmanager.Config | None, str]:
    """The configuration and its text; None where it cannot be used."""
    path, text = root / ALERTMANAGER, ""
    try:
        fault = _not_a_directory(path.parent)
        if fault:
            raise _UnreadableError(f"{path.parent.name}/ {fault}")
        text = _read(path).decode("utf-8")
        return alertmanager.parse(text), text
    except _UnreadableError as error:
        problems.append(Problem(ALERTMANAGER, "", str(error)))
    except UnicodeDecodeError as error:
        problems.append(Problem(ALERTMANAGER, "", f"not UTF-8 (byte {error.start})"))
    except alertmanager.ConfigError as error:
        problems.append(Problem(ALERTMANAGER, "", str(error)))
    return None, text
