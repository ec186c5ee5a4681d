"""Routes: where pages end up, for given labels and for alerts that really fired in a replay.

| family | one check per | score |
|---|---|---|
| route-positive | case with `receivers`, and chain case | Jaccard of the expected and the resolved receivers |
| route-negative | case without | whether no forbidden receiver is among the resolved ones |

    q = mean(route-positive) · mean(route-negative)

A chain case starts from the labels that the alert carried at that minute: it must fire, must not be inhibited by what
else fires, and the rest is routing. A configuration that does not load fails every case.
"""

from __future__ import annotations

from collections.abc import Iterable

from alertforge.grader.delivery import active, alert_labels
from alertforge.grader.observed import Observed
from alertforge.grader.result import Check, Judgement, family_mean, labels_text
from alertforge.grader.spec import ChainCase, RouteCase, RouteRequirement


def judge(requirement: RouteRequirement, observed: Observed) -> Judgement:
    """All checks of a route and their q."""
    checks = [_case(requirement, number, case, observed) for number, case in enumerate(requirement.cases, 1)]
    checks += [_chain(requirement, number, case, observed) for number, case in enumerate(requirement.chain, 1)]
    q = family_mean(checks, "route-positive") * family_mean(checks, "route-negative")
    return Judgement(requirement.id, requirement.kind, q, tuple(checks))


def jaccard(expected: Iterable[str], resolved: Iterable[str]) -> float:
    """Size of the intersection over that of the union; 1 for two empty sets."""
    left, right = set(expected), set(resolved)
    return len(left & right) / len(left | right) if left | right else 1.0


def _case(requirement: RouteRequirement, number: int, case: RouteCase, observed: Observed) -> Check:
    delivery = observed.delivery
    resolved = delivery.notified(case.labels)
    if case.receivers is not None:
        family, expected = "route-positive", f"goes to {_list(case.receivers)}"
        score = jaccard(case.receivers, resolved)
    else:
        family, expected = "route-negative", f"does not go to {_list(case.forbidden)}"
        score = float(not set(case.forbidden) & set(resolved))
    return Check(
        f"{requirement.id}.{family}.{number}",
        requirement.id,
        family,
        0.0 if delivery.broken else score,
        f"{labels_text(case.labels.pairs)} {expected}{_why(case.why)}",
        "the configuration does not load" if delivery.broken else f"goes to {_list(resolved)}",
    )


def _chain(requirement: RouteRequirement, number: int, case: ChainCase, observed: Observed) -> Check:
    delivery = observed.delivery
    found = [
        alert_labels(case.alert, firing)
        for firing in observed.timeline.firing(case.scenario, case.alert, case.minute)
        if firing.labels.contains(case.subject)
    ]
    score, resolved = 0.0, set[str]()
    if delivery.broken:
        seen = "the configuration does not load"
    elif not found:
        seen = "the alert does not fire for the subject"
    else:
        others = active(observed.timeline, case.scenario, case.minute)
        paged = [labels for labels in found if not delivery.suppressed(labels, others)]
        resolved = {receiver for labels in paged for receiver in delivery.notified(labels)}
        score = jaccard(case.receivers, resolved)
        seen = f"{labels_text(found[0].pairs)} {'pages ' + _list(resolved) if paged else 'is inhibited'}"
    return Check(
        f"{requirement.id}.chain.{number}",
        requirement.id,
        "route-positive",
        score,
        f"{case.alert} for {labels_text(case.subject.pairs)} pages {_list(case.receivers)}{_why(case.why)}",
        seen,
        case.scenario,
        ((case.minute, case.minute),),
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


def _why(why: str) -> str:
    return f" ({why})" if why else ""
