"""Pieces of Markdown, and of plain English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date


def placeholders(pattern: str) -> str:
    """`{Service}{symptom}` as a README writes it: `<Service><symptom>`."""
    return re.sub(r"\{(\w+)\}", r"<\1>", pattern)


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def spelt(day: date) -> str:
    """`3 March 2025`."""
    return f"{day.day} {day:%B %Y}"


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(headers) + " |", "|" + "|".join("---" for _ in headers) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def bullets(lines: Iterable[str]) -> str:
    """A list with dashes."""
    return "\n".join(f"- {line}" for line in lines)


def numbered(lines: Iterable[str]) -> str:
    """A list with numbers."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))
