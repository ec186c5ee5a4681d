# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""Label sets, series and promtool's sample notation.

A series here is what one target exports over a scenario: one sample slot per scrape, the first at time 0.
Sample values are exact: integers for counters, integers or binary floats for gauges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

METRIC_NAME: Final = "__name__"


class Marker(Enum):
    """A scrape slot without a value."""

    GAP = "_"  # no sample: the last value stays visible for the lookback (5 minutes)
    STALE = "stale"  # staleness marker: the series is gone at once


GAP: Final = Marker.GAP
STALE: Final = Marker.STALE

Value = int | float
Sample = Value | Marker


@dataclass(frozen=True, order=True)
class Labels:
    """An immutable label set; empty values do not exist (Prometheus drops them)."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, labels: Mapping[str, str] | Iterable[tuple[str, str]] = (), **more: str) -> Labels:
        """Build a label set from a mapping or pairs; later names win, empty values are dropped."""
        merged = {**dict(labels), **more}
        return cls(tuple(sorted((name, value) for name, value in merged.items() if value != "")))

    def get(self, name: str, default: str = "") -> str:
        """Value of a label; a missing label is the empty string, as Prometheus and Alertmanager see it."""
        return next((value for key, value in self.pairs if key == name), default)

    def only(self, names: Iterable[str]) -> Labels:
        """Keep the named labels."""
        keep = set(names)
        return Labels(tuple(pair for pair in self.pairs if pair[0] in keep))

    def without(self, names: Iterable[str]) -> Labels:
        """Drop the named labels."""
        drop = set(names)
        return Labels(tuple(pair for pair in self.pairs if pair[0] not in drop))

    def with_(self, labels: Mapping[str, str] | Iterable[tuple[str, str]] = (), **more: str) -> Labels:
        """Set labels; an empty value removes the label."""
        return Labels.of({**dict(self.pairs), **dict(labels), **more})

    def as_dict(self) -> dict[str, str]:
        """The labels as a plain dict, in name order."""
        return dict(self.pairs)

    def contains(self, other: Labels) -> bool:
        """Whether every label of `other` stands here with the same value."""
        return all(self.get(name) == value for name, value in other.pairs)

    @property
    def name(self) -> str:
        """The metric name, or the empty string."""
        return self.get(METRIC_NAME)

    def __bool__(self) -> bool:
        return bool(self.pairs)


@dataclass(frozen=True)
class Series:
    """One series: its labels (with `__name__`) and one sample slot per scrape, the first at second 0."""

    labels: Labels
    samples: tuple[Sample, ...]
    interval: int = 60  # seconds between slots


def quote(text: str) -> str:
    """A double-quoted PromQL / Go string literal for any text."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif char == "\t":
            out.append("\\t")
        elif char == "\r":
            out.append("\\r")
        elif char.isprintable():
            out.append(char)
        else:
            code = ord(char)
            out.append(f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(out) + '"'


def is_legacy_name(name: str) -> bool:
    """Whether a label name can be written without quotes."""
    return name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()


def selector_text(labels: Labels) -> str:
    """The label set as a series name: `http_requests_total{code="200",pod="a"}`."""
    inner = ",".join(
        f"{name if is_legacy_name(name) else quote(name)}={quote(value)}"
        for name, value in labels.pairs
        if name != METRIC_NAME
    )
    return f"{labels.name}{{{inner}}}" if inner else labels.name


def number_text(value: Value) -> str:
    """The shortest decimal that reads back as the same float64; integers stay integers."""
    if isinstance(value, int) and abs(value) < 2**53:
        return str(value)
    value = float(value)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def notation(samples: Iterable[Sample]) -> str:
    """Samples in promtool's notation, runs folded: `0+60x9`, `5x3`, `_x2`, `stale`.

    `a+bxn` stands for n+1 samples and is used for integers only: promtool adds floats up and would drift.
    """
    items = list(samples)
    parts: list[str] = []
    at = 0
    while at < len(items):
        run = _constant_run(items, at)
        step_run = _arithmetic_run(items, at)
        first = items[at]
        if step_run >= 3 and step_run > run:
            assert isinstance(first, int)
            second = items[at + 1]
            assert isinstance(second, int)
            step = second - first
            parts.append(f"{first}{'+' if step >= 0 else '-'}{abs(step)}x{step_run - 1}")
            at += step_run
        elif isinstance(first, Marker):
            if first is GAP and run > 1:
                parts.append(f"_x{run}")
                at += run
            else:
                parts.append(first.value)
                at += 1
        elif run >= 3 and abs(first) != float("inf"):  # promtool cannot read `+Infx3`
            parts.append(f"{number_text(first)}x{run - 1}")
            at += run
        else:
            parts.append(number_text(first))
            at += 1
    return " ".join(parts)


def _constant_run(items: list[Sample], at: int) -> int:
    end = at + 1
    while end < len(items) and items[end] == items[at] and type(items[end]) is type(items[at]):
        end += 1
    return end - at


def _arithmetic_run(items: list[Sample], at: int) -> int:
    """Length of the longest run of exact integers with one step from `at` on (0 if there is none)."""
    first = items[at]
    if not _exact_int(first) or at + 1 >= len(items):
        return 0
    second = items[at + 1]
    if not _exact_int(second):
        return 0
    assert isinstance(first, int)
    assert isinstance(second, int)
    step, end = second - first, at + 2
    while end < len(items):
        value, before = items[end], items[end - 1]
        if not _exact_int(value) or value - before != step:  # type: ignore[operator]
            break
        end += 1
    return end - at


def _exact_int(value: Sample) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53
