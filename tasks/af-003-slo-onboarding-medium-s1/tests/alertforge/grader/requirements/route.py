# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""Routes: where pages end up, for given labels and for alerts that really fired in a replay.

| family | one check per | score |
|---|---|---|
| route-positive | case with `receivers`, and chain case | Jaccard of the expected and the resolved receivers |
| route-negative | case without | whether no forbidden receiver is among the resolved ones |

    q = mean(route-positive) · mean(route-negative)

In a positive case a receiver counts as met only when it notifies as the house wants it: once, put together with others
by the same labels and after the same times as its rule says, and through the integrations that the rule names. What
counts is what holds in the end, inherited or written out.

A chain case starts from the labels that the alert carried at that minute: it must fire, must not be inhibited by what
else fires, and the rest is routing. A configuration that does not load fails every case.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from alertforge.alertmanager.config import RouteNode, duration_text
from alertforge.grader.delivery import Delivery, active, alert_labels
from alertforge.grader.integrations import canonical
from alertforge.grader.observed import Observed
from alertforge.grader.result import Check, Judgement, family_mean, labels_text
from alertforge.grader.spec import ChainCase, Grouping, ReceiverRule, RouteCase, RouteRequirement
from alertforge.prometheus.series import Labels


def judge(requirement: RouteRequirement, observed: Observed) -> Judgement:
    """All checks of a route and their q."""
    checks = [_case(requirement, number, case, observed) for number, case in enumerate(requirement.cases, 1)]
    checks += [_chain(requirement, number, case, observed) for number, case in enumerate(requirement.chain, 1)]
    q = family_mean(checks, "route-positive") * family_mean(checks, "route-negative")
    return Judgement(requirement.id, requirement.kind, q, tuple(checks))


def _case(requirement: RouteRequirement, number: int, case: RouteCase, observed: Observed) -> Check:
    delivery = observed.delivery
    resolved = delivery.notified(case.labels)
    faults: dict[str, str] = {}
    if case.receivers is not None:
        family, expected = "route-positive", f"goes to {_list(case.receivers)}"
        faults = _faults(requirement, delivery, [case.labels])
        score = jaccard(case.receivers, resolved, faults)
    else:
        family, expected = "route-negative", f"does not go to {_list(case.forbidden)}"
        score = float(not set(case.forbidden) & set(resolved))
    return Check(
        f"{requirement.id}.{family}.{number}",
        requirement.id,
        family,
        0.0 if delivery.broken else score,
        f"{labels_text(case.labels.pairs)} {expected}{_why(case.why)}",
        "the configuration does not load" if delivery.broken else f"goes to {_list(resolved)}{_but(faults)}",
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
        faults = _faults(requirement, delivery, paged)
        score = jaccard(case.receivers, resolved, faults)
        what = f"pages {_list(resolved)}{_but(faults)}" if paged else "is inhibited"
        seen = f"{labels_text(found[0].pairs)} {what}"
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


# --- how a receiver notifies -----------------------------------------------------------------------------------------


def jaccard(expected: Collection[str], resolved: Collection[str], faults: Collection[str] = ()) -> float:
    """Size of the intersection over that of the union, 1 for two empty sets; faulty members are in no intersection."""
    met = set(expected) & set(resolved) - set(faults)
    whole = set(expected) | set(resolved)
    return len(met) / len(whole) if whole else 1.0


def _faults(requirement: RouteRequirement, delivery: Delivery, label_sets: Iterable[Labels]) -> dict[str, str]:
    """The receivers of these alerts that do not notify as their rule says, and why."""
    if delivery.config is None:
        return {}
    rules = {rule.name: rule for rule in requirement.receivers}
    known = {receiver.name: canonical(receiver) for receiver in delivery.config.receivers}
    out: dict[str, str] = {}
    for labels in label_sets:
        for name in delivery.notified(labels):
            nodes = [node for node in delivery.nodes(labels) if node.receiver == name]
            fault = _fault(rules.get(name, ReceiverRule(name)), nodes, known.get(name, ()))
            if fault:
                out.setdefault(name, fault)
    return out


def _fault(rule: ReceiverRule, nodes: Sequence[RouteNode], integrations: tuple[str, ...]) -> str:
    if rule.integrations is not None and integrations != rule.integrations:
        return f"notifies through {', '.join(integrations)} and not through {', '.join(rule.integrations)}"
    if len(nodes) > 1:
        return f"is told {len(nodes)} times, by {len(nodes)} routes"
    wanted = rule.grouping
    found = [effective(node) for node in nodes]
    if wanted is not None and any(_sorted(one) != _sorted(wanted) for one in found):
        return f"groups by {_grouping(found[0])} and not by {_grouping(wanted)}"
    return ""


def effective(node: RouteNode) -> Grouping:
    """How a node groups, inherited values included."""
    return Grouping(node.group_by, node.group_wait, node.group_interval, node.repeat_interval)


def _sorted(grouping: Grouping) -> tuple[frozenset[str], int, int, int]:
    return frozenset(grouping.group_by), grouping.group_wait, grouping.group_interval, grouping.repeat_interval


def _grouping(grouping: Grouping) -> str:
    times = (grouping.group_wait, grouping.group_interval, grouping.repeat_interval)
    return f"{', '.join(sorted(grouping.group_by)) or 'nothing'} ({' / '.join(map(duration_text, times))})"


def _but(faults: dict[str, str]) -> str:
    return "".join(f"; {name} {fault}" for name, fault in faults.items())


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "nobody"


def _why(why: str) -> str:
    return f" ({why})" if why else ""
