"""Items about SLI recording rules (`C`): the bad shares of a family (or of one service), missing or broken."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePosixPath
from typing import Final

from alertforge.alerts.base import Plan, Subject, complete, scenario_of, stage
from alertforge.alerts.sli import AVAILABILITY, Sli, windows
from alertforge.alerts.ways import without
from alertforge.defects.base import Defect
from alertforge.grader.spec import CardinalityCase, RecordCase, RecordingRequirement, Requirement, Scenario
from alertforge.items.alert import AlertItem
from alertforge.items.base import Edit, Item, Touched, Wrong, told
from alertforge.items.surroundings import carried
from alertforge.prometheus.promql import Aggregate, Expr, Selector, parse, rewrite, selectors, swap, to_text, walk
from alertforge.prometheus.rules import Rule
from alertforge.prometheus.series import Labels
from alertforge.repo.brief import Request
from alertforge.repo.model import Repo, record_place
from alertforge.repo.wordings import fact, upper
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, target_labels
from alertforge.traffic.shapes import plateau
from alertforge.world.model import Service, SliFamily

# what sound alerts on broken records do, by `Defect.readers`
_CONSEQUENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "red": (
        "{{ names }} {{ 'has' if one == '1' else 'have' }} been firing without a break because of that",
        "{{ names }} {{ 'has' if one == '1' else 'have' }} been red day and night since, with nothing wrong",
        "{{ names }} {{ 'is' if one == '1' else 'are' }} on all the time, as one would expect with such numbers",
        "{{ names }} {{ 'fires' if one == '1' else 'fire' }} around the clock for the same reason",
    ),
    "deaf": (
        "{{ names }} {{ 'misses' if one == '1' else 'miss' }} most of what there is to see with such numbers",
        "{{ names }} can be trusted no more than these numbers can",
        "{{ names }} {{ 'has' if one == '1' else 'have' }} hardly a chance to fire with such numbers",
        "as long as that is so, one should not wait for {{ names }}",
    ),
    "dead": (
        "{{ names }} {{ 'has' if one == '1' else 'have' }} not fired once since then",
        "{{ names }} {{ 'has' if one == '1' else 'have' }} nothing to go by and cannot say a word",
        "{{ names }} cannot fire for the same reason",
        "nothing will come from {{ names }} as long as that is so",
    ),
}


@dataclass(frozen=True)
class RecordingItem:
    """The records of one SLI: of the family that `subject` belongs to, or of the subject where its bound is its own."""

    id: str
    subject: Subject
    others: tuple[Service, ...]  # in the scenarios beside the subject
    seed: Seed
    sli: Sli = AVAILABILITY
    defect: Defect | None = None
    broken: tuple[Rule, ...] = ()
    readers: tuple[str, ...] = ()  # sound burn alerts that read the records in the start repo

    @property
    def windows(self) -> tuple[int, ...]:
        """Minutes, shortest first."""
        return windows(self.subject.style)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The reference records, shortest window first."""
        return tuple(self.sli.rule(self.subject, window) for window in self.windows)

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
            bad = plateau([level / 6] * (minutes + 1), 20, 45, level)
            return self.sli.flow(seed, service, minutes, bad=bad, deploys=deploys)

        def theirs(seed: Seed, service: Service) -> Flow:
            return self.sli.flow(seed, service, minutes, bad=level / 3)

        return self._staged(key, title, minutes, own, theirs)

    def _staged(
        self,
        key: str,
        title: str,
        minutes: int,
        own: Callable[[Seed, Service], Flow],
        theirs: Callable[[Seed, Service], Flow] | None = None,
    ) -> Plan:
        seed = self.seed.child(key)
        exposures = stage(
            self.subject, self.others, seed, minutes, own, histogram=self.sli.histogram, other_flow=theirs
        )
        plan = Plan(key, f"{self.subject.service.family.name}: {title}", "silent", exposures)
        return complete(plan, self.subject.world, self.seed)

    def requirement(self, solved: Repo, items: Sequence[Item]) -> tuple[Requirement, tuple[Scenario, ...]]:
        """Values in an outage and across a deploy, for every service that a rule is about; one series a service."""
        plans = (
            self._plan("records", "the ratios through an outage", 70, Fraction(3, 10), frozenset()),
            self._plan("records-deploy", "the ratios across a deploy", 50, Fraction(1, 20), frozenset({25})),
        )
        forgotten, picked = self._forgotten()
        rivals = [item for item in items if isinstance(item, RecordingItem) and self._is_rival(item)]
        values: list[RecordCase] = []
        counts: list[CardinalityCase] = []
        scenarios = []
        for plan, picks in (*((plan, (33, plan.minutes - 3)) for plan in plans), (forgotten, picked)):
            scenario = scenario_of(plan, self.id)
            scenarios.append(scenario)
            for window in self.windows:
                record = self.sli.record(self.subject, window)
                for exposure in plan.exposures:
                    if not self._about(exposure):
                        continue
                    one = Subject(self.subject.world, exposure.service)
                    ratios = self.sli.ratio(one, exposure, window, picks)
                    values += [
                        RecordCase(scenario.id, minute, record, one.identity, float(ratio))
                        for minute, ratio in zip(picks, ratios, strict=True)
                    ]
                count = self._series(plan, rivals)
                counts.append(CardinalityCase(scenario.id, picks[0], record, count, self._others(plan, rivals)))
        requirement = RecordingRequirement(
            self.id, tuple(rule.name for rule in self.rules), tuple(values), tuple(counts), self._definitions()
        )
        return requirement, tuple(scenarios)

    def _about(self, exposure: Exposure) -> bool:
        """Whether the records have a series for this service."""
        if self.sli.per_service:
            return exposure.service == self.subject.service
        return exposure.service.family == self.subject.service.family and self._counts(exposure)

    def _counts(self, exposure: Exposure) -> bool:
        """Whether the service exports what the SLI is computed from."""
        family = exposure.service.family
        return bool(exposure.metric(f"{family.histogram}_count" if self.sli.histogram else family.counter))

    def _forgotten(self) -> tuple[Plan, tuple[int, ...]]:
        """An early burst, and for each window the minute at which it has just left that one: longer ones still see it.

        Without this all windows longer than a scenario would have one value.
        """
        first, last = 5, 30
        picks = tuple(last + window + 3 for window in self.windows)
        minutes = picks[-1] + 2

        def own(seed: Seed, service: Service) -> Flow:
            bad = plateau([Fraction(1, 200)] * (minutes + 1), first, last, Fraction(2, 5))
            return self.sli.flow(seed, service, minutes, bad=bad)

        return self._staged("records-forgotten", "after a burst of bad requests", minutes, own), picks

    @property
    def _name(self) -> str:
        style = self.subject.style
        return style.latency_record_name if self.sli.per_service else style.record_name

    def _definitions(self) -> int:
        """How many rules record one name for one service: a family each where names do not tell families apart."""
        if self.sli.per_service or "{family}" in self._name:
            return 1
        return len({service.family.name for service in self.subject.world.services})

    def _is_rival(self, item: RecordingItem) -> bool:
        """Whether another request is about records of the same names: its series are not this one's to judge."""
        return item.id != self.id and not {rule.name for rule in self.rules}.isdisjoint(item.touched().records)

    def _others(self, plan: Plan, rivals: Sequence[RecordingItem]) -> tuple[Labels, ...]:
        """Whom the series are about that rivals have in a plan; nobody, too, where a rival's are broken like that."""
        about = [one.service for one in plan.exposures for rival in rivals if rival._about(one)]
        nameless = any(self.subject.by not in carried(rule.tree) for rival in rivals for rule in rival.broken)
        known = [Subject(self.subject.world, service).identity for service in about]
        return (*dict.fromkeys(known), *([Labels()] if nameless else []))

    def _series(self, plan: Plan, rivals: Sequence[RecordingItem]) -> int:
        """How many series a record has beside rivals': a service each, of this family or of all that share the name."""
        shared = "{family}" not in self._name
        mine = [one for one in plan.exposures if self._counts(one) and not any(rival._about(one) for rival in rivals)]
        return sum(1 for one in mine if shared or one.service.family == self.subject.service.family)

    # --- words -------------------------------------------------------------------------------------------------------

    def request(self) -> Request:
        """Which records, and what they hold."""
        subject, service, family = self.subject, self.subject.service, self.subject.service.family
        names = ", ".join(f"`{rule.name}`" for rule in self.rules)
        if self.sli.per_service:
            share = fact(
                "slow-requests",
                bound=service.latency_threshold,
                bucket=f"{family.histogram}_bucket",
                count=f"{family.histogram}_count",
                by=subject.by,
            )
            exact = fact("latency-recording-exact", names=names, service=service.name, what=share)
            outcome = fact("latency-recording-outcome", service=service.name)
        else:
            share = fact(
                "failed-requests",
                matcher=f'{family.status_label}{family.error_op}"{family.error_value}"',
                counter=family.counter,
                by=subject.by,
            )
            exact = fact("recording-exact", names=names, family=family.name, what=share)
            outcome = fact("recording-outcome", family=family.name)
        shown = self.rules[-1 if self.defect is not None and self.defect.longest else 0].name
        symptom = ""
        if self.defect is not None:
            symptom = told(
                self.defect.symptoms,
                self.seed,
                alert=shown,
                service=service.name,
                team=subject.team.title,
            )
            symptom += self._consequence(self.defect)
        return Request(self.id, "recording", service, shown, exact, outcome, symptom)

    def _consequence(self, defect: Defect) -> str:
        """What the alerts that read the records did, as a sentence of its own."""
        if not (self.readers and defect.readers):
            return ""
        few = len(self.readers) <= 2
        names = " and ".join(self.readers) if few else "the other burn alerts that are made from it"
        said = told(_CONSEQUENCES[defect.readers], self.seed.child("readers"), names=names, one=str(len(self.readers)))
        return f". {said if said.startswith(self.readers) else upper(said)}"

    def reads(self, rule: Rule, service: Service) -> bool:
        """Whether an alert of a service is made from these records."""
        names = {record.name for record in self.rules} & {one.name for one in selectors(rule.tree)}
        mine = self.subject.service
        return bool(names) and (service == mine if self.sli.per_service else service.family == mine.family)

    def allows(self, items: Sequence[Item]) -> bool:
        """Whether what is told of broken alerts can have happened with the records as they are at the start.

        An alert whose records are missing or all but empty tells of nothing, and one that cannot stop of nothing else.
        """
        readers = "dead" if self.defect is None else self.defect.readers
        told_of = [
            one.defect.flavour
            for one in items
            if isinstance(one, AlertItem) and one.defect is not None and self.reads(one.rule, one.subject.service)
        ]
        return readers is None or not told_of or (readers != "red" and set(told_of) == {"silent"})

    def touched(self) -> Touched:
        """The records."""
        return Touched(records=tuple(rule.name for rule in self.rules))

    # --- other ways --------------------------------------------------------------------------------------------------

    def _each(self, write: Callable[[int], str]) -> Edit:
        """Every record with the expression that `write` gives for its window."""

        def edit(repo: Repo) -> Repo:
            for rule, window in zip(self.rules, self.windows, strict=True):
                tree = parse(write(window))
                if not self.sli.per_service:
                    tree = rewrite(tree, self._for_all)
                repo = repo.replace_rule(rule, (replace(rule, expr=to_text(tree)),))
            return repo

        return edit

    def _for_all(self, node: Expr) -> Expr:
        """A selector without the service: the record is about all services of the family."""
        if not isinstance(node, Selector):
            return node
        kept = tuple(one for one in node.matchers if one.name != self.subject.by)
        return replace(node, matchers=kept)

    def _text(self, window: int) -> str:
        return self.sli.ratio_text(self.subject, window)

    def _summed(self, window: int, by: str) -> str:
        """The reference with another way to sum."""
        return self._text(window).replace(f"sum by ({self.subject.by}) ", by)

    def accepted(self) -> Mapping[str, Edit]:
        """By increases; in other ways to sum; the SLI's own other ways; both sides recorded first; in two files."""
        by, pod = self.subject.by, self.subject.style.pod_label
        inner = re.compile(rf"sum by \({by}\) \((rate\([^()]*\))\)")
        steps = rf"sum by ({by}) (sum by ({by}, {pod}) (\1))"
        carried = (*target_labels(self.subject.world, self.subject.service, ""), self._family.status_label, "le")
        others = {
            name: self._each(lambda window, name=name: self.sli.other_texts(self.subject, window)[name])  # type: ignore[misc]
            for name in self.sli.other_texts(self.subject, self.windows[0])
            if name != "increase"
        }
        return {
            "increase": self._each(lambda window: self._text(window).replace("rate(", "increase(")),
            "two-steps": self._each(lambda window: inner.sub(steps, self._text(window))),
            "without": self._each(lambda window: to_text(without(parse(self._text(window)), by, carried))),
            **others,
            "sides-recorded": self._with_sides_recorded,
            "two-files": self._in_two_files,
        }

    def _with_sides_recorded(self, repo: Repo) -> Repo:
        """What is divided, and by what, in records of their own before the ratio."""
        about = self.subject.snake if self.sli.per_service else self._family.name
        for rule in self.rules:
            sides = dict.fromkeys(node for node in walk(rule.tree) if isinstance(node, Aggregate))
            names = (f"{rule.name}:{about}_{side}" for side in ("numerator", "denominator"))
            records, tree = [], rule.tree
            for name, side in zip(names, sides, strict=True):
                records.append(Rule(name, to_text(side), is_alert=False))
                tree = swap(tree, side, Selector(name))
            repo = repo.replace_rule(rule, (*records, rule.with_expr(tree)))
        return repo

    def _in_two_files(self, repo: Repo) -> Repo:
        """The shorter half of the windows where the house has them, the longer half in a file of its own."""
        path, group = record_place(self.subject.world, self._family.name)
        longer = self.rules[len(self.rules) // 2 :]
        for rule in longer:
            repo = repo.replace_rule(rule, ())
        file = PurePosixPath(path)
        return repo.add(
            str(file.with_name(f"{file.stem}-long{file.suffix}")),
            f"{group}-long",
            longer,
            manifests=self.subject.style.manifests,
        )

    @property
    def _family(self) -> SliFamily:
        return self.subject.service.family

    def wrong(self) -> Mapping[str, Wrong]:
        """One series for all; one a pod; the good share."""
        by, pod = self.subject.by, self.subject.style.pod_label
        return {
            "no-by": Wrong(self._each(lambda window: self._summed(window, "sum")), 0.6),
            "per-pod": Wrong(self._each(lambda window: self._summed(window, f"sum by ({by}, {pod}) ")), 0.6),
            "good-share": Wrong(self._each(lambda window: f"1 - ({self._text(window)})"), 0.6),
        }
