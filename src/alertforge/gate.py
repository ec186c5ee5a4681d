"""The acceptance test of a task: what it must promise before it is written out as accepted.

Every verdict says what was found, in figures. The graded contract is the one on disk; the answers that are graded with
it come from the task. All grades share what the tools said, so that a variant costs only what it changes, but for one
that starts from nothing and must come out the same.
"""

from __future__ import annotations

import itertools
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from alertforge import harbor, tools
from alertforge.grader import grade as grading
from alertforge.grader.result import Result, rounded
from alertforge.grader.spec import Spec, SpecError
from alertforge.harbor import directory as layout
from alertforge.task import Attempt, Files, Round, Task

PARTIAL: Final = (0.05, 0.4)
CHECKS: Final = {"easy": 60, "medium": 115, "hard": 170}  # at least
REQUIREMENTS: Final = {"easy": (5, 5), "medium": (9, 10), "hard": (14, 14)}  # from, to
SCRIPT_SECONDS: Final = 60.0
LEAK_LENGTH: Final = 12  # characters from which a hidden text cannot be in the workspace by chance
EPSILON: Final = 1e-9

Progress = Callable[[str], None]  # told what is looked at next


@dataclass(frozen=True)
class Verdict:
    """One thing that the gate looked at."""

    name: str
    ok: bool
    detail: str


@dataclass(frozen=True)
class Report:
    """Everything the gate found about one task; `rewards` holds those of oracle, nop and partial."""

    task: str
    verdicts: tuple[Verdict, ...]
    rewards: Mapping[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the task is accepted."""
        return all(verdict.ok for verdict in self.verdicts)

    @property
    def failures(self) -> tuple[Verdict, ...]:
        """What speaks against the task."""
        return tuple(verdict for verdict in self.verdicts if not verdict.ok)


def gate(
    task: Task,
    folder: Path,
    *,
    promtool: Path,
    amtool: Path,
    rebuild: Callable[[], Task] | None = None,
    workers: int = 2,
    cache: Path | None = None,
    progress: Progress = lambda what: None,
) -> Report:
    """Look at everything a task promises. `folder` is its directory on disk, `rebuild` makes the task anew.

    `cache` keeps what the tools said. A fault of the task is a verdict; raises only where a tool cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="alertforge-gate-") as scratch:
        bench = _Bench(
            task, folder, promtool, amtool, workers, cache or Path(scratch, "cache"), Path(scratch), progress
        )
        try:
            verdicts = tuple(_verdicts(bench, rebuild))
        except SpecError as error:
            verdicts = (Verdict("contract", False, str(error)),)
    return Report(task.id, verdicts, bench.rewards)


def _verdicts(bench: _Bench, rebuild: Callable[[], Task] | None) -> Iterator[Verdict]:
    yield from _structure(bench.task)
    yield from leaks(bench.task)
    yield from _files(bench, rebuild)
    yield from _policies(bench)
    for turn in bench.task.rounds:
        yield from _round(bench, turn)
    told = {attempt.name for turn in bench.task.rounds for attempt in turn.attempts}
    yield from (_alone(bench, one) for one in (*bench.task.accepted, *bench.task.wrong) if one.name not in told)
    yield from (_adversary(bench, attempt) for attempt in bench.task.adversaries)


@dataclass(frozen=True)
class _Bench:
    """Where workspaces are laid out and graded."""

    task: Task
    folder: Path
    promtool: Path
    amtool: Path
    workers: int
    cache: Path
    scratch: Path
    progress: Progress
    rewards: dict[str, float] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def place(self) -> Path:
        """A path that is not there yet."""
        return self.scratch / f"w{next(self._numbers)}"

    def grade(self, what: str, files: Files, *, cold: bool = False) -> Result:
        """The grade of a workspace with these files; `cold` asks the tools anew."""
        self.progress(what)
        workspace = layout.put(self.place(), files)
        try:
            return grading.grade(
                self.folder / "tests",
                workspace,
                promtool=self.promtool,
                amtool=self.amtool,
                workers=self.workers,
                cache=None if cold else self.cache,
            )
        finally:
            shutil.rmtree(workspace)


# --- structure -------------------------------------------------------------------------------------------------------


def _structure(task: Task) -> Iterator[Verdict]:
    number = len(task.spec.requirements())
    first, last = REQUIREMENTS.get(task.tier, (1, number))
    wanted = str(first) if first == last else f"{first} to {last}"
    yield Verdict("requirements", first <= number <= last, f"{number}, {task.tier} has {wanted}")
    for what, attempts in (("accepted", task.accepted), ("wrong", task.wrong)):
        short = [one.id for one in task.spec.requirements() if sum(a.requirement == one.id for a in attempts) < 3]
        found = (
            f"fewer than three for {', '.join(short)}" if short else f"{len(attempts)}, at least three a requirement"
        )
        yield Verdict(f"{what} ways", not short, found)


def leaks(task: Task) -> Iterator[Verdict]:
    """Nothing of the hidden side may stand in what the agent sees: names of scenarios, their series, their pods."""
    shown = {**task.start, "instruction.md": task.instruction}
    hidden = {
        "scenario names": (text for one in task.spec.scenarios for text in (one.id, one.title)),
        "series": _series_texts(task.spec),
        "pod names": _pods(task),
    }
    for what, texts in hidden.items():
        found = list(_found(shown, texts))
        yield Verdict(f"no hidden {what}", not found, "; ".join(found[:3]) or "none in the workspace")


def _series_texts(spec: Spec) -> Iterator[str]:
    """What identifies hidden series: with labels, and the samples where these are not a mere constant."""
    for series in (series for scenario in spec.scenarios for series in scenario.series):
        if "{" in series.series:
            yield series.series
        if len(series.values) >= LEAK_LENGTH:
            yield series.values


def _pods(task: Task) -> Iterator[str]:
    pattern = re.compile(rf'[{{,]\s*{re.escape(task.world.style.pod_label)}="([^"]+)"')
    for series in (series for scenario in task.spec.scenarios for series in scenario.series):
        yield from pattern.findall(series.series)


def _found(shown: Files, texts: Iterable[str]) -> Iterator[str]:
    """Where any of the texts stands as a whole word; words that a repo may well hold by chance are not looked for."""
    for text in sorted({text for text in texts if _telling(text)}):
        whole = re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])")
        for path in (path for path, content in shown.items() if text in content and whole.search(content)):
            yield f"{text!r} in {path}"


def _telling(text: str) -> bool:
    return len(text) >= LEAK_LENGTH or not text.isalpha()


# --- files -----------------------------------------------------------------------------------------------------------


def _files(bench: _Bench, rebuild: Callable[[], Task] | None) -> Iterator[Verdict]:
    bench.progress("solve.sh")
    yield solves(bench.folder / "solution" / "solve.sh", bench.task.start, bench.task.solved, bench.scratch)
    if rebuild is not None:
        bench.progress("rebuild")
        again = bench.place()
        built = harbor.write(
            rebuild(),
            again,
            promtool=bench.promtool,
            amtool=bench.amtool,
            workers=bench.workers,
            cache=bench.cache,
        )
        different = differences(built, bench.folder)
        yield Verdict("same bytes when built again", not different, _first(different) or "all files equal")
        shutil.rmtree(again)


def solves(script: Path, start: Files, goal: Files, scratch: Path) -> Verdict:
    """Whether a script turns the start repo into exactly the goal; `scratch` is a folder for the copy."""
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        workspace = layout.put(Path(folder, "monitoring"), start)
        complaint = run_script(script, workspace)
        got = layout.read_tree(workspace)
    if complaint:
        return Verdict(script.name, False, complaint)
    wanted = {path: text.encode() for path, text in goal.items()}
    wrong = sorted(path for path in {*got, *wanted} if got.get(path) != wanted.get(path))
    return Verdict(script.name, not wrong, _first(wrong) or f"gives all {len(wanted)} files")


def run_script(script: Path, workspace: Path) -> str:
    """Run one of our own scripts on a workspace. Returns what went wrong, in one line; empty when nothing did."""
    command: list[str | Path] = ["env", f"AF_WORKSPACE={workspace.resolve()}", "bash", script.resolve()]
    done = tools.run(command, seconds=SCRIPT_SECONDS)
    return f"exit code {done.returncode}: {' '.join(done.stderr.split())[:200]}" if done.returncode else ""


def differences(one: Path, other: Path) -> list[str]:
    """Paths of two directories whose bytes or modes differ, or that one of them lacks."""
    trees = [
        {path: (data, (root / path).stat().st_mode & 0o777) for path, data in layout.read_tree(root).items()}
        for root in (one, other)
    ]
    return sorted(path for path in {*trees[0], *trees[1]} if trees[0].get(path) != trees[1].get(path))


def _first(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return f"differs: {', '.join(paths[:3])}{more}" if paths else ""


# --- policies --------------------------------------------------------------------------------------------------------


def _policies(bench: _Bench) -> Iterator[Verdict]:
    task = bench.task
    oracle = bench.grade("oracle", task.solved)
    bench.rewards["oracle"] = oracle.rewards["reward"]
    short = [f"{one.id} s={one.s:g}" for one in oracle.requirements if one.s != 1.0]
    whole = oracle.rewards["reward"] == 1.0 and oracle.rewards["preservation"] == 1.0 and not short
    yield Verdict("oracle", whole, _figures(oracle, short))
    least = CHECKS.get(task.tier, 1)
    yield Verdict("checks", len(oracle.checks) >= least, f"{len(oracle.checks)}, at least {least}")

    again = bench.grade("oracle again, from nothing", task.solved, cold=True)
    same = again.to_plain() == oracle.to_plain()
    yield Verdict("two grades are one", same, "identical" if same else "a grade from nothing differs from a kept one")

    nop = bench.grade("nop", task.start)
    bench.rewards["nop"] = nop.rewards["reward"]
    moved = [f"{one.id} s={one.s:g}" for one in nop.requirements if one.s != 0.0]
    still = not moved and all(nop.rewards[key] == 0.0 for key in ("reward", "progress"))
    yield Verdict("nop", still and nop.rewards["preservation"] == 1.0, _figures(nop, moved))

    partial = bench.grade("partial", task.partial)
    bench.rewards["partial"] = partial.rewards["reward"]
    inside = PARTIAL[0] < partial.rewards["reward"] < PARTIAL[1]
    yield Verdict("partial", inside and partial.rewards["outcome"] == 0.0, _figures(partial))


def _round(bench: _Bench, turn: Round) -> Iterator[Verdict]:
    """Many attempts in one workspace; where something is amiss, each of them alone, to see whose fault it is."""
    result = bench.grade(f"together {', '.join(attempt.name for attempt in turn.attempts)}", turn.files)
    verdicts = [_verdict(attempt, result) for attempt in turn.attempts]
    if all(verdict.ok for verdict in verdicts) or len(turn.attempts) == 1:
        yield from verdicts
        return
    alone = [_alone(bench, attempt) for attempt in turn.attempts]
    yield from alone
    if all(verdict.ok for verdict in alone):
        names = ", ".join(attempt.name for attempt in turn.attempts)
        yield Verdict(f"together {names}", False, next(v.detail for v in verdicts if not v.ok))


def _alone(bench: _Bench, attempt: Attempt) -> Verdict:
    return _verdict(attempt, bench.grade(attempt.name, attempt.files))


def _verdict(attempt: Attempt, result: Result) -> Verdict:
    """Another right answer earns full marks on the whole task; a wrong one stays at or under its bound, unsolved."""
    if attempt.bound is None:
        full = result.rewards["reward"] == 1.0
        return Verdict(f"accepted {attempt.name}", full, _figures(result, _complaints(result)))
    s = next(one.s for one in result.requirements if one.id == attempt.requirement)
    under = s <= attempt.bound + EPSILON and result.rewards["outcome"] == 0.0
    return Verdict(f"wrong {attempt.name}", under, f"s={rounded(s):g}, at most {attempt.bound:g}; {_figures(result)}")


def _adversary(bench: _Bench, attempt: Attempt) -> Verdict:
    """An attack: as a wrong answer; one that is aimed at no single requirement has its bound on the whole reward."""
    if attempt.requirement:
        verdict = _alone(bench, attempt)
        return Verdict(f"adversary {attempt.name}", verdict.ok, verdict.detail)
    result = bench.grade(f"adversary {attempt.name}", attempt.files)
    bound = PARTIAL[1] if attempt.bound is None else attempt.bound
    under = result.rewards["reward"] <= bound + EPSILON and result.rewards["outcome"] == 0.0
    return Verdict(f"adversary {attempt.name}", under, f"at most {bound:g}; {_figures(result)}")


def _figures(result: Result, more: Sequence[str] = ()) -> str:
    keys = ("reward", "outcome", "progress", "preservation")
    return ", ".join([*(f"{key} {result.rewards[key]:g}" for key in keys), *more[:4]])


def _complaints(result: Result) -> list[str]:
    """What cost marks, in short."""
    failed = [f"{one.id}: expected {one.expected}, saw {one.seen}" for one in result.checks if not one.passed]
    return [*result.problems, *result.tamper, *failed]
