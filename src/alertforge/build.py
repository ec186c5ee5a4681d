"""Build a dataset: tasks, the scripts that go with them, its manifest and its registry.

Tasks are made in a folder of their own and moved into place when they have passed the gate, or to `rejected/` when
they have not; interrupted, nothing half-made stays. What is written does not depend on how many processes made it.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from alertforge import __version__, harbor
from alertforge.create import catalogue, create, find_workflow, task_id
from alertforge.errors import AlertForgeError
from alertforge.gate import Progress, Report, Verdict, gate, solves
from alertforge.harbor import directory as layout
from alertforge.harbor.patch import script
from alertforge.harbor.registry import registry
from alertforge.task import Files, Task

MASTER_SEED: Final = "3ambench-public-1"  # of the public dataset
MANIFEST: Final = "manifest.jsonl"
REGISTRY: Final = "registry.json"
SCRIPTS: Final = ("partial", "null")  # folders with a solve.sh for each task


@dataclass(frozen=True)
class Order:
    """One task to make."""

    workflow: str
    tier: str
    number: int
    master: str
    file: Path | None = None  # of workflows; None for the core tier

    @property
    def id(self) -> str:
        """The task's id. Raises ValueError for an unknown workflow or tier."""
        return task_id(self.workflow, self.tier, self.number)

    def create(self) -> Task:
        """The task as a value."""
        return create(self.workflow, self.tier, self.number, self.master, self.file)

    def check(self) -> None:
        """Raise AlertForgeError where there is no such workflow, tier or number."""
        find_workflow(self.workflow, self.tier, self.number, self.file)


@dataclass(frozen=True)
class Kit:
    """What every task is made with."""

    promtool: Path
    amtool: Path
    workers: int = 2
    gated: bool = True


@dataclass(frozen=True)
class Built:
    """One task that was made: its row in the manifest, and what the gate said (nothing where it was not asked)."""

    id: str
    row: Mapping[str, Any]
    report: Report | None = None

    @property
    def ok(self) -> bool:
        """Whether the task is accepted."""
        return self.report is None or self.report.ok


@dataclass(frozen=True)
class Outcome:
    """What a build came to."""

    built: tuple[Built, ...]
    rejected: tuple[Built, ...] = field(default=())


def orders(only: str = "", master: str = MASTER_SEED) -> tuple[Order, ...]:
    """The tasks of the core tier whose ids contain a text. Raises AlertForgeError where none does."""
    found = tuple(Order(*entry[1:], master) for entry in catalogue() if only in entry[0])
    if not found:
        raise AlertForgeError(
            f"no task id contains {only!r}; they run from {catalogue()[0][0]} to {catalogue()[-1][0]}"
        )
    return found


def order(name: str, master: str = MASTER_SEED, file: Path | None = None) -> Order:
    """The order that makes the task of an id. Raises AlertForgeError for an id that is not one."""
    match = re.fullmatch(r"af-(?:\d{3}|x)-(.+)-([a-z]+)-s(\d{1,9})", name)
    if match is not None:
        found = Order(match[1], match[2], int(match[3]), master, file)
        with suppress(ValueError):  # no such workflow or tier
            if found.id == name:
                return found
    raise AlertForgeError(f"{name!r} is not the id of a task")


def build(
    out: Path,
    wanted: Sequence[Order],
    kit: Kit,
    *,
    jobs: int = 1,
    progress: Progress = lambda what: None,
    done: Callable[[Built], None] = lambda built: None,
) -> Outcome:
    """Make tasks into `<out>/tasks`, with scripts, manifest and registry. `done` is told of each task as it ends.

    Tasks of the core tier that are there already and not wanted now keep their rows. Raises AlertForgeError where `out`
    cannot be written.
    """
    _make_folder(out)
    kept = _kept_rows(out, {order.id for order in wanted})
    built = []
    with _staging(out) as staging:
        for one in _make_all(wanted, staging, kit, jobs, progress):
            _place(out, staging / one.id, one)
            built.append(one)
            done(one)
        rows = {**kept, **{one.id: one.row for one in built if one.ok}}
        _write_dataset(out, [rows[name] for name, *_ in catalogue() if name in rows], staging)
    return Outcome(tuple(built), tuple(one for one in built if not one.ok))


def sample(out: Path, order: Order, kit: Kit, *, progress: Progress = lambda what: None) -> Built:
    """Make one task into `<out>/<id>`, or `<out>/rejected/<id>`, and nothing else."""
    order.check()
    _make_folder(out)
    with _staging(out) as staging:
        one = make(order, staging, kit, progress)
        _move(staging / one.id / "task", out / one.id if one.ok else out / "rejected" / one.id)
    return one


def about(name: str, progress: Progress) -> Progress:
    """Progress that says which task it is about."""
    return lambda what: progress(f"{name}: {what}")


# --- one task --------------------------------------------------------------------------------------------------------


def make(order: Order, staging: Path, kit: Kit, progress: Progress = lambda what: None) -> Built:
    """Make one task into `<staging>/<id>/`: `task/`, and a `solve.sh` in each of `partial/` and `null/`."""
    progress("create")
    task = order.create()
    folder = staging / task.id
    report = None
    with tempfile.TemporaryDirectory(prefix="alertforge-build-") as scratch:
        cache = Path(scratch, "cache")
        progress("measure the start state")
        written = harbor.write(task, folder, promtool=kit.promtool, amtool=kit.amtool, workers=kit.workers, cache=cache)
        written.rename(folder / "task")
        for name, text in scripts(task).items():
            layout.put(folder / name, {"solve.sh": text}, frozenset({"solve.sh"}))
        if kit.gated:
            report = gate(
                task,
                folder / "task",
                promtool=kit.promtool,
                amtool=kit.amtool,
                workers=kit.workers,
                rebuild=order.create,
                cache=cache,
                progress=progress,
            )
            goals: Mapping[str, Files] = {"partial": task.partial, "null": task.start}
            runs = tuple(_script_verdict(folder, name, task, goal, Path(scratch)) for name, goal in goals.items())
            report = Report(report.task, (*report.verdicts, *runs), report.rewards)
    return Built(task.id, _row(task, layout.read_metadata(folder / "task"), report), report)


def scripts(task: Task) -> dict[str, str]:
    """The scripts that lie beside a dataset's tasks, by folder."""
    goals = {
        "partial": (task.partial, f"Half of {task.id}, and one plausible mistake"),
        "null": (task.start, f"Nothing of {task.id}"),
    }
    return {
        name: script(task.start, goal, task.executables, title=title, canary=task.canary)
        for name, (goal, title) in goals.items()
    }


def _script_verdict(folder: Path, name: str, task: Task, goal: Files, scratch: Path) -> Verdict:
    verdict = solves(folder / name / "solve.sh", task.start, goal, scratch)
    return Verdict(f"{name}/{verdict.name}", verdict.ok, verdict.detail)


def _row(task: Task, metadata: Mapping[str, Any], report: Report | None) -> dict[str, Any]:
    """A task's line in the manifest. Nothing in it varies from run to run."""
    return {
        "id": task.id,
        "workflow": task.workflow,
        "tier": task.tier,
        "axes": dict(sorted(task.axes.items())),
        "services": task.world.focus,
        "requirements": layout.counts(task.spec),
        "checks": metadata["checks"],
        "rewards": dict(report.rewards) if report else {},
        "generator_version": __version__,
    }


# --- many tasks ------------------------------------------------------------------------------------------------------


def _make_all(wanted: Sequence[Order], staging: Path, kit: Kit, jobs: int, progress: Progress) -> Iterator[Built]:
    """Each task in turn, or several processes at a time; in the order in which they were wanted."""
    if jobs <= 1 or len(wanted) == 1:
        for order in wanted:
            yield make(order, staging, kit, about(order.id, progress))
        return
    progress(f"{len(wanted)} tasks in {jobs} processes")
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(wanted)), initializer=_stop_when_told) as pool:
        yield from pool.imap(partial(make, staging=staging, kit=kit), wanted)
        pool.close()  # so that they end by themselves and are not told to
        pool.join()


def _stop_when_told() -> None:
    """Ctrl-C is for the process that leads; what it ends in turn cleans up behind itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AlertForgeError(f"--out {out}: {error.strerror}") from None
    if not os.access(out, os.W_OK | os.X_OK):
        raise AlertForgeError(f"--out {out}: this folder cannot be written to")


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(dir=out, prefix=".building-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _place(out: Path, made: Path, one: Built) -> None:
    """Move a task to where it belongs. A rejected one takes no place among the accepted, nor does an older version."""
    if one.ok:
        _move(made / "task", out / "tasks" / one.id)
        for name in SCRIPTS:
            _move(made / name, out / name / one.id)
        _remove(out / "rejected" / one.id)
    else:
        _move(made / "task", out / "rejected" / one.id)
        for name in ("tasks", *SCRIPTS):
            _remove(out / name / one.id)


def _move(made: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        target.rename(made.parent / f"{made.name}.old")
    made.rename(target)


def _remove(target: Path) -> None:
    if target.exists():
        shutil.rmtree(target)
    if target.parent.is_dir() and not any(target.parent.iterdir()):
        target.parent.rmdir()


# --- manifest and registry -------------------------------------------------------------------------------------------


def _kept_rows(out: Path, wanted: set[str]) -> dict[str, Mapping[str, Any]]:
    """Rows of tasks that lie there and are not made now."""
    path = out / MANIFEST
    if not path.is_file():
        return {}
    try:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        known = {str(row["id"]): row for row in rows}
    except (ValueError, TypeError, KeyError):
        raise AlertForgeError(f"{path} is not a manifest: remove it or choose another --out") from None
    return {name: row for name, row in known.items() if name not in wanted and (out / "tasks" / name).is_dir()}


def _write_dataset(out: Path, rows: Sequence[Mapping[str, Any]], staging: Path) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    layout.put(staging, {MANIFEST: lines, REGISTRY: registry([(row["id"], row["tier"]) for row in rows])})
    for name in (MANIFEST, REGISTRY):
        (staging / name).replace(out / name)
