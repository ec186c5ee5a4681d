"""Workflows: recipes in YAML for what makes a task of a kind and tier; `docs/workflows.md` is their manual.

A workflow names the story, the people who tell it, and for each tier the queue: which items, on which alerts, broken
in which manner. Everything else is drawn by the planner. Loading checks every key and value against what exists, and
an error names file, line and key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, cast

import yaml

from alertforge.alerts import KINDS
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import LATENCY
from alertforge.defects import CONFIG_DEFECTS, DEFECTS
from alertforge.errors import AlertForgeError
from alertforge.repo.brief import Expertise, Persona, Tone

PATH: Final = Path(__file__).with_name("workflows.yaml")  # those of the core tier

ItemKind = Literal["new-alert", "repair", "rehome", "recording", "route", "inhibition"]
State = Literal["new", "broken"]
Sli = Literal["availability", "latency"]

FLAVOURS: Final = ("noisy", "silent", "misrouted", "cosmetic")
PERSONAS: Final = ("sre", "team-lead", "on-call")
TONES: Final = ("plain", "friendly", "terse", "formal")
EXPERTISE: Final = ("novice", "practitioner", "expert")
SLIS: Final = ("availability", "latency")
SIBLINGS: Final = ("fast-burn", "slow-burn")
NAMED: Final = ("new", "moved", *FLAVOURS)  # which services a situation may name, by what is asked about their alerts


class WorkflowError(AlertForgeError):
    """A workflow file that cannot be used; one line with file, line and key."""


@dataclass(frozen=True)
class Size:
    """What a tier is by itself: services in focus, requirements (from, to), rule files nobody asks about, levels."""

    services: int
    requirements: tuple[int, int]
    distractors: int
    expertise: tuple[Expertise, ...]


SIZES: Final[Mapping[str, Size]] = {
    "easy": Size(1, (5, 5), 1, ("novice", "practitioner")),
    "medium": Size(2, (9, 10), 3, ("practitioner", "expert")),
    "hard": Size(3, (14, 14), 8, ("practitioner", "expert")),
}


@dataclass(frozen=True)
class Situation:
    """How an instruction opens, and about which services that may be said: all of the task unless `names` says so."""

    text: str  # jinja2 over `services` and the words of `asking.forms`
    names: str = ""  # those with such a request: an alert that is "new" or "moved", or a report of that flavour
    kinds: tuple[str, ...] = ()  # of alert; only these count, for `unless` as well. Empty: all
    unless: tuple[str, ...] = ()  # flavours that no broken alert of a named service may have


@dataclass(frozen=True)
class Entry:
    """One line of a queue: `count` items of a kind, and what they may be about. Empty tuples allow everything."""

    item: ItemKind
    count: int = 1
    on: int | None = None  # which service in focus, from 1
    kinds: tuple[str, ...] = ()  # of alert
    flavours: tuple[str, ...] = ()  # of the defects
    defects: tuple[str, ...] = ()
    state: State = "new"
    sli: Sli = "availability"
    audit: bool = False  # a repair without a postmortem


@dataclass(frozen=True)
class Recipe:
    """A workflow at one tier."""

    tier: str
    queue: tuple[Entry, ...]
    services: int
    distractors: int
    expertise: tuple[Expertise, ...]

    @property
    def requirements(self) -> int:
        """How many items the queue has."""
        return sum(entry.count for entry in self.queue)


@dataclass(frozen=True)
class Workflow:
    """One kind of week in the life of who owns the alerts."""

    name: str
    title: str
    skill: str  # the skill it practises, a folder of `skill/`
    archetypes: tuple[str, ...]
    verifier: str  # how most of it is verified: "replay", "routing", ...
    personas: tuple[Persona, ...]
    tones: tuple[Tone, ...]
    situations: tuple[Situation, ...]  # how the instruction opens
    tiers: Mapping[str, Recipe]
    watch: tuple[str, ...] = ()  # alerts that every service in focus has, beside the one for being down
    siblings: tuple[str, ...] = SIBLINGS  # burn alerts that bystanders may have, the likeliest first; none on hard
    slis: tuple[Sli, ...] = field(default=("availability",))  # what the house records


def core() -> Mapping[str, Workflow]:
    """The workflows of the core tier, in the order of their task ids."""
    if not _CORE:
        _CORE.update(load(PATH))
    return _CORE


_CORE: dict[str, Workflow] = {}


def load(path: Path) -> dict[str, Workflow]:
    """The workflows of a file by name, in its order. Raises WorkflowError with file, line and key."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorkflowError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8'}") from None
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WorkflowError(f"{path.name}:{line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise WorkflowError(f"{path.name}:1: not YAML: {' '.join(str(error).split())}") from None
    if root is None:
        raise WorkflowError(f"{path.name}:1: the file is empty")
    fields = _Node(root, path.name, "").mapping(("version", "workflows"))
    fields["version"].integer(1, 1)
    out: dict[str, Workflow] = {}
    for node in fields["workflows"].items():
        workflow = _workflow(node)
        if workflow.name in out:
            node.fail(f"workflow {workflow.name!r} stands there twice")
        out[workflow.name] = workflow
    return out


# --- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Node:
    """A YAML node with the place where it stands."""

    node: yaml.Node
    file: str
    key: str

    def fail(self, why: str) -> None:
        """Raise WorkflowError about this node."""
        where = f"{self.key}: " if self.key else ""
        raise WorkflowError(f"{self.file}:{self.node.start_mark.line + 1}: {where}{why}")

    def mapping(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, _Node]:
        """The values of a mapping that has all required keys, and none that is unknown or doubled."""
        if not isinstance(self.node, yaml.MappingNode):
            self.fail("expected a mapping")
        out: dict[str, _Node] = {}
        for key_node, value in cast(yaml.MappingNode, self.node).value:
            key = str(key_node.value)
            child = _Node(value, self.file, f"{self.key}.{key}" if self.key else key)
            if key in out:
                _Node(key_node, self.file, child.key).fail("stands there twice")
            if key not in (*required, *optional):
                known = ", ".join((*required, *optional))
                _Node(key_node, self.file, child.key).fail(f"unknown key; there are {known}")
            out[key] = child
        for key in required:
            if key not in out:
                self.fail(f"key {key!r} is missing")
        return out

    def items(self) -> Iterator[_Node]:
        """The items of a list that has at least one."""
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            self.fail("expected a list with at least one item")
        for number, item in enumerate(cast(yaml.SequenceNode, self.node).value):
            yield _Node(item, self.file, f"{self.key}[{number}]")

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.node, yaml.ScalarNode) or not self.node.value.strip():
            self.fail("expected a text")
        return str(self.node.value).strip()

    def integer(self, low: int, high: int) -> int:
        """A whole number in a range."""
        text = self.text()
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            self.fail(f"expected a whole number from {low} to {high}, not {text!r}")
        return int(text)

    def flag(self) -> bool:
        """`true` or `false`."""
        return self.word(("true", "false")) == "true"

    def word(self, known: Collection[str]) -> str:
        """One of the words that exist."""
        text = self.text()
        if text not in known:
            self.fail(f"{text!r} is not one of {', '.join(known)}")
        return text

    def words(self, known: Collection[str]) -> tuple[str, ...]:
        """Some of the words that exist."""
        return tuple(item.word(known) for item in self.items())


def _workflow(node: _Node) -> Workflow:
    fields = node.mapping(
        ("name", "title", "skill", "archetypes", "verifier", "personas", "situations", "tiers"),
        ("tones", "watch", "siblings"),
    )
    name = fields["name"].text()
    if not all(part.isalnum() and part.islower() and part.isascii() for part in name.split("-")):
        fields["name"].fail(f"{name!r} is not lower-case words joined by dashes")
    tiers = {tier: _recipe(tier, one) for tier, one in fields["tiers"].mapping((), tuple(SIZES)).items()}
    if not tiers:
        fields["tiers"].fail("expected at least one tier")
    burn = [one for one, kind in KINDS.items() if kind.burn]
    siblings = fields["siblings"].words(burn) if "siblings" in fields else SIBLINGS
    queued = {kind for recipe in tiers.values() for entry in recipe.queue for kind in entry.kinds}
    latency = any(isinstance(kind := KINDS[one], BurnKind) and kind.sli is LATENCY for one in {*siblings, *queued})
    return Workflow(
        name,
        fields["title"].text(),
        fields["skill"].text(),
        tuple(item.text() for item in fields["archetypes"].items()),
        fields["verifier"].text(),
        cast(tuple[Persona, ...], fields["personas"].words(PERSONAS)),
        cast(tuple[Tone, ...], fields["tones"].words(TONES) if "tones" in fields else TONES),
        _situations(fields["situations"]),
        tiers,
        fields["watch"].words(KINDS) if "watch" in fields else (),
        siblings,
        ("availability", "latency") if latency else ("availability",),
    )


def _situations(node: _Node) -> tuple[Situation, ...]:
    """All of them, of which one at least must be true of any task."""
    out = tuple(_situation(item) for item in node.items())
    if all(one.names for one in out):
        node.fail("expected at least one that names all services: a text without 'names'")
    return out


def _situation(node: _Node) -> Situation:
    if isinstance(node.node, yaml.ScalarNode):
        return Situation(node.text())
    fields = node.mapping(("text", "names"), ("kinds", "unless"))
    return Situation(
        fields["text"].text(),
        fields["names"].word(NAMED),
        fields["kinds"].words(KINDS) if "kinds" in fields else (),
        fields["unless"].words(FLAVOURS) if "unless" in fields else (),
    )


def _recipe(tier: str, node: _Node) -> Recipe:
    fields = node.mapping(("queue",), ("services", "distractors", "expertise"))
    size = SIZES[tier]
    services = fields["services"].integer(1, 10) if "services" in fields else size.services
    queue = tuple(_entry(item, services) for item in fields["queue"].items())
    first, last = size.requirements
    recipe = Recipe(
        tier,
        queue,
        services,
        fields["distractors"].integer(0, 12) if "distractors" in fields else size.distractors,
        cast(tuple[Expertise, ...], fields["expertise"].words(EXPERTISE) if "expertise" in fields else size.expertise),
    )
    if not first <= recipe.requirements <= last:
        wanted = str(first) if first == last else f"{first} to {last}"
        fields["queue"].fail(f"{recipe.requirements} requirements, {tier} has {wanted}")
    return recipe


_ENTRY_KEYS: Final[Mapping[ItemKind, tuple[tuple[str, ...], tuple[str, ...]]]] = {  # required, optional
    "new-alert": (("kinds",), ("on", "count")),
    "repair": ((), ("count", "on", "kinds", "flavours", "defects", "audit")),
    "rehome": (("on",), ("count", "kinds")),
    "recording": ((), ("state", "sli", "defects")),
    "route": ((), ("state", "defects")),
    "inhibition": ((), ("state", "defects")),
}


def _entry(node: _Node, services: int) -> Entry:
    ((item, body),) = _single(node).items()
    required, optional = _ENTRY_KEYS[item]
    fields = body.mapping(required, optional)
    alerts = {name: kind for name, kind in KINDS.items() if item in ("new-alert", "repair") or not kind.burn}
    defects = {
        "recording": [name for name, defect in DEFECTS.items() if defect.records],
        "route": [name for name, defect in CONFIG_DEFECTS.items() if defect.family == "routes"],
        "inhibition": [name for name, defect in CONFIG_DEFECTS.items() if defect.family == "inhibitions"],
    }.get(item, [name for name, defect in DEFECTS.items() if not defect.records])
    return Entry(
        item,
        fields["count"].integer(1, 12) if "count" in fields else 1,
        fields["on"].integer(1, services) if "on" in fields else None,
        fields["kinds"].words(alerts) if "kinds" in fields else (),
        fields["flavours"].words(FLAVOURS) if "flavours" in fields else (),
        fields["defects"].words(defects) if "defects" in fields else (),
        cast(State, fields["state"].word(("new", "broken")) if "state" in fields else "new"),
        cast(Sli, fields["sli"].word(SLIS) if "sli" in fields else "availability"),
        fields["audit"].flag() if "audit" in fields else False,
    )


def _single(node: _Node) -> dict[ItemKind, _Node]:
    """The one key of an entry, with its body."""
    found = node.mapping((), tuple(_ENTRY_KEYS))
    if len(found) != 1:
        node.fail(f"expected one of {', '.join(_ENTRY_KEYS)}")
    return cast(dict[ItemKind, _Node], found)
