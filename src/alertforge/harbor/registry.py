"""A dataset's `registry.json`, which `harbor run --registry-path` reads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from alertforge import __version__
from alertforge.harbor.directory import ORGANISATION

NAME: Final = "3ambench"


def registry(tasks: Sequence[tuple[str, str]]) -> str:
    """The registry of core tasks, given as (id, tier): all of them, and the easy ones of seed 1 for a quick look."""
    mini = [name for name, tier in tasks if tier == "easy" and name.endswith("-s1")]
    sets = [
        _dataset(
            NAME, "Prometheus alerting and Alertmanager routing as code, graded by behaviour", [t[0] for t in tasks]
        ),
        _dataset(f"{NAME}-mini", f"The first easy task of each workflow of {NAME}", mini),
    ]
    return json.dumps(sets, indent=1) + "\n"


def _dataset(name: str, description: str, ids: Iterable[str]) -> dict[str, Any]:
    return {
        "name": name,
        "version": __version__,
        "description": description,
        "tasks": [{"name": f"{ORGANISATION}/{one}", "path": f"tasks/{one}"} for one in ids],
        "metrics": [{"type": "mean", "kwargs": {}}],
    }
