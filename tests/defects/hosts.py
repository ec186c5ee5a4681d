"""Rules to break, with what promtool sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from alertforge.alerts.base import AlertKind, Judged, Subject, build_cases
from alertforge.alerts.sli import AVAILABILITY, LATENCY, windows
from alertforge.grader.spec import AlertCase
from alertforge.prometheus.promtool import Active, TestFile, run_tests
from alertforge.prometheus.rules import Group, Rule
from alertforge.seeds import Seed
from alertforge.tools import find

SEED = Seed.master("defects")

Seen = Mapping[int, Sequence[Active]]  # firing alerts by minute, without `alertname`


@dataclass(frozen=True)
class Host:
    """A kind's reference rule with the records it reads, and the kind's scenarios."""

    kind: AlertKind
    subject: Subject
    rule: Rule
    records: tuple[Rule, ...]
    judged: tuple[Judged, ...]

    @classmethod
    def of(cls, kind: AlertKind, subject: Subject) -> Host:
        """The kind for a subject, with one other service of the company beside it."""
        others = [one for one in subject.world.services if one != subject.service][:1]
        cases = build_cases(kind, subject, others, SEED.child("cases", kind.name), kind.name)
        records = dict.fromkeys(
            record for one in (subject.service, *others) for record in sli_records(Subject(subject.world, one))
        )
        return cls(kind, subject, kind.rule(subject), tuple(records), cases)

    def observe(self, rules: Mapping[str, Rule]) -> dict[str, list[Seen]]:
        """For each rule what fired when, a scenario each; a rule that fails to evaluate fires nowhere."""
        names = {key: f"Seen{index}" for index, key in enumerate(rules)}
        alerts = {names[key]: replace(rule, name=names[key]) for key, rule in rules.items()}
        while True:
            files = [
                TestFile(
                    (Group("records", self.records), Group("alerts", tuple(alerts.values()))),
                    tuple((one.series, one.values) for one in judged.scenario.series),
                    judged.scenario.minutes,
                    tuple(alerts),
                )
                for judged in self.judged
            ]
            results, problem = run_tests(files, find("promtool"), seconds=120)
            assert results is not None, problem
            assert not [result.problem for result in results if result.problem]
            failed = {error.rule for result in results for error in result.errors}
            if not failed:
                break
            for name in failed:
                del alerts[name]
        return {
            key: [
                {
                    minute: tuple(Active(one.labels.without(("alertname",)), one.annotations) for one in active)
                    for (minute, seen), active in result.alerts.items()
                    if seen == name
                }
                for result in results
            ]
            for key, name in names.items()
        }

    def shown_by(self, reference: Sequence[Seen], broken: Sequence[Seen]) -> list[str]:
        """The scenarios in which a defect can be told from the reference by what must happen when."""
        return [
            one.scenario.id.removeprefix(f"{self.kind.name}-")
            for one, right, seen in zip(self.judged, reference, broken, strict=True)
            if complaints(one.case, right, seen)
        ]


def sli_records(subject: Subject) -> tuple[Rule, ...]:
    """The recorded bad shares that burn alerts read."""
    return tuple(sli.rule(subject, window) for sli in (AVAILABILITY, LATENCY) for window in windows(subject.style))


def complaints(case: AlertCase, reference: Seen, seen: Seen) -> list[str]:
    """What is wrong with what was seen, as an on-call engineer would put it."""
    out = []
    for span in case.fires:
        for minute in range(span.first, span.last + 1):
            own = [one for one in seen.get(minute, ()) if one.labels.contains(case.subject)]
            if not own:
                out.append(f"missing at {minute}")
            elif len(own) > 1:
                out.append(f"{len(own)} at once at {minute}")
            elif not any(_carries(own[0], right) for right in reference.get(minute, ())):
                out.append(f"labels or annotations are missing at {minute}")
    for quiet in case.quiet:
        for minute in range(quiet.span.first, quiet.span.last + 1):
            if seen.get(minute):
                out.append(f"fires at {minute} ({quiet.reason})")
    return out


def _carries(seen: Active, right: Active) -> bool:
    """Labels beyond those of the reference are judged by where they send an alert, not by being there."""
    return seen.labels.contains(right.labels) and seen.annotations == right.annotations
