# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""Label matchers, read and written as Alertmanager 0.28.1 does in its default mode.

Alertmanager has two parsers: the classic one (`pkg/labels/parse.go`) and the UTF-8 one (`matcher/parse`). It runs both
on every matcher string and keeps the classic result wherever there is one (`matcher/compat`), and so does this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

OPERATORS: Final = ("=", "!=", "=~", "!~")

LEGACY_NAME: Final = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_CLASSIC: Final = re.compile(r"[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)")
_CLASSIC_SPACE: Final = "\t\n\f\r "
_GO_SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
_TOKEN: Final = re.compile(
    rf"""[{_GO_SPACE}]*(?:
        (?P<punct>[{{}},]) | (?P<op>=~|!~|!=|=)
      | (?P<quoted>"(?:[^"\\]|\\.)*") | (?P<bare>[^{_GO_SPACE}{{}}!=~,\\"'`]+) | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(
    r'\\(?:(?P<one>[abfnrtv\\"])|(?P<octal>[0-7]{3})|x(?P<hex>[0-9a-fA-F]{2})'
    r"|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})|(?P<bad>))|(?P<newline>\n)"
)
_GO_ESCAPE: Final = re.compile(
    r"\\[\x00-/:-@\[-`{-\x7f0-7abfnrtvxdDsSwWpPAzBCQE]"
)  # what may follow a backslash in a pattern
_ONE: Final = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\", '"': '"'}


class MatcherError(ValueError):
    """A matcher that Alertmanager refuses; one line."""


@dataclass(frozen=True, order=True)
class Matcher:
    """One condition on one label; `op` is one of `=`, `!=`, `=~`, `!~`."""

    name: str
    op: str
    value: str
    legacy: bool = field(default=False, compare=False)  # written under `match` / `match_re`, which cannot negate

    def __post_init__(self) -> None:
        if self.op not in OPERATORS:
            raise MatcherError(f"unknown matcher operator {self.op!r}")

    @property
    def is_regex(self) -> bool:
        """Whether the value is a regular expression, anchored at both ends."""
        return self.op in ("=~", "!~")

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels satisfy the matcher; a missing label is the empty string.

        Regular expressions run in Python: for patterns of our own only. Raises MatcherError for one Python cannot read.
        """
        value = labels.get(self.name, "")
        found = _compiled(self.value).fullmatch(value) is not None if self.is_regex else value == self.value
        return found == (self.op in ("=", "=~"))

    def __str__(self) -> str:
        """The matcher as one writes it: any value, and any name Alertmanager can hold, is read back as itself."""
        name = self.name if LEGACY_NAME.fullmatch(self.name) else quote(self.name)
        return f"{name}{self.op}{quote(self.value)}"


def matches_all(matchers: Iterable[Matcher], labels: Mapping[str, str]) -> bool:
    """Whether the labels satisfy every matcher; no matchers match everything."""
    return all(matcher.matches(labels) for matcher in matchers)


def quote(text: str) -> str:
    """Text in double quotes with the escapes that both of Alertmanager's parsers know."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern, re.ASCII)  # Go's \d \w \s \b are ASCII
    except (re.error, OverflowError, RecursionError) as error:
        raise MatcherError(f"unreadable regular expression {pattern[:80]!r}: {error}") from None


# --- reading ---------------------------------------------------------------------------------------------------------


def parse(text: str) -> tuple[Matcher, ...]:
    """The matchers of one string: `a="b"`, `{a=b, "c d"=~"e|f"}`, the empty string.

    Raises MatcherError. Regular expressions are not compiled: Go's syntax is Go's to judge.
    """
    try:
        classic = _parse_classic(text)
    except MatcherError as error:
        try:
            return _parse_utf8(text)
        except MatcherError:
            raise error from None
    if all(map(_may_compile, classic)):
        return classic
    try:
        return _parse_utf8(text)
    except MatcherError:
        return classic


def _may_compile(matcher: Matcher) -> bool:
    """False for a pattern that Go plainly refuses; the UTF-8 parser may then read the same text as another pattern."""
    pattern = matcher.value
    if not matcher.is_regex or "\\" not in pattern:  # the two parsers differ in escapes only
        return True
    if any(not _GO_ESCAPE.match(found) for found in re.findall(r"\\.", pattern, re.DOTALL)):
        return False
    if len(pattern) > 1000:
        return True
    try:
        _compiled(pattern)
    except MatcherError:
        return False
    return True


def _parse_classic(text: str) -> tuple[Matcher, ...]:
    return tuple(_classic_matcher(token) for token in _classic_tokens(text.removeprefix("{").removesuffix("}")))


def _classic_tokens(text: str) -> list[str]:
    """Split at the commas outside quotes; only the last piece may be blank."""
    tokens, start, quoted, escaped = [], 0, False, False
    for index, char in enumerate(text):
        if char == ",":  # leaves `escaped` as it is, as the original does
            if not quoted:
                tokens.append(text[start:index])
                start = index + 1
        elif char == '"' and not escaped:
            quoted = not quoted
        else:
            escaped = char == "\\" and not escaped
    last = text[start:].strip(_GO_SPACE)
    return [*tokens, last] if last else tokens


def _classic_matcher(token: str) -> Matcher:
    found = _CLASSIC.match(token)
    if found is None:
        raise MatcherError(f"bad matcher format: {token[:80]!r}")
    return Matcher(found[1], found[2], _classic_value(token[found.end() :].strip(_CLASSIC_SPACE)))


def _classic_value(raw: str) -> str:
    """Undo quotes and the escapes `\\n`, `\\"`, `\\\\`; any other backslash is itself."""
    quoted = raw.startswith('"')
    text = raw[1:] if quoted else raw
    out: list[str] = []
    escaped = closed = False
    for index, char in enumerate(text):
        last = index == len(text) - 1
        if escaped:
            escaped = False
            out.append({"n": "\n", '"': '"', "\\": "\\"}.get(char, "\\" + char))
        elif char == "\\" and not last:
            escaped = True
        elif char == '"':
            if not quoted or not last:
                raise MatcherError(f"matcher value contains unescaped double quote: {raw[:80]!r}")
            closed = True
        else:
            out.append(char)
    if quoted and not closed:
        raise MatcherError(f"matcher value contains unescaped double quote: {raw[:80]!r}")
    return "".join(out)


def _parse_utf8(text: str) -> tuple[Matcher, ...]:
    tokens = _utf8_tokens(text)
    token = next(tokens)
    braces = token == ("punct", "{")
    if braces:
        token = next(tokens)
    out: list[Matcher] = []
    while token[0] in ("quoted", "bare"):
        kind, op = next(tokens)
        value = next(tokens) if kind == "op" else ("", "")
        if value[0] not in ("quoted", "bare"):
            raise MatcherError(f"bad matcher format: {text[:80]!r}")
        out.append(Matcher(_unquote(*token), op, _unquote(*value)))
        token = next(tokens)
        if token != ("punct", ","):
            break
        token = next(tokens)
    if braces:
        if token != ("punct", "}"):
            raise MatcherError(f"bad matcher format: {text[:80]!r}")
        token = next(tokens)
    if token[0] != "end":
        raise MatcherError(f"bad matcher format: {text[:80]!r}")
    return tuple(out)


def _utf8_tokens(text: str) -> Iterator[tuple[str, str]]:
    """Kinds and texts of the tokens; the last one is of kind `end`."""
    position, kind = 0, ""
    while kind != "end":
        found = _TOKEN.match(text, position)
        if found is None or found.lastgroup is None:
            raise MatcherError(f"bad matcher format: {text[:80]!r}")
        kind, position = found.lastgroup, found.end()
        yield kind, found[kind]


def _unquote(kind: str, token: str) -> str:
    """Go's `strconv.Unquote` of a double-quoted token; a bare token is itself."""
    if kind == "bare":
        return token
    body, out, position = token[1:-1], bytearray(), 0
    for found in _ESCAPE.finditer(body):
        out += body[position : found.start()].encode()
        position = found.end()
        out += _escaped(found, token)
    out += body[position:].encode()
    try:
        return out.decode()
    except UnicodeDecodeError:
        raise MatcherError(f"not valid UTF-8: {token[:80]!r}") from None


def _escaped(found: re.Match[str], token: str) -> bytes:
    if found["one"] is not None:
        return _ONE[found["one"]].encode()
    digits, base = (found["octal"], 8) if found["octal"] is not None else (found["hex"], 16)
    if digits is not None and int(digits, base) < 256:
        return bytes([int(digits, base)])
    point = int(found["u"] or found["U"] or "110000", 16)
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise MatcherError(f"invalid escape in {token[:80]!r}")
    return chr(point).encode()
