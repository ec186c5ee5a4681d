"""The grader's own source files, which every task carries in `tests/alertforge/`."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

PACKAGES: Final = ("prometheus", "alertmanager", "grader")
MODULES: Final = ("__init__.py", "yamlsafe.py")
LAUNCHER: Final = "grader/launcher.py"


def sources() -> dict[str, str]:
    """Path below `alertforge/` to text, of all modules that a grade may import."""
    root = resources.files("alertforge")
    found = {name: (root / name).read_text("utf-8") for name in MODULES}
    for package in PACKAGES:
        found |= _modules(root / package, package)
    return dict(sorted(found.items()))


def _modules(folder: Traversable, path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in folder.iterdir():
        below = f"{path}/{entry.name}"
        if entry.is_dir():
            found |= _modules(entry, below) if entry.name != "__pycache__" else {}
        elif entry.name.endswith(".py"):
            found[below] = entry.read_text("utf-8")
    return found
