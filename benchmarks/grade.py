"""What a grade costs, and what the plain way to the same answers costs, measured in one run.

    python benchmarks/grade.py [--tiers easy,medium,hard] [--master-seed S] [--task DIR]...

Per tier, on the reference solution:

- `grade`: a whole cold grade, as the verifier does it;
- `plain`: every rule in every scenario with a promtool process for each scenario under default Go settings, then one
  amtool call after the other, a label set each. Both timelines must be identical, or the run fails;
- `route edit`: a grade after an edit to alertmanager.yml alone, which may start no promtool;
- `unchanged`: a grade of the same workspace again, which may start no process.

Times are wall seconds; `peak` is the largest sum of resident memory of the grader and its children, in MiB.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from alertforge import build, harbor, tools
from alertforge.grader import grade as grading
from alertforge.grader import preservation, workspace
from alertforge.grader.replay import Timeline, plain_replay, replay
from alertforge.grader.spec import Spec
from alertforge.harbor import directory as layout
from alertforge.prometheus.series import Labels

SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Row:
    task: str
    scenarios: int
    rules: int
    grade: float
    plain_rules: float
    plain_routes: float
    same: bool
    route_edit: float
    route_starts: Counter[str]
    unchanged: float
    unchanged_starts: Counter[str]
    peak: float

    @property
    def plain(self) -> float:
        return self.plain_rules + self.plain_routes


# --- measuring -------------------------------------------------------------------------------------------------------


@contextmanager
def counted_starts() -> Iterator[Counter[str]]:
    """Programs that are started meanwhile, by name."""
    starts: Counter[str] = Counter()
    real = subprocess.Popen.__init__

    def counting(self: subprocess.Popen[bytes], command: Sequence[object], *more: object, **options: object) -> None:
        starts[Path(str(command[0])).name] += 1
        real(self, command, *more, **options)  # type: ignore[call-overload]

    subprocess.Popen.__init__ = counting  # type: ignore[method-assign,assignment]
    try:
        yield starts
    finally:
        subprocess.Popen.__init__ = real  # type: ignore[method-assign]


def resident(pid: int) -> int:
    """KiB of a process and everything below it (Linux)."""
    total = 0
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        total += next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")), 0)
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(resident(int(child)) for child in (task / "children").read_text().split())
    except OSError:
        pass  # it has ended meanwhile
    return total


def peak_of_a_grade(task: Path, solved: Path) -> float:
    """Largest sum of resident memory, in MiB, of a cold grade in a process of its own: the verifier's command."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-I", task / "tests" / "grade.py", "--spec", task / "tests", "--workspace", solved]
        paths = ["--promtool", tools.find("promtool"), "--amtool", tools.find("amtool")]
        process = subprocess.Popen([*command, *paths, "--reward", Path(scratch, "r.json")], stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, resident(process.pid))
            time.sleep(SAMPLE_SECONDS)
    if process.returncode != 0:
        raise SystemExit(f"{task.name}: the grade failed")
    return peak / 1024


def timed(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


# --- the plain way ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    rules: float
    routes: float
    same: bool


def plain_way(task: Path, solved: Path) -> Plain:
    """Time of the plain way, and whether it sees the same timeline."""
    hidden = grading.load_task(task / "tests")
    loaded = workspace.load(solved)
    files = loaded.rule_files
    asks = grading._merge(
        grading._asks(hidden.spec), preservation.plan(hidden.spec, files, hidden.baseline_files).asks(hidden.spec)
    )
    promtool = tools.find("promtool")
    timelines: list[Timeline] = []
    seconds = timed(lambda: timelines.append(plain_replay(files, asks, promtool=promtool)))
    same = replay(files, asks, promtool=promtool).to_plain() == timelines[0].to_plain()
    assert loaded.alertmanager is not None
    routes = timed(lambda: plain_routes(loaded.alertmanager_text, label_sets(hidden.spec, timelines[0])))
    return Plain(seconds, routes, same)


def label_sets(spec: Spec, timeline: Timeline) -> list[Labels]:
    asked = [*grading._label_sets(spec, timeline), *(probe.labels for probe in spec.preservation.routes)]
    return list(dict.fromkeys(asked))


def plain_routes(config: str, asked: Sequence[Labels]) -> None:
    """One `amtool config routes test` after the other."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "alertmanager.yml")
        path.write_text(config, "utf-8")
        for labels in asked:
            pairs = [f"{name}={value}" for name, value in labels.pairs if value]
            command = [tools.find("amtool"), "config", "routes", "test", f"--config.file={path}", *pairs]
            subprocess.run(command, capture_output=True, check=True)


# --- one task --------------------------------------------------------------------------------------------------------


def measure(task: Path, scratch: Path) -> Row:
    """All figures of one task directory."""
    solved = scratch / "monitoring"
    start = {path: data.decode() for path, data in layout.read_tree(task / layout.WORKSPACE).items()}
    layout.put(solved, start)
    run_solution(task, solved)
    cache = scratch / "answers"

    def grade() -> None:
        result = grading.grade(
            task / "tests", solved, promtool=tools.find("promtool"), amtool=tools.find("amtool"), cache=cache
        )
        if result.rewards["preservation"] < 1:
            raise SystemExit(f"{task.name}: the reference solution breaks something")

    cold = timed(grade)
    with counted_starts() as none:
        unchanged = timed(grade)
    plain = plain_way(task, solved)
    edit_a_route(solved / workspace.ALERTMANAGER)
    with counted_starts() as some:
        edited = timed(grade)
    spec = grading.load_task(task / "tests").spec
    rules = sum(len(list(file.rules())) for file in workspace.load(solved).rule_files)
    figures = (len(spec.scenarios), rules, cold, plain.rules, plain.routes, plain.same, edited, some, unchanged, none)
    return Row(task.name, *figures, peak_of_a_grade(task, solved))


def run_solution(task: Path, solved: Path) -> None:
    script = task / "solution" / "solve.sh"
    subprocess.run(["bash", script], env={"AF_WORKSPACE": str(solved), "PATH": "/usr/bin:/bin"}, check=True)


def edit_a_route(path: Path) -> None:
    """Change what matters to no alert of the task: an inhibition among alerts that do not exist."""
    text = path.read_text("utf-8")
    raw = yaml.safe_load(text)
    raw.setdefault("inhibit_rules", []).append(
        {"source_matchers": ['alertname="NoSuchSource"'], "target_matchers": ['alertname="NoSuchTarget"']}
    )
    path.write_text(yaml.safe_dump(raw), "utf-8")


def table(rows: Sequence[Row]) -> Table:
    found = Table(box=None, pad_edge=False)
    for heading in ("task", "scenarios", "rules", "grade s", "plain s", "of these amtool", "times faster", "same"):
        found.add_column(heading)
    for heading in ("route edit s", "starts", "unchanged s", "starts", "peak MiB"):
        found.add_column(heading)
    for row in rows:
        found.add_row(
            row.task,
            str(row.scenarios),
            str(row.rules),
            f"{row.grade:.2f}",
            f"{row.plain:.2f}",
            f"{row.plain_routes:.2f}",
            f"{row.plain / row.grade:.1f}",
            "yes" if row.same else "NO",
            f"{row.route_edit:.2f}",
            ", ".join(f"{count} {name}" for name, count in sorted(row.route_starts.items())) or "none",
            f"{row.unchanged:.2f}",
            ", ".join(f"{count} {name}" for name, count in sorted(row.unchanged_starts.items())) or "none",
            f"{row.peak:.0f}",
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure grades, and the plain way to the same answers.")
    parser.add_argument("--tiers", default="easy,medium,hard", help="comma-separated")
    parser.add_argument("--master-seed", default=build.MASTER_SEED)
    parser.add_argument("--task", type=Path, action="append", help="a task directory instead of fresh tasks")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="alertforge-bench-") as scratch:
        tasks = options.task or [
            write(tier, options.master_seed, Path(scratch, "tasks")) for tier in options.tiers.split(",")
        ]
        for number, task in enumerate(tasks):
            rows.append(measure(task, Path(scratch, str(number))))
    out = Console()
    out.width = max(out.width, 180)
    out.print(table(rows))
    lazy = [row for row in rows if row.unchanged_starts or row.route_starts["promtool"]]
    return int(bool(lazy) or not all(row.same for row in rows))


def write(tier: str, master: str, out: Path) -> Path:
    order = next(one for one in build.orders("", master) if one.tier == tier)
    return harbor.write(order.create(), out, promtool=tools.find("promtool"), amtool=tools.find("amtool"))


if __name__ == "__main__":
    sys.exit(main())
