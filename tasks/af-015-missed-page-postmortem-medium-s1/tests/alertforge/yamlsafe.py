# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""YAML from people one does not trust, as plain Python values.

Reads the first document the way the Go tools do (libyaml's grammar, duplicate keys are errors, `<<` merges), with
limits on bytes, on nodes and characters *after* aliases are expanded, and on depth. Nothing is constructed but dicts,
lists, text, None and, on request, numbers and booleans. Aliased values are shared: treat what is returned as read-only.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any, Final, Literal, NamedTuple

import yaml

MAX_BYTES: Final = 1 << 20
MAX_NODES: Final = 100_000
MAX_DEPTH: Final = 128
_DEEPEST: Final = 256  # the builder recurses once or twice a level
_EXPANSION: Final = 4  # text after alias expansion may be this many times max_bytes

_CORE: Final = "tag:yaml.org,2002:"
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,30})")
_FLOAT: Final = re.compile(r"[-+]?(?:[0-9]{1,30}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,4})?")
# libyaml is what the Go libraries were ported from, and is far faster; PyYAML's own parser reads the same grammar.
LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Scalars = Literal["text", "marked", "typed"]

_ESCAPED_SLASH: Final = re.compile(r"(?<!\\)(?:\\\\)*\\/")


class YamlError(ValueError):
    """A document that cannot be used; one line, with the line number where there is one."""


class Plain(str):
    """Text that stood without quotes and tag, so that Go may read it as a number or a boolean."""

    __slots__ = ()


class _Node(NamedTuple):
    """A built value and its size with every alias written out."""

    value: Any
    nodes: int
    chars: int
    height: int


def load(
    text: str,
    *,
    max_bytes: int = MAX_BYTES,
    max_nodes: int = MAX_NODES,
    max_depth: int = MAX_DEPTH,
    scalars: Scalars = "typed",
) -> Any:
    """The first document of `text`; None when there is none.

    `scalars="text"` leaves every scalar as the text in the source (`5`, `1.50`, `yes`), as Go does for string fields,
    and maps null to None; `"marked"` does the same but returns what stood without quotes as `Plain`; `"typed"` also
    reads `true`/`false`, decimal integers and floats. Keys are plain Python text in every case.
    Raises YamlError for bad syntax, duplicate or null keys, keys that are no scalars, and anything above the limits.
    """
    if not 0 < max_depth <= _DEEPEST:
        raise ValueError(f"max_depth must be within 1..{_DEEPEST}")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise YamlError("not valid Unicode text") from None
    if size > max_bytes:
        raise YamlError(f"document of {size} bytes is over the limit of {max_bytes}")
    events = yaml.parse(text, Loader=LOADER)
    try:
        return _Builder(text, events, max_nodes, max_bytes * _EXPANSION, max_depth, scalars).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join((error.problem or error.context or "malformed YAML").split())
        raise YamlError(f"line {mark.line + 1}: {problem}" if mark else problem) from None
    except yaml.YAMLError as error:  # the reader's: characters that YAML does not allow
        raise YamlError(" ".join(str(error).split())[:200]) from None


class _Builder:
    """Builds values from parser events, counting as it goes so that a bomb stops where it crosses a limit."""

    def __init__(
        self, text: str, events: Iterator[Any], max_nodes: int, max_chars: int, max_depth: int, scalars: Scalars
    ) -> None:
        self.slashes = text if "\\/" in text else ""  # the source, where an escaped slash is to be looked for
        self.events = events
        self.max_nodes = max_nodes
        self.max_chars = max_chars
        self.max_depth = max_depth
        self.scalars = scalars
        self.anchors: dict[str, _Node | None] = {}  # None while the anchored value is still open
        self.nodes = 0
        self.chars = 0
        self.flow = 0  # open brackets and braces

    def document(self) -> Any:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                return self.node(next(self.events), 1).value
        return None

    def node(self, event: Any, depth: int) -> _Node:
        if depth > self.max_depth:
            raise _error(event, f"nested more than {self.max_depth} levels deep")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, depth)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.count(event, 1, len(event.value) if isinstance(event, yaml.ScalarEvent) else 0)
        if isinstance(event, yaml.ScalarEvent):
            node = _Node(self.scalar(event), 1, len(event.value), 1)
        else:
            self.flow += event.flow_style
            node = self.sequence(depth) if isinstance(event, yaml.SequenceStartEvent) else self.mapping(depth)
            self.flow -= event.flow_style
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def count(self, event: Any, nodes: int, chars: int) -> None:
        self.nodes += nodes
        self.chars += chars
        if self.nodes > self.max_nodes:
            raise _error(event, f"more than {self.max_nodes} values, aliases written out")
        if self.chars > self.max_chars:
            raise _error(event, f"more than {self.max_chars} characters, aliases written out")

    def alias(self, event: Any, depth: int) -> _Node:
        if event.anchor not in self.anchors:
            raise _error(event, "alias of an unknown anchor")
        node = self.anchors[event.anchor]
        if node is None:
            raise _error(event, "alias inside the value that it names")
        if depth - 1 + node.height > self.max_depth:
            raise _error(event, f"nested more than {self.max_depth} levels deep")
        self.count(event, node.nodes, node.chars)
        return node

    def sequence(self, depth: int) -> _Node:
        items = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            items.append(self.node(event, depth + 1))
        return _container([item.value for item in items], items)

    def mapping(self, depth: int) -> _Node:
        explicit: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        parts = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            is_merge = _is_merge(event)
            name = None if is_merge else _key(event, key.value, explicit)
            start = next(self.events)
            value = self.node(start, depth + 1)
            parts += [key, value]
            if name is not None:
                explicit[name] = value.value
                continue
            for source in value.value if isinstance(value.value, list) else [value.value]:
                if not isinstance(source, dict):
                    raise _error(start, "`<<` needs a mapping or a list of mappings")
                for inherited in source:
                    merged.setdefault(inherited, source[inherited])
        return _container({**merged, **explicit}, parts)

    def scalar(self, event: Any) -> Any:
        tag, text = event.tag, event.value
        if self.flow and not event.style and "?" in text:  # go-yaml ends the word there, and then gives up
            raise _error(event, "`?` in a list or mapping on one line needs quotes around the text")
        quoted = event.style == '"' and self.slashes
        if quoted and _ESCAPED_SLASH.search(self.slashes, event.start_mark.index, event.end_mark.index):
            raise _error(event, "found unknown escape character")  # JSON's, which go-yaml does not know
        if tag == _CORE + "binary":
            try:
                return base64.b64decode("".join(text.split()), validate=True).decode()
            except (binascii.Error, ValueError):
                raise _error(event, "!!binary is not base64 of text") from None
        if tag == _CORE + "null" or (event.implicit[0] and tag is None and text in _NULLS):
            return None
        if self.scalars == "text" or not event.implicit[0] or tag is not None:
            return text
        return Plain(text) if self.scalars == "marked" else _typed(text)


def _container(value: Any, parts: list[_Node]) -> _Node:
    return _Node(
        value,
        1 + sum(part.nodes for part in parts),
        sum(part.chars for part in parts),
        1 + max((part.height for part in parts), default=0),
    )


def _is_merge(event: Any) -> bool:
    if not isinstance(event, yaml.ScalarEvent) or event.value != "<<":
        return False
    return event.tag == _CORE + "merge" or (event.tag is None and bool(event.implicit[0]))


def _key(event: Any, value: Any, taken: dict[str, Any]) -> str:
    if isinstance(value, (dict, list)):
        raise _error(event, "a key that is not a scalar")
    if value is None:
        raise _error(event, "a null key")
    key = event.value if isinstance(event, yaml.ScalarEvent) else value
    if not isinstance(key, str):
        raise _error(event, "a key that is an alias of something other than text")
    key = str(key)
    if key in taken:
        raise _error(event, f"duplicate key {key[:60]!r}")
    return key


def _typed(text: str) -> Any:
    if text in _BOOLS:
        return _BOOLS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _error(event: Any, problem: str) -> YamlError:
    return YamlError(f"line {event.start_mark.line + 1}: {problem}")
