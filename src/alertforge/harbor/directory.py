"""Write a task as a Harbor task directory: whole or not at all, and the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from alertforge import __version__
from alertforge.errors import AlertForgeError
from alertforge.grader import grade, score
from alertforge.grader.result import Result
from alertforge.grader.spec import WEIGHTS, Spec, to_json
from alertforge.harbor import closure
from alertforge.harbor.patch import script
from alertforge.task import Files, Task

ORGANISATION: Final = "alertforge"
WORKSPACE: Final = "environment/workspace/monitoring"
IMAGES: Final = {"prometheus": "v3.5.0", "alertmanager": "v0.28.1"}  # tags; both are built for amd64 and arm64
LIBRARIES: Final = {"pyyaml": "6.0.4", "promql_parser": "0.12.0"}  # of the verifier
USER: Final = "engineer"  # who works in the agent's container
AGENT_SECONDS: Final = {"easy": 1800.0, "medium": 2700.0, "hard": 3600.0}
GRADE_SECONDS: Final = 330  # the grader ends itself after 270
VERIFIER_SECONDS: Final = 600.0

_TEMPLATES: Final = Environment(
    loader=PackageLoader("alertforge.harbor"),
    undefined=StrictUndefined,
    autoescape=False,
    keep_trailing_newline=True,
)
# TOML's basic strings and arrays of them are written as JSON's
_TEMPLATES.filters["toml"] = lambda value: json.dumps(value, ensure_ascii=False)

_COMMENTS: Final = {
    ".md": "<!-- {} -->\n",
    ".py": "# {}\n",
    ".sh": "# {}\n",
    ".yml": "# {}\n",
    ".yaml": "# {}\n",
    ".toml": "# {}\n",
}


@dataclass(frozen=True)
class Measured:
    """A task whose start state has been graded: the spec holds every `q_start`, `checks` is how many there are."""

    task: Task
    spec: Spec
    checks: int


def write(task: Task, out: Path, *, promtool: Path, amtool: Path, workers: int = 2, cache: Path | None = None) -> Path:
    """Write `<out>/<task.id>/` and return it; a task that is there already is replaced.

    The start repo is graded for `q_start`, the solved one for the number of checks; `cache` keeps what the tools
    answered. Interrupted, it leaves nothing behind. Raises AlertForgeError for a target that is not a task, OSError
    where it cannot write.
    """
    target = out / task.id
    if target.exists() and not (target / "task.toml").is_file():
        raise AlertForgeError(f"{target} exists and is not a task: choose another --out or remove it")
    out.mkdir(parents=True, exist_ok=True)
    with _beside(target) as staging:
        files = render(measure(task, promtool=promtool, amtool=amtool, workers=workers, cache=cache))
        put(staging / "new", files, executables(task, files))
        if target.exists():
            target.rename(staging / "old")
        (staging / "new").rename(target)
    return target


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder on the same file system that is gone afterwards, whatever happens."""
    staging = Path(tempfile.mkdtemp(dir=target.parent, prefix=".writing-"))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def measure(task: Task, *, promtool: Path, amtool: Path, workers: int = 2, cache: Path | None = None) -> Measured:
    """Grade the start repo and the solved one. Raises AlertForgeError where the start repo cannot be graded."""
    with tempfile.TemporaryDirectory(prefix="alertforge-") as scratch:
        folder = Path(scratch)
        put(folder / "tests", {"spec.json": to_json(task.spec), **_hidden(task)})

        def graded(name: str, files: Files) -> Result:
            return grade.grade(
                folder / "tests",
                put(folder / name, files),
                promtool=promtool,
                amtool=amtool,
                workers=workers,
                cache=cache or folder / "cache",
            )

        start = {one.id: one.q for one in graded("start", task.start).requirements}
        checks = len(graded("solved", task.solved).checks)
    return Measured(task, _with_starts(task.spec, start), checks)


def _with_starts(spec: Spec, start: Mapping[str, float]) -> Spec:
    return replace(
        spec,
        alerts=tuple(replace(one, q_start=start[one.id]) for one in spec.alerts),
        recordings=tuple(replace(one, q_start=start[one.id]) for one in spec.recordings),
        routes=tuple(replace(one, q_start=start[one.id]) for one in spec.routes),
        inhibitions=tuple(replace(one, q_start=start[one.id]) for one in spec.inhibitions),
    )


def counts(spec: Spec) -> dict[str, int]:
    """How many requirements of each kind there are."""
    found = Counter(str(one.kind) for one in spec.requirements())
    return {kind: found[kind] for kind in WEIGHTS}


def render(measured: Measured) -> dict[str, str]:
    """Every file of the task directory: path to text, sorted."""
    task = measured.task
    files = {
        "task.toml": _template("task.toml", task, **_settings(measured)),
        "instruction.md": task.instruction,
        "README.md": task.readme,
        "environment/Dockerfile": _template("agent.Dockerfile", task, user=USER, **IMAGES),
        "solution/solve.sh": script(
            task.start, task.solved, task.executables, title=f"Reference solution of {task.id}", canary=task.canary
        ),
        **{f"tests/{path}": text for path, text in _verifier(measured).items()},
    }
    marked = {path: _marked(path, text, task.canary) for path, text in files.items()}
    marked["tests/checksums.sha256"] = _checksums(marked)
    marked |= {f"{WORKSPACE}/{path}": text for path, text in task.start.items()}
    return dict(sorted(marked.items()))


def _verifier(measured: Measured) -> dict[str, str]:
    """What lies in `tests/`, but for the checksums."""
    task, sources = measured.task, closure.sources()
    zeros = json.dumps(score.nothing())
    return {
        "Dockerfile": _template("verifier.Dockerfile", task, **IMAGES, **LIBRARIES),
        "test.sh": _template("test.sh", task, zeros=zeros, grade_seconds=GRADE_SECONDS),
        "grade.py": sources[closure.LAUNCHER],
        "spec.json": to_json(measured.spec),
        **{f"alertforge/{path}": text for path, text in sources.items() if path != closure.LAUNCHER},
        **_hidden(task),
    }


def _hidden(task: Task) -> dict[str, str]:
    return {f"hidden/{path}": text for path, text in task.hidden.items()}


def _settings(measured: Measured) -> dict[str, object]:
    task = measured.task
    words = task.workflow.replace("-", " ")
    return {
        "name": f"{ORGANISATION}/{task.id}",
        "description": f"Prometheus alerting and Alertmanager routing as code: {words}, {task.tier} tier.",
        "keywords": ["prometheus", "alertmanager", "sre", task.workflow, task.tier],
        "checks": measured.checks,
        "counts": counts(measured.spec),
        "version": __version__,
        "tools": {name: tag.removeprefix("v") for name, tag in IMAGES.items()},
        "user": USER,
        "agent_seconds": AGENT_SECONDS.get(task.tier, max(AGENT_SECONDS.values())),
        "verifier_seconds": VERIFIER_SECONDS,
    }


def _template(file: str, task: Task, **values: object) -> str:
    return _TEMPLATES.get_template(file).render(task=task, canary=task.canary, **values)


def _marked(path: str, text: str, canary: str) -> str:
    """The text with the canary as a comment, unless it is there already or the format has no comments."""
    comment = _COMMENTS.get(PurePosixPath(path).suffix)
    if comment is None or canary in text:
        return text
    return comment.format(f"canary {canary}") + text


def _checksums(files: Mapping[str, str]) -> str:
    """Lines for `sha256sum --check`, run in `tests/`."""
    inside = {path.removeprefix("tests/"): text for path, text in files.items() if path.startswith("tests/")}
    return "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {path}\n" for path, text in sorted(inside.items()))


def read_metadata(folder: Path) -> dict[str, Any]:
    """The `[metadata]` of a task directory, with its id under `id`. Raises AlertForgeError where there is none."""
    try:
        settings = tomllib.loads((folder / "task.toml").read_text("utf-8"))
        return {**settings["metadata"], "id": settings["task"]["name"].removeprefix(f"{ORGANISATION}/")}
    except FileNotFoundError:
        raise AlertForgeError(f"{folder} is not a task directory: it has no task.toml") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise AlertForgeError(f"{folder / 'task.toml'} is not one of ours: {error}") from None


def executables(task: Task, files: Files) -> frozenset[str]:
    """Paths below the task directory that are scripts."""
    scripts = {path for path in files if path.endswith(".sh")}
    return frozenset(scripts | {f"{WORKSPACE}/{path}" for path in task.executables})


def put(root: Path, files: Files, scripts: frozenset[str] = frozenset()) -> Path:
    """Write files below a directory with fixed modes: 755 for scripts and folders, 644 for the rest."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode("utf-8"))
        place.chmod(0o755 if path in scripts else 0o644)
    for folder, _, _ in os.walk(root):
        Path(folder).chmod(0o755)
    return root


def read_tree(root: Path) -> dict[str, bytes]:
    """Every file below a directory."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
