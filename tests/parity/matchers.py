"""Matcher strings: `matchers.parse` against the routing tree that amtool shows.

A case is one random string, well-formed or not. What we read is written again with every character as an escape and the
name in quotes, which only one of Alertmanager's parsers takes and in one way: amtool must show the same for both.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from alertforge.alertmanager.matchers import Matcher, MatcherError, parse
from alertforge.tools import find

BATCH = 16
REFUSED_SHARE = 5  # one in so many of the strings that we refuse is shown to amtool: each takes a process

PIECES = (
    *("a", "b", "ab", "a:b", "é", "5", "x.y", '"', '"', '"', "\\", "\\n", '\\"', "\\\\", "\\t", "\\x41", "\\xc3\\xa9"),
    *("\\xff", "\\u00e9", "\\101", "\\400", "\\ud800", "\\q", ",", ",", "=", "=", "!=", "=~", "!~", "~", "!", "{", "}"),
    *(" ", "\t", "\n", "\u00a0", "\u2003", "\x1c", "\v", "\x85", "'", "`", '"a"', '"a b"', '"c,d"', '""', "(\\x29"),
    *("|", ".*", "[a]", "$", "^"),
)
NAMES = ("a", "b:c", '"a"', '"x y"', "é", "x.y", '"\\n"', '"\\""', "7", '""')


def draw(rng: random.Random) -> str:
    """A random string: pieces at random, or something near a list of matchers."""
    if rng.random() < 0.25:
        return _pieces(rng, 7)
    written = []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        value = _pieces(rng, 3)
        if rng.random() < 0.7:
            value = '"' + value.replace('"', "") + '"'
        spaces = [rng.choice(["", "", "", " ", "\n", "\u2003"]) for _ in range(4)]
        parts = (rng.choice(NAMES), rng.choice(["=", "!=", "=~", "!~"]), value)
        written.append("".join(space + part for space, part in zip(spaces, (*parts, ""), strict=True)))
    text = rng.choice([",", ",", ",,", " ,", ", "]).join(written)
    if rng.random() < 0.3:
        text = "{" + text + rng.choice(["}", "}", ",}", ""])
    return text + (rng.choice([",", "x", " ", "}"]) if rng.random() < 0.1 else "")


def _pieces(rng: random.Random, most: int) -> str:
    return "".join(rng.choice(PIECES) for _ in range(rng.randint(0, most)))


def _escaped(matcher: Matcher) -> str:
    name, value = (
        '"' + "".join(f"\\U{ord(char):08x}" for char in text) + '"' for text in (matcher.name, matcher.value)
    )
    return name + matcher.op + value


def _go_may_refuse(matchers: Sequence[Matcher]) -> bool:
    """Whether a regular expression may be one that Go refuses: parsing leaves that to Go."""
    for matcher in matchers:
        if matcher.is_regex:
            try:
                re.compile(matcher.value)
            except re.error:
                return True
            if re.search(r"\\[^ -~]|\\u", matcher.value):
                return True
    return False


def _shown(texts: Sequence[str]) -> str | None:
    """The routing tree with one route for each string; None where amtool refuses one of them."""
    routes = [{"receiver": f"r{index}", "matchers": [text]} for index, text in enumerate(texts)]
    receivers = [{"name": name} for name in ("root", *(f"r{index}" for index in range(len(texts))))]
    with tempfile.TemporaryDirectory(prefix="parity-") as folder:
        config = json.dumps({"route": {"receiver": "root", "routes": routes}, "receivers": receivers})
        Path(folder, "am.yml").write_text(config, encoding="utf-8")
        command = [str(find("amtool")), "config", "routes", "show", "--config.file=am.yml"]
        done = subprocess.run(command, cwd=folder, env={"HOME": folder}, capture_output=True, text=True, check=False)
    return done.stdout.partition("Routing tree:")[2] if done.returncode == 0 else None


def compare(texts: Sequence[str]) -> tuple[Counter[str], list[str]]:
    """Ask amtool about every string; counts per comparison, and the strings that are read differently."""
    counts: Counter[str] = Counter()
    taken: list[tuple[str, tuple[Matcher, ...]]] = []
    refused: list[str] = []
    for text in texts:
        try:
            found = parse(text)
        except MatcherError:
            refused.append(text)
            continue
        if not _go_may_refuse(found):
            taken.append((text, found))
    differences: list[str] = []
    for start in range(0, len(taken), BATCH):
        batch = taken[start : start + BATCH]
        counts["read = amtool"] += len(batch)
        differences += _unlike(batch)
    for text in refused[::REFUSED_SHARE]:
        counts["refused = amtool"] += 1
        if _shown([text]) is not None:
            differences.append(text)
    return counts, differences


def _unlike(batch: Sequence[tuple[str, tuple[Matcher, ...]]]) -> list[str]:
    ours = _shown([text for text, _ in batch])
    if ours is not None and ours == _shown([",".join(map(_escaped, found)) for _, found in batch]):
        return []
    if len(batch) == 1:
        return [batch[0][0]]
    middle = len(batch) // 2
    return _unlike(batch[:middle]) + _unlike(batch[middle:])


def run(cases: int, seed: int) -> int:
    """Compare this many distinct strings and print a summary; returns the number of differences."""
    rng = random.Random(f"matchers {seed}")
    drawn: dict[str, None] = {}
    while len(drawn) < cases:
        drawn.setdefault(draw(rng))
    counts, differences = compare(list(drawn))
    print(f"matchers: {len(drawn)} strings")
    for what, count in sorted(counts.items()):
        print(f"  {what:<24}{count:>8} compared")
    for text in differences[:10]:
        print(f"  differs: {text!r}")
    return len(differences)
