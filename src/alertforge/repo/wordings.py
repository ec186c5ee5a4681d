"""What texts have to say, and the ways there are to say it.

A `Fact` names a slot of wordings and the names and numbers that belong in it. Its wordings stand in
`templates/wordings/*.txt`: `## slot` opens one, every further line is a way to say it, the first the plainest. Which
one a task uses is drawn where its texts are written; what is said does not depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

TEMPLATES: Final = Path(__file__).parent / "templates"
ENVIRONMENT: Final = Environment(
    loader=FileSystemLoader(TEMPLATES),
    undefined=StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@lru_cache(maxsize=1)
def wordings() -> Mapping[str, tuple[str, ...]]:
    """The wordings of each slot."""
    slots: dict[str, tuple[str, ...]] = {}
    for path in sorted((TEMPLATES / "wordings").glob("*.txt")):
        slot = ""
        for line in filter(None, map(str.strip, path.read_text(encoding="utf-8").splitlines())):
            if line.startswith("## "):
                slot = line.removeprefix("## ")
                if slot in slots:
                    raise ValueError(f"{path.name}: slot {slot!r} stands there twice")
                slots[slot] = ()
            else:
                slots[slot] = (*slots[slot], line)
    return slots


@lru_cache(maxsize=2048)
def compiled(text: str) -> Template:
    """A wording as a template."""
    return ENVIRONMENT.from_string(text)


@dataclass(frozen=True)
class Share:
    """A part of a whole as rules write it, `0.15`. People say it in percent, each house in its own way."""

    fraction: str

    @property
    def hundredths(self) -> str:
        """`15`, without a sign."""
        return f"{(Decimal(self.fraction) * 100).normalize():f}"

    def __str__(self) -> str:
        """`15 %`."""
        return f"{self.hundredths} %"


@dataclass(frozen=True)
class Fact:
    """Something to say: a slot of wordings, and what belongs in it; a part may be a fact itself."""

    slot: str
    names: tuple[tuple[str, str | Share | Fact], ...]

    def __str__(self) -> str:
        """The plainest wording."""
        return compiled(wordings()[self.slot][0]).render(with_capitals({name: str(part) for name, part in self.names}))


def fact(slot: str, **names: str | int | Share | Fact) -> Fact:
    """A fact with its names and numbers."""
    return Fact(slot, tuple((name, str(part) if isinstance(part, int) else part) for name, part in names.items()))


def with_capitals(names: Mapping[str, Any]) -> dict[str, Any]:
    """The same names, and each text under `<name>_upper` as it begins a sentence."""
    return {**{f"{key}_upper": upper(text) for key, text in names.items() if isinstance(text, str)}, **names}


def clause(condition: str) -> str:
    """A condition without the verb that some wordings open with, as it stands after a colon."""
    bare = re.sub(r"^(fires when|is raised once) ", "", condition)
    return bare if bare == condition else bare.replace(", or when ", ", or ")


def agreeing(text: str) -> str:
    """The text with articles and plurals that fit the names and numbers put into it."""
    text = re.sub(r"\b([Aa])n? (?=`([a-z]))", lambda found: f"{found[1]}{'n' * (found[2] in 'aeio')} ", text)
    return re.sub(r"(?<![\w.])1 ((?:more )?(?:request|second|minute|hour|day|message|restart|time))s\b", r"1 \1", text)


def upper(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[:1].upper() + text[1:]


ENVIRONMENT.filters["clause"] = clause
