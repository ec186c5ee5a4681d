"""Items about ownership (`P`): an alert moves with its service to the team that runs it now; nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from alertforge.alerts.base import Subject
from alertforge.items.alert import AlertItem
from alertforge.prometheus.rules import Rule
from alertforge.repo.brief import Request
from alertforge.world.model import Team


@dataclass(frozen=True)
class RehomeItem(AlertItem):
    """An alert that still names the `former` owner; `broken` is made of the reference rule."""

    former: Team | None = None

    def request(self) -> Request:
        """Whose alert it is from now on."""
        subject, rule, style = self.subject, self.rule, self.subject.style
        former = self.former.name if self.former else ""
        runbook = ""
        if self.broken is not None and self.broken.annotation(style.runbook_key) != subject.runbook(rule.name):
            runbook = f" Its `{style.runbook_key}` moves too: `{subject.runbook(rule.name)}`."
        exact = (
            f"`{rule.name}` is an alert of team `{subject.service.team}` now, it no longer belongs to `{former}`: "
            f"set `{style.owner_label}: {subject.service.team}`.{runbook} When it fires stays as it is."
        )
        outcome = (
            f"`{rule.name}` still belongs to `{former}`. Re-home it to whoever the catalog says runs "
            f"`{subject.service.name}`; when it fires stays as it is."
        )
        return Request(self.id, "repair", subject.service, rule.name, exact, outcome)


def formerly(rule: Rule, subject: Subject, former: Team) -> Rule:
    """The rule as it was when `former` ran the service: its owner label, and a runbook that names the team."""
    style = subject.style
    then = replace(subject, service=replace(subject.service, team=former.name))
    labels = tuple((key, former.name if key == style.owner_label else value) for key, value in rule.labels)
    return replace(rule, labels=labels).with_annotation(style.runbook_key, then.runbook(rule.name))
