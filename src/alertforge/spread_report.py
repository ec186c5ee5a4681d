"""The page that `alertforge spread` writes: what the rows of a run come to. The same rows give the same page."""

from __future__ import annotations

import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Final

from alertforge import build, variety
from alertforge.create import TIERS
from alertforge.grader.result import rounded
from alertforge.grader.spec import WEIGHTS
from alertforge.policies.mutants import SLIPS
from alertforge.spread import KEPT, Graded, Plan, Row

OFTEN: Final = Fraction(1, 3)  # of the tasks that could hold a sentence; more is too many
HOLDERS: Final = 6  # tasks that must hold a sentence before it is looked at: fewer have much in common by chance
COINCIDENCE: Final = 1e-4  # a chance under which it is none that all holders of a sentence share something
LISTED: Final = 40  # lines of a list that could be long
NEXT: Final = 10  # sentences shown of those that are not too frequent
SHOWN: Final = 12  # names that two tasks share


def report(rows: Sequence[Row], plan: Plan) -> str:
    """The whole page, Markdown."""
    made = [row for row in rows if not row.error]
    parts = [
        _head(plan),
        *_summary(rows, made, plan),
        *_troubles(rows, made, plan),
        *_sizes(made),
        *_rewards(made, plan),
        *_draws(made),
        *_overlaps(made),
        *_repeated(made),
    ]
    return "\n\n".join(parts) + "\n"


def command(plan: Plan, *, only: str = "", out: str = "DIR") -> str:
    """What makes these rows; a master seed of somebody's own stands nowhere."""
    parts = ["alertforge spread --out", out, f"--episodes {plan.episodes} --mutants {plan.mutants}"]
    parts += [f"--gate-every {plan.gate_every}"] if plan.gate_every != 1 else []
    parts += ["--master-seed S"] if plan.master != build.MASTER_SEED else []
    parts += [f"--only {only}"] if only else []
    return " ".join(parts)


def _head(plan: Plan) -> str:
    return (
        "# How much tasks vary\n\n"
        "Written by this command, which makes fresh tasks (none of them in the core tier), measures each, and grades\n"
        "its reference solution with one to three slips:\n\n"
        f"```\n{command(plan)}\n```"
    )


# --- in short --------------------------------------------------------------------------------------------------------


def _summary(rows: Sequence[Row], made: Sequence[Row], plan: Plan) -> Iterator[str]:
    mutants = _mutants(made)
    lines = [f"{len(made)} of {len(rows)} tasks could be made."]
    held = [row for row in made if row.verdicts]
    if held:
        passed = sum(not row.failures for row in held)
        lines.append(
            f"{passed} of {len(held)} that were held against the gate pass it ({_percent(passed, len(held))})."
        )
    elif made:
        lines.append("The gate was not asked (`--gate-every 0`).")
    if mutants:
        rewards = [one.reward for one in mutants]
        lines.append(
            f"{len(rewards)} mutants: mean reward {statistics.fmean(rewards):.3f}, "
            f"{_percent(rewards.count(0.0), len(rewards))} at 0, {_percent(rewards.count(1.0), len(rewards))} at 1, "
            f"{len(set(rewards))} distinct values."
        )
    queue = [f"`{value}`" for key in variety.groups()["The queue"] for value in _dead(made, key)]
    if len(queue) > LISTED:
        queue = [*queue[:LISTED], f"and {len(queue) - LISTED} more"]
    dead = sum(len(_dead(made, key)) for key in variety.vocabulary())
    lines.append(f"Alert kinds and defects never drawn: {', '.join(queue) or 'none'}.")
    lines.append(f"Of all {sum(map(len, variety.vocabulary().values()))} values that exist, {dead} were never drawn.")
    shared = _shared_files(made, lambda row: row.solution)
    lines.append(f"Solution files that two tasks share, canary apart: {len(shared)}.")
    often = sum(one.share > OFTEN for one in _said(made))
    lines.append(f"Sentences in more than a third of the tasks that could hold them: {often}.")
    yield "## In short\n\n" + _bullets(lines)


def _troubles(rows: Sequence[Row], made: Sequence[Row], plan: Plan) -> Iterator[str]:
    errors = [row for row in rows if row.error]
    if errors:
        table = _table(
            ("task", "why", "again with"),
            ([row.id, _prose(row.error), f"`{_sample(row, plan)}`"] for row in errors),
        )
        yield f"## Tasks that could not be made\n\n{table}"
    held = [row for row in made if row.verdicts]
    if not held:
        return
    by_tier = _table(
        ("tier", "tasks", "pass", "verdicts a task"),
        (
            (tier, len(some), sum(not row.failures for row in some), _range([row.verdicts for row in some]))
            for tier, some in _tiers(held)
        ),
    )
    failures = [(row, *failure) for row in held for failure in row.failures]
    listed = (
        _table(
            ("task", "verdict", "found", "again with"),
            ([row.id, name, _prose(detail), f"`{_sample(row, plan)}`"] for row, name, detail in failures),
        )
        if failures
        else "No verdict speaks against a task."
    )
    yield f"## Gate\n\n{by_tier}\n\n{listed}"


def _sample(row: Row, plan: Plan) -> str:
    master = " --master-seed S" if plan.master != build.MASTER_SEED else ""
    return f"alertforge sample --workflow {row.workflow} --tier {row.tier} --seed {row.number} --out DIR{master}"


def _sizes(made: Sequence[Row]) -> Iterator[str]:
    table = _table(
        ("tier", "tasks", "checks: least", "median", "most", "requirements", *WEIGHTS),
        (
            (
                tier,
                len(some),
                min(row.checks for row in some),
                f"{statistics.median(row.checks for row in some):g}",
                max(row.checks for row in some),
                _range([sum(row.requirements.values()) for row in some]),
                *(_range([row.requirements[kind] for row in some]) for kind in WEIGHTS),
            )
            for tier, some in _tiers(made)
        ),
    )
    yield f"## Checks and requirements\n\n{table}"


# --- rewards ---------------------------------------------------------------------------------------------------------


def _rewards(made: Sequence[Row], plan: Plan) -> Iterator[str]:
    every = _mutants(made)
    if not every:
        return
    rows = [("all", every), *((tier, _mutants(some)) for tier, some in _tiers(made))]
    by_tier = _table(
        ("tier", "mutants", "mean", "at 0", "at 1", "distinct", *(f"{tenth}0 %" for tenth in range(1, 10))),
        ((name, *_figures(some), *(f"{value:.3f}" for value in _deciles(some))) for name, some in rows),
    )
    by_slip = _table(
        ("slip", "mutants with it", "mean", "with it alone", "mean", "at 1"),
        (_slip(name, every) for name in SLIPS),
    )
    yield (
        "## Rewards of mutants\n\n"
        "The last nine columns are the deciles. A solution that is not whole earns at most 0.4.\n\n"
        f"{by_tier}\n\n{by_slip}"
    )
    whole = [(row, number, one) for row in made for number, one in enumerate(row.mutants, 1) if one.reward == 1.0]
    yield (
        "### Mutants that score 1.0\n\n"
        "Each of these must be as good as the reference: a slip that changes nothing that was asked for. "
        f"`{command(plan, only='TASK')}` keeps the workspaces, as `DIR/{KEPT}/TASK/mutant-N`.\n\n"
        + (
            _table(("task", "mutant", "slips"), ((r.id, n, "; ".join(o.slips)) for r, n, o in whole))
            if whole
            else "None."
        )
    )


def _mutants(made: Iterable[Row]) -> list[Graded]:
    return [one for row in made for one in row.mutants]


def _figures(some: Sequence[Graded]) -> tuple[object, ...]:
    rewards = [one.reward for one in some]
    share = (f"{_percent(rewards.count(end), len(rewards))}" for end in (0.0, 1.0))
    return (len(rewards), f"{statistics.fmean(rewards):.3f}", *share, len(set(rewards)))


def _deciles(some: Sequence[Graded]) -> list[float]:
    """The values under which a tenth, two tenths, ... of the rewards lie, by nearest rank."""
    ordered = sorted(one.reward for one in some)
    return [ordered[-(-len(ordered) * tenth // 10) - 1] for tenth in range(1, 10)]


def _slip(name: str, every: Sequence[Graded]) -> tuple[object, ...]:
    having = [one.reward for one in every if any(slip.split(" ", 1)[0] == name for slip in one.slips)]
    alone = [one.reward for one in every if len(one.slips) == 1 and one.slips[0].split(" ", 1)[0] == name]
    means = [f"{statistics.fmean(some):.3f}" if some else "-" for some in (having, alone)]
    return (name, len(having), means[0], len(alone), means[1], alone.count(1.0))


# --- what was drawn --------------------------------------------------------------------------------------------------


def _draws(made: Sequence[Row]) -> Iterator[str]:
    yield (
        "## What was drawn how often\n\n"
        "DEAD is what exists and was never drawn. The last column is the chance that an even draw would miss a given\n"
        "value in as many turns: where it is not small, DEAD may only mean that the run was short."
    )
    kinds = Counter(text.split(" ")[0] + " " + text.split(" ")[1] for row in made for text in row.asked)
    verbs = ("new", "repair", "re-home")
    policies = Counter(text for row in made for text in row.circumstances)
    yield "### Alert kinds\n\n" + _table(
        ("kind", *verbs, "in a house's policy"),
        (
            (kind, *(kinds[f"{verb} {kind}"] for verb in verbs), policies[f"policy: {kind}"])
            for kind in variety.vocabulary()["alert kind"]
        ),
    )
    for group, keys in variety.groups().items():
        yield f"### {group}\n\n" + _table(
            ("what", "values", "drawn", "DEAD", "chance"), (_draw(made, key) for key in keys)
        )


def _draw(made: Sequence[Row], key: str) -> tuple[object, ...]:
    counts, known = _counts(made, key), variety.vocabulary()[key]
    times = ", ".join(f"`{value}` {counts[value]}" for value in known if counts[value])
    dead = ", ".join(f"`{value}`" for value in _dead(made, key))
    missed = (1 - 1 / len(known)) ** sum(counts.values())
    return (key, len(known), times or "-", dead or "-", f"{missed:.1%}")


def _counts(made: Sequence[Row], key: str) -> Counter[str]:
    return Counter(value for row in made for value in row.drawn.get(key, ()))


def _dead(made: Sequence[Row], key: str) -> list[str]:
    counts = _counts(made, key)
    return [value for value in variety.vocabulary()[key] if not counts[value]]


# --- overlap ---------------------------------------------------------------------------------------------------------


def _overlaps(made: Sequence[Row]) -> Iterator[str]:
    shared = _shared_files(made, lambda row: row.solution)
    files = (
        _table(("files", "tasks"), ((", ".join(paths), ", ".join(ids)) for paths, ids in shared))
        if shared
        else "No file that a solution changes is the same, byte for byte and canary apart, in two tasks."
    )
    others = Counter(
        path for paths, ids in _shared_files(made, lambda row: row.unchanged) for path in paths for _ in ids[1:]
    )
    rest = ", ".join(f"`{path}` {times}" for path, times in sorted(others.items())) or "none"
    measures: dict[str, Callable[[Row], Counter[str]]] = {
        "requirements": lambda row: Counter(row.asked),
        "names": lambda row: Counter(row.names),
    }
    for source, _ in variety.SOURCES:
        measures[f"sentences: {source}"] = lambda row, source=source: Counter(row.sentences.get(source, ()))  # type: ignore[misc]
    closest = ((what, _closest(made, contents)) for what, contents in measures.items())
    yield (
        f"## Overlap\n\n{files}\n\nOther files of a workspace that are the same in several tasks, and in how many "
        f"more than one: {rest}.\n\n"
        "The two tasks that are closest to each other; overlap is what both have over what either has. In sentences\n"
        "names, numbers and code are masked.\n\n"
        + _table(
            ("of", "overlap", "tasks", "in both"),
            ((what, f"{found[0]:.2f}", f"{found[1]}, {found[2]}", found[3]) for what, found in closest if found),
        )
    )


def _closest(made: Sequence[Row], contents: Callable[[Row], Counter[str]]) -> tuple[float, str, str, str] | None:
    """The largest overlap of two tasks, which they are, and what they share."""
    have = [(row.id, contents(row)) for row in made]
    pairs = combinations([(name, some) for name, some in have if some], 2)
    best = max(
        ((_overlap(a, b), one, other, a & b) for (one, a), (other, b) in pairs), key=lambda p: p[0], default=None
    )
    if best is None:
        return None
    words = sorted(best[3].elements())
    more = f" and {len(words) - SHOWN} more" if len(words) > SHOWN else ""
    return best[0], best[1], best[2], _prose("; ".join(words[:SHOWN])) + more


def _overlap(one: Counter[str], other: Counter[str]) -> float:
    return (one & other).total() / (one | other).total()


def _shared_files(made: Sequence[Row], files: Callable[[Row], Mapping[str, str]]) -> list[tuple[list[str], list[str]]]:
    """Contents that are in several tasks: under which paths, in which tasks."""
    holders: dict[str, dict[str, str]] = defaultdict(dict)
    for row in made:
        for path, digest in files(row).items():
            holders[digest][row.id] = path
    return [(sorted(set(found.values())), list(found)) for found in holders.values() if len(found) > 1]


# --- sentences -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Said:
    """A sentence: where it stands, in how many tasks, and how many could hold it."""

    source: str
    text: str
    tasks: int
    could: int

    @property
    def share(self) -> Fraction:
        """Of the tasks that could hold it."""
        return Fraction(self.tasks, self.could)


def _repeated(made: Sequence[Row]) -> Iterator[str]:
    every = _said(made)
    often = [one for one in every if one.share > OFTEN]
    more = f"\n\nAnd {len(often) - LISTED} more." if len(often) > LISTED else ""
    yield (
        "## Sentences that come back too often\n\n"
        "Those in more than a third of the tasks that could hold them: the tasks that have everything that all of\n"
        "its holders have in common, of what was drawn or decides about texts, and not by chance. Only\n"
        f"sentences that at least {HOLDERS} tasks hold are looked at.\n\n"
        + (_sentence_table(often[:LISTED]) + more if often else "None.")
    )
    if rest := every[len(often) :][:NEXT]:
        yield f"The {len(rest)} most frequent of the others:\n\n{_sentence_table(rest)}"


def _sentence_table(some: Iterable[_Said]) -> str:
    return _table(
        ("in", "tasks", "of", "share", "sentence"),
        ((one.source, one.tasks, one.could, _percent(one.tasks, one.could), _prose(one.text)) for one in some),
    )


def _said(made: Sequence[Row]) -> list[_Said]:
    """The sentences that several tasks hold, the most frequent first."""
    traits = [_traits(row) for row in made]
    there = {
        source: [traits[at] for at, row in enumerate(made) if source in row.sentences] for source, _ in variety.SOURCES
    }
    holders: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, row in enumerate(made):
        for source, found in row.sentences.items():
            for text in found:
                holders[source, text].append(at)
    out = []
    for (source, text), those in holders.items():
        if len(those) >= HOLDERS:
            common = frozenset.intersection(*(traits[at] for at in those))
            out.append(_Said(source, text, len(those), _could_hold(common, len(those), there[source])))
    return sorted(out, key=lambda one: (-one.share, -one.tasks, one.source, one.text))


def _could_hold(common: frozenset[str], holders: int, tasks: Sequence[frozenset[str]]) -> int:
    """How many tasks have all that the holders have in common, but for what so many might share by chance."""
    prevalence = {one: sum(one in traits for traits in tasks) / len(tasks) for one in sorted(common)}
    telling = {one for one, part in prevalence.items() if part**holders < COINCIDENCE}
    return sum(telling <= traits for traits in tasks)


def _traits(row: Row) -> frozenset[str]:
    """Everything that may decide whether a sentence fits a task."""
    return frozenset(
        [*(f"{key}: {value}" for key, values in row.drawn.items() for value in values), *row.circumstances]
    )


# --- writing ---------------------------------------------------------------------------------------------------------


def _tiers(made: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    for tier in TIERS:
        some = [row for row in made if row.tier == tier]
        if some:
            yield tier, some


def _range(values: Sequence[int]) -> str:
    return str(min(values)) if min(values) == max(values) else f"{min(values)}-{max(values)}"


def _prose(text: str) -> str:
    """Text that Markdown shows as it stands."""
    return re.sub(r"([\\`*\[\]])", r"\\\1", text).replace("<", "&lt;")


def _percent(part: int, whole: int) -> str:
    return f"{rounded(100 * part / whole):.3g} %" if whole else "-"


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _table(headers: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(headers) + " |", "|" + "|".join("---" for _ in headers) + "|"]
    lines += ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
