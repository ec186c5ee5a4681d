"""Draws in which some things weigh more than others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar

from alertforge.defects.base import Defect
from alertforge.defects.config import ConfigDefect
from alertforge.seeds import Rng, Seed

PARTS: Final = 1000  # that a share is counted in

AnyDefect = TypeVar("AnyDefect", Defect, ConfigDefect)
Key = TypeVar("Key")


def by_theme(seed: Seed, weights: Mapping[AnyDefect, int]) -> list[AnyDefect]:
    """Defects in a drawn order, theme by theme: however many look alike, a theme weighs as its lightest defect does."""
    rng = seed.rng("defect")
    themes: dict[str, dict[AnyDefect, int]] = {}
    for defect, weight in weights.items():
        themes.setdefault(defect.theme or defect.name, {})[defect] = weight
    order = weighted(rng, {theme: min(of.values()) for theme, of in themes.items()})
    return [defect for theme in order for defect in weighted(rng, themes[theme])]


def rarity(able: Iterable[bool]) -> int:
    """The weight of what only some can have: all of them together weigh as much as if all could."""
    flags = list(able)
    return PARTS * len(flags) // max(sum(flags), 1)


def weighted(rng: Rng, weights: Mapping[Key, int]) -> Iterator[Key]:
    """In a drawn order, the heavier the sooner; what has no weight never comes."""
    left = dict(weights)
    while total := sum(left.values()):
        place = rng.below(total)
        for one, weight in left.items():
            place -= weight
            if place < 0:
                yield one
                del left[one]
                break
