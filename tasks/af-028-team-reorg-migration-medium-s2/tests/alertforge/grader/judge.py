# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""From what was observed to check results: each requirement goes to the module of its kind."""

from __future__ import annotations

from alertforge.grader.observed import Observed
from alertforge.grader.requirements import alert, inhibition, recording, route
from alertforge.grader.result import Judgement
from alertforge.grader.spec import (
    AlertRequirement,
    InhibitionRequirement,
    RecordingRequirement,
    Requirement,
    RouteRequirement,
    Spec,
)


def judge(spec: Spec, observed: Observed) -> tuple[Judgement, ...]:
    """Every requirement's checks and q, in the order of their ids."""
    return tuple(_judge(requirement, observed) for requirement in spec.requirements())


def _judge(requirement: Requirement, observed: Observed) -> Judgement:
    match requirement:
        case AlertRequirement():
            return alert.judge(requirement, observed)
        case RecordingRequirement():
            return recording.judge(requirement, observed)
        case RouteRequirement():
            return route.judge(requirement, observed)
        case InhibitionRequirement():
            return inhibition.judge(requirement, observed)
