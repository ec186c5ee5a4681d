"""The `alertforge` command: parse, call, print.

Results go to standard output, everything else to standard error. Expected errors are one line and an exit code:
2 bad usage or input, 1 a check that did not pass, 130 interrupted.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TransferSpeedColumn,
)
from rich.table import Table

from alertforge import __version__, build, display, spread, spread_report, tools
from alertforge.alertmanager.amtool import AmtoolError
from alertforge.errors import AlertForgeError
from alertforge.gate import gate, run_script
from alertforge.grader import grade as grading
from alertforge.grader import store
from alertforge.grader.result import Result
from alertforge.grader.spec import SpecError
from alertforge.harbor import directory as layout
from alertforge.prometheus.promtool import PromtoolError

EXIT_FAILED = 1  # a check did not pass
EXIT_USAGE = 2  # bad usage or bad input
EXIT_INTERRUPTED = 130  # what a shell reports after Ctrl-C

SECONDS_BETWEEN_LINES = 5.0  # of progress, where it does not go to a terminal
DEMO_CHECKS = 8  # shown of those that failed


class _ErrorsInOneLine(click.Group):
    """A group whose commands may raise expected errors; anything else keeps its traceback, as it is a bug."""

    def invoke(self, ctx: click.Context) -> object:
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # told to end, clean up as after Ctrl-C
        try:
            return super().invoke(ctx)
        except AlertForgeError as error:
            _fail(f"error: {error}", error.exit_code)
        except (SpecError, PromtoolError, AmtoolError) as error:
            _fail(f"error: {error}", EXIT_USAGE)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise  # the reader of our output has gone: click ends quietly
            where = f"{error.filename}: " if error.filename else ""
            _fail(f"error: {where}{error.strerror or error}", EXIT_USAGE)
        except KeyboardInterrupt:
            _fail("interrupted", EXIT_INTERRUPTED)


def _fail(text: str, exit_code: int) -> NoReturn:
    """End with one line on standard error."""
    click.echo(" ".join(text.split()), err=True)
    raise click.exceptions.Exit(exit_code)


@click.group(cls=_ErrorsInOneLine, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="alertforge")
def main() -> None:
    """Generate and grade tasks about Prometheus alerting rules and Alertmanager routing."""


# Making tasks

_MASTER = click.option(
    "--master-seed",
    "master",
    default=build.MASTER_SEED,
    show_default=True,
    metavar="S",
    help="A text from which everything is drawn. A secret one stands in nothing that is written.",
)
_OUT = click.option("--out", required=True, type=click.Path(path_type=Path), metavar="DIR", help="Made where missing.")
_GATE = click.option(
    "--gate/--no-gate", "gated", default=True, show_default=True, help="Hold each task against the gate."
)
_WORKFLOWS = click.option(
    "--workflows",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Workflows of your own in YAML, in place of the core tier's.",
)


@main.command("build")
@_OUT
@_MASTER
@click.option("--only", default="", metavar="TEXT", help="Just the tasks whose id contains this.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1), metavar="N", help="Tasks at a time.")
@_GATE
@click.pass_context
def build_command(ctx: click.Context, out: Path, master: str, only: str, jobs: int, gated: bool) -> None:
    """Build the dataset: tasks/, partial/, null/, manifest.jsonl and registry.json.

    A task that its gate rejects goes to rejected/ and is in neither list; exit code 1 when there is one.
    """
    wanted = build.orders(only, master)
    with _spinner() as spinner:

        def done(one: build.Built) -> None:
            spinner.say(f"{one.id} {display.summary(one.report)}")

        outcome = build.build(out, wanted, _kit(gated, jobs), jobs=jobs, progress=spinner.step, done=done)
    for one in outcome.rejected:
        _say_failures(one)
    ctx.exit(EXIT_FAILED if outcome.rejected else 0)


@main.command("sample")
@click.option("--workflow", required=True, metavar="W", help="For example slo-onboarding.")
@click.option("--tier", required=True, metavar="T", help="easy, medium or hard.")
@click.option(
    "--seed", "number", required=True, type=int, metavar="N", help="1 or higher; 1 and 2 are the core tier's."
)
@_OUT
@_MASTER
@_WORKFLOWS
@_GATE
@click.pass_context
def sample_command(
    ctx: click.Context,
    workflow: str,
    tier: str,
    number: int,
    out: Path,
    master: str,
    file: Path | None,
    gated: bool,
) -> None:
    """Make one task, into a folder of its name in DIR; what was there under that name is replaced."""
    order = build.Order(workflow, tier, number, master, file)
    with _spinner() as spinner:
        one = build.sample(out, order, _kit(gated), progress=spinner.step)
    place = out / one.id if one.ok else out / "rejected" / one.id
    click.echo(f"{place} {display.summary(one.report)}")
    _say_failures(one)
    ctx.exit(0 if one.ok else EXIT_FAILED)


@main.command("gate")
@click.argument("tasks", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="TASK...")
@_MASTER
@_WORKFLOWS
@click.pass_context
def gate_command(ctx: click.Context, tasks: Sequence[Path], master: str, file: Path | None) -> None:
    """Make each task anew from its id, compare the bytes, and hold it against the gate; exit code 1 when one fails."""
    orders = [build.order(layout.read_metadata(folder)["id"], master, file) for folder in tasks]
    kit = _kit()
    accepted = True
    for folder, order in zip(tasks, orders, strict=True):
        with _spinner() as spinner:
            spinner.step(f"{order.id}: create")
            report = gate(
                order.create(),
                folder,
                promtool=kit.promtool,
                amtool=kit.amtool,
                workers=kit.workers,
                rebuild=order.create,
                progress=build.about(order.id, spinner.step),
            )
        display.show_report(report)
        click.echo(f"{report.task} {display.summary(report)}")
        accepted = accepted and report.ok
    ctx.exit(0 if accepted else EXIT_FAILED)


@main.command("spread")
@_OUT
@click.option(
    "--episodes", default=200, show_default=True, type=click.IntRange(min=1), metavar="N", help="Tasks to make."
)
@click.option(
    "--mutants", default=4, show_default=True, type=click.IntRange(min=0), metavar="K", help="Slips of each solution."
)
@_MASTER
@click.option("--only", default="", metavar="TEXT", help="Just the tasks whose id contains this, made anew; no page.")
@click.option("--jobs", default=1, show_default=True, type=click.IntRange(min=1), metavar="N", help="Tasks at a time.")
@click.option(
    "--gate-every",
    default=1,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="Hold one task in N against the gate, which costs most of the time; 0 for none.",
)
@click.pass_context
def spread_command(
    ctx: click.Context, out: Path, episodes: int, mutants: int, master: str, only: str, jobs: int, gate_every: int
) -> None:
    """Measure how much tasks vary: make fresh ones and grade their solutions with slips.

    Writes spread.md and spread.json. Run again with the same options, it goes on where it was interrupted. With
    --only, the directories of the tasks and of their mutants stay in DIR/kept/. Exit code 1 when a task cannot be made
    or its gate rejects it.
    """
    plan = spread.Plan(master, episodes, mutants, gate_every, only)
    with _spinner() as spinner:

        def done(row: spread.Row) -> None:
            spinner.say(spread.line(row))

        rows = spread.spread(out, plan, _kit(jobs=jobs), jobs=jobs, progress=spinner.step, done=done)
    if not only:
        document = {"command": spread_report.command(plan), "rows": [asdict(row) for row in rows]}
        _write_whole(out / "spread.json", json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        _write_whole(out / "spread.md", spread_report.report(rows, plan))
        click.echo(out / "spread.md")
    ctx.exit(EXIT_FAILED if any(row.error or row.failures for row in rows) else 0)


def _kit(gated: bool = True, jobs: int = 1) -> build.Kit:
    """What tasks are made with: the processors are shared among the jobs."""
    workers = max(1, (os.cpu_count() or 1) // jobs)
    return build.Kit(tools.find("promtool"), tools.find("amtool"), min(workers, 4), gated)


def _say_failures(one: build.Built) -> None:
    for line in display.failures(one.report):
        click.echo(f"{one.id}: {line}", err=True)


# Grading


@main.command("grade")
@click.option(
    "--task", "task", required=True, type=click.Path(path_type=Path), metavar="DIR", help="A task's directory."
)
@click.option(
    "--workspace", required=True, type=click.Path(path_type=Path), metavar="DIR", help="The monitoring directory."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.option("--details", type=click.Path(path_type=Path), metavar="FILE", help="Write that object to a file as well.")
def grade_command(task: Path, workspace: Path, as_json: bool, details: Path | None) -> None:
    """Grade a workspace and say for each failed check what was expected and what was seen.

    What the tools answered is kept in your cache folder: grading an unchanged workspace again starts none of them.
    """
    layout.read_metadata(task)
    if not workspace.is_dir():
        raise AlertForgeError(f"{workspace} is not a directory")
    if not (workspace / "rules").exists() and (workspace / "monitoring" / "rules").is_dir():
        raise AlertForgeError(f"{workspace} has no rules of its own; did you mean {workspace / 'monitoring'}?")
    if details is not None and not details.absolute().parent.is_dir():
        raise AlertForgeError(f"{details}: there is no such folder to write to")
    promtool, amtool = _grading_tools()
    cache = tools.cache_dir() / "grades"
    with _spinner() as spinner:
        spinner.step("grading")
        result = grading.grade(
            task / "tests",
            workspace,
            promtool=promtool,
            amtool=amtool,
            workers=min(os.cpu_count() or 1, 4),
            cache=cache,
        )
    document = json.dumps(result.to_plain(), ensure_ascii=False, indent=1)
    if details is not None:
        _write_whole(details, document + "\n")
    if as_json:
        click.echo(document)
    else:
        display.show_result(result)


@main.command("demo")
@_MASTER
def demo_command(master: str) -> None:
    """Build an easy task in a scratch folder and grade three ways of solving it: whole, not at all, and half."""
    order = build.orders("-easy-s1", master)[0]
    kit = _kit(gated=False)
    with tempfile.TemporaryDirectory(prefix="alertforge-demo-") as scratch, _spinner() as spinner:
        built = build.build(Path(scratch), [order], kit, progress=spinner.step)
        task = Path(scratch, "tasks", order.id)
        results = {
            name: _graded_script(task, script, Path(scratch, name), kit, spinner)
            for name, script in {
                "oracle": task / "solution" / "solve.sh",
                "nop": Path(scratch, "null", order.id, "solve.sh"),
                "partial": Path(scratch, "partial", order.id, "solve.sh"),
            }.items()
        }
    out = display.console()
    out.print(f"{order.id}: {built.built[0].row['checks']} checks\n")
    out.print(display.rewards_table({name: result.rewards for name, result in results.items()}))
    out.print()
    out.print(display.family_table(results))
    failed = display.failed_checks(results["partial"])
    shown = failed[:DEMO_CHECKS]
    out.print(
        f"\nThe first {len(shown)} of {len(failed)} checks that the partial solution failed (`grade` shows all):\n"
    )
    out.print(display.checks_table(shown))


def _graded_script(task: Path, script: Path, workspace: Path, kit: build.Kit, spinner: _Spinner) -> Result:
    """The grade of a copy of the start repo on which a script has run."""
    spinner.step(f"grade {workspace.name}")
    start = {path: data.decode() for path, data in layout.read_tree(task / layout.WORKSPACE).items()}
    layout.put(workspace, start)
    if complaint := run_script(script, workspace):
        raise AlertForgeError(f"{script}: {complaint}")
    return grading.grade(
        task / "tests",
        workspace,
        promtool=kit.promtool,
        amtool=kit.amtool,
        workers=kit.workers,
        cache=workspace.parent / "answers",
    )


def _grading_tools() -> tuple[Path, Path]:
    """promtool and amtool. Those found before, in the same surroundings and still the same files, are not asked again.

    A tool that deserves a warning is never remembered: its warning must come each time.
    """
    kept = store.Store(tools.cache_dir() / "found")
    names = ("promtool", "amtool")
    surroundings = [os.environ.get(tools.TOOLS[name].variable) for name in names]
    key = store.key("found", surroundings, os.environ.get("PATH"), str(tools.cache_dir()))
    known = kept.get(key)
    if isinstance(known, list) and all(list(store.tool_identity(Path(path))) == identity for path, identity in known):
        return Path(known[0][0]), Path(known[1][0])
    found = tuple(tools.find(name) for name in names)
    if not any(tools.locate(name).note for name in names):
        kept.put(key, [[str(path), list(store.tool_identity(path))] for path in found])
    return found[0], found[1]


def _write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    handle, temporary = tempfile.mkstemp(dir=path.absolute().parent, prefix=".new-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    finally:
        Path(temporary).unlink(missing_ok=True)


# Tools


@main.group("tools")
def tools_group() -> None:
    """Find or fetch promtool, amtool and alertmanager.

    A tool is looked up in AF_PROMTOOL, AF_AMTOOL or AF_ALERTMANAGER, then on PATH, then in the cache that
    `tools install` fills (AF_CACHE, or alertforge in your cache folder).
    """


@tools_group.command("install")
@click.option(
    "--only",
    "names",
    multiple=True,
    type=click.Choice(list(tools.TOOLS)),
    help="Just this tool; may be repeated.  [default: promtool, amtool, alertmanager]",
)
@click.option(
    "--source",
    type=click.Choice(["auto", "release", "debian"]),
    default="auto",
    show_default=True,
    help="Official release archives, Debian's packages, or the first of these that can be reached.",
)
@click.option("--force", is_flag=True, help="Fetch into the cache even what is there already.")
@click.option("--release-url", default=tools.RELEASE_URL, show_default=True, help="Where the projects' releases are.")
def tools_install(names: Sequence[str], source: tools.Source, force: bool, release_url: str) -> None:
    """Fetch the tools that this machine lacks into the cache; nothing is installed system-wide."""
    with _download_progress() as progress:
        installed = tools.install(
            names or tools.INSTALLED_BY_DEFAULT,
            source=source,
            force=force,
            release_url=release_url,
            progress=progress,
        )
    for each in installed:
        state = "installed" if each.fetched else f"found ({each.tool.origin})"
        click.echo(f"{each.tool.name} {each.tool.version} {state}: {each.tool.path}")
        if each.tool.note:
            click.echo(f"warning: {each.tool.name} {each.tool.note}", err=True)


@tools_group.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else.")
@click.pass_context
def tools_doctor(ctx: click.Context, as_json: bool) -> None:
    """Say where each tool is and whether it will do; exit code 1 when a needed one will not."""
    found = tools.doctor()
    healthy = all(each.healthy for each in found)
    if as_json:
        click.echo(json.dumps({"ok": healthy, "tools": [asdict(each) for each in found]}, indent=2))
    else:
        _print_diagnoses(found)
    ctx.exit(0 if healthy else EXIT_FAILED)


def _print_diagnoses(found: Sequence[tools.Diagnosis]) -> None:
    table = Table(box=None, pad_edge=False)
    for heading in ("tool", "verdict", "version", "found by", "path"):
        table.add_column(heading, overflow="fold")
    for each in found:
        verdict = each.verdict if each.needed or each.verdict == "ok" else f"{each.verdict} (optional)"
        table.add_row(each.name, verdict, each.version or "-", each.origin or "-", each.path or "-")
    console = Console(markup=False, highlight=False)
    if not console.is_terminal:
        console.width = 200  # a file or a pipe has no edge at which to fold a path
    console.print(table)
    for each in found:
        if each.advice:
            console.print(f"{each.name}: {each.advice}", soft_wrap=True)


class _DownloadProgress:
    """Shows `tools install` at work: a line for each step, a bar for each download on a terminal."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def step(self, text: str) -> None:
        self._bars.console.print(text, soft_wrap=True, markup=False, highlight=False)

    def advance(self, label: str, done: int, total: int) -> None:
        if label not in self._tasks:
            self._tasks[label] = self._bars.add_task(label)
        self._bars.update(self._tasks[label], completed=done, total=total or None)


@contextmanager
def _download_progress() -> Iterator[_DownloadProgress]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield _DownloadProgress(bars)


class _Spinner:
    """Shows what long work is at; lines said meanwhile go to standard output.

    Where standard error is no terminal, a line every now and then does it.
    """

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task = bars.add_task("")
        self._told = time.monotonic()

    def step(self, what: str) -> None:
        """What is done now."""
        self._bars.update(self._task, description=what)
        if self._bars.disable and time.monotonic() - self._told > SECONDS_BETWEEN_LINES:
            self._told = time.monotonic()
            click.echo(what, err=True)

    def say(self, text: str) -> None:
        """A line of the result."""
        self._bars.stop()
        click.echo(text)
        self._bars.start()


@contextmanager
def _spinner() -> Iterator[_Spinner]:
    console = Console(stderr=True, markup=False)
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, disable=not console.is_terminal
    ) as bars:
        yield _Spinner(bars)
