"""The `alertforge` command: parse, call, print.

Results go to standard output, everything else to standard error. Expected errors are one line and an exit code:
2 bad usage or input, 1 a check that did not pass, 130 interrupted.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TransferSpeedColumn
from rich.table import Table

from alertforge import __version__, tools
from alertforge.errors import AlertForgeError

EXIT_FAILED = 1  # a check did not pass
EXIT_USAGE = 2  # bad usage or bad input
EXIT_INTERRUPTED = 130  # what a shell reports after Ctrl-C


class _ErrorsInOneLine(click.Group):
    """A group whose commands may raise expected errors; anything else keeps its traceback, as it is a bug."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except AlertForgeError as error:
            _fail(f"error: {error}", error.exit_code)
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
