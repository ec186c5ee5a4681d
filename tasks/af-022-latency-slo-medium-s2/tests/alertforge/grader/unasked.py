# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""What nobody asked for and nothing of the baseline has: new alerts that page, and alerts that are kept from paging.

Four checks of family `preserved`, one each for the whole workspace:

| check | met when |
|---|---|
| unasked.alerts | no alert that is neither in the baseline nor requested reaches, or would, a receiver that notifies |
| unasked.subjects | requested ones are for whom they are asked for; new ones of a fleet-wide name, for whom there is |
| unasked.inhibitions | no alert that can fire suppresses another, but for where it did before or a request wants it |
| unasked.routes | every alert that can fire goes where it went or where it should |

An unasked alert is replayed without its `for`: one that waits longer than any scenario lasts pages all the same. A
requested one may be about whom the baseline's alert of that name was about in the same scenario: to leave a defect in
costs the request alone.
Helper alerts that reach nobody cost nothing, nor does an inhibition between alerts that cannot be. Which alerts can
fire is told by the spec, with the labels that the house gives them; labels that a workspace adds are looked at too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from alertforge.alertmanager import routing
from alertforge.alertmanager.config import Config, InhibitRule, Route, RouteNode
from alertforge.alertmanager.matchers import Matcher, matches_all
from alertforge.grader.definitions import Definition, Index, concerns, made_labels, parsed, yielded
from alertforge.grader.delivery import Delivery, alert_labels
from alertforge.grader.integrations import canonical
from alertforge.grader.reach import labels_of
from alertforge.grader.result import PRESERVATION, Check, labels_text, runs
from alertforge.grader.spec import AlertRequirement, RouteProbe, Scenario, Spec
from alertforge.grader.timeline import Ask, Firing, Timeline
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Rule, RuleFile
from alertforge.prometheus.series import Labels

ALERT_NAME: Final = "alertname"
MAX_EXTRAS: Final = 50  # unasked alerts that are replayed; nobody needs so many helpers
MAX_LABEL_SETS: Final = 200  # of unasked alerts that are followed to their receivers
SOMEBODY: Final = "somebody-else"  # a subject that nothing in the spec is about
MAX_SHOWN: Final = 20  # label sets of one alert whose labels only a replay tells


@dataclass(frozen=True)
class Shown:
    """An alert as it can fire in the workspace; `known` is the alert of the spec that it is, None for an unasked one.

    A known alert has the labels that the workspace adds; of those that the house gives it, the values are the house's,
    for a wrong one is the request's business. `fired`: it did so in a replay.
    """

    labels: Labels
    known: Labels | None
    fired: bool = False


@dataclass(frozen=True)
class Unasked:
    """What the rules of a workspace have beside the baseline and the requests.

    `watched` are alerts to observe in every scenario: unasked ones, and requested ones that may be about others.
    `rewritten` are requested ones with a definition that the baseline does not have.
    """

    extras: Mapping[str, tuple[Definition, ...]]
    watched: frozenset[str]
    variants: tuple[Shown, ...] = ()
    open_names: Mapping[str, tuple[Labels, ...]] = field(default_factory=dict)  # known ones whose labels a replay tells
    rewritten: frozenset[str] = frozenset()


def look(spec: Spec, old: Index, new: Index) -> Unasked:
    """Compare the alerts of a workspace (`new`) with the baseline's and the requested ones."""
    requested = {alert.alert: alert for alert in spec.alerts}
    ours = {name: definitions for (is_alert, name), definitions in new.items() if is_alert}
    extras = {name: found for name, found in ours.items() if name not in requested and (True, name) not in old}
    known: dict[str, list[Labels]] = {}
    for probe in spec.preservation.alerts:
        known.setdefault(probe.labels.get(ALERT_NAME), []).append(probe.labels)
    before = {name: set(definitions) for (is_alert, name), definitions in old.items() if is_alert}
    changed = {name: [one for one in found if one not in before.get(name, ())] for name, found in ours.items()}
    people = _people(spec)
    strangers = {name for name, alert in requested.items() if _strays(alert, changed.get(name, ()), people)}
    return Unasked(
        extras,
        frozenset(sorted(extras)[:MAX_EXTRAS]) | strangers,
        tuple(dict.fromkeys((*_variants(known, changed), *_statics(extras)))),
        {name: tuple(known[name]) for name, found in changed.items() if name in known and any(map(_is_open, found))},
        frozenset(name for name, found in changed.items() if name in requested and found),
    )


def hurried(unasked: Unasked, files: Sequence[RuleFile]) -> tuple[RuleFile, ...]:
    """The workspace's rules as they are replayed: unasked alerts wait for nothing."""
    if not any(one.for_ for definitions in unasked.extras.values() for one in definitions):
        return tuple(files)

    def change(rule: Rule) -> Rule:
        return replace(rule, for_=0) if rule.is_alert and rule.name in unasked.extras else rule

    def of(file: RuleFile) -> RuleFile:
        groups = (replace(group, rules=tuple(map(change, group.rules))) for group in file.groups)
        return replace(file, groups=tuple(groups))

    return tuple(map(of, files))


def _strays(alert: AlertRequirement, definitions: Iterable[Definition], people: Collection[Labels]) -> bool:
    """Whether some definition may be about another subject than the requirement's."""
    subjects = _subjects_of(alert)
    names = {name for subject in subjects for name, _ in subject.pairs}
    others = {one.only(names) for one in people} - subjects
    others |= {Labels.of((name, SOMEBODY) for name, _ in subject.pairs) for subject in subjects}
    return any(concerns(one, other) for one in definitions for other in sorted(others) if other)


def _people(spec: Spec) -> set[Labels]:
    """Whom an alert can be about, by the labels that say so: whom the spec and the series of its scenarios name."""
    names = {name for alert in spec.alerts for subject in _subjects_of(alert) for name, _ in subject.pairs}
    texts = {series.series for scenario in spec.scenarios for series in scenario.series}
    carried = {(labels_of(text) or Labels()).only(names) for text in texts}
    return carried | {probe.labels.only(names) for probe in spec.preservation.alerts}


def _subjects_of(alert: AlertRequirement) -> set[Labels]:
    """Whom an alert is for: those that it has to fire for; others are in its cases to be left alone."""
    return {case.subject for case in alert.cases if case.fires}


def _variants(known: Mapping[str, Sequence[Labels]], changed: Mapping[str, Sequence[Definition]]) -> Iterator[Shown]:
    """Known alerts with the static labels that the workspace gives them."""
    for name, definitions in changed.items():
        for one in definitions:
            static = {key: value for key, value in one.labels if "{{" not in value}
            given = _yielded(one)
            for labels in known.get(name, ()):
                if any(labels.get(key) not in ("", value) for key, value in given.items()):
                    continue  # about another subject
                if any(not labels.get(key) for key in static):
                    yield Shown(Labels.of(static).with_(labels.pairs), labels)


def _statics(extras: Mapping[str, Sequence[Definition]]) -> Iterator[Shown]:
    """Unasked alerts with the labels that they carry for certain."""
    for name, definitions in sorted(extras.items())[:MAX_EXTRAS]:
        for one in definitions:
            yield Shown(_certain(name, one), None)


def _certain(name: str, one: Definition) -> Labels:
    static = {key: value for key, value in one.labels if "{{" not in value}
    return Labels.of({**_yielded(one), **static, ALERT_NAME: name})


def _yielded(one: Definition) -> dict[str, str]:
    tree = parsed(one.expr)
    return {} if tree is None else yielded(tree)


def _is_open(one: Definition) -> bool:
    """Whether labels of an alert are made while it fires."""
    return parsed(one.expr) is None or bool(made_labels(one))


# --- what deliveries are needed --------------------------------------------------------------------------------------


def label_sets(spec: Spec, unasked: Unasked, timeline: Timeline, same_config: bool) -> list[Labels]:
    """The label sets whose delivery `judge` asks about."""
    shown = [*unasked.variants, *_fired(unasked, timeline)]
    out = [one.labels for one in shown] + [one.known for one in shown if one.known is not None]
    if not same_config or out:
        out += [probe.labels for probe in spec.preservation.alerts]
    return list(dict.fromkeys(out))


def _fired(unasked: Unasked, timeline: Timeline) -> list[Shown]:
    """Every label set with which an unasked alert, or one with labels of the moment, fired in some scenario."""
    found: dict[str, dict[Labels, None]] = {}
    for _, _, name, firing in _moments(timeline, {*unasked.extras, *unasked.open_names}):
        found.setdefault(name, {})[alert_labels(name, firing)] = None
    extras = [labels for name in sorted(unasked.extras) for labels in found.get(name, ())][:MAX_LABEL_SETS]
    out = [Shown(labels, None, fired=True) for labels in extras]
    for name, known in sorted(unasked.open_names.items()):
        for labels in list(found.get(name, ()))[:MAX_SHOWN]:
            nearest = max(known, key=lambda one: len({*one.pairs} & {*labels.pairs}))
            out.append(Shown(labels.with_(nearest.pairs), nearest, fired=True))
    return out


def _moments(timeline: Timeline, names: Collection[str]) -> Iterator[tuple[str, int, str, Firing]]:
    """Scenario, minute, name and alert, for all that fire under some names, in a fixed order."""
    for scenario, seen in sorted(timeline.scenarios.items()) if names else ():
        for minute, name in sorted((minute, name) for name, minute in seen.alerts if name in names):
            for firing in seen.alerts[name, minute]:
                yield scenario, minute, name, firing


# --- judging ---------------------------------------------------------------------------------------------------------


def judge(
    spec: Spec, unasked: Unasked, timeline: Timeline, start: Timeline, old: Config, delivery: Delivery
) -> tuple[Check, ...]:
    """The four checks. `start` is the timeline of the baseline's rules for what `strangers` asks."""
    shown = [*unasked.variants, *_fired(unasked, timeline)]
    out = [_alerts(unasked, timeline, delivery)]
    if spec.alerts:
        out.append(_subjects(spec, unasked, timeline, start, delivery))
    if spec.preservation.alerts:
        hidden = _unseen(unasked, timeline)
        out += [_inhibitions(spec, shown, hidden, old, delivery), _routes(spec, shown, old, delivery)]
    return tuple(out)


def _check(what: str, expected: str, fault: str, scenario: str = "", minutes: Iterable[int] = ()) -> Check:
    return Check(
        f"P.unasked.{what}",
        PRESERVATION,
        "preserved",
        float(not fault),
        expected,
        fault or "as expected",
        scenario,
        runs(minutes),
    )


def _alerts(unasked: Unasked, timeline: Timeline, delivery: Delivery) -> Check:
    expected = "alerts that no request is about, and that were not there before, reach nobody"
    if delivery.broken:
        return _check("alerts", expected, "the configuration does not load")
    if len(unasked.extras) > MAX_EXTRAS:
        return _check("alerts", expected, f"{len(unasked.extras)} new alerts (at most {MAX_EXTRAS} are followed)")
    for scenario, minute, name, firing in _moments(timeline, unasked.extras):
        labels = alert_labels(name, firing)
        if labels not in delivery.matches:
            fault = f"{name} is one of more than {MAX_LABEL_SETS} unasked alerts that fire"
            return _check("alerts", expected, fault, scenario, [minute])
        told = delivery.notified(labels)
        if told:
            return _check(
                "alerts", expected, f"{labels_text(labels.pairs)} fires and reaches {_list(told)}", scenario, [minute]
            )
    for certain, made in _silent(unasked, timeline):
        reached = _would_reach(certain, made, delivery)
        if reached:
            fault = f"{labels_text(certain.pairs)}, which no replay shows as it may fire, would reach {_list(reached)}"
            return _check("alerts", expected, fault)
    return _check("alerts", expected, "")


def _silent(unasked: Unasked, timeline: Timeline) -> Iterator[tuple[Labels, frozenset[str]]]:
    """Definitions of unasked alerts of which no replay shows all: their certain labels, and the names of those made.

    With a label that is made while it fires, an alert that fired may carry another value the next time.
    """
    fired: dict[str, set[Labels]] = {}
    for _, _, name, firing in _moments(timeline, unasked.extras):
        fired.setdefault(name, set()).add(alert_labels(name, firing))
    for name in sorted(unasked.extras)[:MAX_EXTRAS]:
        for one in unasked.extras[name]:
            certain = _certain(name, one)
            made = made_labels(one)
            if made or not any(labels.contains(certain) for labels in fired.get(name, ())):
                yield certain, made


def _would_reach(certain: Labels, made: Collection[str], delivery: Delivery) -> set[str]:
    """Who is told of an alert by its certain labels, or may be by those that are made; the default tells nobody."""
    if delivery.config is None or certain not in delivery.matches:
        return set()
    root = delivery.config.route
    telling = {one.name for one in delivery.config.receivers if canonical(one)}

    def may(route: Route, by_made: bool) -> Iterator[str]:
        for child in route.routes:
            if all(_may_hold(one, certain) and _could_have(one, certain, made) for one in child.matchers):
                read = by_made or any(one.name in made and not certain.get(one.name) for one in child.matchers)
                yield from may(child, read)
                if read:
                    yield child.receiver or ""

    return ({*delivery.notified(certain), *may(root, False)} & telling) - {root.receiver}


def _could_have(matcher: Matcher, certain: Labels, made: Collection[str]) -> bool:
    """Whether a matcher does not ask for a label that an alert has no way to get."""
    return matcher.name in made or bool(certain.get(matcher.name)) or matcher.op in ("!=", "!~") or not matcher.value


def _subjects(spec: Spec, unasked: Unasked, timeline: Timeline, start: Timeline, delivery: Delivery) -> Check:
    expected = "requested alerts fire for those whom the requests name, or did before, and for nobody who is not there"
    if delivery.broken:
        return _check("subjects", expected, "the configuration does not load")
    for scenario, minute, name, firing in _strangers(spec, unasked, timeline, start):
        fault = f"{name} fires for {labels_text(firing.labels.pairs)}"
        return _check("subjects", expected, fault, scenario, [minute])
    return _check("subjects", expected, "")


def strangers(spec: Spec, unasked: Unasked, timeline: Timeline) -> list[Ask]:
    """What to ask of the baseline's rules: did alerts that fire for somebody else do so before? Mostly nothing."""
    found: dict[str, set[str]] = {}
    for scenario, _, name, _ in _strangers(spec, unasked, timeline, Timeline({})):
        found.setdefault(scenario, set()).add(name)
    return [Ask(one, frozenset(found[one.id])) for one in spec.scenarios if one.id in found]


def _strangers(
    spec: Spec, unasked: Unasked, timeline: Timeline, start: Timeline
) -> Iterator[tuple[str, int, str, Firing]]:
    """When rewritten alerts fire for somebody for whom they should not, nor did in the same scenario at the start."""
    asked = {alert.alert: alert for alert in spec.alerts if alert.alert in unasked.rewritten}
    names = {name: {key for subject in _subjects_of(one) for key, _ in subject.pairs} for name, one in asked.items()}
    before = {(scenario, name, firing.labels.only(names[name])) for scenario, _, name, firing in _moments(start, asked)}
    judged = {(case.scenario, alert.alert) for alert in spec.alerts for case in alert.cases}
    scenarios = {scenario.id: scenario for scenario in spec.scenarios}
    for scenario, minute, name, firing in _moments(timeline, asked):
        alert, whom = asked[name], firing.labels.only(names[name])
        if (scenario, name, whom) in before:
            continue
        # about nobody: where it is new, and where none of its own checks looks
        unnamed = alert.own_name and alert.kind == "alert" and (scenario, name) not in judged
        another = all(_is_another(firing.labels, subject, unnamed) for subject in _subjects_of(alert))
        # a new alert of a name for many may be about them all; what a broken one was about, the start tells
        fleet_wide = alert.kind == "alert" and not alert.own_name
        if another and not (fleet_wide and _shows(scenarios[scenario], whom)):
            yield scenario, minute, name, firing


def _shows(scenario: Scenario, whom: Labels) -> bool:
    """Whether the series of a scenario are about somebody, too."""
    carried = {pair for series in scenario.series for pair in (labels_of(series.series) or Labels()).pairs}
    return carried.issuperset(whom.pairs)


def _is_another(labels: Labels, subject: Labels, unnamed: bool) -> bool:
    """Whether an alert is about somebody else, or with `unnamed` about nobody."""
    return any(labels.get(name) not in ((value,) if unnamed else ("", value)) for name, value in subject.pairs)


# --- inhibition ------------------------------------------------------------------------------------------------------


def _unseen(unasked: Unasked, timeline: Timeline) -> list[Labels]:
    """What is certain of unasked alerts whose labels no replay tells: it may be that they fire on a server alone."""
    fired = {name for _, _, name, _ in _moments(timeline, unasked.extras)}
    definitions = [(name, one) for name in sorted(unasked.extras)[:MAX_EXTRAS] for one in unasked.extras[name]]
    return [_certain(name, one) for name, one in definitions if name not in fired or _is_open(one)]


def _may_hold(matcher: Matcher, certain: Labels) -> bool:
    """Whether a matcher may hold for an alert of which some labels are certain. Somebody else's pattern is not run."""
    value = certain.get(matcher.name)
    if not value:
        return True
    if matcher.op in ("=", "!="):
        return (matcher.value == value) == (matcher.op == "=")
    listed = promql.alternatives(matcher.value)
    return listed is None or (value in listed) == (matcher.op == "=~")


def _inhibitions(
    spec: Spec, shown: Sequence[Shown], hidden: Sequence[Labels], old: Config, delivery: Delivery
) -> Check:
    expected = "no alert suppresses another that it did not suppress before, but for those that the requests name"
    if delivery.config is None:
        return _check("inhibitions", expected, "the configuration does not load")
    if delivery.config == old and not shown:
        return _check("inhibitions", expected, "")
    alerts = [*(Shown(probe.labels, probe.labels) for probe in spec.preservation.alerts), *shown]
    allowed = {(one.source, one.target) for one in spec.preservation.suppressions}
    before = _suppressed_before(old, alerts)
    sides = [delivery.sides(one.labels) for one in alerts]
    for number, rule in enumerate(delivery.config.inhibit_rules):
        sources = [at for at, (matched, _) in enumerate(sides) if number in matched]
        targets = [at for at, (_, matched) in enumerate(sides) if number in matched]
        for source, target in _pairs(rule, sources, targets, [one.labels for one in alerts]):
            one, other = alerts[source], alerts[target]
            if other.known is None or one.known == other.known or (one.known, other.known) in allowed:
                continue
            if (one.known, other.known) in before or (
                (source, target) in before.positions and not (one.known is None and one.fired)
            ):
                continue
            fault = f"{labels_text(one.labels.pairs)} suppresses {labels_text(other.labels.pairs)}"
            return _check("inhibitions", expected, f"{fault} (inhibit rule {number + 1})")
        if rule in old.inhibit_rules:
            continue
        there = any(alerts[source].known is not None for source in sources)
        if there and not any(matcher.name == ALERT_NAME for matcher in rule.source):
            continue  # it is there for those who are known, and names nobody else
        for certain in hidden:
            if all(_may_hold(matcher, certain) for matcher in rule.source):
                fault = f"{certain.get('alertname')}, which no replay shows, may suppress others"
                return _check("inhibitions", expected, f"{fault} (inhibit rule {number + 1})")
    return _check("inhibitions", expected, "")


@dataclass(frozen=True)
class _Before:
    """Pairs of alerts of which the baseline's configuration lets one suppress the other, by what they are and where."""

    known: frozenset[tuple[Labels | None, Labels | None]]
    positions: frozenset[tuple[int, int]]

    def __contains__(self, pair: tuple[Labels | None, Labels | None]) -> bool:
        return pair in self.known


def _suppressed_before(old: Config, alerts: Sequence[Shown]) -> _Before:
    positions = suppressed(old, [one.labels for one in alerts])
    pairs = [(alerts[source], alerts[target]) for source, target in positions]
    house = [(one, other) for one, other in pairs if one.known == one.labels and other.known == other.labels]
    return _Before(frozenset((one.known, other.known) for one, other in house), positions)


def suppressed(config: Config, alerts: Sequence[Labels]) -> frozenset[tuple[int, int]]:
    """Which alert suppresses which while both fire, by position; for configurations of our own alone."""
    out: set[tuple[int, int]] = set()
    plain = [one.as_dict() for one in alerts]
    for rule in config.inhibit_rules:
        sources = [at for at, one in enumerate(plain) if matches_all(rule.source, one)]
        targets = [at for at, one in enumerate(plain) if matches_all(rule.target, one)]
        out.update(_pairs(rule, sources, targets, alerts))
    return frozenset(out)


def _pairs(
    rule: InhibitRule, sources: Sequence[int], targets: Sequence[int], labels: Sequence[Labels]
) -> Iterator[tuple[int, int]]:
    """Which alert suppresses which under one rule, as `inhibition.decide` has it for two that fire."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for at in sources:
        groups.setdefault(tuple(labels[at].get(name) for name in rule.equal), []).append(at)
    both = set(sources) & set(targets)
    for target in targets:
        for source in groups.get(tuple(labels[target].get(name) for name in rule.equal), ()):
            if source != target and not (target in both and source in both):
                yield source, target


# --- routes ----------------------------------------------------------------------------------------------------------


def _routes(spec: Spec, shown: Sequence[Shown], old: Config, delivery: Delivery) -> Check:
    expected = "every alert that can fire goes where it went before, or where a request wants it"
    if delivery.config is None:
        return _check("routes", expected, "the configuration does not load")
    if delivery.config != old:
        for probe in spec.preservation.alerts:
            fault = _route_fault(spec, probe, old, delivery)
            if fault:
                return _check("routes", expected, fault)
    requested = {alert.alert for alert in spec.alerts}
    for one in shown:
        if one.known is None or one.known.get(ALERT_NAME) not in requested:
            continue
        if delivery.nodes(one.labels) != delivery.nodes(one.known):
            where = _list(node.receiver for node in delivery.nodes(one.labels))
            return _check("routes", expected, f"{labels_text(one.labels.pairs)} goes to {where} for the labels it adds")
    return _check("routes", expected, "")


def _route_fault(spec: Spec, probe: RouteProbe, old: Config, delivery: Delivery) -> str:
    before = routing.resolve(old.route, probe.labels.as_dict())
    now = delivery.nodes(probe.labels)
    was, wanted = {node.receiver for node in before}, set(probe.receivers)
    found = {node.receiver for node in now}
    if was == wanted:
        if _notified(before) == _notified(now):
            return ""
        how = "" if found != was else ", grouped or repeated in another way"
        return f"{labels_text(probe.labels.pairs)} goes to {_list(found)}{how}, before to {_list(was)}"
    # where a request moves it, the request's own checks say how far that went; nobody else may be told
    strangers = found - was - wanted - set(spec.preservation.touched_receivers)
    return f"{labels_text(probe.labels.pairs)} goes to {_list(strangers)}" if strangers else ""


def _notified(nodes: Iterable[RouteNode]) -> list[tuple[str, tuple[str, ...], int, int, int]]:
    return sorted(
        (node.receiver, tuple(sorted(node.group_by)), node.group_wait, node.group_interval, node.repeat_interval)
        for node in nodes
    )


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names))) or "nobody"
