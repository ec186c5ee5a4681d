"""What a grade costs, and what the plain way to the same answers costs, measured in one run.

    python benchmarks/grade.py [--tiers easy,medium,hard] [--master-seed S] [--task DIR]...

Per tier, on the reference solution:

- `grade`: a whole cold grade in a process of its own, as the verifier does it;
- `plain`: every rule in every scenario with a promtool process for each scenario under default Go settings, then one
  amtool call after the other, a label set each. Both timelines must be identical, or the run fails;
- `rule edit`: a grade after an edit to one rule that the task asks for, in a process that has graded before, as all
  that follow;
- `route edit`: a grade after an edit to alertmanager.yml alone, which may start no promtool;
- `unchanged`: a grade of the same workspace again, which may start no process.

Times are wall seconds and, behind the stroke, processor seconds, children included: what counts on a busy machine.
`peak` is the largest sum of resident memory of the grader and its children, in MiB, and may not reach 512.
"""

from __future__ import annotations

import argparse
import resource
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
from alertforge.grader.replay import plain_replay, replay
from alertforge.grader.spec import Spec
from alertforge.grader.task import load_task
from alertforge.grader.timeline import Timeline
from alertforge.harbor import directory as layout
from alertforge.prometheus.series import Labels

SAMPLE_SECONDS = 0.02
MOST_MIB = 512


@dataclass(frozen=True)
class Cost:
    """Seconds on the wall, and of all processors."""

    wall: float
    cpu: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.cpu + other.cpu)

    def __str__(self) -> str:
        return f"{self.wall:.2f} / {self.cpu:.2f}"


@dataclass(frozen=True)
class Regrade:
    """A grade after the first one: what it cost and which programs it started how often."""

    cost: Cost
    starts: Counter[str]

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.starts.items())) or "none"


@dataclass(frozen=True)
class Row:
    task: str
    scenarios: int
    rules: int
    grade: Cost
    peak: float
    plain_rules: Cost
    plain_routes: Cost
    same: bool
    rule_edit: Regrade
    route_edit: Regrade
    unchanged: Regrade

    @property
    def plain(self) -> Cost:
        return self.plain_rules + self.plain_routes

    @property
    def faults(self) -> list[str]:
        """What must never be."""
        found = {
            "the plain way shows something else": not self.same,
            "a grade of an unchanged workspace started a process": bool(self.unchanged.starts),
            "an edit to alertmanager.yml started promtool": bool(self.route_edit.starts["promtool"]),
            f"a grade needs {self.peak:.0f} MiB": self.peak >= MOST_MIB,
        }
        return [f"{self.task}: {what}" for what, wrong in found.items() if wrong]


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


def cold_grade(task: Path, solved: Path) -> tuple[Cost, float]:
    """A grade by the verifier's command: its cost, and the largest sum of resident memory in MiB."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-I", task / "tests" / "grade.py", "--spec", task / "tests", "--workspace", solved]
        paths = ["--promtool", tools.find("promtool"), "--amtool", tools.find("amtool")]
        peak = 0

        def run() -> None:
            nonlocal peak
            process = subprocess.Popen(
                [*command, *paths, "--reward", Path(scratch, "r.json")], stdout=subprocess.DEVNULL
            )
            while process.poll() is None:
                peak = max(peak, resident(process.pid))
                time.sleep(SAMPLE_SECONDS)
            if process.returncode != 0:
                raise SystemExit(f"{task.name}: the grade failed")

        cost = measured(run)
    return cost, peak / 1024


def processor_seconds() -> float:
    """Of this process and all children that have ended."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def measured(action: Callable[[], object]) -> Cost:
    wall, cpu = time.perf_counter(), processor_seconds()
    action()
    return Cost(time.perf_counter() - wall, processor_seconds() - cpu)


# --- the plain way ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plain:
    rules: Cost
    routes: Cost
    same: bool


def plain_way(task: Path, solved: Path) -> Plain:
    """Time of the plain way, and whether it sees the same timeline."""
    hidden = load_task(task / "tests")
    loaded = workspace.load(solved)
    files = loaded.rule_files
    asks = grading._merge(
        grading._asks(hidden.spec), preservation.plan(hidden.spec, files, hidden.baseline_files).asks(hidden.spec)
    )
    promtool = tools.find("promtool")
    timelines: list[Timeline] = []
    rules = measured(lambda: timelines.append(plain_replay(files, asks, promtool=promtool)))
    same = replay(files, asks, promtool=promtool).to_plain() == timelines[0].to_plain()
    assert loaded.alertmanager is not None
    routes = measured(lambda: plain_routes(loaded.alertmanager_text, label_sets(hidden.spec, timelines[0])))
    return Plain(rules, routes, same)


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
    spec = load_task(task / "tests").spec
    rules = sum(len(list(file.rules())) for file in workspace.load(solved).rule_files)
    cold, peak = cold_grade(task, solved)
    plain = plain_way(task, solved)
    cache = scratch / "answers"

    def grade() -> None:
        result = grading.grade(
            task / "tests", solved, promtool=tools.find("promtool"), amtool=tools.find("amtool"), cache=cache
        )
        if result.rewards["preservation"] < 1:
            raise SystemExit(f"{task.name}: the reference solution breaks something")

    def regrade() -> Regrade:
        with counted_starts() as starts:
            return Regrade(measured(grade), starts)

    grade()
    unchanged = regrade()
    edit_a_rule(solved, spec.alerts[0].alert)
    after_rule = regrade()
    edit_a_route(solved / workspace.ALERTMANAGER)
    figures = (plain.rules, plain.routes, plain.same, after_rule, regrade(), unchanged)
    return Row(task.name, len(spec.scenarios), rules, cold, peak, *figures)


def run_solution(task: Path, solved: Path) -> None:
    script = task / "solution" / "solve.sh"
    subprocess.run(["bash", script], env={"AF_WORKSPACE": str(solved), "PATH": "/usr/bin:/bin"}, check=True)


def edit_a_rule(solved: Path, alert: str) -> None:
    """Write the expression of an alert another way."""
    for path in sorted(path for path in (solved / workspace.RULES).rglob("*") if path.suffix in workspace.SUFFIXES):
        raw = yaml.safe_load(path.read_text("utf-8"))
        groups = raw.get("spec", raw).get("groups") or []
        for rule in (rule for group in groups for rule in group.get("rules") or [] if rule.get("alert") == alert):
            rule["expr"] = f"({rule['expr']}) * 1"
            path.write_text(yaml.safe_dump(raw, sort_keys=False), "utf-8")
            return
    raise SystemExit(f"no alert {alert}")


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
    for heading in ("task", "scenarios", "rules", "grade s", "peak MiB", "plain s", "of these amtool", "times faster"):
        found.add_column(heading)
    for heading in ("same", "rule edit s", "starts", "route edit s", "starts", "unchanged s", "starts"):
        found.add_column(heading)
    for row in rows:
        found.add_row(
            row.task,
            str(row.scenarios),
            str(row.rules),
            str(row.grade),
            f"{row.peak:.0f}",
            str(row.plain),
            str(row.plain_routes),
            f"{row.plain.wall / row.grade.wall:.1f} / {row.plain.cpu / row.grade.cpu:.1f}",
            "yes" if row.same else "NO",
            *(text for one in (row.rule_edit, row.route_edit, row.unchanged) for text in (str(one.cost), str(one))),
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
    out.width = max(out.width, 240)
    out.print(table(rows))
    faults = [fault for row in rows for fault in row.faults]
    for fault in faults:
        print(fault, file=sys.stderr)
    return int(bool(faults))


def write(tier: str, master: str, out: Path) -> Path:
    order = next(one for one in build.orders("", master) if one.tier == tier)
    return harbor.write(order.create(), out, promtool=tools.find("promtool"), amtool=tools.find("amtool"))


if __name__ == "__main__":
    sys.exit(main())
