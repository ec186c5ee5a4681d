"""Items about inhibition (`I`): while a service is down, its consequences stay quiet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from alertforge.alertmanager import inhibition as aminhibition
from alertforge.alertmanager import routing
from alertforge.alertmanager.config import Config, InhibitRule
from alertforge.alertmanager.matchers import Matcher
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.defects.config import ConfigDefect, Scene
from alertforge.grader.spec import InhibitionCase, InhibitionRequirement, Requirement, Scenario
from alertforge.items.alert import AlertItem
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.prometheus.series import Labels
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo
from alertforge.repo.routing import URGENCIES, inhibit_rule, receiver
from alertforge.repo.wordings import fact
from alertforge.seeds import Seed
from alertforge.world.catalog import IN_FRONT
from alertforge.world.model import Service


@dataclass(frozen=True)
class InhibitionItem:
    """`source` of a service suppresses `targets` of the same service and nothing else."""

    id: str
    subject: Subject
    source: str
    targets: tuple[str, ...]
    bystanders: tuple[str, ...]  # alerts of the same service that must still page
    other: Service
    seed: Seed
    tickets: frozenset[str] = frozenset()  # those of the alerts above that ask for a ticket
    defect: ConfigDefect | None = None
    acted: bool = True  # whether the source and then some target can have fired for the team in the start repo
    reachable: bool = True  # whether anything of the service reaches its team there

    @property
    def scene(self) -> Scene:
        """What a defect of the configuration needs to know."""
        return Scene(self.subject.world, self.subject.service.team, self.rule)

    @property
    def rule(self) -> InhibitRule:
        """The reference rule."""
        return inhibit_rule(self.subject.world, self.source, self.targets)

    def place(self, repo: Repo) -> Repo:
        """Add the rule."""
        return repo.with_config(replace(repo.config, inhibit_rules=(*repo.config.inhibit_rules, self.rule)))

    def break_(self, repo: Repo) -> Repo:
        """Without the rule, or with the defect."""
        if self.defect is None:
            return self._instead(())(repo)
        return repo.with_config(self.defect.apply(repo.config, self.scene) or repo.config)

    def shows(self, defect: ConfigDefect, solved: Config) -> bool:
        """Whether some given-label case comes out otherwise under the defect."""
        broken = defect.apply(solved, self.scene)
        return broken is not None and any(
            bool(
                aminhibition.inhibited(broken.inhibit_rules, [one.as_dict() for one in (case.labels, *case.others)])[0]
            )
            != case.suppressed
            for case in self._cases()
        )

    def _instead(self, rules: Sequence[InhibitRule]) -> Edit:
        def edit(repo: Repo) -> Repo:
            out: list[InhibitRule] = []
            for rule in repo.config.inhibit_rules:
                out += rules if rule == self.rule else (rule,)
            return repo.with_config(replace(repo.config, inhibit_rules=tuple(out)))

        return edit

    # --- requirement -------------------------------------------------------------------------------------------------

    def labels(self, alert: str, service: Service) -> Labels:
        """An alert of a service as it fires in this house."""
        style = self.subject.style
        return Labels.of(
            {
                "alertname": alert,
                style.severity_label: style.severities["ticket" if alert in self.tickets else "page"],
                style.owner_label: service.team,
                style.service_label: service.name,
                **dict(style.extra_labels),
            }
        )

    def _theirs(self, alert: str) -> Labels:
        """The same alert of the other service, under the name that it has there: there is no other that could fire."""
        theirs = Subject(self.subject.world, self.other)
        return self.labels(alert, self.other).with_(alertname=theirs.alert_name(self._kind(alert)))

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """Each target beside the source, alone, beside another service's source; the source itself; bystanders."""
        return InhibitionRequirement(self.id, self._cases()), ()

    def _cases(self) -> tuple[InhibitionCase, ...]:
        mine, other = self.subject.service, self.other
        source, foreign = self.labels(self.source, mine), self._theirs(self.source)
        cases = []
        for target in self.targets:
            here = self.labels(target, mine)
            cases += [
                InhibitionCase(here, (source,), True, f"{target} while {self.source} fires"),
                InhibitionCase(here, (), False, f"{target} alone"),
                InhibitionCase(here, (foreign,), False, f"{target} while another service is down"),
                InhibitionCase(source, (here,), False, f"{self.source} beside {target}"),
            ]
        first = self.labels(self.targets[0], mine)
        cases.append(
            InhibitionCase(
                first, (source, foreign, self._theirs(self.targets[0])), True, "in the middle of a larger outage"
            )
        )
        cases.append(InhibitionCase(self.labels("SomethingElse", other), (source,), False, "another service's alert"))
        for bystander in self.bystanders:
            cases.append(InhibitionCase(self.labels(bystander, mine), (source,), False, f"{bystander} must still page"))
        unknown = self.labels("SomethingElse", mine)
        cases.append(InhibitionCase(unknown, (source,), False, "an alert that the request does not name"))
        cases.append(
            InhibitionCase(
                first, (self.labels("SomethingElse", mine),), False, f"{self.targets[0]} beside an unrelated alert"
            )
        )
        return tuple(cases)

    def hushed(self, rules: Sequence[InhibitRule]) -> bool:
        """Whether other rules hold back some alert of this item while the source fires, whatever its own rule does."""
        alerts = [self.labels(name, self.subject.service).as_dict() for name in (self.source, *self.targets)]
        return any(map(bool, aminhibition.inhibited(rules, alerts)))

    def among(self, items: Sequence[Item], start: Config) -> InhibitionItem:
        """The item, knowing what can have happened with the configuration that the task starts with."""
        asked = {
            one.rule.name: one
            for one in items
            if isinstance(one, AlertItem) and one.subject.service == self.subject.service
        }
        after = [target for target in self.targets if self._follows(target)]
        firing = {name for name in (self.source, *after) if self._fired(name, asked.get(name), start)}
        acted = self.source in firing and not firing.isdisjoint(after)
        return replace(self, acted=acted, reachable=self._fired(self.source, None, start))

    def _follows(self, alert: str) -> bool:
        """Whether an alert can begin to fire when nothing of the service is up, so that its own metrics are gone."""
        begins = KINDS[self._kind(alert)].begins
        return begins == "gone" or (begins == "failing" and self.subject.service.family.name in IN_FRONT)

    def _kind(self, alert: str) -> str:
        return next(kind for kind in KINDS if self.subject.alert_name(kind) == alert)

    def _fired(self, alert: str, item: AlertItem | None, start: Config) -> bool:
        """Whether an alert can have fired and reached the team before anything is done."""
        if item is not None:
            sound = item.broken is not None and (item.defect is None or item.defect.flavour in ("noisy", "cosmetic"))
            return sound and item.heard is not None
        reached = routing.receivers(start.route, self.labels(alert, self.subject.service).as_dict())
        ways = (receiver(self.subject.world, self.subject.service.team, urgency) for urgency in URGENCIES)
        return any(way in reached for way in ways)

    # --- words -------------------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """What to suppress, for whom."""
        targets = ", ".join(f"`{target}`" for target in self.targets)
        names = {"source": self.source, "targets": targets}
        exact = fact("inhibition-exact", **names)
        outcome = fact("inhibition-outcome", **names, service=self.subject.service.name)
        symptom = ""
        if self.defect is not None:
            tried = self.defect.rehearsed if self.reachable else self.defect.listed
            symptoms = self.defect.symptoms if self.acted else tried or self.defect.symptoms
            symptom = told(symptoms, self.seed, service=self.subject.service.name, team=self.subject.team.title)
        return Request(self.id, "inhibition", self.subject.service, self.source, exact, outcome, symptom, "misrouted")

    def touched(self) -> Touched:
        """Nothing by name: the pair of alerts is left out of the probes."""
        return Touched()

    # --- other ways --------------------------------------------------------------------------------------------------

    def accepted(self) -> Mapping[str, Edit]:
        """A rule per target; the service by names or written out; legacy matchers; severities named too."""
        label, service = self.subject.style.service_label, self.subject.service.name
        world = self.subject.world
        here = Matcher(label, "=", service)
        rule = self.rule
        style = self.subject.style
        severe = Matcher(style.severity_label, "=~", f"{style.severities['page']}|{style.severities['ticket']}")
        legacy = replace(
            rule,
            source=tuple(replace(m, legacy=True) for m in rule.source),
            target=tuple(replace(m, legacy=True) for m in rule.target),
        )
        return {
            "a-rule-a-target": self._instead([inhibit_rule(world, self.source, (target,)) for target in self.targets]),
            "service-by-name": self._instead([replace(rule, equal=())]),
            "service-written-out": self._instead(
                [replace(rule, source=(*rule.source, here), target=(*rule.target, here), equal=())]
            ),
            "legacy-match": self._instead([legacy]),
            "severities-named": self._instead([replace(rule, target=(*rule.target, severe))]),
        }

    def wrong(self) -> Mapping[str, Wrong]:
        """While any service is down; backwards; on a label one side lacks; everything of the service."""
        rule = self.rule
        label = self.subject.style.service_label
        everything = (Matcher("alertname", "!=", self.source),)
        anyone = Matcher("alertname", "=~", f"{self.source}|{self._theirs(self.source).get('alertname')}")
        return {
            "any-service": Wrong(self._instead([replace(rule, source=(anyone,), equal=())]), 0.95),
            "backwards": Wrong(self._instead([replace(rule, source=rule.target, target=rule.source)]), 0.3),
            "label-missing": Wrong(
                self._instead(
                    [replace(rule, source=(*rule.source, Matcher("cluster", "!=", "")), equal=(label, "cluster"))]
                ),
                0.5,
            ),
            "everything": Wrong(self._instead([replace(rule, target=everything)]), 0.95),
        }
