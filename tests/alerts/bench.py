"""Runs the rules of an alert kind through real promtool over all its scenarios and compares with the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from alertforge import tools
from alertforge.alerts.base import AlertKind, Judged, Subject, build_cases
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.ways import general
from alertforge.grader.definitions import index
from alertforge.grader.delivery import deliver
from alertforge.grader.observed import Observed
from alertforge.grader.proof import series_labels
from alertforge.grader.requirements.alert import judge
from alertforge.grader.spec import AlertRequirement
from alertforge.grader.timeline import Firing, Seen, Timeline
from alertforge.prometheus.promtool import Active, TestFile, run_tests
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.seeds import Seed

REFERENCE = "reference"


@dataclass(frozen=True)
class Bench:
    """Everything that one kind says about one subject, and what promtool made of it."""

    kind: AlertKind
    subject: Subject
    cases: tuple[Judged, ...]
    right: Mapping[str, tuple[Rule, ...]]
    wrong: Mapping[str, tuple[Rule, ...]]
    seen: Sequence[Mapping[tuple[int, str], tuple[Active, ...]]]  # per case: (minute, variant) and what fires

    def quality(self, variant: str) -> float:
        """q of a variant as the grader computes it."""
        rules = _renamed({**self.right, **self.wrong}[variant], variant)
        requirement = AlertRequirement(
            "A1",
            "alert",
            variant,
            tuple(case for one in self.cases for case in (one.case, *one.beside)),
            definitions=self.kind.definitions,
            burn=self.kind.burn,
        )
        seen = {}
        for judged, alerts_at in zip(self.cases, self.seen, strict=True):
            seen[judged.scenario.id] = Seen(
                {
                    (name, minute): tuple(sorted({Firing(one.labels.without(["alertname"])) for one in found}))
                    for (minute, name), found in alerts_at.items()
                }
            )
        timeline = Timeline(seen)
        definitions = index([RuleFile("rules.yml", (Group("all", rules),))])
        delivery = deliver(None, lambda label_sets: (), ())
        return judge(requirement, Observed(timeline, timeline, delivery, definitions)).q

    def faults(self, variant: str) -> list[str]:
        """Where a variant's firing minutes contradict the contract, one line a scenario."""
        out = []
        for judged, alerts_at in zip(self.cases, self.seen, strict=True):
            case = judged.case
            seen = {minute: alerts_at.get((minute, variant), ()) for minute in range(judged.scenario.minutes + 1)}
            must = {minute for span in case.fires for minute in span.minutes()}
            never = {minute for quiet in case.quiet for minute in quiet.span.minutes()}
            own = {m for m, alerts in seen.items() if any(a.labels.contains(case.subject) for a in alerts)}
            missed, false = sorted(must - own), sorted(never & {m for m, alerts in seen.items() if alerts})
            several = sorted(m for m, alerts in seen.items() if len(alerts) > 1)
            late = case.first is not None and (not own or min(own) not in case.first)
            if missed or false or several or late:
                out.append(f"{case.scenario}: missed {missed}, false {false}, several {several}, late {late}")
        return out


def bench(kind: AlertKind, subject: Subject, seed: str) -> Bench:
    """Every rule that the kind has for a subject, in all its scenarios.

    Two more services are judged beside it, as in a hard task.
    """
    others = [one for one in subject.world.services if one != subject.service][:2]
    cases = build_cases(kind, subject, others, Seed.master(seed).child(kind.name), "A1")
    carried = series_labels(one.series for judged in cases for one in judged.scenario.series)
    right = {REFERENCE: (kind.rule(subject),), **kind.accepted(subject), **general(kind, subject, carried)}
    wrong = {name: (rule,) for name, (rule, _) in kind.wrong(subject).items()}
    assert not right.keys() & wrong.keys(), "names tell variants apart"
    groups = [Group("sli", _records(kind, subject))] if kind.burn else []
    groups += [Group(name, _renamed(rules, name)) for name, rules in {**right, **wrong}.items()]
    files = [
        TestFile(
            tuple(groups),
            tuple((one.series, one.values) for one in judged.scenario.series),
            judged.scenario.minutes,
            (*right, *wrong),
        )
        for judged in cases
    ]
    results, problem = run_tests(files, tools.find("promtool"), seconds=300)
    assert results is not None, problem
    for result in results:
        assert not result.errors, result.errors
        assert not result.problem, result.problem
    return Bench(kind, subject, cases, right, wrong, [result.alerts for result in results])


def _records(kind: AlertKind, subject: Subject) -> tuple[Rule, ...]:
    assert isinstance(kind, BurnKind)
    tier = kind.of(subject)
    return tuple(kind.sli.rule(subject, window) for window in (tier.long, tier.short))


def _renamed(rules: Sequence[Rule], name: str) -> tuple[Rule, ...]:
    """Alerts named after their variant, so that all variants run side by side."""
    return tuple(replace(rule, name=name) if rule.is_alert else rule for rule in rules)
