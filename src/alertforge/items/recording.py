"""Items about SLI recording rules (`C`): the error ratios of one family, missing or broken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from alertforge.alerts.base import Plan, Subject, complete, scenario_of, stage, window_text
from alertforge.alerts.sli import error_ratio, errors_text, requests_text
from alertforge.defects.base import Defect
from alertforge.grader.spec import CardinalityCase, RecordCase, RecordingRequirement, Requirement, Scenario
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.prometheus.promql import parse, to_text
from alertforge.prometheus.rules import Rule
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo, record_place
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Flow, calm
from alertforge.traffic.shapes import plateau
from alertforge.world.model import Service, World


def sli_windows(world: World) -> tuple[int, ...]:
    """The windows, in minutes, that the house's burn alerts read."""
    return tuple(sorted({window for tier in world.style.burn.values() for window in (tier.long, tier.short)}))


def sli_record(subject: Subject, window: int) -> Rule:
    """The reference record of the subject's family over a window."""
    expr = f"{errors_text(subject, window, scoped=False)} / {requests_text(subject, window, scoped=False)}"
    return Rule(subject.record(window), to_text(parse(expr)), is_alert=False)


@dataclass(frozen=True)
class RecordingItem:
    """The SLI records of the family that `subject` belongs to."""

    id: str
    subject: Subject
    others: tuple[Service, ...]  # in the scenarios beside the subject
    seed: Seed
    defect: Defect | None = None
    broken: tuple[Rule, ...] = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The reference records, shortest window first."""
        return tuple(sli_record(self.subject, window) for window in sli_windows(self.subject.world))

    def place(self, repo: Repo) -> Repo:
        """Add the records where the house keeps them."""
        path, group = record_place(self.subject.world, self.subject.service.family.name)
        return repo.add(path, group, self.rules, manifests=self.subject.style.manifests)

    def break_(self, repo: Repo) -> Repo:
        """Without the records, or with the broken ones."""
        for index, rule in enumerate(self.rules):
            repo = repo.replace_rule(rule, self.broken[index : index + 1])
        return repo

    # --- requirement -------------------------------------------------------------------------------------------------

    def _plan(self, key: str, title: str, minutes: int, level: Fraction, deploys: frozenset[int]) -> Plan:
        def own(seed: Seed, service: Service) -> Flow:
            return calm(
                seed, service, minutes, errors=plateau([level / 6] * (minutes + 1), 20, 45, level), deploys=deploys
            )

        def theirs(seed: Seed, service: Service) -> Flow:
            return calm(seed, service, minutes, errors=level / 3)

        exposures = stage(self.subject, self.others, self.seed.child(key), minutes, own, other_flow=theirs)
        plan = Plan(key, f"{self.subject.service.family.name}: {title}", "silent", exposures)
        return complete(plan, self.subject.world, self.seed)

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """Values in an outage and across a deploy, for every service of the family; one series a service."""
        family = self.subject.service.family
        plans = (
            self._plan("records", "the ratios through an outage", 70, Fraction(3, 10), frozenset()),
            self._plan("records-deploy", "the ratios across a deploy", 50, Fraction(1, 20), frozenset({25})),
        )
        forgotten, picked = self._forgotten()
        values: list[RecordCase] = []
        counts: list[CardinalityCase] = []
        scenarios = []
        for plan, picks in (*((plan, (33, plan.minutes - 3)) for plan in plans), (forgotten, picked)):
            scenario = scenario_of(plan, self.id)
            scenarios.append(scenario)
            for window in sli_windows(self.subject.world):
                record = self.subject.record(window)
                for exposure in plan.exposures:
                    if exposure.service.family != family or not exposure.metric(family.counter):
                        continue
                    one = Subject(self.subject.world, exposure.service)
                    ratios = error_ratio(one, exposure, window, picks)
                    values += [
                        RecordCase(scenario.id, minute, record, one.identity, float(ratio))
                        for minute, ratio in zip(picks, ratios, strict=True)
                    ]
                counts.append(CardinalityCase(scenario.id, picks[0], record, self._series(plan)))
        requirement = RecordingRequirement(
            self.id, tuple(rule.name for rule in self.rules), tuple(values), tuple(counts), self._definitions()
        )
        return requirement, tuple(scenarios)

    def _forgotten(self) -> tuple[Plan, tuple[int, ...]]:
        """An early burst, and for each window the minute at which it has just left that one: longer ones still see it.

        Without this all windows longer than a scenario would have one value.
        """
        first, last = 5, 30
        picks = tuple(last + window + 3 for window in sli_windows(self.subject.world))
        minutes = picks[-1] + 2

        def own(seed: Seed, service: Service) -> Flow:
            return calm(
                seed, service, minutes, errors=plateau([Fraction(1, 200)] * (minutes + 1), first, last, Fraction(2, 5))
            )

        exposures = stage(self.subject, self.others, self.seed.child("forgotten"), minutes, own)
        plan = Plan(
            "records-forgotten", f"{self.subject.service.family.name}: after a burst of errors", "silent", exposures
        )
        return complete(plan, self.subject.world, self.seed), picks

    def _definitions(self) -> int:
        """How many rules record one name: a family each where the house's names do not tell families apart."""
        families = {service.family.name for service in self.subject.world.services}
        return 1 if "{family}" in self.subject.style.record_name else len(families)

    def _series(self, plan: Plan) -> int:
        """How many series a record has: a service each, of this family, or of all where they share a name."""
        shared = "{family}" not in self.subject.style.record_name
        counted = [e.service for e in plan.exposures if e.metric(e.service.family.counter)]
        return sum(1 for service in counted if shared or service.family == self.subject.service.family)

    # --- words -------------------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """Which records, and what they hold."""
        subject, family = self.subject, self.subject.service.family
        names = ", ".join(f"`{rule.name}`" for rule in self.rules)
        what = (
            f'the share of failed requests (`{family.status_label}{family.error_op}"{family.error_value}"` of '
            f"`{family.counter}`) over the window in the name, one series per `{subject.by}` and no other label"
        )
        exact = f"Add the SLI recording rules {names} for the `{family.name}` family: {what}."
        outcome = (
            f"The `{family.name}` services have no error-ratio records yet, and burn alerts need them. Record them for "
            "every window that our burn policy uses, under our naming."
        )
        symptom = ""
        if self.defect is not None:
            symptom = told(
                self.defect.symptoms,
                self.seed,
                alert=self.rules[0].name,
                service=subject.service.name,
                team=subject.team.title,
            )
            exact = outcome = f"The SLI records of the `{family.name}` family cannot be trusted: {symptom}"
        return Request(self.id, "recording", subject.service, self.rules[0].name, exact, outcome, symptom)

    def touched(self) -> Touched:
        """The records."""
        return Touched(records=tuple(rule.name for rule in self.rules))

    # --- other ways --------------------------------------------------------------------------------------------------

    def _each(self, change: Mapping[str, str]) -> Edit:
        """Every record with its expression made anew from the window's text."""

        def edit(repo: Repo) -> Repo:
            for rule, window in zip(self.rules, sli_windows(self.subject.world), strict=True):
                values = {"w": window_text(window), "bad": self._bad(), "good": self._good()}
                text = change["expr"].format(
                    by=self.subject.by, counter=self.subject.service.family.counter, pod=self.subject.style.pod_label,
                    status=self.subject.service.family.status_label, **values,
                )  # fmt: skip
                repo = repo.replace_rule(rule, (replace(rule, expr=to_text(parse(text))),))
            return repo

        return edit

    def _bad(self) -> str:
        family = self.subject.service.family
        return f'{family.status_label}{family.error_op}"{family.error_value}"'

    def _good(self) -> str:
        family = self.subject.service.family
        opposite = {"=~": "!~", "!~": "=~", "=": "!=", "!=": "="}[family.error_op]
        return f'{family.status_label}{opposite}"{family.error_value}"'

    def accepted(self) -> Mapping[str, Edit]:
        """By increases; as one minus the good share; aggregated in two steps; `avg by` weighed by nothing is not."""
        return {
            "increase": self._each(
                {"expr": "sum by ({by}) (increase({counter}{{{bad}}}[{w}])) / sum by ({by}) (increase({counter}[{w}]))"}
            ),
            "one-minus-good": self._each(
                {"expr": "1 - sum by ({by}) (rate({counter}{{{good}}}[{w}])) / sum by ({by}) (rate({counter}[{w}]))"}
            ),
            "two-steps": self._each(
                {
                    "expr": "sum by ({by}) (sum by ({by}, {pod}) (rate({counter}{{{bad}}}[{w}]))) "
                    "/ sum by ({by}) (sum by ({by}, {pod}) (rate({counter}[{w}])))"
                }
            ),
        }

    def wrong(self) -> Mapping[str, Wrong]:
        """One series for all; one a pod; the average of the pods' ratios; one window for all."""
        return {
            "no-by": Wrong(self._each({"expr": "sum(rate({counter}{{{bad}}}[{w}])) / sum(rate({counter}[{w}]))"}), 0.6),
            "per-pod": Wrong(
                self._each(
                    {
                        "expr": "sum by ({by}, {pod}) (rate({counter}{{{bad}}}[{w}])) "
                        "/ sum by ({by}, {pod}) (rate({counter}[{w}]))"
                    }
                ),
                0.6,
            ),
            "good-share": Wrong(
                self._each(
                    {"expr": "sum by ({by}) (rate({counter}{{{good}}}[{w}])) / sum by ({by}) (rate({counter}[{w}]))"}
                ),
                0.6,
            ),
        }
