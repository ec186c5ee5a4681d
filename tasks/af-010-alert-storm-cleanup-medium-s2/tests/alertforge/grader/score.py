# canary df3559a3-57ad-47e7-a725-65604cf87216
"""From judgements to rewards: arithmetic on check results, as in the contract.

s        = clip((q - q_start) / (1 - q_start), -0.25, 1)
progress = max(0, (1/2 + 1/2 preservation) · sum(w s) / sum(w))
reward   = 0.6 [all s = 1 and preservation = 1 and syntax_ok and no tamper] + 0.4 progress; 0 when tampered with
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from alertforge.grader.result import Check, Judgement, RequirementScore, families, family_mean, mean, rounded
from alertforge.grader.spec import WEIGHTS

WORST: Final = -0.25
_WHOLE: Final = 1.0 - 1e-9  # sums of thirds and sevenths do not always end at 1

CATEGORIES: Final = {
    "req_alerts": "alert",
    "req_repairs": "repair",
    "req_recording": "recording",
    "req_routing": "route",
    "req_inhibit": "inhibition",
}
KEYS: Final = (
    "reward",
    "solved",
    "outcome",
    "progress",
    "preservation",
    *CATEGORIES,
    "fire_rate",
    "silent_rate",
    "label_rate",
    "check_pass_rate",
    "syntax_ok",
    "tamper",
)


def relative(q: float, q_start: float) -> float:
    """s: 0 for the start repo, 1 for the solved one, never below -0.25."""
    if q >= _WHOLE:
        return 1.0
    if q_start >= _WHOLE:  # nothing to gain, all to lose
        return max(WORST, q - 1.0)
    return min(1.0, max(WORST, (q - q_start) / (1.0 - q_start)))


def requirement_score(judgement: Judgement, q_start: float) -> RequirementScore:
    """A requirement's line in the result."""
    return RequirementScore(
        judgement.requirement,
        judgement.kind,
        WEIGHTS[judgement.kind],
        judgement.q,
        q_start,
        relative(judgement.q, q_start),
        families(judgement.checks),
    )


def rewards(
    requirements: Sequence[RequirementScore], checks: Sequence[Check], *, syntax_ok: bool, tampered: bool
) -> dict[str, float]:
    """All reward keys. Categories without a requirement are 1: nothing was asked."""
    preservation = family_mean(checks, "preserved")
    weight = sum(one.weight for one in requirements)
    gained = sum(one.weight * one.s for one in requirements) / weight if weight else 0.0
    progress = max(0.0, (0.5 + 0.5 * preservation) * gained)
    right = all(one.s >= 1.0 for one in requirements) and preservation >= _WHOLE
    outcome = float(right and syntax_ok and not tampered)
    values: Mapping[str, float] = {
        "reward": 0.0 if tampered else 0.6 * outcome + 0.4 * progress,
        "solved": outcome,
        "outcome": outcome,
        "progress": progress,
        "preservation": preservation,
        **{key: category(requirements, kind) for key, kind in CATEGORIES.items()},
        "fire_rate": family_mean(checks, "fire", "timing"),
        "silent_rate": family_mean(checks, "silent"),
        "label_rate": family_mean(checks, "label", "annotation"),
        "check_pass_rate": mean(float(check.passed) for check in checks),
        "syntax_ok": float(syntax_ok),
        "tamper": float(tampered),
    }
    return {key: rounded(values[key]) for key in KEYS}


def category(requirements: Sequence[RequirementScore], kind: str) -> float:
    """The mean s of one kind of requirement, regressions counted as 0."""
    return mean(max(0.0, one.s) for one in requirements if one.kind == kind)


def nothing() -> dict[str, float]:
    """The rewards of a grade that could not be made."""
    return dict.fromkeys(KEYS, 0.0)
