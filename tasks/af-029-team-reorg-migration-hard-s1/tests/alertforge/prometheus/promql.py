# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""PromQL expressions as trees: parse, print, walk, rewrite.

Reading is promql-parser's work (a port of Prometheus' own grammar); its nodes are turned into the small frozen
dataclasses below, so that a rewrite is `dataclasses.replace`. Parentheses are not kept: the printer sets them where
precedence asks for them. Durations are integer milliseconds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import promql_parser as reader

from alertforge.prometheus.series import METRIC_NAME, is_legacy_name, number_text, quote

MAX_LENGTH: Final = 8192  # characters; longer expressions take promtool itself tens of seconds
READER_PANIC: Final = "PanicException"  # derived from BaseException, in a module that cannot be imported
MAX_OPERATORS: Final = 256  # in one expression: reading 2,000 takes seconds, 4,000 half a minute
MAX_DEPTH: Final = 160  # nesting of the tree, also keeps the reader's own recursion off the end of its stack


class PromQLError(ValueError):
    """The text is not an expression this reader takes; one line."""


class TooLargeError(PromQLError):
    """Longer, deeper or made of more operators than is read here, whatever Prometheus says to it."""


@dataclass(frozen=True)
class Number:
    """A number literal."""

    value: float


@dataclass(frozen=True)
class String:
    """A string literal."""

    value: str


@dataclass(frozen=True)
class Matcher:
    """One label matcher; `op` is `=`, `!=`, `=~` or `!~`."""

    name: str
    op: str
    value: str


@dataclass(frozen=True)
class Selector:
    """An instant selector, or a range selector where `window` is set."""

    name: str | None
    matchers: tuple[Matcher, ...] = ()
    window: int | None = None
    offset: int = 0
    at: str | None = None

    def matcher(self, name: str) -> Matcher | None:
        """The first matcher on a label."""
        return next((m for m in self.matchers if m.name == name), None)


@dataclass(frozen=True)
class Subquery:
    """`expr[window:step]`; a step of None is the evaluation interval."""

    expr: Expr
    window: int
    step: int | None = None
    offset: int = 0
    at: str | None = None


@dataclass(frozen=True)
class Call:
    """A function call."""

    func: str
    args: tuple[Expr, ...] = ()


@dataclass(frozen=True)
class Aggregate:
    """An aggregation; `grouping` None means neither `by` nor `without` was written."""

    op: str
    expr: Expr
    grouping: tuple[str, ...] | None = None
    without: bool = False
    param: Expr | None = None


@dataclass(frozen=True)
class Matching:
    """`on (...)` / `ignoring (...)` with an optional `group_left` / `group_right`."""

    labels: tuple[str, ...] = ()
    on: bool = False
    group: str | None = None  # "left" | "right"
    include: tuple[str, ...] = ()


@dataclass(frozen=True)
class Binary:
    """A binary operation."""

    op: str
    lhs: Expr
    rhs: Expr
    matching: Matching | None = None
    bool_: bool = False


@dataclass(frozen=True)
class Unary:
    """Negation."""

    expr: Expr


Expr = Number | String | Selector | Subquery | Call | Aggregate | Binary | Unary

COMPARISONS: Final = frozenset({"==", "!=", ">", "<", ">=", "<="})
SET_OPERATORS: Final = frozenset({"and", "or", "unless"})
_PRECEDENCE: Final = {
    "or": 1,
    "and": 2,
    "unless": 2,
    **dict.fromkeys(COMPARISONS, 3),
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "%": 5,
    "atan2": 5,
    "^": 7,
}
_UNARY_PRECEDENCE: Final = 6


# --- reading ---------------------------------------------------------------------------------------------------------


def parse(text: str) -> Expr:
    """Read an expression. Raises PromQLError for what Prometheus refuses, and for absurd length or nesting."""
    if len(text) > MAX_LENGTH:
        raise TooLargeError(f"expression of {len(text)} characters (at most {MAX_LENGTH})")
    plain, times = _with_readable_numbers(_without_raw_strings(text))
    _check_nesting(plain)
    _check_operators(plain)
    try:
        node, patterns = _read(plain)
        tree = _convert(node, times, 0)  # what a node says of itself may be refused as well
        return _with_patterns(tree, patterns) if patterns else tree
    except PromQLError:
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != READER_PANIC:
            raise
        raise PromQLError(" ".join(str(error).split())[:300] or type(error).__name__) from None


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expr:
    """`parse` for texts that come again and again: trees do not change."""
    return parse(text)


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    """Split into ("string", literal), ("comment", text) and ("code", char) pieces; a broken literal is code."""
    at = 0
    while at < len(text):
        char = text[at]
        if char in "\"'`":
            end = at + 1
            while end < len(text) and text[end] != char:
                end += 2 if text[end] == "\\" and char != "`" else 1
            yield "string", text[at : end + 1]
            at = end + 1
        elif char == "#":
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            yield "comment", text[at:end]
            at = end
        else:
            yield "code", char
            at += 1


def _without_raw_strings(text: str) -> str:
    """Back-quoted strings as double-quoted ones: the reader takes escapes in both, Prometheus only in the latter."""
    if "`" not in text and "#" not in text:
        return text
    out = []
    for kind, piece in _tokens(text):
        if kind == "string" and piece[0] == "`" and len(piece) > 1 and piece[-1] == "`":
            out.append(quote(piece[1:-1]))
        elif kind != "comment":
            out.append(piece)
    return "".join(out)


# A word, or a number with the `@` and sign before it. Digits with letters behind them are a duration; a colon behind a
# number is that of a subquery, not the first character of a name.
_WORD: Final = re.compile(
    r"(?P<word>[A-Za-z_:][A-Za-z0-9_:]*)"
    r"|(?P<at>@[ \t\r\n]*(?P<sign>[-+]?)[ \t\r\n]*)?"
    r"(?P<number>0[xX][0-9A-Fa-f_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9_]+)?)"
    r"(?P<rest>[A-Za-z0-9_.]*)(?P<colon>[ \t\r\n]*:)?"
)
_GAP: Final = re.compile(r"(?<=[0-9A-Fa-fxX])_(?=[0-9A-Fa-f])")  # between digits of a number
_UNREADABLE: Final = re.compile(r"@|\b[0-9][0-9A-Fa-fxX.]*_|\b0[0-9]*[eE]")
_ZERO_FIRST: Final = re.compile(r"\A(0[0-9]*)([eE][-+]?[0-9]+)\Z")  # the reader takes it for an integer in base 8


def _with_readable_numbers(text: str) -> tuple[str, Sequence[str]]:
    """The text with its numbers as the reader takes them, and the times that stood behind `@`.

    Prometheus takes `1_000`, and any 64 bits of milliseconds for a time; the reader refuses the first, and turns the
    latter into a date, which ends in 9999 and, on its way here, begins in 1970. So it gets the number of the time. Of
    `0e0` it makes no number at all.
    """
    if not _UNREADABLE.search(text):
        return text, ()
    times: list[str] = []

    def readable(found: re.Match[str]) -> str:
        if found["word"]:
            return found[0]
        duration = found["number"] + found["rest"] if found["rest"] else ""
        number = duration or _ZERO_FIRST.sub(r"\1.0\2", _GAP.sub("", found["number"]))
        if found["at"]:
            seconds = duration_ms(duration) / 1000 if duration else _number_read(number)
            times.append(_time_text(-seconds if found["sign"] == "-" else seconds))
            number = f"@ {len(times) - 1}"
        return number + (found["colon"] or "")

    out, code = [], []
    for kind, piece in (*_tokens(text), ("string", "")):
        if kind == "code":
            code.append(piece)
        else:
            out += [_WORD.sub(readable, "".join(code)), piece]
            code = []
    return "".join(out), times


def _number_read(text: str) -> float:
    """A number literal without underscores, as Go's ParseInt with base 0 and after it ParseFloat read it."""
    if text[:2] in ("0x", "0X"):
        return float(int(text, 16))
    if text[0] == "0" and text.strip("01234567") == "":
        return float(int(text, 8))
    try:
        return float(text)
    except ValueError:
        raise PromQLError(f"not a number: {text[:40]!r}") from None


def _time_text(seconds: float) -> str:
    """A time as an `@` modifier's number, to the millisecond. Raises PromQLError beyond Prometheus' own bounds."""
    if not abs(seconds) < 2.0**63:
        raise PromQLError("timestamp out of bounds for @ modifier")
    milliseconds = math.floor(abs(seconds) * 1000 + 0.5)
    return number_text(math.copysign(milliseconds / 1000, seconds))


def _read(text: str) -> tuple[Any, Sequence[str]]:
    """The reader's tree. Where a pattern is none of Rust's, its number stands in its place: Go's may be others."""
    try:
        return reader.parse(text), ()
    except ValueError as error:
        if "illegal regex" not in str(error):
            raise
    out: list[str] = []
    patterns: list[str] = []
    before = ""  # the last two characters
    for kind, piece in _tokens(text):
        if kind == "string" and before in ("=~", "!~"):
            literal: Any = reader.parse(piece)
            patterns.append(literal.val)
            # of `!~` the reader asks for a pattern that takes the empty string, if nothing else is selected
            piece = f'"{len(patterns) - 1}{"" if before == "=~" else "|"}"'
        out.append(piece)
        before = (before + piece)[-2:] if not piece.isspace() else before
    return reader.parse("".join(out)), patterns


def _with_patterns(tree: Expr, patterns: Sequence[str]) -> Expr:
    """The tree with patterns in place of their numbers."""

    def restored(matcher: Matcher) -> Matcher:
        if matcher.op in ("=", "!="):
            return matcher
        return replace(matcher, value=patterns[int(matcher.value.rstrip("|"))])

    def change(node: Expr) -> Expr:
        return replace(node, matchers=tuple(map(restored, node.matchers))) if isinstance(node, Selector) else node

    return rewrite(tree, change)


def _check_nesting(text: str) -> None:
    if sum(map(text.count, "([{+-")) <= MAX_DEPTH:  # not even where all of them are nested
        return
    depth = signs = 0
    for kind, piece in _tokens(text):
        if kind == "string":
            signs = 0
        elif piece in "([{":
            depth, signs = depth + 1, 0
        elif piece in ")]}":
            depth, signs = depth - 1, 0
        elif piece in "+-":
            signs += 1
        elif not piece.isspace():
            signs = 0
        if depth > MAX_DEPTH or signs > MAX_DEPTH:
            raise TooLargeError(f"expression nested deeper than {MAX_DEPTH}")


_OPERATOR: Final = re.compile(r"[-+*/%^]|[=!<>]=|[<>]|\b(?:and|or|unless|atan2)\b")


def _check_operators(text: str) -> None:
    """The reader's time grows with the third power of a chain of operators."""
    if len(text) > MAX_OPERATORS:
        found = len(_OPERATOR.findall("".join(piece if kind == "code" else '""' for kind, piece in _tokens(text))))
        if found > MAX_OPERATORS:
            raise TooLargeError(f"expression of {found} operators (at most {MAX_OPERATORS})")


def _convert(node: Any, times: Sequence[str], depth: int) -> Expr:
    if depth > MAX_DEPTH:
        raise TooLargeError(f"expression nested deeper than {MAX_DEPTH}")
    down = depth + 1
    match node:
        case reader.ParenExpr():
            return _convert(node.expr, times, down)
        case reader.NumberLiteral():
            return Number(float(node.val))
        case reader.StringLiteral():
            return String(node.val)
        case reader.VectorSelector():
            return _selector(node, times)
        case reader.MatrixSelector():
            return replace(_selector(node.vector_selector, times), window=_milliseconds(node.range))
        case reader.SubqueryExpr():
            step = None if node.step is None else _milliseconds(node.step)
            return Subquery(
                _convert(node.expr, times, down),
                _milliseconds(node.range),
                step,
                _milliseconds(node.offset),
                _at(node.at, times),
            )
        case reader.Call():
            return Call(node.func.name, tuple(_convert(arg, times, down) for arg in node.args))
        case reader.AggregateExpr():
            param = None if node.param is None else _convert(node.param, times, down)
            grouping, without = None, False
            if node.modifier is not None:
                grouping = tuple(node.modifier.labels)
                without = node.modifier.type == reader.AggModifierType.Without
            return Aggregate(str(node.op), _convert(node.expr, times, down), grouping, without, param)
        case reader.BinaryExpr():
            return _binary(node, times, down)
        case reader.UnaryExpr():
            return Unary(_convert(node.expr, times, down))
    raise PromQLError(f"unknown kind of expression: {type(node).__name__}")


def _binary(node: Any, times: Sequence[str], depth: int) -> Binary:
    matching, bool_ = None, False
    modifier = node.modifier
    if modifier is not None:
        bool_ = bool(modifier.return_bool)
        card = modifier.card
        group = None
        if card == reader.VectorMatchCardinality.ManyToOne:
            group = "left"
        elif card == reader.VectorMatchCardinality.OneToMany:
            group = "right"
        if modifier.matching is not None or group is not None:
            labels = tuple(modifier.matching.labels) if modifier.matching is not None else ()
            on = modifier.matching is not None and modifier.matching.type == reader.LabelModifierType.Include
            matching = Matching(labels, on, group, tuple(modifier.group_labels or ()))
    return Binary(str(node.op), _convert(node.lhs, times, depth), _convert(node.rhs, times, depth), matching, bool_)


_MATCH_OPS: Final = (  # pairs: the reader's enums are not hashable
    (reader.MatchOp.Equal, "="),
    (reader.MatchOp.NotEqual, "!="),
    (reader.MatchOp.Re, "=~"),
    (reader.MatchOp.NotRe, "!~"),
)


def _selector(node: Any, times: Sequence[str]) -> Selector:
    if node.matchers.or_matchers:
        raise PromQLError("`or` between matchers is not PromQL")
    name = node.name
    matchers = []
    for m in node.matchers.matchers:
        op = next(text for kind, text in _MATCH_OPS if kind == m.op)
        if name is None and m.name == METRIC_NAME and op == "=":
            name = m.value
        else:
            matchers.append(Matcher(m.name, op, m.value))
    return Selector(name, tuple(matchers), None, _milliseconds(node.offset), _at(node.at, times))


def _milliseconds(delta: Any) -> int:
    if delta is None:
        return 0
    return int(delta.days * 86_400_000 + delta.seconds * 1000 + delta.microseconds // 1000)


def _at(modifier: Any, times: Sequence[str]) -> str | None:
    if modifier is None:
        return None
    if modifier.type == reader.AtModifierType.Start:
        return "start()"
    if modifier.type == reader.AtModifierType.End:
        return "end()"
    return times[int(modifier.at.timestamp())]


# --- printing --------------------------------------------------------------------------------------------------------


def duration_text(milliseconds: int) -> str:
    """A duration as Prometheus prints it: `1h30m`, `5m`, `250ms`, `0s`."""
    if milliseconds == 0:
        return "0s"
    left, out = abs(milliseconds), "-" if milliseconds < 0 else ""
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        if left >= size:
            out += f"{left // size}{unit}"
            left %= size
    return out


def duration_ms(text: str) -> int:
    """Read a Prometheus duration (`1h30m`, `5m`, `250ms`, `0`). Raises PromQLError."""
    units = {"y": 31_536_000_000, "w": 604_800_000, "d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1000, "ms": 1}
    order = list(units)
    if text == "0":
        return 0
    total, at, last = 0, 0, -1
    while at < len(text):
        end = at
        while end < len(text) and text[end].isascii() and text[end].isdigit():
            end += 1
        unit = "ms" if text[end : end + 2] == "ms" else text[end : end + 1]
        if end == at or end - at > 12 or unit not in units or order.index(unit) <= last:
            raise PromQLError(f"not a duration: {text[:40]!r}")
        last = order.index(unit)
        total += int(text[at:end]) * units[unit]
        at = end + len(unit)
    if not text or total > 2**63 // 1_000_000:
        raise PromQLError(f"not a duration: {text[:40]!r}")
    return total


Writer = Callable[["Expr"], str]


def to_text(expr: Expr, write: Writer | None = None) -> str:
    """The expression on one line, in Prometheus' own spelling, with no more parentheses than needed.

    `write` writes its direct parts, where somebody has their texts already.
    """
    write = write or to_text
    match expr:
        case Number(value):
            return _number(value)
        case String(value):
            return quote(value)
        case Selector():
            return _selector_text(expr)
        case Subquery():
            step = "" if expr.step is None else duration_text(expr.step)
            inner = write(expr.expr)
            if not isinstance(expr.expr, Call | Aggregate | Selector) or _ends_in_modifier(expr.expr):
                inner = f"({inner})"
            return f"{inner}[{duration_text(expr.window)}:{step}]{_modifiers(expr.offset, expr.at)}"
        case Call(func, args):
            return f"{func}({', '.join(map(write, args))})"
        case Aggregate():
            return f"{aggregate_head(expr)}({aggregate_param(expr, write)}{write(expr.expr)})"
        case Binary():
            return f"{left_text(expr, write)} {operator_text(expr)} {right_text(expr, write)}"
        case Unary(inner_expr):
            text = write(inner_expr)
            return f"-({text})" if precedence(inner_expr) < _UNARY_PRECEDENCE + 1 else f"-{text}"
    raise TypeError(type(expr).__name__)


def aggregate_head(expr: Aggregate) -> str:
    """`sum by (service) ` or `sum`: what stands before the bracket."""
    if expr.grouping is None:
        return expr.op
    names = ", ".join(name if is_legacy_name(name) else quote(name) for name in expr.grouping)
    return f"{expr.op} {'without' if expr.without else 'by'} ({names}) "


def aggregate_param(expr: Aggregate, write: Writer = to_text) -> str:
    """`0.9, ` or the empty string: what stands first in the bracket."""
    return "" if expr.param is None else f"{write(expr.param)}, "


def operator_text(expr: Binary) -> str:
    """The operator with its modifiers: `/ on (job) group_left (team)`, `> bool`."""
    parts = [expr.op]
    if expr.bool_:
        parts.append("bool")
    if expr.matching is not None:
        m = expr.matching
        if m.on or m.labels or m.group:  # `group_left` stands behind `on` or `ignoring` only
            parts.append(f"{'on' if m.on else 'ignoring'} ({', '.join(m.labels)})")
        if m.group:
            parts.append(f"group_{m.group} ({', '.join(m.include)})")
    return " ".join(parts)


def precedence(expr: Expr) -> int:
    """Binding strength: 1 for `or` up to 7 for `^`, 6 for a leading minus, 9 for what needs no brackets."""
    match expr:
        case Binary(op=op):
            return _PRECEDENCE[op]
        case Unary():
            return _UNARY_PRECEDENCE
        case Number(value) if _negative(value):
            return _UNARY_PRECEDENCE
    return 9


def left_text(expr: Binary, write: Writer = to_text) -> str:
    """The left operand, in brackets where precedence asks for them."""
    need = _PRECEDENCE[expr.op]
    own = precedence(expr.lhs)
    text = write(expr.lhs)
    return f"({text})" if own < need or (own == need and expr.op == "^") else text


def right_text(expr: Binary, write: Writer = to_text) -> str:
    """The right operand, in brackets where precedence asks for them."""
    need = _PRECEDENCE[expr.op]
    own = precedence(expr.rhs)
    text = write(expr.rhs)
    # `^` groups to the right, everything else to the left
    return f"({text})" if own < need or (own == need and expr.op != "^") else text


def _number(value: float) -> str:
    if value == 0:  # what divides by it sees its sign
        return "-0" if _negative(value) else "0"
    return number_text(int(value) if math.isfinite(value) and value.is_integer() and abs(value) < 1e15 else value)


def _negative(value: float) -> bool:
    return math.copysign(1, value) < 0


def _selector_text(expr: Selector) -> str:
    parts = []
    name = expr.name
    if name is not None and not (
        name and all(is_legacy_name(p) for p in name.split(":") if p) and name[0] not in "0123456789"
    ):
        parts.append(quote(name))
        name = None
    parts += [f"{m.name if is_legacy_name(m.name) else quote(m.name)}{m.op}{quote(m.value)}" for m in expr.matchers]
    body = (name or "") + ("{" + ", ".join(parts) + "}" if parts or not name else "")
    window = "" if expr.window is None else f"[{duration_text(expr.window)}]"
    return f"{body}{window}{_modifiers(expr.offset, expr.at)}"


def _modifiers(offset: int, at: str | None) -> str:
    return (f" @ {at}" if at else "") + (f" offset {duration_text(offset)}" if offset else "")


def _ends_in_modifier(expr: Expr) -> bool:
    return isinstance(expr, Selector) and bool(expr.offset or expr.at or expr.window)


# --- walking and rewriting -------------------------------------------------------------------------------------------


def children(expr: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, left to right."""
    match expr:
        case Subquery() | Unary():
            return (expr.expr,)
        case Call(args=args):
            return args
        case Aggregate():
            return (expr.expr,) if expr.param is None else (expr.param, expr.expr)
        case Binary():
            return (expr.lhs, expr.rhs)
    return ()


def walk(expr: Expr) -> Iterator[Expr]:
    """The expression and all below it, top down, left to right."""
    yield expr
    for child in children(expr):
        yield from walk(child)


def rewrite(expr: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """A new tree: `change` is applied to every node, children first."""
    match expr:
        case Subquery() | Unary():
            expr = replace(expr, expr=rewrite(expr.expr, change))
        case Call(args=args):
            expr = replace(expr, args=tuple(rewrite(arg, change) for arg in args))
        case Aggregate():
            param = None if expr.param is None else rewrite(expr.param, change)
            expr = replace(expr, expr=rewrite(expr.expr, change), param=param)
        case Binary():
            expr = replace(expr, lhs=rewrite(expr.lhs, change), rhs=rewrite(expr.rhs, change))
    return change(expr)


def swap(expr: Expr, old: Expr, new: Expr) -> Expr:
    """Replace every sub-expression equal to `old`."""
    return rewrite(expr, lambda node: new if node == old else node)


_SPECIAL: Final = frozenset("\\.+*?()[]{}^$")


def alternatives(pattern: str) -> list[str] | None:
    """What a regular expression that is plain text, or plain alternatives, matches; None for any other."""
    return None if _SPECIAL & set(pattern) else pattern.split("|")


# What Python reads as Go does and tries in no time: text, `.`, classes, alternatives; no repetition but of `.`.
_PLAIN: Final = re.compile(r"(?:[\w\-/:@,=~ ]|\\[.\-/+]|\.[*+]?|\[[\w\-.]+\]|\||\((?:\?:)?|\)(?![*+?{]))*", re.ASCII)
_MAX_PLAIN: Final = 200  # characters
_MAX_WIDE: Final = 3  # parts such as `.*`, which multiply


def may_match(matcher: Matcher, value: str) -> bool:
    """Whether a matcher takes a label value; True for a pattern that Go and Python might not read alike."""
    if matcher.op in ("=", "!="):
        return (value == matcher.value) == (matcher.op == "=")
    pattern = matcher.value
    wide = pattern.count(".*") + pattern.count(".+")
    if len(pattern) > _MAX_PLAIN or wide > _MAX_WIDE or not _PLAIN.fullmatch(pattern):
        return True
    try:
        found = re.fullmatch(pattern, value, re.DOTALL) is not None
    except re.error:
        return True
    return found == (matcher.op == "=~")


def selectors(expr: Expr) -> list[Selector]:
    """All selectors, left to right."""
    return [node for node in walk(expr) if isinstance(node, Selector)]


# --- normal form -----------------------------------------------------------------------------------------------------

_FLIPPED: Final = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}


def normal_form(expr: Expr) -> Expr:
    """One tree for all spellings that differ in nothing but writing.

    Matchers and grouping labels sorted, numeric literals folded, commutative operands ordered, comparisons with the
    scalar turned to the right, `ignoring ()` dropped. Two expressions with equal normal forms yield the same samples.
    """
    texts: dict[int, str] = {}  # of the parts that are done: written out anew for each level they would cost too much

    def written(part: Expr) -> str:
        return texts[id(part)]

    def change(node: Expr) -> Expr:
        node = _normal_node(node, written)
        texts[id(node)] = to_text(node, written)
        return node

    return rewrite(expr, change)


def _normal_node(node: Expr, written: Writer) -> Expr:
    match node:
        case Selector(matchers=matchers):
            return replace(node, matchers=tuple(sorted(set(matchers), key=lambda m: (m.name, m.op, m.value))))
        case Aggregate(grouping=grouping) if grouping is not None:
            names = tuple(sorted(set(grouping)))
            return replace(node, grouping=None if not names and not node.without else names)
        case Unary(Number(value)):
            return Number(-value)
        case Binary(op, Number(left), Number(right)) if op in ("+", "-", "*", "/"):
            return Number(_rounded(_fold(op, left, right)))
        case Binary():
            return _normal_binary(node, written)
    return node


def _normal_binary(node: Binary, written: Writer) -> Binary:
    matching = node.matching
    if matching is not None:
        matching = replace(matching, labels=tuple(sorted(set(matching.labels))))
        if not matching.on and not matching.labels and matching.group is None:
            matching = None
        node = replace(node, matching=matching)
    if node.op in _FLIPPED and _is_scalar(node.lhs) and not _is_scalar(node.rhs):
        return replace(node, op=_FLIPPED[node.op], lhs=node.rhs, rhs=node.lhs)
    # a vector `and`/`or` keeps its left side's labels, so only arithmetic may change sides; where labels are matched in
    # part, Prometheus takes on the left what it refuses on the right: several series of which none has a partner
    commutes = node.op in ("+", "*") and matching is None
    if commutes and written(node.rhs) < written(node.lhs):
        return replace(node, lhs=node.rhs, rhs=node.lhs)
    return node


def _is_scalar(expr: Expr) -> bool:
    match expr:
        case Number():
            return True
        case Call(func=func):
            return func in ("scalar", "time", "pi")
        case Unary(inner):
            return _is_scalar(inner)
        case Binary(lhs=lhs, rhs=rhs):
            return _is_scalar(lhs) and _is_scalar(rhs)
    return False


def _rounded(value: float) -> float:
    """Twelve significant digits: `14.4 * 0.005` and `0.072` are one threshold, written twice."""
    return float(f"{value:.12g}")


def _fold(op: str, left: float, right: float) -> float:
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if right == 0:
        return math.nan if left == 0 or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1, right)
    return left / right


def depth(expr: Expr) -> int:
    """Nesting of the tree."""
    return 1 + max((depth(child) for child in children(expr)), default=0)
