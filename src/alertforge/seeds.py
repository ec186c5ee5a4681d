"""Named random streams: every draw of the author side comes from one of these.

`seed.child("A1", "traffic")` is independent of every other child, so adding an item never shifts another item's draw.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Seed:
    """A point in the tree of seeds. The key is a digest: nothing that is written from it gives the master seed away."""

    key: bytes

    @classmethod
    def master(cls, text: str | int) -> Seed:
        """The root for a master seed."""
        return cls(hashlib.sha256(b"alertforge/1/" + str(text).encode()).digest())

    def child(self, *names: str | int) -> Seed:
        """The stream of that name below this one."""
        key = self.key
        for name in names:
            key = hashlib.sha256(key + b"/" + str(name).encode()).digest()
        return Seed(key)

    def rng(self, *names: str | int) -> Rng:
        """A fresh generator at the child of that name; asking twice gives the same draws twice."""
        return Rng(int.from_bytes(self.child(*names).key, "big"))


class Rng:
    """Draws whose results are the same on every Python from 3.11 on (built on `getrandbits` alone)."""

    def __init__(self, state: int) -> None:
        self._random = random.Random(state)

    def below(self, n: int) -> int:
        """An integer in [0, n), n >= 1, without bias."""
        bits = n.bit_length()
        while (value := self._random.getrandbits(bits)) >= n:
            pass
        return value

    def between(self, low: int, high: int) -> int:
        """An integer in [low, high]."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        """One item."""
        return items[self.below(len(items))]

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different items, in drawn order."""
        return self.shuffled(items)[:count]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in a drawn order."""
        pool = list(items)
        for last in range(len(pool) - 1, 0, -1):
            other = self.below(last + 1)
            pool[last], pool[other] = pool[other], pool[last]
        return pool

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 draws."""
        return self.below(100) < percent
