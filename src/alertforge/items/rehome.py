"""Items about ownership (`P`): an alert moves with its service to the team that runs it now; nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from alertforge.alerts.base import Subject
from alertforge.items.alert import AlertItem
from alertforge.items.base import Edit
from alertforge.prometheus.rules import Rule
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo, alert_place
from alertforge.repo.wordings import fact
from alertforge.world.model import Team


@dataclass(frozen=True)
class RehomeItem(AlertItem):
    """An alert that still names the `former` owner; `broken` is made of the reference rule."""

    former: Team | None = None

    def break_(self, repo: Repo) -> Repo:
        """The alert as it was, where it was: a house with a file for each team has it in the former team's."""
        return repo if self.broken is None else self._among_the_former_teams(repo, self.broken)

    def _among_the_former_teams(self, repo: Repo, rule: Rule) -> Repo:
        world, service = self.subject.world, self.subject.service
        then = replace(service, team=self.former.name) if self.former else service
        place = alert_place(world, then, burn=self.kind.burn)
        if place == alert_place(world, service, burn=self.kind.burn):
            return repo.replace_rule(self.rule, (rule,))
        return repo.replace_rule(self.rule, ()).add(*place, (rule,), manifests=self.subject.style.manifests)

    def accepted(self) -> Mapping[str, Edit]:
        """As ever, and the right rule left where it was."""
        return {**super().accepted(), "left-in-its-place": lambda repo: self._among_the_former_teams(repo, self.rule)}

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
