"""Items about one alert: a new one (`A`), or the repair of a broken one (`P`)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final, Literal

from alertforge.alerts.base import AlertKind, Judged, Subject, build_cases
from alertforge.alerts.ways import general
from alertforge.defects.base import Defect
from alertforge.grader.proof import series_labels
from alertforge.grader.spec import AlertRequirement, AnnotationRule, LabelRule, Requirement, Scenario
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.prometheus.promql import selectors
from alertforge.prometheus.rules import Rule
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo, alert_place
from alertforge.repo.wordings import fact
from alertforge.seeds import Seed
from alertforge.world.model import Service, Urgency

MOST_WAYS: Final = 8  # other right ways of one alert: the gate has a round for each


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
        path, group = self._place
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
        """Whether the alert's name is this service's alone."""
        return bool({"{service}", "{Service}"} & set(re.findall(r"\{\w+\}", self.subject.style.alert_name)))

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
        """The kind's other right ways, and as many of the ways to write and to file any alert as there is room for."""
        own = {name: self._instead(rules) for name, rules in self.kind.accepted(self.subject).items()}
        more = self.general_ways()
        drawn = self.seed.rng("ways").sample(tuple(more), max(MOST_WAYS - len(own), 1))
        return {**own, **{name: more[name] for name in drawn}}

    def general_ways(self) -> Mapping[str, Edit]:
        """Right ways that any alert has: other labels and groupings, other files and groups."""
        read = {selector.name for selector in selectors(self.rule.tree)}
        series = (one.series for judged in self.judged for one in judged.scenario.series)
        carried = series_labels(one for one in series if one.partition("{")[0] in read)
        written = {name: self._instead(rules) for name, rules in general(self.kind, self.subject, carried).items()}
        return {**written, **self._filed()}

    def _filed(self) -> Mapping[str, Edit]:
        """A file of its own; a group that has the labels; several rules in two files; a record after its reader."""
        ways = tuple(self.kind.accepted(self.subject).values())
        several = next(rules for rules in ways if len(rules) > 1)
        filed = {"file-of-its-own": self._split((), (self.rule,)), "group-labels": self._under_group_labels}
        if all(rule.is_alert for rule in several) or _reads_only(several[-1:], several[:-1]):
            filed["two-files"] = self._split(several[-1:], several[:-1])
        recorded = next(rules for rules in ways if not all(rule.is_alert for rule in rules))
        alerts = tuple(rule for rule in recorded if rule.is_alert)
        records = tuple(rule for rule in recorded if not rule.is_alert)
        if self._may_lag and _reads_only(alerts, records):
            filed["record-after-alert"] = self._followed(alerts, records)
        return filed

    def wrong(self) -> Mapping[str, Wrong]:
        """The kind's wrong ways, and the defect itself."""
        return {
            name: Wrong(self._instead((rule,)), bound) for name, (rule, bound) in self.kind.wrong(self.subject).items()
        }

    def _instead(self, rules: Sequence[Rule]) -> Edit:
        return lambda repo: repo.replace_rule(self.rule, tuple(rules))

    @property
    def _may_lag(self) -> bool:
        """Whether a record may be a minute behind: not one of records behind already, nor of a quantile's buckets."""
        return not (self.kind.burn or self.kind.histogram)

    def _split(self, here: Sequence[Rule], apart: Sequence[Rule]) -> Edit:
        """Some rules in place of the reference rule, others in a file of their own."""
        path, _ = self._place
        file = PurePosixPath(path).with_name(f"{self._slug}{PurePosixPath(path).suffix}")
        return lambda repo: self._added(repo.replace_rule(self.rule, tuple(here)), str(file), apart)

    def _followed(self, here: Sequence[Rule], later: Sequence[Rule]) -> Edit:
        """Some rules in place of the reference rule, others in a group at the end of the house's file."""
        return lambda repo: self._added(repo.replace_rule(self.rule, tuple(here)), self._place[0], later)

    def _under_group_labels(self, repo: Repo) -> Repo:
        """A group of its own in the house's file, which gives the alert its static labels."""
        path, _ = self._place
        repo = self._added(repo.replace_rule(self.rule, ()), path, (replace(self.rule, labels=()),))
        files = []
        for file in repo.rule_files:
            groups = (replace(one, labels=self.rule.labels) if one.name == self._slug else one for one in file.groups)
            files.append(replace(file, groups=tuple(groups)))
        return replace(repo, rule_files=tuple(files))

    def _added(self, repo: Repo, path: str, rules: Sequence[Rule]) -> Repo:
        return repo.add(path, self._slug, rules, manifests=self.subject.style.manifests)

    @property
    def _place(self) -> tuple[str, str]:
        """File and group of the alert in this house."""
        return alert_place(self.subject.world, self.subject.service, burn=self.kind.burn)

    @property
    def _slug(self) -> str:
        """A name for a file or group that has nothing else in it."""
        return f"{self.subject.service.name}-{self.kind.name}"


def _reads_only(alerts: Sequence[Rule], records: Sequence[Rule]) -> bool:
    """Whether all that the alerts compare is recorded, so that all of it is as old as the records are."""
    names = {record.name for record in records}
    return {selector.name for alert in alerts for selector in selectors(alert.tree)} <= names
