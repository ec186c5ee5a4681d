"""How a house writes its YAML: one printer for every rule file and Alertmanager configuration of a repo.

Healthy and broken rules go through the same formatting, so that nothing can be told by how it is written. What is
printed reads back as the same rules; of an expression only the layout may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from io import StringIO
from typing import Any, Final

from yaml.emitter import Emitter

from alertforge import yamlsafe
from alertforge.alertmanager.config import Config, dump
from alertforge.prometheus import promql
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Number, Selector, String, Subquery, Unary
from alertforge.prometheus.rules import MANIFEST_API, MANIFEST_KIND, Group, Pairs, Rule, RuleFile
from alertforge.world.model import HouseStyle, YamlStyle

_DURATIONS: Final = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))


def print_rule_file(file: RuleFile, style: HouseStyle, header: Sequence[str] = ()) -> str:
    """A rule file, plain or manifest as the file says, in the house's formatting; `header` becomes comments on top.

    `rules.read` gives the same file back, expressions up to layout and redundant brackets.
    """
    writer = _Writer(style.yaml)
    groups: dict[str, Any] = {"groups": [_group(group, style.yaml) for group in file.groups]}
    document = groups
    if file.manifest_name is not None:
        metadata: dict[str, Any] = {"name": file.manifest_name}
        if file.manifest_labels:
            metadata["labels"] = dict(file.manifest_labels)
        document = {"apiVersion": MANIFEST_API, "kind": MANIFEST_KIND, "metadata": metadata, "spec": groups}
    return _comments(header) + "\n".join(writer.mapping(document, spaced=False)) + "\n"


def print_alertmanager(config: Config, style: HouseStyle, header: Sequence[str] = ()) -> str:
    """An Alertmanager configuration in the house's formatting; `header` becomes comments on top."""
    document = yamlsafe.load(dump(config), scalars="marked")
    return _comments(header) + "\n".join(_Writer(style.yaml).mapping(_inlined(document), spaced=True)) + "\n"


def print_yaml(document: Mapping[str, Any], style: HouseStyle, header: Sequence[str] = ()) -> str:
    """Any other document in the house's formatting; `yamlsafe.Plain` marks what must stay without quotes."""
    return _comments(header) + "\n".join(_Writer(style.yaml).mapping(document, spaced=True)) + "\n"


def duration(milliseconds: int) -> str:
    """A duration as people write it, in the largest unit that holds it alone: `5m`, `90s`, `90m`, `1d`."""
    size, unit = next((size, unit) for unit, size in _DURATIONS if milliseconds % size == 0)
    return f"{milliseconds // size}{unit}" if milliseconds else "0s"


def _comments(header: Sequence[str]) -> str:
    lines = [line for text in header for line in text.splitlines() or [""]]
    return "".join(f"# {line}".rstrip() + "\n" for line in lines) + ("\n" if lines else "")


# --- what stands in the documents ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Written:
    """A value that is already YAML, on one line."""

    text: str


@dataclass(frozen=True)
class _Quoted:
    """A text that stands in the house's quotes."""

    text: str


@dataclass(frozen=True)
class _Inline:
    """A list or mapping on one line."""

    value: list[Any] | dict[str, Any]


@dataclass(frozen=True)
class _Block:
    """A block scalar: `|` or `>-`, and its lines."""

    indicator: str
    lines: tuple[str, ...]


def _group(group: Group, style: YamlStyle) -> dict[str, Any]:
    out: dict[str, Any] = {"name": group.name}
    for key in ("interval", "query_offset"):
        if getattr(group, key) is not None:
            out[key] = getattr(group, key)
    if group.limit is not None:
        out["limit"] = _Written(group.limit) if group.limit.isdecimal() else group.limit
    if group.labels:
        out["labels"] = _labels(group.labels, style)
    out["rules"] = [_rule(rule, style) for rule in group.rules]
    return out


def _rule(rule: Rule, style: YamlStyle) -> dict[str, Any]:
    out: dict[str, Any] = {"alert" if rule.is_alert else "record": rule.name, "expr": _expression(rule, style)}
    if rule.for_:
        out["for"] = duration(rule.for_)
    if rule.keep_firing_for:
        out["keep_firing_for"] = duration(rule.keep_firing_for)
    if rule.labels:
        out["labels"] = _labels(rule.labels, style)
    if rule.annotations:
        out["annotations"] = {key: _Quoted(text) for key, text in rule.annotations}
    return out


def _labels(labels: Pairs, style: YamlStyle) -> Any:
    return _Inline(dict(labels)) if style.flow_labels else dict(labels)


def _expression(rule: Rule, style: YamlStyle) -> Any:
    """Short expressions stand beside their key, long ones as the house writes them."""
    try:
        tree = rule.tree
    except promql.PromQLError:
        return rule.expr
    lines = ExpressionPrinter(style).lines(tree)
    if style.long_expr == "plain" or (len(lines) == 1 and _may_be_plain(lines[0], flow=False)):
        return ExpressionPrinter(style).line(tree)
    if not all(map(_is_printable, lines)):
        return ExpressionPrinter(style).line(tree)
    return _Block("|" if style.long_expr == "literal" else ">-", tuple(lines))


_INLINE_KEYS: Final = frozenset({"group_by", "equal", "mute_time_intervals", "active_time_intervals"})


def _inlined(value: Any, key: str = "") -> Any:
    """Short lists of names on one line, as people write them."""
    if isinstance(value, Mapping):
        return {name: _inlined(item, name) for name, item in value.items()}
    if isinstance(value, list):
        if key in _INLINE_KEYS and all(isinstance(item, str) for item in value):
            return _Inline(value)
        return [_inlined(item) for item in value]
    return value


# --- YAML ------------------------------------------------------------------------------------------------------------


class _Writer:
    """Lines of YAML in a house's formatting."""

    def __init__(self, style: YamlStyle) -> None:
        self.style = style

    def mapping(self, value: Mapping[str, Any], *, spaced: bool) -> Iterator[str]:
        """`key: value` entries, with an empty line between them if `spaced`."""
        for index, (key, item) in enumerate(value.items()):
            if spaced and index:
                yield ""
            yield from self._entry(_scalar(key, flow=False), item)

    def _entry(self, key: str, item: Any) -> Iterator[str]:
        if isinstance(item, dict) and item:
            yield f"{key}:"
            yield from _indented(self.mapping(item, spaced=False))
        elif isinstance(item, list) and item:
            yield f"{key}:"
            lines = self._items(item, apart=key in ("groups", "rules"))
            yield from _indented(lines) if self.style.indent_lists else lines
        elif block := self._block(item):
            yield f"{key}: {block.indicator}"
            yield from _indented(iter(block.lines))
        else:
            yield f"{key}: {self._one_line(item)}"

    def _items(self, items: Sequence[Any], *, apart: bool) -> Iterator[str]:
        for index, item in enumerate(items):
            if apart and index and self.style.spelling == "spaced":
                yield ""
            if isinstance(item, dict) and item:
                lines = self.mapping(item, spaced=False)
            elif isinstance(item, list) and item:
                lines = self._items(item, apart=False)
            elif block := self._block(item):
                lines = iter((block.indicator, *_indented(iter(block.lines))))
            else:
                lines = iter((self._one_line(item),))
            yield f"- {next(lines)}"
            yield from _indented(lines)

    def _block(self, item: Any) -> _Block | None:
        """Texts of several lines as blocks, where their lines are such as a block can hold."""
        if isinstance(item, _Block):
            return item
        text = item.text if isinstance(item, _Quoted) else item
        if not isinstance(text, str) or "\n" not in text:
            return None
        body = text.removesuffix("\n")
        lines = tuple(body.split("\n"))
        plain = all(_is_printable(line) and line == line.rstrip() for line in lines)
        if not plain or not lines[0] or lines[0][0] == " " or not lines[-1]:
            return None
        return _Block("|" if text.endswith("\n") else "|-", lines)

    def _one_line(self, item: Any, *, flow: bool = False) -> str:
        match item:
            case None:
                return "null"
            case bool():
                return "true" if item else "false"
            case int() | float():
                return str(item)
            case _Written(text):
                return text
            case _Quoted(text):
                return self._in_quotes(text)
            case str():
                return _scalar(item, flow=flow)
            case _Inline(list() as values):
                return f"[{', '.join(self._one_line(value, flow=True) for value in values)}]"
            case _Inline(dict() as values):
                pairs = (f"{_scalar(key, flow=True)}: {self._one_line(one, flow=True)}" for key, one in values.items())
                return f"{{{', '.join(pairs)}}}"
            case dict():
                return "{}"
            case list():
                return "[]"
        raise TypeError(type(item).__name__)

    def _in_quotes(self, text: str) -> str:
        if self.style.quotes == "none":
            return _scalar(text, flow=False)
        if self.style.quotes == "single" and _is_printable(text):
            return _single(text)
        return _double(text)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" if line else "" for line in lines)


# What some YAML reader takes for a number, a date, a boolean or null.
_TYPED: Final = re.compile(
    r"[-+.]?[0-9][0-9a-fA-FxXoO_.:+,TtZ -]*|[-+]?\.(inf|nan)|~?|y|n|yes|no|on|off|true|false|null|<<|=", re.IGNORECASE
)
_DURATION: Final = re.compile(r"([0-9]+(ms|[smhdwy]))+")


def _scalar(text: str, *, flow: bool) -> str:
    """A text without quotes where nothing can mistake it for something else."""
    if isinstance(text, yamlsafe.Plain) and (not _looks_plain(text, flow=flow) or "\n" in text):
        return _double(text)
    if isinstance(text, yamlsafe.Plain) or _may_be_plain(text, flow=flow):
        return str(text)
    return _single(text) if '"' in text and _is_printable(text) else _double(text)


@lru_cache(maxsize=1 << 14)  # a hundred variants of a repo say much the same
def _may_be_plain(text: str, *, flow: bool) -> bool:
    if _TYPED.fullmatch(text) and not _DURATION.fullmatch(text):
        return False
    return _looks_plain(text, flow=flow) and _is_printable(text)


def _looks_plain(text: str, *, flow: bool) -> bool:
    found = Emitter(StringIO()).analyze_scalar(text)
    return bool(found.allow_flow_plain if flow else found.allow_block_plain) and not found.multiline


def _is_printable(text: str) -> bool:
    """Whether the text can stand in a file as it is, in one line."""
    return all(map(_may_stand, text))


def _may_stand(char: str) -> bool:
    return " " <= char <= "~" or "\u00a1" <= char <= "\u1fff" or "\u2010" <= char <= "\u2027" or char in "≤≥×−→…"


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _double(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
    if char in short:
        return short[char]
    if _may_stand(char):
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"


# --- expressions -----------------------------------------------------------------------------------------------------


class ExpressionPrinter:
    """PromQL in a house's spelling: on one line, or broken over lines at its width."""

    def __init__(self, style: YamlStyle) -> None:
        self.style = style
        self.gap = " " if style.spelling == "spaced" else ""

    def lines(self, expr: Expr) -> list[str]:
        """The expression on as many lines as the width asks for."""
        return self._lines(expr, self.style.width)

    def line(self, expr: Expr) -> str:
        """The expression on one line."""
        match expr:
            case Selector():
                return self._selector(expr)
            case Subquery():
                return f"{self._subquery_body(expr)}{self._range(expr)}"
            case Call(func, args):
                return f"{func}({', '.join(map(self.line, args))})"
            case Aggregate():
                param = "" if expr.param is None else f"{self.line(expr.param)}, "
                return f"{self._head(expr)}({param}{self.line(expr.expr)})"
            case Binary():
                left, right = self._sides(expr)
                return f"{self._bracketed(expr.lhs, left)} {self._operator(expr)} {self._bracketed(expr.rhs, right)}"
            case Unary(inner):
                return f"-{self._bracketed(inner, promql.precedence(inner) <= promql.precedence(expr))}"
            case Number() | String():
                return promql.to_text(expr)
        raise TypeError(type(expr).__name__)

    def _bracketed(self, expr: Expr, brackets: bool) -> str:
        return f"({self.line(expr)})" if brackets else self.line(expr)

    @staticmethod
    def _sides(expr: Binary) -> tuple[bool, bool]:
        """Whether the left and the right operand need brackets: `^` groups to the right, all else to the left."""
        own, left, right = map(promql.precedence, (expr, expr.lhs, expr.rhs))
        power = expr.op == "^"
        return left < own or (left == own and power), right < own or (right == own and not power)

    def _operator(self, expr: Binary) -> str:
        parts = [expr.op, *(["bool"] if expr.bool_ else [])]
        if (m := expr.matching) is not None:
            if m.on or m.labels or m.group:
                parts.append(f"{'on' if m.on else 'ignoring'}{self.gap}({', '.join(m.labels)})")
            if m.group:
                parts.append(f"group_{m.group}{self.gap}({', '.join(m.include)})")
        return " ".join(parts)

    def _head(self, expr: Aggregate) -> str:
        if expr.grouping is None:
            return expr.op
        bare = promql.aggregate_head(replace(expr, param=None)).removeprefix(expr.op).strip()
        keyword, _, names = bare.partition(" ")
        return f"{expr.op} {keyword}{self.gap}{names}{self.gap}"

    def _selector(self, expr: Selector) -> str:
        name = promql.to_text(Selector(expr.name)) if expr.name is not None else ""
        parts = [promql.to_text(Selector(None, (one,)))[1:-1] for one in expr.matchers]
        if name.startswith("{"):
            name, parts = "", [name[1:-1], *parts]
        inside = f",{self.gap}".join(parts)
        return f"{name}{{{inside}}}{self._range(expr)}" if inside or not name else f"{name}{self._range(expr)}"

    @staticmethod
    def _range(expr: Selector | Subquery) -> str:
        text = ""
        if isinstance(expr, Subquery):
            text = f"[{duration(expr.window)}:{'' if expr.step is None else duration(expr.step)}]"
        elif expr.window is not None:
            text = f"[{duration(expr.window)}]"
        if expr.at:
            text += f" @ {expr.at}"
        if expr.offset:
            text += f" offset {duration(expr.offset)}"
        return text

    def _subquery_body(self, expr: Subquery) -> str:
        inner = expr.expr
        simple = isinstance(inner, Call | Aggregate) or (isinstance(inner, Selector) and not self._range(inner))
        return self._bracketed(inner, not simple)

    def _lines(self, expr: Expr, room: int) -> list[str]:
        flat = self.line(expr)
        if len(flat) <= room:
            return [flat]
        match expr:
            case Binary():
                return self._binary(expr, room)
            case Call(func, args) if args:
                return self._wrapped(func, args, room)
            case Aggregate():
                inner = (expr.expr,) if expr.param is None else (expr.param, expr.expr)
                return self._wrapped(self._head(expr), inner, room)
            case Subquery():
                body = self._lines(expr.expr, room - 2)
                if isinstance(expr.expr, Call | Aggregate):
                    return [*body[:-1], body[-1] + self._range(expr)]
                return ["(", *_deeper(body), ")" + self._range(expr)]
        return [flat]

    def _wrapped(self, head: str, args: Sequence[Expr], room: int) -> list[str]:
        out = [f"{head}("]
        for index, arg in enumerate(args):
            body = self._lines(arg, room - 2)
            if index < len(args) - 1:
                body[-1] += ","
            out += _deeper(body)
        return [*out, ")"]

    def _binary(self, expr: Binary, room: int) -> list[str]:
        """Operands under each other; the operator leads the second one, or has a line of its own."""
        left, right = self._sides(expr)
        top = self._operand(expr.lhs, left, room)
        bottom = self._operand(expr.rhs, right, room)
        operator = self._operator(expr)
        if expr.op in promql.SET_OPERATORS:
            return [*top, operator, *bottom]
        if self.style.spelling == "spaced" and len(bottom) > 1:
            return [*top, f"  {operator}", *bottom]
        return [*top, f"{operator} {bottom[0]}", *bottom[1:]]

    def _operand(self, expr: Expr, brackets: bool, room: int) -> list[str]:
        if not brackets:
            return self._lines(expr, room)
        flat = self._bracketed(expr, brackets)
        return [flat] if len(flat) <= room else ["(", *_deeper(self._lines(expr, room - 2)), ")"]


def _deeper(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
