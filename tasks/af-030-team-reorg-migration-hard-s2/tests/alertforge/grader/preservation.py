# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""What must still do what it did: everything of the baseline that no item touches.

One check each, all of family `preserved`: alerts, records, receivers, `global`, route probes, inhibition probes; and
four on what nobody asked for (`unasked.py`).

What is equal by normal form is preserved at no cost. What is written otherwise is proven by replay: the baseline's
definitions and the workspace's, each in its own surroundings, must show the same at every minute of every scenario,
and must show something at all; where they show nothing, reading may prove it (`proof.py`). Preservation is planned
first (`plan`), replayed with everything else, judged last.

Many services can share the name of an alert or record. Where an item touches such a name, the baseline's definitions
that cannot concern any of the item's subjects are still preserved: whatever they showed must still be there, whatever
else the name shows is the requirement's to judge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from alertforge.alertmanager.config import Config
from alertforge.grader import proof, unasked
from alertforge.grader.definitions import Definition, Index, concerns, definition, index
from alertforge.grader.delivery import Delivery, alert_labels
from alertforge.grader.integrations import canonical
from alertforge.grader.result import PRESERVATION, Check, labels_text, runs
from alertforge.grader.spec import InhibitionCase, RouteProbe, Spec
from alertforge.grader.timeline import Ask, Firing, Timeline
from alertforge.grader.unasked import Unasked
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels

TOUCHED_PATH = "!touched-records"  # sorts before every rule file
MAX_NAMED = 3  # alerts beside another that a check names


@dataclass(frozen=True)
class Plan:
    """Which alerts and records of the baseline stand, which do not exist any more, and which a replay must prove."""

    alerts: Mapping[str, str]  # name -> "kept" | "gone" | "changed"
    records: Mapping[str, str]
    shared: frozenset[tuple[bool, str]]  # (is an alert, name) that an item touches for some of its subjects only
    old_files: tuple[RuleFile, ...]  # the baseline's rules in their surroundings; empty when nothing is to be proven
    unasked: Unasked  # what the workspace has beside all that
    owed: Mapping[tuple[bool, str], frozenset[Definition]]  # the baseline's definitions that must be preserved

    def changed(self, verdicts: Mapping[str, str]) -> tuple[str, ...]:
        """The names that a replay must prove."""
        return tuple(name for name, verdict in verdicts.items() if verdict == "changed")

    def asks(self, spec: Spec) -> list[Ask]:
        """What to observe in every scenario: the changed ones, for the baseline and the workspace, and the unasked."""
        alerts, records = frozenset(self.changed(self.alerts)), self.changed(self.records)
        if not alerts and not records and not self.unasked.watched:
            return []
        return [
            Ask(
                scenario,
                alerts | self.unasked.watched,
                tuple((name, minute) for name in records for minute in range(scenario.minutes + 1)),
                alerts,
            )
            for scenario in spec.scenarios
        ]


def plan(spec: Spec, files: Sequence[RuleFile], baseline: Sequence[RuleFile]) -> Plan:
    """Compare by normal form; both file lists hold only rules that Prometheus takes."""
    old, new = index(baseline), index(files)
    touched = _touched(spec)
    broken = {(True, alert.alert) for alert in spec.alerts if alert.kind == "repair"}
    owed = {key: _owed(key, definitions, touched, broken) for key, definitions in old.items()}
    shared = frozenset(key for key, definitions in owed.items() if key in touched and definitions)
    verdicts: dict[bool, dict[str, str]] = {True: {}, False: {}}
    for (is_alert, name), definitions in sorted(owed.items()):
        if definitions:
            now = set(new.get((is_alert, name), ()))
            same = definitions <= now if (is_alert, name) in shared else definitions == now
            verdicts[is_alert][name] = "kept" if same else "changed" if now else "gone"
    proven = {
        (kind, name) for kind, names in verdicts.items() for name, verdict in names.items() if verdict == "changed"
    }
    surroundings: tuple[RuleFile, ...] = ()
    if proven:
        replaced = {name for is_alert, name in touched if not is_alert and (is_alert, name) not in proven}
        surroundings = _surroundings(baseline, files, {key: owed[key] for key in shared & proven}, replaced)
    return Plan(
        verdicts[True],
        verdicts[False],
        shared,
        surroundings,
        unasked.look(spec, old, new),
        {key: frozenset(owed[key]) for key in proven},
    )


def _touched(spec: Spec) -> dict[tuple[bool, str], list[Labels]]:
    """The names that items touch, each with the subjects that they touch it for."""
    out: dict[tuple[bool, str], list[Labels]] = {}
    for is_alert, names in ((True, spec.preservation.touched_alerts), (False, spec.preservation.touched_records)):
        out |= {(is_alert, name): [] for name in names}
    for alert in spec.alerts:
        out.get((True, alert.alert), []).extend(case.subject for case in alert.cases)
    for recording in spec.recordings:
        for value in recording.values:
            out.get((False, value.record), []).append(value.subject)
    return out


def _owed(
    key: tuple[bool, str],
    definitions: Sequence[Definition],
    touched: Mapping[tuple[bool, str], Sequence[Labels]],
    broken: Collection[tuple[bool, str]],
) -> set[Definition]:
    """The definitions that must still do what they did: of a touched name, those that concern none of the subjects.

    The only definition of a broken alert is the broken one, even where its defect is to concern somebody else.
    """
    if key not in touched:
        return set(definitions)
    if key in broken and len(set(definitions)) == 1:
        return set()
    subjects = touched[key]
    return {one for one in definitions if subjects and not any(concerns(one, subject) for subject in subjects)}


def _surroundings(
    baseline: Sequence[RuleFile],
    files: Sequence[RuleFile],
    shared: Mapping[tuple[bool, str], set[Definition]],
    replaced: set[str],
) -> tuple[RuleFile, ...]:
    """The baseline with the workspace's definitions of records that items may change.

    An untouched alert on top of a repaired record shows what the repair makes of it, on both sides. Of shared names
    that are to be proven, only the definitions that must be preserved run.
    """

    def keep(group: Group, rule: Rule) -> bool:
        key = (rule.is_alert, rule.name)
        if key in shared:
            return definition(rule, group) in shared[key]
        return rule.is_alert or rule.name not in replaced

    kept = tuple(_select(file, keep) for file in baseline)
    taken = [_select(file, lambda _, rule: not rule.is_alert and rule.name in replaced) for file in files]
    groups = tuple(group for file in taken for group in file.groups if group.rules)
    renamed = tuple(replace(group, name=f"{number}") for number, group in enumerate(groups))
    return (RuleFile(TOUCHED_PATH, renamed), *kept) if renamed else kept


def _select(file: RuleFile, keep: Callable[[Group, Rule], bool]) -> RuleFile:
    groups = tuple(replace(group, rules=tuple(r for r in group.rules if keep(group, r))) for group in file.groups)
    return replace(file, groups=groups)


# --- what deliveries are needed --------------------------------------------------------------------------------------


def label_sets(spec: Spec, plan: Plan, old: Timeline, new: Timeline, same_config: bool) -> list[Labels]:
    """The label sets whose delivery `judge` asks about: probes, and alerts that carry more labels than before."""
    out = unasked.label_sets(spec, plan.unasked, new, same_config)
    if not same_config:
        out += [probe.labels for probe in spec.preservation.routes]
        for case in spec.preservation.inhibitions:
            out += [case.labels, *case.others]
    for name in plan.changed(plan.alerts):
        for scenario in spec.scenarios:
            for minute in range(scenario.minutes + 1):
                before, after = old.firing(scenario.id, name, minute), new.firing(scenario.id, name, minute)
                for was, now in _pairs(before, after, more=(True, name) in plan.shared) or ():
                    if was.labels != now.labels:
                        out += [alert_labels(name, was), alert_labels(name, now)]
    return list(dict.fromkeys(out))


def _pairs(before: Sequence[Firing], after: Sequence[Firing], *, more: bool) -> list[tuple[Firing, Firing]] | None:
    """Each old alert with the new one that carries all its labels; None where there is no such pairing.

    With `more`, there may be new alerts beside them.
    """
    if len(before) > len(after) or (len(before) < len(after) and not more):
        return None
    left = list(after)
    out: list[tuple[Firing, Firing]] = []
    for was in before:
        fits = [now for now in left if now.labels.contains(was.labels)]
        now = next((now for now in fits if now.labels == was.labels), fits[0] if fits else None)
        if now is None:
            return None
        left.remove(now)
        out.append((was, now))
    return out


# --- judging ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sides:
    """Everything that judging compares: the baseline and the workspace, each with its timeline and configuration."""

    spec: Spec
    plan: Plan
    old: Timeline
    new: Timeline
    start: Timeline  # what `unasked.strangers` asks of the baseline
    old_config: Config
    old_delivery: Delivery | None  # None where both configurations say the same
    delivery: Delivery
    old_index: Index
    new_index: Index

    @cached_property
    def grounds(self) -> tuple[proof.Ground, proof.Ground]:
        """What proofs by reading stand on, for the baseline and the workspace."""
        read = proof.read_by(self.old_config)
        if self.delivery.config is not None:
            read |= proof.read_by(self.delivery.config)
        series = (series.series for scenario in self.spec.scenarios for series in scenario.series)
        carried = proof.series_labels(series) | proof.named_by(self.old_index)
        return proof.Ground(self.old_index, read, carried), proof.Ground(self.new_index, read, carried)


def judge(sides: Sides) -> tuple[Check, ...]:
    """One check per thing to preserve, in a fixed order."""
    return (
        *(_alert(sides, name, verdict) for name, verdict in sides.plan.alerts.items()),
        *(_record(sides, name, verdict) for name, verdict in sides.plan.records.items()),
        *_receivers(sides),
        *(_route(sides, number, probe) for number, probe in enumerate(sides.spec.preservation.routes, 1)),
        *(_inhibition(sides, number, case) for number, case in enumerate(sides.spec.preservation.inhibitions, 1)),
        *unasked.judge(sides.spec, sides.plan.unasked, sides.new, sides.start, sides.old_config, sides.delivery),
    )


def _check(what: str, good: bool, expected: str, seen: str, scenario: str = "", minute: int | None = None) -> Check:
    where = runs([] if minute is None else [minute])
    return Check(f"P.{what}", PRESERVATION, "preserved", float(good), expected, seen, scenario, where)


def _alert(sides: Sides, name: str, verdict: str) -> Check:
    what, expected = f"alert.{name}", f"alert {name} fires as it did{_for_whom(sides, True, name)}"
    if verdict != "changed":
        return _check(what, verdict == "kept", expected, _words(verdict))
    texts_changed = _annotations(sides.old_index, name) != _annotations(sides.new_index, name)
    fired = False
    for scenario in sides.spec.scenarios:
        for minute in range(scenario.minutes + 1):
            before = sides.old.firing(scenario.id, name, minute)
            after = sides.new.firing(scenario.id, name, minute)
            fired = fired or bool(before)
            fault = _firing_fault(sides, name, before, after, texts_changed)
            if fault:
                return _check(what, False, expected, fault, scenario.id, minute)
    if not fired:
        return _read(sides, True, name, what, expected, "fires in no scenario that could prove it equal")
    return _check(what, True, expected, "rewritten, and fires as it did in every scenario")


def _read(sides: Sides, is_alert: bool, name: str, what: str, expected: str, unproven: str) -> Check:
    """The check on something that no replay shows: proven by reading, or not, and then why."""
    key = (is_alert, name)
    now = tuple(one for one in sides.new_index.get(key, ()) if one not in sides.plan.owed[key])
    was = sides.plan.owed[key] - set(sides.new_index.get(key, ()))
    grounds = sides.grounds
    if proof.all_same(was, now, *grounds, more=key in sides.plan.shared):
        return _check(what, True, expected, "rewritten into what reads the same")
    return _check(what, False, expected, f"rewritten, and {unproven}: {proof.difference(was, now, *grounds)}")


def _annotations(known: Index, name: str) -> set[Any]:
    return {one.annotations for one in known.get((True, name), ())}


def _firing_fault(
    sides: Sides, name: str, before: Sequence[Firing], after: Sequence[Firing], texts_changed: bool
) -> str:
    pairs = _pairs(before, after, more=(True, name) in sides.plan.shared)
    if pairs is None:
        return f"fires for {_labels(after)}, not for {_labels(before)}"
    for was, now in pairs:
        if was.labels != now.labels and not _delivered_alike(sides.delivery, name, was, now):
            return f"{labels_text(now.labels.pairs)} goes elsewhere than {labels_text(was.labels.pairs)}"
        kept = dict(now.annotations)
        lost = [key for key, text in was.annotations if texts_changed and kept.get(key) != text]
        if lost:
            return f"annotation {lost[0]} changed"
    return ""


def _delivered_alike(delivery: Delivery, name: str, was: Firing, now: Firing) -> bool:
    old, new = alert_labels(name, was), alert_labels(name, now)
    return delivery.nodes(old) == delivery.nodes(new) and delivery.sides(old) == delivery.sides(new)


def _labels(firings: Sequence[Firing]) -> str:
    return ", ".join(labels_text(firing.labels.pairs) for firing in firings[:3]) or "nobody"


def _for_whom(sides: Sides, is_alert: bool, name: str) -> str:
    return " for those that no request is about" if (is_alert, name) in sides.plan.shared else ""


def _words(verdict: str) -> str:
    return {"kept": "unchanged", "gone": "no rule of that name that Prometheus takes"}[verdict]


def _record(sides: Sides, name: str, verdict: str) -> Check:
    more = (False, name) in sides.plan.shared
    what, expected = f"record.{name}", f"record {name} has the values it had{_for_whom(sides, False, name)}"
    if verdict != "changed":
        return _check(what, verdict == "kept", expected, _words(verdict))
    found = False
    for scenario in sides.spec.scenarios:
        for minute in range(scenario.minutes + 1):
            before = sides.old.record(scenario.id, name, minute)
            after = sides.new.record(scenario.id, name, minute)
            found = found or bool(before)
            if not _same_samples(before, after, more):
                seen = f"{_samples(after)}, before {_samples(before)}"
                return _check(what, False, expected, seen, scenario.id, minute)
    if not found:
        return _read(sides, False, name, what, expected, "has no value in any scenario that could prove it equal")
    return _check(what, True, expected, "rewritten, with the same values in every scenario")


def _same_samples(
    before: Sequence[tuple[Labels, float]] | None, after: Sequence[tuple[Labels, float]] | None, more: bool
) -> bool:
    if before is None or after is None:
        return False
    now = dict(after)
    if any(labels not in now for labels, _ in before) or (len(now) > len(before) and not more):
        return False
    return all(_same_value(value, now[labels]) for labels, value in before)


def _same_value(old: float, new: float) -> bool:
    return math.isclose(old, new, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(old) and math.isnan(new))


def _samples(samples: Sequence[tuple[Labels, float]] | None) -> str:
    if samples is None:
        return "not readable"
    return "; ".join(f"{labels_text(labels.pairs)} {value:.12g}" for labels, value in samples[:2]) or "no sample"


def _receivers(sides: Sides) -> Iterable[Check]:
    touched = set(sides.spec.preservation.touched_receivers)
    config = sides.delivery.config
    now = {} if config is None else {receiver.name: canonical(receiver) for receiver in config.receivers}
    for receiver in sorted(sides.old_config.receivers, key=lambda receiver: receiver.name):
        if receiver.name in touched:
            continue
        before, after = canonical(receiver), now.get(receiver.name)
        seen = (
            "unchanged"
            if after == before
            else "gone"
            if after is None
            else f"notifies by {', '.join(after) or 'nothing'}"
        )
        yield _check(f"receiver.{receiver.name}", after == before, f"receiver {receiver.name} notifies as it did", seen)
    old = sides.old_config
    same = config is not None and (config.global_, config.templates) == (old.global_, old.templates)
    yield _check("global", same, "`global` and `templates` are as they were", "unchanged" if same else "changed")


def _route(sides: Sides, number: int, probe: RouteProbe) -> Check:
    expected = f"{labels_text(probe.labels.pairs)} goes to {', '.join(sorted(probe.receivers)) or 'nobody'} as it did"
    what = f"route.{number}"
    if sides.delivery.broken:
        return _check(what, False, expected, "the configuration does not load")
    if sides.old_delivery is None:
        return _check(what, True, expected, "unchanged")
    now = sides.delivery.receivers(probe.labels)
    if set(now) != set(probe.receivers):
        return _check(what, False, expected, f"goes to {', '.join(sorted(now)) or 'nobody'}")
    same = _notified(sides.delivery, probe.labels) == _notified(sides.old_delivery, probe.labels)
    return _check(what, same, expected, "unchanged" if same else "grouped or repeated in another way")


def _notified(delivery: Delivery, labels: Labels) -> list[tuple[Any, ...]]:
    return sorted(
        (node.receiver, tuple(sorted(node.group_by)), node.group_wait, node.group_interval, node.repeat_interval)
        for node in delivery.nodes(labels)
    )


def _inhibition(sides: Sides, number: int, case: InhibitionCase) -> Check:
    state = "inhibited" if case.suppressed else "not inhibited"
    more = f"; {len(case.others) - MAX_NAMED} more" if len(case.others) > MAX_NAMED else ""
    beside = "; ".join(labels_text(other.pairs) for other in case.others[:MAX_NAMED]) + more or "nothing"
    expected = f"{labels_text(case.labels.pairs)} beside {beside} is {state} as it was"
    what = f"inhibition.{number}"
    if sides.delivery.broken:
        return _check(what, False, expected, "the configuration does not load")
    if sides.old_delivery is None:
        return _check(what, True, expected, "unchanged")
    found = sides.delivery.suppressed(case.labels, case.others)
    return _check(what, found == case.suppressed, expected, "inhibited" if found else "not inhibited")
