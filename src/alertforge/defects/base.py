"""What a defect is: one way in which a real rule goes wrong, as a function on the parsed rule.

A defect is placed by the shape of the expression, never by its text or by the kind of alert, so it works for kinds
and house styles that it has never seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from alertforge.alerts.base import Subject
from alertforge.prometheus.promql import normal_form
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed
from alertforge.world.model import Urgency

Flavour = Literal["noisy", "silent", "misrouted", "cosmetic"]

Readers = Literal["red", "deaf", "dead"]

Breaks = Callable[[Rule, Subject, Seed], Rule | None]
Repairs = Callable[[Rule, Subject], Rule | None]


@dataclass(frozen=True)
class Defect:
    """One way in which a rule goes wrong.

    `symptoms` are jinja2 templates over `alert`, `service` and `team` (for records, `alert` is the record): what
    people saw, never the reason, and true whether or not anybody is notified. `delivered` are more of them for alerts
    that reach their team, `paged` and `ticketed` for those that reach it in that way. All symptoms of a `routed`
    defect tell where the alert ends up, so they hold where nothing else is in its way. `misfix` says how a person in a
    hurry would repair it, and `mis_repairs` does that to the broken rule. `hidden` defects cannot be found by
    searching the text for one word. `records` marks defects of recording rules; all others are for alerting rules.
    Of those, `readers` says what becomes of the burn alerts that read the records: they fire without end (`red`), only
    in the worst of cases (`deaf`), or never (`dead`); and `longest` that it shows best in the longest window.
    """

    name: str
    family: str
    flavour: Flavour
    breaks: Breaks
    symptoms: tuple[str, ...]
    misfix: str
    mis_repairs: Repairs
    hidden: bool = True
    records: bool = False
    readers: Readers | None = None
    longest: bool = False
    delivered: tuple[str, ...] = ()
    paged: tuple[str, ...] = ()
    ticketed: tuple[str, ...] = ()
    routed: bool = False
    theme: str = ""  # shared by defects that look alike

    def told(self, heard: Urgency | None) -> tuple[str, ...]:
        """The symptoms that are true of an alert that reaches its team in this way, or not at all.

        A team that hears nothing of a noisy alert does nothing about it either.
        """
        if heard is None:
            return tuple(one for one in self.symptoms if self.flavour != "noisy" or "{{ team }}" not in one)
        return (*self.symptoms, *self.delivered, *(self.paged if heard == "page" else self.ticketed))

    def apply(self, rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
        """The broken rule; None where the rule's shape cannot hold this defect or nothing would change."""
        if rule.is_alert == self.records:
            return None
        broken = self.breaks(rule, subject, seed.child(self.name))
        return broken if broken is not None and differs(broken, rule) else None

    def mis_fix(self, broken: Rule, subject: Subject) -> Rule | None:
        """The broken rule after the wrong repair; None where that repair changes nothing."""
        repaired = self.mis_repairs(broken, subject)
        return repaired if repaired is not None and differs(repaired, broken) else None


def differs(one: Rule, other: Rule) -> bool:
    """Whether two rules differ in more than how their expressions are written."""
    if replace(one, expr="0") != replace(other, expr="0"):
        return True
    return normal_form(one.tree) != normal_form(other.tree)
