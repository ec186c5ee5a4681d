# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""Which firing alerts are muted by which others (Alertmanager's `inhibit`).

The decision needs to know only which sides of which rules an alert matches. `decide` takes that as given, so that
patterns somebody else wrote can be judged by Alertmanager's own code (`amtool.Classifier`); `inhibited` works it out in
Python, for configurations of our own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from alertforge.alertmanager.config import InhibitRule
from alertforge.alertmanager.matchers import matches_all

_Group = tuple[int, tuple[str, ...]]  # a rule and the values of its `equal` labels


class Sides(Protocol):
    """The inhibition sides that one alert matches, as indices of rules."""

    @property
    def sources(self) -> Collection[int]:
        """Rules whose source side the alert matches."""

    @property
    def targets(self) -> Collection[int]:
        """Rules whose target side the alert matches."""


@dataclass(frozen=True)
class Inhibition:
    """One reason why an alert is muted: the rule, and the alerts that are sources for it (indices, ascending)."""

    rule: int
    sources: tuple[int, ...]


@dataclass(frozen=True)
class _Matched:
    sources: frozenset[int]
    targets: frozenset[int]


def decide(
    rules: Sequence[InhibitRule], alerts: Sequence[Mapping[str, str]], sides: Sequence[Sides]
) -> tuple[tuple[Inhibition, ...], ...]:
    """For each of the alerts that fire at one moment, why it is muted; an empty tuple where it is not.

    A rule mutes an alert of its target side when a firing alert of its source side has the same values of the `equal`
    labels; a missing label is an empty one. An alert that matches both sides is not muted by another such alert, nor by
    itself. Muted sources mute all the same, and so does an alert that goes to no receiver.
    """
    # Costs as much as there are (alert, side) matches: many rules or alerts must not cost their product or square.
    every: dict[_Group, list[int]] = defaultdict(list)
    one_sided: dict[_Group, list[int]] = defaultdict(list)
    for alert, (labels, side) in enumerate(zip(alerts, sides, strict=True)):
        for rule in sorted(side.sources):
            group = _group(rules, rule, labels)
            every[group].append(alert)
            if rule not in side.targets:
                one_sided[group].append(alert)
    by_any = {group: Inhibition(group[0], tuple(found)) for group, found in every.items()}
    by_one_sided = {group: Inhibition(group[0], tuple(found)) for group, found in one_sided.items()}
    return tuple(
        tuple(
            reason
            for rule in sorted(side.targets)
            if (reason := (by_one_sided if rule in side.sources else by_any).get(_group(rules, rule, labels)))
        )
        for labels, side in zip(alerts, sides, strict=True)
    )


def _group(rules: Sequence[InhibitRule], rule: int, labels: Mapping[str, str]) -> _Group:
    return rule, tuple(labels.get(name, "") for name in rules[rule].equal)


def inhibited(rules: Sequence[InhibitRule], alerts: Sequence[Mapping[str, str]]) -> tuple[tuple[Inhibition, ...], ...]:
    """`decide` with the sides worked out in Python: for patterns of our own only."""
    return decide(rules, alerts, [_sides(rules, labels) for labels in alerts])


def _sides(rules: Sequence[InhibitRule], labels: Mapping[str, str]) -> _Matched:
    return _Matched(
        frozenset(index for index, rule in enumerate(rules) if matches_all(rule.source, labels)),
        frozenset(index for index, rule in enumerate(rules) if matches_all(rule.target, labels)),
    )
