# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""Inhibition: which alerts stay quiet while others fire, for given labels and for alerts of a replay.

| family | one check per | met when |
|---|---|---|
| suppressed | case that must be suppressed | it is |
| not-suppressed | case that must not be | it is not |

    q = mean(suppressed) · mean(not-suppressed)

A chain case needs its alert to fire: one that does not is neither. A configuration that does not load fails every case.
"""

from __future__ import annotations

from alertforge.grader.delivery import active, alert_labels
from alertforge.grader.observed import Observed
from alertforge.grader.result import Check, Judgement, family_mean, labels_text
from alertforge.grader.spec import InhibitionCase, InhibitionRequirement, SuppressionCase


def judge(requirement: InhibitionRequirement, observed: Observed) -> Judgement:
    """All checks of an inhibition and their q."""
    checks = [_case(requirement, number, case, observed) for number, case in enumerate(requirement.cases, 1)]
    checks += [_chain(requirement, number, case, observed) for number, case in enumerate(requirement.chain, 1)]
    q = family_mean(checks, "suppressed") * family_mean(checks, "not-suppressed")
    return Judgement(requirement.id, requirement.kind, q, tuple(checks))


def _case(requirement: InhibitionRequirement, number: int, case: InhibitionCase, observed: Observed) -> Check:
    beside = "; ".join(labels_text(other.pairs) for other in case.others) or "nothing"
    family = _family(case.suppressed)
    score, seen = 0.0, "the configuration does not load"
    if not observed.delivery.broken:
        found = observed.delivery.suppressed(case.labels, case.others)
        score, seen = float(found == case.suppressed), _seen(found)
    return Check(
        f"{requirement.id}.{family}.{number}",
        requirement.id,
        family,
        score,
        f"{labels_text(case.labels.pairs)} beside {beside}: {family}{_why(case.why)}",
        seen,
    )


def _chain(requirement: InhibitionRequirement, number: int, case: SuppressionCase, observed: Observed) -> Check:
    found = [
        alert_labels(case.alert, firing)
        for firing in observed.timeline.firing(case.scenario, case.alert, case.minute)
        if firing.labels.contains(case.subject)
    ]
    family = _family(case.suppressed)
    score, seen = 0.0, "the configuration does not load"
    if not observed.delivery.broken:
        others = active(observed.timeline, case.scenario, case.minute)
        states = [observed.delivery.suppressed(labels, others) for labels in found]
        score = float(bool(states) and all(state == case.suppressed for state in states))
        seen = ", ".join(map(_seen, states)) or "the alert does not fire for the subject"
    return Check(
        f"{requirement.id}.chain.{number}",
        requirement.id,
        family,
        score,
        f"{case.alert} for {labels_text(case.subject.pairs)}: {family}{_why(case.why)}",
        seen,
        case.scenario,
        ((case.minute, case.minute),),
    )


def _family(suppressed: bool) -> str:
    return "suppressed" if suppressed else "not-suppressed"


def _seen(suppressed: bool) -> str:
    return "inhibited" if suppressed else "not inhibited"


def _why(why: str) -> str:
    return f" ({why})" if why else ""
