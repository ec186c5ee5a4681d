# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""What a rule may look at: the series of the replays that it is judged by, and no further back than they reach.

A server has series that no replay holds, and a past. A rule that asks for those could tell a replay from a server, or
page on them without end, and nobody would see it. So a requested rule that is new reads, itself or by way of records,
only metrics that its own replays hold; an edited neighbour those of any replay and what it read before. What goes
beyond is set aside like a rule that Prometheus refuses. What stands in the baseline stays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from alertforge.grader import definitions
from alertforge.grader.definitions import Definition
from alertforge.grader.lint import Linted, aside
from alertforge.grader.reach import REWRITTEN_LABELS, STATE_METRICS, Placed, Reach, labels_of, place
from alertforge.grader.spec import Scenario, Spec
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import METRIC_NAME, Labels

_Key = tuple[bool, str]  # is an alert, name
_Placed = tuple[Group, Rule]


@dataclass(frozen=True)
class Scope:
    """What one alert or record may look at."""

    replays: tuple[Scenario, ...]
    subjects: frozenset[Labels] = frozenset()  # that it is judged for; empty: any
    known: frozenset[str] = frozenset()  # metrics that it has always read
    back: int = 0  # milliseconds that it has always looked back
    reach: Reach | None = None
    series: Mapping[str, Sequence[Labels]] = field(default_factory=dict)  # of all replays there are, by metric name

    @cached_property
    def metrics(self) -> frozenset[str]:
        """The names of all series."""
        return frozenset(one.series.partition("{")[0] for replay in self.replays for one in replay.series) | self.known

    def holds(self, name: str, selector: promql.Selector) -> bool:
        """Whether it may look at what a selector finds under a name: what some replay holds, or its own."""
        if name in STATE_METRICS or name in self.recorded:
            return True
        if name in self.known or name not in self.metrics or not self.subjects:
            return name in self.metrics
        asked = {(m.name, m.value) for m in selector.matchers if m.op == "="}
        own = any(not asked.isdisjoint(subject.pairs) for subject in self.subjects)
        outcomes = self._outcomes.get(name, frozenset())
        return own or any(_may_be(selector, labels, outcomes) for labels in self.series.get(name, ()))

    @cached_property
    def _outcomes(self) -> Mapping[str, Set[str]]:
        """Per metric the labels that say what came out: no other metric has them, and they do not tell services apart.

        Names of topics, hosts or pods are some service's own; a status is anybody's.
        """
        carried = {name: {label for one in found for label, _ in one.pairs} for name, found in self.series.items()}
        counts = Counter(label for labels in carried.values() for label in labels)
        return {
            name: {label for label in labels if counts[label] == 1 and self._is_shared(label, self.series[name])}
            for name, labels in carried.items()
        }

    def _is_shared(self, label: str, series: Sequence[Labels]) -> bool:
        """Whether services have a value of the label in common; so it is taken to be where there is one service."""
        keys = sorted({key for subject in self.subjects for key, _ in subject.pairs})
        values: dict[tuple[str, ...], set[str]] = {}
        for one in series:
            values.setdefault(tuple(one.get(key) for key in keys), set()).add(one.get(label))
        return len(values) < 2 or sum(map(len, values.values())) > len(set().union(*values.values()))

    @cached_property
    def recorded(self) -> frozenset[str]:
        """The records that yield something on these series."""
        if self.reach is None:
            return frozenset()
        return self.reach.recorded(one.series for replay in self.replays for one in replay.series)

    @cached_property
    def longest(self) -> int:
        """Milliseconds that it may look back: the longest replay."""
        return max([self.back, *(60_000 * replay.minutes for replay in self.replays)])


def within(
    files: Sequence[RuleFile], baseline: Sequence[RuleFile], spec: Spec, reference: Sequence[RuleFile] = ()
) -> Linted:
    """Set aside the requested and the edited rules that look beyond their replays.

    One alert or record is one thing: where a definition goes too far, all go that are new. `reference` are records that
    may stand in place of the workspace's own.
    """
    before = {_meant(group, rule) for file in baseline for group in file.groups for rule in group.rules}
    new: dict[_Key, list[_Placed]] = {}
    for file in files:
        for group in file.groups:
            for rule in (rule for rule in group.rules if _meant(group, rule) not in before):
                new.setdefault((rule.is_alert, rule.name), []).append((group, rule))
    scopes = _scopes(spec, baseline, Reach(place([*files, *reference])))
    look = _Look(new, frozenset(name for recording in spec.recordings for name in recording.records))
    faults = {
        key: next(filter(None, (look.fault(rule, scopes[key]) for _, rule in placed)), "")
        for key, placed in new.items()
        if key in scopes
    }

    def fault(group: Group, rule: Rule) -> str:
        return "" if _meant(group, rule) in before else faults.get((rule.is_alert, rule.name), "")

    return aside(files, fault)


def _meant(group: Group, rule: Rule) -> tuple[bool, str, str]:
    return rule.is_alert, rule.name, definitions.definition(rule, group).expr


def _series(scenarios: Iterable[Scenario]) -> Mapping[str, Sequence[Labels]]:
    """The labels of all series by metric name."""
    found: dict[str, list[Labels]] = {}
    for text in sorted({one.series for scenario in scenarios for one in scenario.series}):
        found.setdefault(text.partition("{")[0], []).append(labels_of(text) or Labels())
    return found


def _scopes(spec: Spec, baseline: Sequence[RuleFile], reach: Reach) -> dict[_Key, Scope]:
    """The scope of each requested alert and record, and of each that was there."""
    by_id = {scenario.id: scenario for scenario in spec.scenarios}
    series = _series(spec.scenarios)
    there: dict[_Key, list[Placed]] = {}
    for placed in place(baseline):
        there.setdefault((placed.rule.is_alert, placed.rule.name), []).append(placed)
    made_of = {
        name: {read for one in same for read in one.selects} for (alert, name), same in there.items() if not alert
    }
    scopes = {
        key: Scope(
            spec.scenarios,
            known=_known({name for one in same for name in one.selects}, made_of),
            back=max((_looks_back(node) for one in same if one.tree for node in promql.walk(one.tree)), default=0),
            reach=reach,
        )
        for key, same in there.items()
    }
    for alert in spec.alerts:
        replays = tuple(by_id[name] for name in dict.fromkeys(case.scenario for case in alert.cases))
        subjects = frozenset(case.subject for case in alert.cases)
        scopes[True, alert.alert] = Scope(replays, subjects, reach=reach, series=series)
    for record in dict.fromkeys(name for recording in spec.recordings for name in recording.records):
        asking = [recording for recording in spec.recordings if record in recording.records]
        cases = [(value.scenario, value.subject) for one in asking for value in one.values]
        names = [name for name, _ in cases] + [count.scenario for one in asking for count in one.cardinality]
        replays = tuple(by_id[name] for name in dict.fromkeys(names))
        scopes[False, record] = Scope(replays, frozenset(subject for _, subject in cases), reach=reach, series=series)
    return scopes


def _known(read: Set[str], made_of: Mapping[str, Set[str]]) -> frozenset[str]:
    """What was read, what that is made of where it is recorded, and the records of nothing else."""
    known = set(read)
    while more := {name for one in known for name in made_of.get(one, ())} - known:
        known |= more
    while more := {name for name, parts in made_of.items() if parts and parts <= known} - known:
        known |= more
    return frozenset(known)


@dataclass(frozen=True)
class _Look:
    """Follows what rules read."""

    new: Mapping[_Key, Sequence[_Placed]]  # rules that are not the baseline's
    requested: frozenset[str]  # records, which have scopes of their own

    def fault(self, rule: Rule, scope: Scope) -> str:
        """How a rule goes beyond its scope, in a few words; empty where it does not. Records are looked into once."""
        seen, queue = {rule}, [rule]
        while queue:
            tree = definitions.tree_of(queue.pop())
            for node in promql.walk(tree) if tree is not None else ():  # else promtool's to refuse
                if (back := _looks_back(node)) > scope.longest:
                    return f"looks {promql.duration_text(back)} back, beyond every replay that it is judged by"
                if not isinstance(node, promql.Selector):
                    continue
                for name in _names(node):
                    if name is None:
                        return "selects metrics by a pattern: which of them it reads on a server cannot be told"
                    found = self._recorded(name, node, scope)
                    if not found and not scope.holds(name, node):
                        what = promql.to_text(node) if name in scope.metrics else name
                        return f"reads {what[:80]!r}, which no replay that it is judged by holds"
                    queue += [one for one in found if one not in seen]
                    seen.update(found)
        return ""

    def _recorded(self, name: str, by: promql.Selector, scope: Scope) -> list[Rule]:
        """The new rules that record what a selector asks for, as far as they are about whom the scope is."""
        if name in STATE_METRICS or name in scope.metrics or name in self.requested:
            return []
        return [
            rule
            for group, rule in self.new.get((False, name), ())
            if _is_about(scope.subjects, one := definitions.definition(rule, group)) and _may_find(by, one)
        ]


def _is_about(subjects: Iterable[Labels], one: Definition) -> bool:
    known = tuple(subjects)
    return not known or any(definitions.concerns(one, subject) for subject in known)


def _may_find(selector: promql.Selector, one: Definition) -> bool:
    """Whether a selector may find what a definition records: no label that is certain contradicts it."""
    tree = definitions.parsed(one.expr)
    sure = {**(definitions.yielded(tree) if tree else {}), **dict(one.labels)}
    sure = {name: value for name, value in sure.items() if "{{" not in value}
    return all(m.op != "=" or sure.get(m.name, m.value) == m.value for m in selector.matchers)


def _may_be(selector: promql.Selector, labels: Labels, outcomes: Set[str]) -> bool:
    """Whether a series may be what a selector asks for: whatever came out there, for no replay shows every outcome."""
    told = [m for m in selector.matchers if m.name not in (METRIC_NAME, *REWRITTEN_LABELS, *outcomes)]
    return all(promql.may_match(m, labels.get(m.name)) for m in told)


def _looks_back(node: promql.Expr) -> int:
    """Milliseconds."""
    return max(node.window or 0, node.offset) if isinstance(node, promql.Selector | promql.Subquery) else 0


def _names(selector: promql.Selector) -> list[str | None]:
    """The metric names that a selector asks for; None among them where that cannot be told."""
    if selector.name is not None:
        return [selector.name]
    for matcher in selector.matchers:
        if matcher.name == METRIC_NAME and matcher.op in ("=", "=~"):
            names: list[str | None] = [*(promql.alternatives(matcher.value) or ())]
            return names or [None]
    return [None]
