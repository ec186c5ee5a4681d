"""What an item is: one piece of work in a task's queue."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from jinja2 import Environment, StrictUndefined

from alertforge.grader.spec import Requirement, Scenario
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo
from alertforge.seeds import Seed

_WORDS: Final = Environment(undefined=StrictUndefined, autoescape=False)

Edit = Callable[[Repo], Repo]


@dataclass(frozen=True)
class Wrong:
    """A wrong way to do an item, on the solved repo, and the `s` its requirement must not exceed."""

    edit: Edit
    bound: float


@dataclass(frozen=True)
class Touched:
    """Names that doing the item changes or adds, and that preservation leaves out."""

    alerts: tuple[str, ...] = ()
    records: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()


class Item(Protocol):
    """One piece of work. Items are built with all they need and then asked, in any order."""

    @property
    def id(self) -> str:
        """`A1`, `P2`, `C1`, `R1`, `I1`."""
        ...

    def place(self, repo: Repo) -> Repo:
        """Put the right state into a repo (the solved one grows item by item)."""
        ...

    def break_(self, repo: Repo) -> Repo:
        """Take the right state out of the solved repo again, or spoil it."""
        ...

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """The hidden contract and the scenarios it needs."""
        ...

    def request(self) -> Request:
        """The item in words."""
        ...

    def touched(self) -> Touched:
        """What preservation leaves out."""
        ...

    def accepted(self) -> Mapping[str, Edit]:
        """Other right ways, as edits of the solved repo."""
        ...

    def wrong(self) -> Mapping[str, Wrong]:
        """Wrong ways, as edits of the solved repo."""
        ...


def told(symptoms: Sequence[str], seed: Seed, **names: str) -> str:
    """One wording of a symptom, with the names of this company."""
    return _WORDS.from_string(seed.rng("symptom").choice(symptoms)).render(**names)
