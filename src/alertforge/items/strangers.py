"""Label values that nothing in a world has, as they come in real life: other in every task, so nobody can know them.

Nor is there a look by which to know them: values come in every shape that labels of real alerts have, and their words
are made of syllables, not taken from a list. A matcher that spares them all spares whatever there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from alertforge.seeds import Rng, Seed

_ONSETS: Final = (
    "b",
    "br",
    "ch",
    "cl",
    "d",
    "dr",
    "fl",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "qu",
    "r",
    "s",
    "sk",
    "sl",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "y",
    "z",
)
_VOWELS: Final = ("a", "e", "i", "o", "u", "ai", "ea", "ee", "oo", "ou")
_CODAS: Final = ("", "", "", "ck", "k", "l", "ld", "m", "n", "nd", "p", "r", "rn", "s", "st", "t", "x")
_LETTERS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_NETS: Final = ("10.8", "10.42", "10.117", "172.17", "172.29", "192.168")
_PORTS: Final = (443, 3000, 8080, 8443, 9090, 9100, 9187)


def _word(rng: Rng) -> str:
    count = rng.choice((2, 2, 2, 3))
    return "".join(rng.choice(part) for _ in range(count) for part in (_ONSETS, _VOWELS, _CODAS))


def _address(rng: Rng) -> str:
    return f"{rng.choice(_NETS)}.{rng.between(0, 250)}.{rng.between(2, 250)}:{rng.choice(_PORTS)}"


def _pod(rng: Rng) -> str:
    suffixes = ("".join(rng.choice(_LETTERS) for _ in range(size)) for size in (9, 5))
    return "-".join((_word(rng), *suffixes))


_SHAPES: Final[tuple[Callable[[Rng], str], ...]] = (
    _word,
    lambda rng: _word(rng).capitalize(),
    lambda rng: _word(rng).upper(),
    lambda rng: f"{_word(rng)}-{_word(rng)}",
    lambda rng: f"{_word(rng)}_{_word(rng)}_{rng.between(0, 40)}",
    lambda rng: f"{_word(rng)}{rng.between(0, 40)}",
    lambda rng: f"{_word(rng)}.{_word(rng)}.example",
    lambda rng: f"{_word(rng)}.{_word(rng)}.example:{rng.choice(_PORTS)}",
    _address,
    lambda rng: f"/{_word(rng)}/{_word(rng)}",
    lambda rng: f"{_word(rng).capitalize()} {_word(rng)}",
    lambda rng: str(rng.between(3, 99_999)),
    _pod,
)
_NAMES: Final[tuple[Callable[[Rng], str], ...]] = (  # of alerts
    lambda rng: f"{_word(rng).capitalize()}{_word(rng).capitalize()}",
    lambda rng: f"{_word(rng).capitalize()}_{_word(rng).capitalize()}",
    lambda rng: f"{_word(rng)}_{_word(rng)}",
    lambda rng: f"{_word(rng).capitalize()}{rng.between(2, 40)}",
)


def strangers(seed: Seed, label: str) -> tuple[str, ...]:
    """Values for a label, one of each shape, in a drawn order."""
    rng = seed.rng("stranger", label)
    return tuple(shape(rng) for shape in rng.shuffled(_NAMES if label == "alertname" else _SHAPES))


def stranger(seed: Seed, label: str) -> str:
    """A value for a label, of some shape."""
    return strangers(seed, label)[0]
