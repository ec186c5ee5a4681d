"""Items about ownership (`P`): an alert moves with its service to the team that runs it now; nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from alertforge.alerts.base import Subject
from alertforge.items.alert import AlertItem
from alertforge.prometheus.rules import Rule
from alertforge.repo.brief import Request
from alertforge.repo.wordings import fact
from alertforge.world.model import Team


@dataclass(frozen=True)
class RehomeItem(AlertItem):
    """An alert that still names the `former` owner; `broken` is made of the reference rule."""

    former: Team | None = None

    def request(self) -> Request:
        """Whose alert it is from now on."""
        subject, rule, style = self.subject, self.rule, self.subject.style
        service, former = subject.service, self.former.name if self.former else ""
        names = {"alert": rule.name, "service": service.name, "former": former}
        moved = self.broken is not None and self.broken.annotation(style.runbook_key) != subject.runbook(rule.name)
        exact = fact("rehome-exact", **names, owner=style.owner_label, team=service.team)
        if moved:
            exact = fact("rehome-runbook", rest=exact, key=style.runbook_key, runbook=subject.runbook(rule.name))
        return Request(self.id, "repair", service, rule.name, exact, fact("rehome-outcome", **names))


def formerly(rule: Rule, subject: Subject, former: Team) -> Rule:
    """The rule as it was when `former` ran the service: its owner label, and a runbook that names the team."""
    style = subject.style
    then = replace(subject, service=replace(subject.service, team=former.name))
    labels = tuple((key, former.name if key == style.owner_label else value) for key, value in rule.labels)
    return replace(rule, labels=labels).with_annotation(style.runbook_key, then.runbook(rule.name))
