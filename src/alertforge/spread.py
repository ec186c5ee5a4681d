"""How much tasks vary: make many fresh ones, grade the solution with slips, and keep a row for each.

Rows are kept one a line as they come, so that an interrupted run goes on where it was. `spread_report` makes a page
of them.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from alertforge import harbor, variety
from alertforge.alertmanager.amtool import AmtoolError
from alertforge.build import Kit, Order, about
from alertforge.create import TIERS, draft, pack
from alertforge.draft import Draft
from alertforge.errors import AlertForgeError
from alertforge.gate import Progress, gate
from alertforge.grader import grade as grading
from alertforge.grader.result import Result, clipped
from alertforge.harbor import directory as layout
from alertforge.policies.mutants import Mutant, mutants
from alertforge.prometheus.promtool import PromtoolError
from alertforge.seeds import Seed
from alertforge.task import Files, Task
from alertforge.workflow import core

FIRST_SEED: Final = 101  # far from those of the core tier
ROWS: Final = "rows.jsonl"
KEPT: Final = "kept"
SHOWING: Final = ("cli.py", "display.py", "spread_report.py")  # modules that no row depends on
DIGITS: Final = 16  # of a digest in a row


@dataclass(frozen=True)
class Graded:
    """What a mutant scored."""

    slips: tuple[str, ...]
    reward: float
    progress: float
    preservation: float
    syntax_ok: bool
    tamper: bool


@dataclass(frozen=True)
class Row:
    """One task: what it holds, what its gate said, what its mutants scored. With an `error` there is nothing more."""

    id: str
    workflow: str
    tier: str
    number: int
    made_with: str  # rows of another generator, master seed or manner of measuring are none of this run's
    error: str = ""
    checks: int = 0
    requirements: Mapping[str, int] = field(default_factory=dict)  # by kind
    verdicts: int = 0  # of the gate; 0 where it was not asked
    failures: tuple[tuple[str, str], ...] = ()  # those against the task, with what was found
    mutants: tuple[Graded, ...] = ()
    drawn: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    circumstances: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    sentences: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    solution: Mapping[str, str] = field(default_factory=dict)  # files that it changes: path to digest
    unchanged: Mapping[str, str] = field(default_factory=dict)  # all others

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True)

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Row:
        """Read back. Raises TypeError, KeyError or ValueError where it is not a row."""
        graded = (Graded(**{**one, "slips": tuple(one["slips"])}) for one in plain["mutants"])
        return cls(
            **{
                **plain,
                "mutants": tuple(graded),
                "failures": tuple((str(name), str(detail)) for name, detail in plain["failures"]),
                **{key: _tuples(plain[key]) for key in ("drawn", "sentences")},
                **{key: tuple(plain[key]) for key in ("circumstances", "asked", "names")},
            }
        )


def _tuples(lists: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {key: tuple(values) for key, values in lists.items()}


@dataclass(frozen=True)
class Plan:
    """What a run looks at, and how."""

    master: str
    episodes: int
    mutants: int
    gate_every: int  # how many tasks to one that is held against the gate; 0 for none
    only: str = ""  # just the tasks whose id contains this, made anew; their directories are kept

    def orders(self) -> tuple[Order, ...]:
        """Every workflow and tier in turn, then the next seed. Raises AlertForgeError where `only` leaves none."""
        found = tuple(order for order in self._all() if self.only in order.id)
        if not found:
            raise AlertForgeError(f"none of the {self.episodes} task ids contains {self.only!r}")
        return found

    @property
    def gated(self) -> frozenset[str]:
        """The ids of the tasks that are held against the gate."""
        return frozenset(order.id for order in self._all()[:: self.gate_every]) if self.gate_every else frozenset()

    def _all(self) -> tuple[Order, ...]:
        workflows, turn = tuple(core()), len(core()) * len(TIERS)
        return tuple(
            Order(workflows[n % len(workflows)], TIERS[n % len(TIERS)], FIRST_SEED + n // turn, self.master)
            for n in range(self.episodes)
        )

    @property
    def made_with(self) -> str:
        """A digest of all that a row depends on beside its task's id: the generator, the master seed, the measuring."""
        package = Path(__file__).parent
        digest = hashlib.sha256(Seed.master(self.master).child("spread", self.mutants).key)
        for path in sorted(package.rglob("*")):
            if path.is_file() and path.suffix != ".pyc" and path.name not in SHOWING:
                digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:DIGITS]


def spread(
    out: Path,
    plan: Plan,
    kit: Kit,
    *,
    jobs: int = 1,
    progress: Progress = lambda what: None,
    done: Callable[[Row], None] = lambda row: None,
) -> tuple[Row, ...]:
    """Rows of all tasks of a plan, in its order; those that `out` has already are not made again.

    `done` is told of each new row. Raises AlertForgeError where `out` cannot be written.
    """
    wanted, made_with, gated = plan.orders(), plan.made_with, plan.gated
    try:
        out.mkdir(parents=True, exist_ok=True)
        lines = _whole_lines(out / ROWS)
    except OSError as error:
        raise AlertForgeError(f"--out {out}: {error.strerror}") from None
    known = {row.id: row for row in map(_row, lines) if row and row.made_with == made_with and not plan.only}
    rows = {name: row for name, row in known.items() if row.verdicts or row.error or name not in gated}
    left = [order for order in wanted if order.id not in rows]
    make = partial(
        episode, plan=plan, kit=kit, made_with=made_with, gated=gated, kept=out / KEPT if plan.only else None
    )
    with (out / ROWS).open("a", encoding="utf-8") as file:
        for row in _made(make, left, jobs, progress):
            rows[row.id] = row
            file.write(row.to_json() + "\n")
            file.flush()
            done(row)
    return tuple(rows[order.id] for order in wanted)


def _whole_lines(path: Path) -> list[str]:
    """The lines of a file of rows; one that was cut off when the last run ended is cut off for good."""
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        with path.open("r+b") as file:
            file.truncate(len(whole))
    return whole.decode("utf-8", "replace").splitlines()


def _row(line: str) -> Row | None:
    """The row of a line; None for one that another version has written."""
    try:
        return Row.from_plain(json.loads(line))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _made(make: Callable[..., Row], orders: Sequence[Order], jobs: int, progress: Progress) -> Iterator[Row]:
    """A row for each order: one after the other, or as they come from several processes."""
    if jobs <= 1 or len(orders) <= 1:
        for order in orders:
            yield make(order, progress=about(order.id, progress))
        return
    progress(f"{len(orders)} tasks in {jobs} processes")
    context = multiprocessing.get_context("spawn")
    with context.Pool(min(jobs, len(orders)), initializer=_stop_when_told) as pool:
        yield from pool.imap_unordered(make, orders)


def _stop_when_told() -> None:
    """Ctrl-C is for the process that leads; what it ends in turn cleans up behind itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def line(row: Row) -> str:
    """A row in short."""
    if row.error:
        return f"{row.id} {row.error}"
    gate_said = f"; REJECTED by {', '.join(name for name, _ in row.failures)}" if row.failures else ""
    rewards = " ".join(f"{one.reward:g}" for one in row.mutants)
    return f"{row.id} {len(row.asked)} requirements, {row.checks} checks; mutants {rewards or 'none'}{gate_said}"


# --- one task --------------------------------------------------------------------------------------------------------


def episode(
    order: Order,
    *,
    plan: Plan,
    kit: Kit,
    made_with: str,
    gated: Set[str] = frozenset(),
    kept: Path | None = None,
    progress: Progress = lambda what: None,
) -> Row:
    """The row of one task. A task that cannot be made or measured has a row that says why.

    `gated` holds the ids of those that are held against the gate; `kept` is a folder for the task's directory and its
    mutants' workspaces. Raises only where a tool or the disk fails.
    """
    row = partial(Row, order.id, order.workflow, order.tier, order.number, made_with)
    try:
        with tempfile.TemporaryDirectory(prefix="alertforge-spread-") as scratch:
            return row(**_measured(order, plan, kit, order.id in gated, Path(scratch), kept, progress))
    except (OSError, PromtoolError, AmtoolError):
        raise
    except Exception as error:  # whatever is wrong with one task must not hide what the others are like
        return row(error=clipped(f"{type(error).__name__}: {error}"))


def _measured(
    order: Order, plan: Plan, kit: Kit, gated: bool, scratch: Path, kept: Path | None, progress: Progress
) -> dict[str, Any]:
    """Everything that a row holds beside what the order says."""
    progress("create")
    made = draft(order.workflow, order.tier, order.number, order.master, order.file)
    task = pack(made)
    progress("measure the start state")
    tools: Any = {"promtool": kit.promtool, "amtool": kit.amtool, "workers": kit.workers, "cache": scratch / "cache"}
    place = scratch if kept is None else kept / task.id
    if kept is not None and place.exists():
        shutil.rmtree(place)
    folder = harbor.write(task, place, **tools)
    verdicts: int = 0
    failures: tuple[tuple[str, str], ...] = ()
    if gated:
        report = gate(task, folder, rebuild=order.create, progress=progress, **tools)
        verdicts = len(report.verdicts)
        failures = tuple((one.name, clipped(one.detail)) for one in report.failures)

    def graded(number: int, mutant: Mutant) -> Graded:
        progress(f"mutant {number}")
        workspace = layout.put(place / f"mutant-{number}", mutant.files)
        return _graded(mutant, grading.grade(folder / "tests", workspace, **tools))

    return {
        "checks": layout.read_metadata(folder)["checks"],
        "requirements": layout.counts(task.spec),
        "verdicts": verdicts,
        "failures": failures,
        "mutants": tuple(graded(*one) for one in enumerate(mutants(made, plan.mutants), 1)),
        **_contents(made, task),
    }


def _graded(mutant: Mutant, result: Result) -> Graded:
    rewards = result.rewards
    return Graded(
        mutant.slips,
        rewards["reward"],
        rewards["progress"],
        rewards["preservation"],
        bool(rewards["syntax_ok"]),
        bool(rewards["tamper"]),
    )


def _contents(made: Draft, task: Task) -> dict[str, Any]:
    """What a task is made of and how it is told."""
    changed = {path for path, text in task.solved.items() if task.start.get(path) != text}
    digests = _digests(task.solved, task.canary)
    return {
        "drawn": variety.drawn(made),
        "circumstances": variety.circumstances(made),
        "asked": variety.asked(made.items),
        "names": variety.names(made),
        "sentences": variety.sentences(made, task.instruction),
        "solution": {path: digest for path, digest in digests.items() if path in changed},
        "unchanged": {path: digest for path, digest in digests.items() if path not in changed},
    }


def _digests(files: Files, canary: str) -> dict[str, str]:
    """Each file's digest. The canary is every task's own and would make any two files differ."""
    return {
        path: hashlib.sha256(text.replace(canary, "").encode()).hexdigest()[:DIGITS] for path, text in files.items()
    }
