# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""Go templates in labels and annotations, as far as they must be understood without rendering them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

# Delimiters inside of literals and comments are text, as in the lexer of Go's text/template. What is cut off is no
# action: Prometheus refuses the rule for it.
_STRING: Final = r'"(?:\\.|[^"\\\n])*"'
_RAW: Final = r"`[^`]*`"
_CHARACTER: Final = r"'(?:\\.|[^'\\\n])*'"
_LITERAL: Final = re.compile(f"{_STRING}|{_RAW}|{_CHARACTER}")
_ACTION: Final = re.compile(
    rf"\{{\{{(?:- )?\s*(/\*.*?\*/|(?:{_STRING}|{_RAW}|{_CHARACTER}|[^\"`'}}]|\}}(?!\}}))*)\}}\}}", re.DOTALL
)


def actions(text: str) -> Iterator[str]:
    """What stands between `{{` and `}}`, without comments."""
    if "{{" not in text:
        return
    for match in _ACTION.finditer(text):
        inner = match[1].strip().removesuffix("-").strip()
        if inner and not inner.startswith("/*"):
            yield inner


def without_literals(action: str) -> str:
    """An action with nothing in its strings and characters."""
    return _LITERAL.sub("''", action)


def literals(action: str) -> list[str]:
    """The strings and characters of an action, in their quotes."""
    return _LITERAL.findall(action)


def words(action: str) -> list[str]:
    """Names, fields, variables and literals of an action, in order; brackets and pipes are gaps."""
    return re.sub(r"[()|,]", " ", without_literals(action)).split()
