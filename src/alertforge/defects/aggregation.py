"""Defects of aggregation: labels dropped, labels too many, sides that do not meet."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Matching, Selector, rewrite, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed


def _no_identity(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """Nothing says any longer which service it is."""
    if subject.by in dict(rule.labels) or _matches_on(rule.tree) or _labels_made(rule.tree):
        return None

    def drop(node: Aggregate) -> Expr | None:
        if node.without or node.grouping is None or subject.by not in node.grouping:
            return None
        rest = tuple(name for name in node.grouping if name != subject.by)
        return replace(node, grouping=rest or None)

    dropped = shapes.on_aggregates(rule, drop)
    return dropped if dropped is not None else shapes.on_main_limits(rule, _maximum)


def _maximum(limit: Binary) -> Expr:
    return shapes.with_measured(limit, Aggregate("max", shapes.measured(limit)))


def _matches_on(tree: Expr) -> bool:
    return any(isinstance(node, Binary) and node.matching is not None and node.matching.on for node in walk(tree))


def _labels_made(tree: Expr) -> bool:
    return any(isinstance(node, Call) and node.func in ("label_replace", "label_join") for node in walk(tree))


def _per_pod(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """One alert for each pod; only over series that have one."""
    pod = subject.style.pod_label
    if subject.service.pods < 2 or _matches_on(rule.tree):
        return None

    def spread(node: Aggregate) -> Expr | None:
        named = not node.without and node.grouping is not None and subject.by in node.grouping
        if not named or node.grouping is None or pod in node.grouping or not _has_pods(node.expr, subject):
            return None
        return replace(node, grouping=(*node.grouping, pod))

    return shapes.on_aggregates(rule, spread)


def _has_pods(expr: Expr, subject: Subject) -> bool:
    """Whether all that is aggregated comes from the service's own targets."""
    family = subject.service.family
    own = {"up", family.counter, *(f"{family.histogram}_{part}" for part in ("bucket", "count", "sum"))}
    found = [node for node in walk(expr) if isinstance(node, Selector)]
    return bool(found) and all(node.name in own for node in found)


def _no_buckets(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def change(call: Call) -> Expr | None:
        def drop(node: Expr) -> Expr:
            if isinstance(node, Aggregate) and not node.without and "le" in (node.grouping or ()):
                return replace(node, grouping=tuple(name for name in node.grouping or () if name != "le") or None)
            return node

        return rewrite(call, drop)

    return shapes.on_calls(rule, frozenset({"histogram_quantile"}), change)


def bound_rewritten(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """A bucket bound in another spelling of the same number than the one that is stored."""

    def change(selector: Selector) -> Selector | None:
        bound = selector.matcher("le")
        if bound is None or bound.op != "=" or bound.value == "+Inf":
            return None
        value = bound.value.removesuffix(".0") if bound.value.endswith(".0") else f"{bound.value}0"
        return shapes.with_matcher(selector, bound, replace(bound, value=value))

    return shapes.on_selectors(rule, change)


def _one_to_one(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """The right side of a quotient unsummed: it meets the left one only as long as there is a single series."""
    changed = False

    def unsum(node: Expr) -> Expr:
        nonlocal changed
        if not (isinstance(node, Binary) and node.op == "/" and node.matching is None):
            return node
        right = node.rhs
        if not (isinstance(right, Aggregate) and right.op in ("sum", "max") and right.grouping == (subject.by,)):
            return node
        if not _has_pods(right.expr, subject) or subject.service.pods < 2:
            return node
        changed = True
        return replace(node, rhs=right.expr, matching=Matching((subject.by,), on=True))

    tree = rewrite(rule.tree, unsum)
    return rule.with_expr(tree) if changed else None


def _mean_for_worst(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Not where the worst is subtracted from the clock: there the mean is older than the newest, not quieter."""
    if shapes.reads_clock(rule.tree):
        return None
    return shapes.on_aggregates(rule, lambda node: replace(node, op="avg") if node.op == "max" else None)


def _any_for_all(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """One target that is down instead of all of them."""

    def change(limit: Binary) -> Expr | None:
        side = shapes.measured(limit)
        none_left = shapes.direction(limit) in ("==", "<", "<=") and shapes.value_of(shapes.threshold(limit)) in (0, 1)
        if not none_left or not isinstance(side, Aggregate) or side.op not in ("sum", "max"):
            return None
        if not isinstance(side.expr, Selector) or side.expr.window is not None:
            return None
        return shapes.with_measured(limit, replace(side, op="min"))

    return shapes.on_main_limits(rule, change)


DEFECTS: Final = (
    Defect(
        "no-identity",
        "aggregation",
        "misrouted",
        _no_identity,
        (
            "the status board showed {{ service }} as healthy all the while {{ alert }} was firing",
            "whoever filters the list of alerts by {{ service }} does not get to see {{ alert }}",
            "links and filters that go by service lead from {{ alert }} to nowhere, and not to {{ service }}",
            "the page of {{ service }} lists its firing alerts, and {{ alert }} was not among them",
            "searching the alerts for {{ service }} brings up everything but {{ alert }}",
            "sorted by service, the list of what fired has {{ alert }} at the end, under no service",
            "the statistics by service count {{ alert }} for none, and certainly not for {{ service }}",
            "{{ alert }} fired, and the field that should say {{ service }} was empty",
            "grouped by service, {{ alert }} stands apart from the other alerts of {{ service }}",
        ),
        "say in the summary which service it is",
        lambda rule, subject: rule.with_annotation(
            subject.style.summary_key, f"{rule.annotation(subject.style.summary_key)} ({subject.service.name})"
        ),
        delivered=(
            "{{ team }} looked for notifications about {{ service }}, and {{ alert }} was not among those it found",
        ),
    ),
    Defect(
        "per-pod",
        "aggregation",
        "noisy",
        _per_pod,
        (
            "one outage of {{ service }}, and the list of alerts showed little else than {{ alert }}",
            "the history counts {{ alert }} several times in the very same second",
            "every rollout of {{ service }} resolves {{ alert }} and raises it anew under different names",
            "a single sick replica of {{ service }} is enough for {{ alert }}, with all the others healthy",
            "{{ alert }} fires once for every copy of {{ service }}",
            "{{ alert }} stood in the list several times for one and the same trouble at {{ service }}",
            "one outage of {{ service }} fills a whole screen with {{ alert }}",
            "the more copies of {{ service }} there are, the more often {{ alert }} is listed at once",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        paged=(
            "one outage of {{ service }}, and {{ team }} got one call after the other for it",
            "the pager went off once for {{ alert }}, then again, and again, all in the same second",
        ),
        ticketed=("one outage of {{ service }}, and {{ team }} found a whole stack of tickets for it",),
    ),
    Defect(
        "buckets-lost",
        "aggregation",
        "silent",
        _no_buckets,
        (
            "{{ service }} took eight seconds to answer, and {{ alert }} was as quiet as ever",
            "{{ alert }} shows no data at all, which nobody noticed while {{ service }} was fast",
            "{{ alert }} went quiet after somebody tidied up the file",
            "people complained that {{ service }} hung; there was no {{ alert }}",
            "no answer of {{ service }} is slow enough for {{ alert }}",
            "{{ service }} got slower by the hour, and {{ alert }} never fired",
            "the slow answers of {{ service }} are on every graph, and {{ alert }} takes no notice of them",
            "{{ team }} slowed {{ service }} down in a test and waited for {{ alert }} in vain",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "bound-rewritten",
        "aggregation",
        "silent",
        bound_rewritten,
        (
            "{{ alert }} died with the server upgrade: {{ service }} slowed to a crawl and nothing fired",
            "it worked on the old servers; on the new ones {{ alert }} has not fired once",
            "{{ service }} was slow for an hour, all graphs agree, and {{ alert }} stayed quiet",
            "{{ team }} has not seen {{ alert }} since the migration",
            "most answers of {{ service }} came too late that day, and {{ alert }} did not fire",
            "customers called {{ service }} unusable, it was that slow; {{ alert }} was quiet",
            "however many slow answers there are at {{ service }}, {{ alert }} stays away",
            "{{ team }} had every reason to expect {{ alert }}, with {{ service }} as slow as it was",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "only-while-alone",
        "aggregation",
        "silent",
        _one_to_one,
        (
            "{{ alert }} worked as long as {{ service }} ran as a single copy; it has been broken ever since",
            "the rules page shows an error text beside {{ alert }}, and in the trouble at {{ service }} nothing fired",
            "after {{ service }} was scaled out, {{ alert }} was never seen again",
            "{{ alert }} passed its test, and fails in production without anyone being told",
            "{{ alert }} was reviewed, merged and loaded, and did not come when {{ service }} was in trouble",
            "however bad things were at {{ service }}, there was no {{ alert }}",
            "{{ team }} found out about the trouble at {{ service }} from a graph; {{ alert }} had nothing",
            "{{ service }} has had two bad days this month, {{ alert }} has had none",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "mean-for-worst",
        "aggregation",
        "silent",
        _mean_for_worst,
        (
            "one copy of {{ service }} was in trouble until it died, and {{ alert }} stayed quiet",
            "{{ alert }} only comes when every copy is in trouble at once",
            "the sick replica was plain to see on the graph, {{ alert }} missed it in the crowd",
            "the more copies of {{ service }} there are, the less {{ alert }} notices",
            "as long as most copies of {{ service }} are well, {{ alert }} is quiet",
            "the copy of {{ service }} that was in trouble went unnoticed, at least by {{ alert }}",
            "{{ team }} found the one bad copy of {{ service }} by hand; {{ alert }} had not fired",
            "customers who met the one bad copy of {{ service }} complained, and {{ alert }} did not fire",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "any-for-all",
        "aggregation",
        "noisy",
        _any_for_all,
        (
            "one instance of {{ service }} hung, the others carried the load, and {{ alert }} went off",
            "{{ alert }} says that {{ service }} is gone when most of it is there",
            "{{ alert }} fires whenever one copy cannot be reached, though {{ service }} never stops answering",
            "each time a single copy is stuck for a few minutes, {{ alert }} reports a full outage",
            "{{ alert }} fired for one stuck copy of {{ service }}, and no customer noticed anything",
            "{{ service }} ran on with one copy less, and {{ alert }} reported it as gone",
            "{{ alert }} makes no difference between one copy of {{ service }} and all of it",
            "most of {{ service }} was up and answering while {{ alert }} was on",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        paged=("{{ team }} is called whenever one copy of {{ service }} cannot be reached, though the others answer",),
        ticketed=(
            "{{ team }} gets a ticket whenever one copy of {{ service }} cannot be reached, though the others answer",
        ),
    ),
)
