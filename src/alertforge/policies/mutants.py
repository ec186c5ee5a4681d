"""Mutants: the reference solution with one to three slips, as someone makes them who is good at this and in a hurry.

A slip is an edit of the solved repo, or of its files once they are written. What a mutant must score is not known
beforehand, but for this much: a slip that changes what the repo does must cost something.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from alertforge.alertmanager import config as alertmanager
from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect, differs
from alertforge.defects.config import Scene, our_routes, replaced, routes, with_root
from alertforge.draft import Draft
from alertforge.items.alert import AlertItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.prometheus import rules as rule_files
from alertforge.prometheus.promql import Aggregate, Expr, PromQLError, parse, rewrite, to_text, walk
from alertforge.prometheus.rules import Rule
from alertforge.repo.model import CONFIG_PATH, Repo
from alertforge.seeds import Rng, Seed
from alertforge.task import Files

MOST: Final = 3  # slips of one mutant
TRIES: Final = 20  # slips drawn until enough of them have a place; lines until one breaks a file
MINUTE: Final = 60_000


@dataclass(frozen=True)
class Mutant:
    """One workspace, and what was done to the reference solution: `wrong-for P1`, `scratch-file rules/old.yml`."""

    slips: tuple[str, ...]
    files: Files

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its slips."""
        return tuple(slip.split(" ", 1)[0] for slip in self.slips)


@dataclass(frozen=True)
class Place:
    """Where a slip can happen. No two slips of a mutant are `about` the same; an edit may find that it fits not."""

    about: str
    edit: Callable[[Repo], Repo | None]
    detail: str = ""


@dataclass(frozen=True)
class Spot:
    """As a `Place`, in the files."""

    about: str
    edit: Callable[[Files], Files | None]


Places = Callable[[Draft, Rng], Iterator[Place]]  # in a drawn order
Spots = Callable[[Draft, Rng], Iterator[Spot]]
Change = Callable[[Rule, Draft, Rng], Rule | None]


def mutants(draft: Draft, count: int) -> tuple[Mutant, ...]:
    """`count` mutants of a task's solution, no two with the same slips, or fewer where there are not as many."""
    found: dict[frozenset[str], Mutant] = {}
    for number in range(count * TRIES):
        if len(found) == count:
            break
        mutant = _mutant(draft, draft.seed.child("mutant", number))
        found.setdefault(frozenset(mutant.slips), mutant)
    return tuple(found.values())


def _mutant(draft: Draft, seed: Seed) -> Mutant:
    """Slips are drawn until enough of them found a place; those in files come when the repo is done."""
    rng = seed.rng("slips")
    names = [rng.choice((*REPO_SLIPS, *FILE_SLIPS)) for _ in range(TRIES)]
    wanted = rng.between(1, MOST)
    repo, taken = draft.solved, set[str]()
    slips: list[str] = []
    late: list[str] = []
    for turn, name in enumerate(names):
        if len(slips) + len(late) == wanted:
            break
        if name in FILE_SLIPS:
            late += [name] if name not in late else []
            continue
        found = _slipped(repo, REPO_SLIPS[name](draft, seed.rng(name, turn)), taken)
        if found is not None:
            repo, place = found
            taken.add(place.about)
            slips.append(f"{name} {place.detail or place.about}")
    files = draft.files(repo)
    for name in late:
        for spot in FILE_SLIPS[name](draft, seed.rng(name)):
            edited = spot.edit(files)
            if edited is not None:
                files = edited
                slips.append(f"{name} {spot.about}")
                break
    return Mutant(tuple(slips), files)


def _slipped(repo: Repo, places: Iterator[Place], taken: set[str]) -> tuple[Repo, Place] | None:
    """The repo after the first slip that fits, and where it was."""
    for place in places:
        if place.about not in taken:
            edited = place.edit(repo)
            if edited is not None and edited != repo:
                return edited, place
    return None


# --- slips in what the queue asks for --------------------------------------------------------------------------------


def _undone(draft: Draft, rng: Rng) -> Iterator[Place]:
    """A requirement is forgotten."""
    yield from (Place(item.id, item.break_) for item in rng.shuffled(draft.items))


def _wrong_way(draft: Draft, rng: Rng) -> Iterator[Place]:
    """One of the wrong ways that the item knows."""
    for item in rng.shuffled(draft.items):
        for name, way in rng.shuffled(tuple(item.wrong().items())):
            yield Place(item.id, way.edit, f"{item.id}/{name}")


def _mis_fix(draft: Draft, rng: Rng) -> Iterator[Place]:
    """The symptom goes, the cause stays: the defect's own wrong repair."""
    for item in rng.shuffled(draft.items):
        if isinstance(item, AlertItem | RecordingItem) and item.defect is not None:
            yield Place(item.id, _mis_fixed(item, item.defect), f"{item.id}/{item.defect.name}")


def _mis_fixed(item: AlertItem | RecordingItem, defect: Defect) -> Callable[[Repo], Repo | None]:
    def edit(repo: Repo) -> Repo | None:
        for rule, broken in zip(_rules(item), _broken(item), strict=True):
            repaired = defect.mis_fix(broken, item.subject)
            if repaired is None or not differs(repaired, rule):
                return None
            repo = repo.replace_rule(rule, (repaired,))
        return repo

    return edit


def _duplicate(draft: Draft, rng: Rng) -> Iterator[Place]:
    """The same alert twice: the broken one was left beside the repaired one, or it was written in two ways."""
    for item in rng.shuffled(draft.items):
        if isinstance(item, AlertItem):
            ways = tuple(item.kind.accepted(item.subject).values())
            second = ways[rng.below(len(ways))] if item.broken is None else (item.broken,)
            yield Place(item.id, _beside(item.rule, second))


def _beside(rule: Rule, second: tuple[Rule, ...]) -> Callable[[Repo], Repo]:
    return lambda repo: repo.replace_rule(rule, (rule, *second))


def _on_rules(change: Change) -> Places:
    """A slip in the rules of an item, all of them alike."""

    def places(draft: Draft, rng: Rng) -> Iterator[Place]:
        for item in rng.shuffled(draft.items):
            if isinstance(item, AlertItem | RecordingItem):
                yield Place(item.id, _changed(_rules(item), lambda rule: change(rule, draft, rng)))

    return places


def _changed(rules: tuple[Rule, ...], change: Callable[[Rule], Rule | None]) -> Callable[[Repo], Repo | None]:
    def edit(repo: Repo) -> Repo | None:
        for rule in rules:
            new = change(rule)
            if new is None:
                return None
            repo = repo.replace_rule(rule, (new,))
        return repo

    return edit


def _rules(item: AlertItem | RecordingItem) -> tuple[Rule, ...]:
    return (item.rule,) if isinstance(item, AlertItem) else item.rules


def _broken(item: AlertItem | RecordingItem) -> tuple[Rule, ...]:
    if isinstance(item, RecordingItem):
        return item.broken
    return () if item.broken is None else (item.broken,)


def _without_by(rule: Rule, _: Draft, __: Rng) -> Rule | None:
    """Everything is summed up, whichever service it is of."""

    def bare(node: Expr) -> Expr:
        return replace(node, grouping=None) if isinstance(node, Aggregate) and not node.without else node

    if not any(isinstance(node, Aggregate) and node.grouping and not node.without for node in walk(rule.tree)):
        return None
    return rule.with_expr(rewrite(rule.tree, bare))


def _other_for(rule: Rule, _: Draft, rng: Rng) -> Rule | None:
    """None at all, half as long, or much longer."""
    if not rule.is_alert:
        return None
    waits = (0, rule.for_ // 2 // MINUTE * MINUTE, rule.for_ * 3, rule.for_ + 15 * MINUTE)
    return replace(rule, for_=rng.choice([wait for wait in waits if wait != rule.for_]))


def _other_severity(rule: Rule, draft: Draft, rng: Rng) -> Rule | None:
    """Another of the house's words."""
    style = draft.world.style
    if not rule.is_alert:
        return None
    words = (*style.severities.values(), style.info_severity)
    return rule.with_label(
        style.severity_label, rng.choice([word for word in words if word != rule.label(style.severity_label)])
    )


def _no_continue(draft: Draft, rng: Rng) -> Iterator[Place]:
    """A route that others follow ends the search; or what stood behind it was put in front, and ends it there."""

    def drop(repo: Repo) -> Repo | None:
        for path, route in routes(repo.config.route):
            if path and route.continue_:
                root = replaced(repo.config.route, path, replace(route, continue_=False))
                return repo.with_config(with_root(repo.config, root))
        return None

    def in_front(item: RouteItem) -> Callable[[Repo], Repo | None]:
        def edit(repo: Repo) -> Repo | None:
            root = repo.config.route
            first = next((at for at, route in enumerate(root.routes) if route.continue_), None)
            own = {path[0] for path, _ in our_routes(repo.config, Scene(draft.world, item.team.name))}
            if first is None or not own or min(own) <= first:
                return None
            moved = [route for at, route in enumerate(root.routes) if at in own]
            kept = [route for at, route in enumerate(root.routes) if at not in own]
            ordered = (*kept[:first], *moved, *kept[first:])
            return repo.with_config(with_root(repo.config, replace(root, routes=ordered)))

        return edit

    places = [Place("continue", drop, "dropped")]
    places += [Place(item.id, in_front(item)) for item in draft.items if isinstance(item, RouteItem)]
    yield from rng.shuffled(places)


# --- slips in what nobody asked about --------------------------------------------------------------------------------


def _neighbour(draft: Draft, rng: Rng) -> Iterator[Place]:
    """An alert that was right is adjusted on the way, or gone."""
    start = frozenset(draft.start.rules())
    alerts = tuple(rule for rule in draft.solved.rules() if rule.is_alert and rule in start)
    anyone = Subject(draft.world, draft.world.services[0])
    for rule in rng.shuffled(alerts):
        new = rng.choice(
            (None, shapes.threshold_up(rule, anyone), _other_for(rule, draft, rng), _other_severity(rule, draft, rng))
        )
        yield Place(rule.name, _instead(rule, new), rule.name if new else f"{rule.name}, deleted")


def _instead(rule: Rule, new: Rule | None) -> Callable[[Repo], Repo]:
    return lambda repo: repo.replace_rule(rule, () if new is None else (new,))


REPO_SLIPS: Final[Mapping[str, Places]] = {
    "undone": _undone,
    "wrong-way": _wrong_way,
    "mis-fix": _mis_fix,
    "duplicate-alert": _duplicate,
    "missing-by": _on_rules(_without_by),
    "wrong-for": _on_rules(_other_for),
    "wrong-severity": _on_rules(_other_severity),
    "missing-continue": _no_continue,
    "edited-neighbour": _neighbour,
}


# --- slips in the files ----------------------------------------------------------------------------------------------


def _edited(draft: Draft) -> tuple[str, ...]:
    """The files that the solution changes."""
    start, solved = draft.files(draft.start), draft.files(draft.solved)
    return tuple(path for path, text in solved.items() if start.get(path) != text)


def _scratch_file(draft: Draft, rng: Rng) -> Iterator[Spot]:
    """Something that was never meant to be loaded lies in `rules/`: a copy from before, a try, a test."""
    extension = draft.world.style.yaml.extension
    before = draft.files(draft.start)
    copies = {
        f"rules/{PurePosixPath(path).stem}-old.{extension}": before[path]
        for path in _edited(draft)
        if path.startswith("rules/") and path in before
    }
    leftovers = {
        **copies,
        f"rules/scratch.{extension}": (
            "groups:\n  - name: scratch\n    rules:\n      - alert: ScratchTest\n        expr: vector(1)\n"
        ),
        f"rules/try-test.{extension}": "rule_files:\n  - scratch.yml\nevaluation_interval: 1m\ntests: []\n",
    }
    for path, text in rng.shuffled(tuple(leftovers.items())):
        yield Spot(path, _with_file(path, text))


def _with_file(path: str, text: str) -> Callable[[Files], Files | None]:
    return lambda files: None if path in files else dict(sorted({**files, path: text}.items()))


def _broken_indent(draft: Draft, rng: Rng) -> Iterator[Spot]:
    """One line of an edited file stands a little too far left or right."""
    for path in rng.shuffled(_edited(draft)):
        yield Spot(path, _indented(path, rng))


def _indented(path: str, rng: Rng) -> Callable[[Files], Files | None]:
    def edit(files: Files) -> Files | None:
        before = files.get(path, "")  # gone where another slip left nothing in it
        lines = before.splitlines(keepends=True)
        inner = [at for at, line in enumerate(lines) if line.startswith("  ") and line.strip()]
        for at in rng.sample(inner, TRIES):
            line = rng.choice((lines[at][1:], f" {lines[at]}", f"  {lines[at]}"))
            text = "".join([*lines[:at], line, *lines[at + 1 :]])
            if _says(path, text) != _says(path, before):
                return {**files, path: text}
        return None

    return edit


def _says(path: str, text: str) -> object:
    """What a file means, as far as it can be read."""
    if path != CONFIG_PATH:
        file = rule_files.read(path, text)
        return [(group.name, [replace(rule, expr=_spelt(rule.expr)) for rule in group.rules]) for group in file.groups]
    try:
        return alertmanager.parse(text)
    except alertmanager.ConfigError as error:
        return str(error)


def _spelt(expr: str) -> str:
    """An expression without its layout, where it is one."""
    try:
        return to_text(parse(expr))
    except PromQLError:
        return expr


FILE_SLIPS: Final[Mapping[str, Spots]] = {"scratch-file": _scratch_file, "yaml-indent": _broken_indent}

SLIPS: Final = (*REPO_SLIPS, *FILE_SLIPS)

__all__ = ["SLIPS", "Mutant", "mutants"]
