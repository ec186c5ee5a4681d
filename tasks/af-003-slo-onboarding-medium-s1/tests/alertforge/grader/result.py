# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""What a grade is made of: checks with their evidence, requirements with their scores, and the rewards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

PRESERVATION: Final = "preservation"  # stands where other checks name their requirement

MAX_TEXT: Final = 400  # characters of one piece of evidence; what an agent wrote can be longer


@dataclass(frozen=True)
class Check:
    """One expectation and what was found: `score` is in [0, 1], `minutes` are the minutes it is about, as runs."""

    id: str
    requirement: str
    family: str
    score: float
    expected: str
    seen: str
    scenario: str = ""
    minutes: tuple[tuple[int, int], ...] = ()

    @property
    def passed(self) -> bool:
        """Whether the expectation was met in full."""
        return self.score >= 1.0


@dataclass(frozen=True)
class Judgement:
    """A requirement's checks and the q that they fold into."""

    requirement: str
    kind: str
    q: float
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class RequirementScore:
    """One requirement's line in the result; `families` holds the mean score of each family of checks."""

    id: str
    kind: str
    weight: int
    q: float
    q_start: float
    s: float
    families: Mapping[str, float]


@dataclass(frozen=True)
class Result:
    """A whole grade. Holds nothing that differs between two grades of the same workspace."""

    rewards: Mapping[str, float]
    requirements: tuple[RequirementScore, ...] = ()
    checks: tuple[Check, ...] = ()
    problems: tuple[str, ...] = ()
    tamper: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # rules that failed to evaluate in a replay: they yield nothing there
    grader_error: str = ""

    def to_plain(self) -> dict[str, Any]:
        """The JSON object of `details.json` and `alertforge grade --json`."""
        plain: dict[str, Any] = {
            "rewards": dict(self.rewards),
            "requirements": [
                {
                    "id": one.id,
                    "kind": one.kind,
                    "weight": one.weight,
                    "q": rounded(one.q),
                    "q_start": rounded(one.q_start),
                    "s": rounded(one.s),
                    "families": {family: rounded(score) for family, score in one.families.items()},
                }
                for one in self.requirements
            ],
            "checks": [
                {
                    "id": check.id,
                    "requirement": check.requirement,
                    "family": check.family,
                    "score": rounded(check.score),
                    "evidence": {
                        "scenario": check.scenario,
                        "minutes": [list(run) for run in check.minutes],
                        "expected": clipped(check.expected),
                        "seen": clipped(check.seen),
                    },
                }
                for check in self.checks
            ],
            "problems": [clipped(problem) for problem in self.problems],
            "tamper": [clipped(reason) for reason in self.tamper],
            "notes": [clipped(note) for note in self.notes],
        }
        if self.grader_error:
            plain["grader_error"] = clipped(self.grader_error)
        return plain


def rounded(value: float) -> float:
    """Six decimals, as everything that is written out; never `-0.0`."""
    return round(float(value), 6) + 0.0


def clipped(text: str) -> str:
    """One line that fits in a report and can be written as UTF-8."""
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return line if len(line) <= MAX_TEXT else line[: MAX_TEXT - 1] + "…"


def mean(values: Iterable[float]) -> float:
    """The mean; of nothing it is 1: what asks nothing is met."""
    known = list(values)
    return sum(known) / len(known) if known else 1.0


def family_mean(checks: Iterable[Check], *families: str) -> float:
    """Mean score of the checks of the families named."""
    return mean(check.score for check in checks if check.family in families)


def families(checks: Sequence[Check]) -> dict[str, float]:
    """Mean score of each family, by name."""
    return {family: family_mean(checks, family) for family in sorted({check.family for check in checks})}


def runs(minutes: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Minutes as runs of consecutive ones: 3, 4, 5, 9 are (3, 5), (9, 9)."""
    out: list[tuple[int, int]] = []
    for minute in sorted(set(minutes)):
        if out and minute == out[-1][1] + 1:
            out[-1] = (out[-1][0], minute)
        else:
            out.append((minute, minute))
    return tuple(out)


def runs_text(minutes: Iterable[int]) -> str:
    """Runs for a reader: `minute 7`, `minutes 3-5, 9`."""
    found = runs(minutes)
    many = len(found) > 1 or any(first != last for first, last in found)
    return f"minute{'s' if many else ''} " + ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in found)


def labels_text(pairs: Iterable[tuple[str, str]]) -> str:
    """A label set for a reader: `{a="1", b="2"}`."""
    return "{" + ", ".join(f'{name}="{value}"' for name, value in pairs) + "}"
