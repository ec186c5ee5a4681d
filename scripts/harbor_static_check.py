"""Hold Harbor task directories and registries against Harbor's own models; `harbor_static_check` sets the rest up."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from harbor.lint.models import DEFAULT_RULES
from harbor.lint.task import lint_task
from harbor.models.registry import Registry
from harbor.models.task.task import Task


def check_task(path: Path) -> Iterator[str]:
    """What Harbor has against a task directory."""
    if not (path / "task.toml").is_file():
        yield f"{path}: not a task directory"
        return
    for found in lint_task(path, selected_rules=set(DEFAULT_RULES)):  # also fields that no model knows
        yield f"{found.rule}: {found.path}:{found.line or ''} {found.message}"
    try:
        task = Task(path)
    except Exception as error:
        yield f"{path}: {type(error).__name__}: {error}"
        return
    if not Task.is_valid_dir(path):  # would be passed over without a word in a dataset given with -p
        yield f"{path}: not a valid task directory"
    if task.paths.discovered_solve_path_for(task.config.environment.os) is None:
        yield f"{path}: no solution/solve.sh"
    if task.name.partition("/")[2] != path.resolve().name:
        yield f"{path}: its name is {task.name}"


def check_registry(path: Path) -> Iterator[str]:
    """What is wrong with a registry and with each task that it lists, once."""
    listed = {}
    for dataset in Registry.from_path(path).datasets:
        if not dataset.tasks:
            yield f"{path}: {dataset.name} lists no task"
        listed |= {path.parent / entry.path: entry.name for entry in dataset.tasks}
    for place, name in listed.items():
        faults = list(check_task(place))
        yield from faults
        if not faults and Task(place).name != name:
            yield f"{path}: {name} is not at {place}"


def main() -> int:
    """Print what is wrong; 0 when nothing is."""
    faults = []
    for path in map(Path, sys.argv[1:]):
        try:
            faults += check_registry(path) if path.suffix == ".json" else check_task(path)
        except (OSError, ValueError) as error:
            faults.append(f"{path}: {error}")
    print("\n".join(faults) or "ok")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
