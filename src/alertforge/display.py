"""Grades and gate reports as a person reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from alertforge.gate import Report
from alertforge.grader.result import Check, RequirementScore, Result, clipped, rounded

WIDTH = 160  # where the output is no terminal


def console() -> Console:
    """Standard output, without markup: names and texts come from workspaces."""
    found = Console(markup=False, highlight=False, emoji=False)
    if not found.is_terminal:
        found.width = WIDTH
    return found


def show_result(result: Result) -> None:
    """A whole grade: rewards, requirements, what is wrong with the files, and the failed checks last."""
    out = console()
    out.print(rewards_table({"": result.rewards}))
    out.print()
    out.print(requirements_table(result.requirements))
    out.print(
        "s: 0 as the repo was given, 1 done, below 0 made worse; q: how well the checks are met, from which s comes\n"
    )
    for what, lines in (("problem", result.problems), ("tamper", result.tamper), ("note", result.notes)):
        for line in lines:
            out.print(f"{what}: {clipped(line)}", soft_wrap=True)
    failed = failed_checks(result)
    out.print(f"\n{len(result.checks) - len(failed)} of {len(result.checks)} checks passed")
    if failed:
        out.print()
        out.print(checks_table(failed))


def failed_checks(result: Result) -> list[Check]:
    """The checks that were not met in full."""
    return [check for check in result.checks if not check.passed]


def rewards_table(rewards: Mapping[str, Mapping[str, float]]) -> Table:
    """Reward keys down, one column for each grade."""
    table = _table("reward key", *rewards)
    for key in next(iter(rewards.values())):
        table.add_row(key, *(f"{values[key]:g}" for values in rewards.values()))
    return table


def requirements_table(requirements: Iterable[RequirementScore]) -> Table:
    """Scores of the requirements, with the means of each family of checks."""
    table = _table("requirement", "kind", "weight", "s", "q", "q at start", "means of its checks")
    for one in requirements:
        figures = (f"{rounded(value):g}" for value in (one.s, one.q, one.q_start))
        means = "  ".join(f"{family} {rounded(value):.3g}" for family, value in one.families.items())
        table.add_row(one.id, one.kind, str(one.weight), *figures, means)
    return table


def checks_table(checks: Sequence[Check]) -> Table:
    """Checks with their evidence."""
    table = _table("check", "score", "scenario", "minutes", "expected", "seen")
    for check in checks:
        minutes = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in check.minutes)
        texts = (check.scenario or "-", minutes or "-", clipped(check.expected), clipped(check.seen))
        table.add_row(clipped(check.id), f"{rounded(check.score):g}", *texts)
    return table


def family_table(results: Mapping[str, Result]) -> Table:
    """Checks passed, by requirement and family, one column for each grade."""
    keys = dict.fromkeys((check.requirement, check.family) for one in results.values() for check in one.checks)
    table = _table("requirement", "checks", *results)
    for requirement, family in keys:
        cells = []
        for result in results.values():
            asked = [check for check in result.checks if (check.requirement, check.family) == (requirement, family)]
            cells.append(f"{sum(check.passed for check in asked)} of {len(asked)}")
        table.add_row(requirement, family, *cells)
    return table


def show_report(report: Report) -> None:
    """Every verdict of a gate, the failed ones last."""
    table = _table(report.task, "verdict", "found")
    for verdict in sorted(report.verdicts, key=lambda one: not one.ok):
        table.add_row(verdict.name, "ok" if verdict.ok else "FAILED", clipped(verdict.detail))
    console().print(table)


def summary(report: Report | None) -> str:
    """A gate's report in a line."""
    if report is None:
        return "written, not gated"
    rewards = ", ".join(f"{policy} {value:g}" for policy, value in report.rewards.items())
    state = "accepted" if report.ok else f"REJECTED by {len(report.failures)} of {len(report.verdicts)} verdicts"
    return f"{state}: {rewards}" if report.failures else f"{state}: {rewards}; {len(report.verdicts)} verdicts"


def failures(report: Report | None) -> list[str]:
    """A line for each verdict against a task."""
    return [f"{one.name}: {clipped(one.detail)}" for one in report.failures] if report else []


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
