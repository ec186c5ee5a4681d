"""An edit of a workspace as a bash script: `solution/solve.sh`, and the scripts in `partial/` and `null/`."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator
from itertools import count
from pathlib import PurePosixPath

from alertforge.task import Files

_HEAD = """\
#!/usr/bin/env bash
# {title}
# canary {canary}
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${{AF_WORKSPACE:-/workspace/monitoring}}"
"""

_FUNCTIONS = """
# put PATH: the text on standard input becomes the file
put() {
  mkdir -p -- "$(dirname -- "$1")"
  cat > "$1"
}

# put_bare PATH: the same for a file that does not end with a line break
put_bare() {
  mkdir -p -- "$(dirname -- "$1")"
  printf '%s' "$(cat)" > "$1"
}
"""


def script(start: Files, goal: Files, executables: Collection[str], *, title: str, canary: str) -> str:
    """A bash script that turns the files of `start` into those of `goal`; it holds only what differs.

    Raises ValueError for a path that leaves the workspace and for text that no shell script can hold.
    """
    for path in (*start, *goal):
        _check_path(path)
    changed = [path for path in sorted(goal) if start.get(path) != goal[path]]
    gone = [path for path in sorted(start) if path not in goal]
    parts = [_HEAD.format(title=title, canary=canary)]
    if changed:
        parts.append(_FUNCTIONS)
    parts += _removals(gone, _folders(start) - _folders(goal))
    for path in changed:
        parts.append("\n" + _put(path, goal[path]))
        if path in executables:
            parts.append(f"chmod 755 -- {shlex.quote(path)}\n")
    return "".join(parts)


def _removals(gone: list[str], folders: set[str]) -> Iterator[str]:
    """Deleted files, then folders that the goal has no more, deepest first; one that holds other things stays."""
    if gone:
        yield "\nrm -f -- " + " ".join(map(shlex.quote, gone)) + "\n"
    for folder in sorted(folders, key=lambda path: (-path.count("/"), path)):
        yield f"rmdir -- {shlex.quote(folder)} 2>/dev/null || true\n"


def _put(path: str, text: str) -> str:
    if "\0" in text:
        raise ValueError(f"{path}: a NUL byte cannot stand in a script")
    whole = text.endswith("\n")
    end = _delimiter(text)
    body = text if whole else text + "\n"
    return f"{'put' if whole else 'put_bare'} {shlex.quote(path)} <<'{end}'\n{body}{end}\n"


def _delimiter(text: str) -> str:
    """A word that is nowhere in the text."""
    return next(word for n in count() if (word := f"END_OF_FILE{n or ''}") not in text)


def _check_path(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path or path != str(PurePosixPath(path)):
        raise ValueError(f"not a path below the workspace: {path!r}")


def _folders(files: Files) -> set[str]:
    return {str(parent) for path in files for parent in PurePosixPath(path).parents if parent.name}
