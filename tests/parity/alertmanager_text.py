"""Random matchers and label sets, and the many ways to write them into a configuration."""

from __future__ import annotations

import json
import random
from typing import Any

import yaml

LEGACY_NAMES = ("team", "severity", "svc", "_x1")
NAMES = (*LEGACY_NAMES, "a b", "é", "x.y", "q'\"\\")
SIMPLE = ("a", "b", "ab", "page", "5")  # values that need no quotes
ODD = ("", "a|b", "x,y", 'q"q', "b\\n", "n\nn", "{x}", "-v", "=", "é", " s ", "t\tt", "a\n", "true", "\\x41", "\u2028")
PATTERNS = (
    *("a|b", "a.*", ".*", ".+", "", "(?:a|b)?", "[ab]+", "page|", "^a$", "a", "x,y", "(?i)AB", "[^a]*", "5|true"),
    *(r"\w+", r"a\|b", r"\d*", r"\{x\}", r"b\\n", r"n\nn", r"\S+", r"a\b.*", "(a|b){1,2}", "é|a", 'q"q', "((a))"),
)  # fmt: skip

Condition = tuple[str, str, str]  # name, operator, value


def value(rng: random.Random) -> str:
    """A label value, empty now and then."""
    return rng.choice(SIMPLE if rng.random() < 0.7 else ODD)


def labels(rng: random.Random, names: tuple[str, ...] = NAMES) -> dict[str, str]:
    """A label set; a label may be missing or empty."""
    return {name: value(rng) for name in names if rng.random() < 0.55}


def conditions(rng: random.Random, most: int = 3) -> list[Condition]:
    """What the matchers of one route, or one side of an inhibition rule, ask for."""
    count = rng.choice([0, *[1] * 5, *[2] * 3, 3][: 6 + most])
    out = []
    for _ in range(count):
        op = rng.choice(["=", "=", "=", "!=", "=~", "=~", "!~"])
        text = rng.choice(PATTERNS) if op in ("=~", "!~") else value(rng)
        out.append((rng.choice(NAMES), op, text))
    return out


def fields(rng: random.Random, wanted: list[Condition], prefix: str = "") -> dict[str, Any]:
    """The conditions as fields of a route or rule: `match`, `match_re`, `matchers`, drawn where there is a choice."""
    out: dict[str, Any] = {}
    modern: list[str] = []
    for name, op, text in wanted:
        legacy = out.setdefault(f"{prefix}match", {}) if op == "=" else out.setdefault(f"{prefix}match_re", {})
        if op in ("=", "=~") and name in LEGACY_NAMES and name not in legacy and rng.random() < 0.35:
            legacy[name] = text
        else:
            modern.append(matcher(rng, name, op, text))
    lines: list[str] = []
    while modern:
        count = rng.randint(1, len(modern))
        line = rng.choice([",", ", ", " , "]).join(modern[:count]) + rng.choice(["", "", ","])
        lines.append("{" + line + "}" if rng.random() < 0.3 else line)
        modern = modern[count:]
    if lines or rng.random() < 0.1:
        out[f"{prefix}matchers"] = lines
    return {key: item for key, item in out.items() if item or key.endswith("matchers")}


def matcher(rng: random.Random, name: str, op: str, text: str) -> str:
    """One matcher in one of the forms that mean it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    written = text if text in SIMPLE and rng.random() < 0.5 else f'"{escaped}"'
    bare = name in LEGACY_NAMES or (name in ("é", "x.y") and rng.random() < 0.5)
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    label = name if bare and rng.random() < 0.8 else f'"{quoted}"'
    return f"{label}{rng.choice(['', '', ' '])}{op}{rng.choice(['', '', ' '])}{written}"


def document(rng: random.Random, value: Any) -> str:
    """A value as YAML, in block or flow style, or as JSON."""
    style = rng.randrange(3)
    if style == 0:
        return json.dumps(value)
    return str(yaml.safe_dump(value, default_flow_style=style == 1, allow_unicode=rng.random() < 0.5))
