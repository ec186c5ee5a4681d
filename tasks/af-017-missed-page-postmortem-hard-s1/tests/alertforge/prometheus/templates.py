# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""Go templates in labels and annotations, as far as they must be understood without rendering them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

# Delimiters inside of literals and comments are text, as in the lexer of Go's text/template.
_STRING: Final = r'"(?:\\.|[^"\\\n])*"'
_RAW: Final = r"`[^`]*`"
_CHARACTER: Final = r"'(?:\\.|[^'\\\n])*'"
_LITERAL: Final = re.compile(f"{_STRING}|{_RAW}|{_CHARACTER}")
_COMMENT: Final = re.compile(r"(?:-[ \t\r\n])?/\*(?:[^*]|\*(?!/))*+\*/(?:[ \t\r\n]-)?")
_COMMENT_BEGINS: Final = re.compile(r"(?:-[ \t\r\n])?/\*")  # whatever follows, it is no code
_TRIM: Final = re.compile(r"^-(?=[ \t\r\n])|(?<=[ \t\r\n])-$")
_CODE: Final = re.compile(rf"(?:{_LITERAL.pattern}|[^\"`'}}]|\}}(?!\}}))*+")


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where actions are, with their delimiters. One that has no end is the last: Prometheus refuses such a rule."""
    at = 0
    while (start := text.find("{{", at)) >= 0:
        inner = (_COMMENT if _COMMENT_BEGINS.match(text, start + 2) else _CODE).match(text, start + 2)
        if inner is None or not text.startswith("}}", inner.end()):
            return
        at = inner.end() + 2
        yield start, at


def actions(text: str) -> Iterator[str]:
    """What stands between `{{` and `}}`, without comments and trim markers."""
    for start, end in _spans(text):
        inner = _TRIM.sub("", text[start + 2 : end - 2]).strip()
        if inner and not inner.startswith("/*"):
            yield inner


def rewrite(text: str, change: Callable[[str], str | None]) -> str:
    """The text with what `change` makes of an action (trim markers and all) in its place; None leaves it."""
    out, at = [], 0
    for start, end in _spans(text):
        new = change(text[start + 2 : end - 2])
        out += [text[at:start], text[start:end] if new is None else new]
        at = end
    return "".join((*out, text[at:]))


def without_literals(action: str) -> str:
    """An action with nothing in its strings and characters."""
    return _LITERAL.sub("''", action)


def literals(action: str) -> list[str]:
    """The strings and characters of an action, in their quotes."""
    return _LITERAL.findall(action)


def words(action: str) -> list[str]:
    """Names, fields, variables, literals and assignments of an action, in order; brackets and pipes are gaps."""
    return re.sub(r"(:?=)", r" \1 ", re.sub(r"[()|,]", " ", without_literals(action))).split()


def head(action: str) -> str:
    """The keyword or function that an action begins with, right before a field, too: `if` of `if.Labels.x`."""
    found = re.match(r"[a-z]+", action)
    return found[0] if found else ""


def chooses(text: str) -> bool:
    """Whether a template has conditions or loops, or looks at the value: what it yields may be other the next time."""
    heads = {head(action) for action in actions(text)}
    return not heads.isdisjoint(("if", "with", "range")) or any(
        re.search(r"\$value\b|\.Value\b", without_literals(action)) for action in actions(text)
    )
