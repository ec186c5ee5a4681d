"""Items about one alert: a new one (`A`), or the repair of a broken one (`P`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from alertforge.alerts.base import AlertKind, Judged, Subject, build_cases
from alertforge.defects.base import Defect
from alertforge.grader.definitions import concerns, definition
from alertforge.grader.spec import AlertRequirement, AnnotationRule, LabelRule, Requirement, Scenario
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.prometheus.rules import Group, Rule
from alertforge.prometheus.series import Labels
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo, alert_place
from alertforge.repo.wordings import fact
from alertforge.seeds import Seed
from alertforge.world.model import Service, Urgency


@dataclass(frozen=True)
class AlertItem:
    """A new alert, or with a `defect` the repair of one."""

    id: str
    subject: Subject
    kind: AlertKind
    others: tuple[Service, ...]
    seed: Seed
    defect: Defect | None = None
    broken: Rule | None = None  # the rule with its defect
    audit: bool = False  # a repair without a postmortem
    heard: Urgency | None = None  # how the broken alert reaches the team in the start repo, if it does

    @property
    def rule(self) -> Rule:
        """The reference rule."""
        return self.kind.rule(self.subject)

    @property
    def category(self) -> Literal["alert", "repair"]:
        """New alerts are `alert`, broken ones `repair`."""
        return "alert" if self.broken is None else "repair"

    def place(self, repo: Repo) -> Repo:
        """Add the reference rule where the house keeps it."""
        path, group = alert_place(self.subject.world, self.subject.service, burn=self.kind.burn)
        return repo.add(path, group, (self.rule,), manifests=self.subject.style.manifests)

    def break_(self, repo: Repo) -> Repo:
        """Without the rule, or with the broken one in its place."""
        return repo.replace_rule(self.rule, () if self.broken is None else (self.broken,))

    @cached_property
    def judged(self) -> tuple[Judged, ...]:
        """The scenarios with their cases."""
        return build_cases(self.kind, self.subject, self.others, self.seed.child("scenarios"), self.id)

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """All cases of the kind, and the labels and annotations of the house."""
        judged = self.judged
        subject, style = self.subject, self.subject.style
        rule = self.rule
        labels = (
            *(LabelRule(name, value) for name, value in subject.labels(self.kind.urgency(subject))),
            LabelRule(style.service_label, subject.service.name),
        )
        annotations = (
            AnnotationRule(style.summary_key, "contains", subject.service.name),
            AnnotationRule(style.runbook_key, "equals", subject.runbook(rule.name)),
        )
        requirement = AlertRequirement(
            self.id,
            self.category,
            rule.name,
            tuple(case for one in judged for case in (one.case, *one.beside)),
            labels,
            annotations,
            self.kind.definitions,
            self.kind.burn,
            self.own_name,
        )
        return requirement, tuple(one.scenario for one in judged)

    @property
    def own_name(self) -> bool:
        """Whether the alert's name is this service's alone, and what is broken does not fire for another under it."""
        if not {"{service}", "{Service}"} & set(re.findall(r"\{\w+\}", self.subject.style.alert_name)):
            return False
        others = [Labels.of({self.subject.by: one.name}) for one in self.subject.world.services]
        others = [one for one in others if one != self.subject.identity]
        return self.broken is None or not any(concerns(definition(self.broken, Group("")), one) for one in others)

    @property
    def firing(self) -> Mapping[str, str]:
        """The labels with which the alert fires before anything is repaired."""
        rule = self.broken or self.rule
        return {"alertname": rule.name, **dict(rule.labels), **self.subject.identity.as_dict()}

    def request(self) -> Request:
        """What to add, or what people saw."""
        subject, rule = self.subject, self.rule
        labels = ", ".join(f"`{name}: {value}`" for name, value in rule.labels)
        summary, runbook = subject.style.summary_key, subject.style.runbook_key
        service = subject.service.name
        exact = fact(
            "alert-exact",
            alert=rule.name,
            service=service,
            condition=self.kind.novice(subject),
            labels=labels,
            svc=subject.by,
            summary=summary,
            key=runbook,
            runbook=subject.runbook(rule.name),
        )
        outcome = fact("alert-outcome", kind=self.kind.title, service=service, wish=self.kind.outcome(subject))
        symptom = ""
        if self.defect is not None:
            symptom = told(
                self.defect.told(self.heard),
                self.seed,
                alert=rule.name,
                service=service,
                team=subject.team.title,
            )
        return Request(
            self.id,
            self.category,
            subject.service,
            rule.name,
            exact,
            outcome,
            symptom,
            self.defect.flavour if self.defect else "",
            self.audit,
            self.heard or "",
        )

    def touched(self) -> Touched:
        """The alert itself."""
        return Touched(alerts=(self.rule.name,))

    def accepted(self) -> Mapping[str, Edit]:
        """The kind's other right ways."""
        return {name: self._instead(rules) for name, rules in self.kind.accepted(self.subject).items()}

    def wrong(self) -> Mapping[str, Wrong]:
        """The kind's wrong ways, and the defect itself."""
        return {
            name: Wrong(self._instead((rule,)), bound) for name, (rule, bound) in self.kind.wrong(self.subject).items()
        }

    def _instead(self, rules: Sequence[Rule]) -> Edit:
        return lambda repo: repo.replace_rule(self.rule, tuple(rules))
