"""The right and the wrong ways that items declare, each alone and many at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from alertforge.draft import Draft
from alertforge.items.base import Edit
from alertforge.repo.model import Repo
from alertforge.task import Attempt, Round

T = TypeVar("T")
Way = tuple[Attempt, Edit]

# Wrong alerts and records change nothing about another's score; wrong routes and inhibitions may: they stay alone.
ALIKE: Final = ("AP", "C")


def variants(draft: Draft) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...], tuple[Round, ...]]:
    """Every accepted way, every wrong way, and rounds of them: many in one workspace, each at an item of its own."""
    right, wrong = _accepted(draft), _wrong(draft)
    alike = [[own for own in wrong if own and own[0][0].requirement[0] in letters] for letters in ALIKE]
    rounds = tuple(
        Round(draft.files(_all_of((edit for _, edit in some), draft.solved)), tuple(attempt for attempt, _ in some))
        for group in (right, *alike)
        for some in _turns(group)
    )
    return _attempts(right), _attempts(wrong), rounds


def _accepted(draft: Draft) -> list[list[Way]]:
    return [
        [(_attempt(draft, item.id, name, edit, None), edit) for name, edit in item.accepted().items()]
        for item in draft.items
    ]


def _wrong(draft: Draft) -> list[list[Way]]:
    return [
        [(_attempt(draft, item.id, name, way.edit, way.bound), way.edit) for name, way in item.wrong().items()]
        for item in draft.items
    ]


def _attempt(draft: Draft, item: str, name: str, edit: Edit, bound: float | None) -> Attempt:
    return Attempt(f"{item}/{name}", item, draft.files(edit(draft.solved)), bound)


def _attempts(ways: Iterable[Iterable[Way]]) -> tuple[Attempt, ...]:
    return tuple(attempt for own in ways for attempt, _ in own)


def _turns(ways: Sequence[Sequence[T]]) -> list[list[T]]:
    """The first way of everything together, then the second of whatever has one, and so on."""
    longest = max((len(own) for own in ways), default=0)
    return [[own[turn] for own in ways if turn < len(own)] for turn in range(longest)]


def _all_of(edits: Iterable[Edit], repo: Repo) -> Repo:
    for edit in edits:
        repo = edit(repo)
    return repo
