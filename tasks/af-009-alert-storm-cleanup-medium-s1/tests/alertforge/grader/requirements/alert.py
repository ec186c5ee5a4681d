# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""Alerts, new or repaired: judged on their whole timeline, minute by minute.

| family | one check per | met when |
|---|---|---|
| exists | requirement | a rule of that name is loaded |
| fire | case with `fires` | it fires for the subject at every one of those minutes |
| timing | case with `first` | its first firing minute for the subject lies in that window |
| once | case with `fires` | exactly one alert of that name is there for the subject at every such minute |
| silent | quiet span of a case | it does not fire for the subject, nor for nobody, in the whole span |
| label | label rule | every firing alert of a subject carries the label with its value |
| annotation | annotation rule | every firing alert of a subject renders it as asked |

    q = exists · dup · mean(fire ∪ timing ∪ once) · mean(silent) · (0.7 + 0.3 · mean(label ∪ annotation))

dup is 0.8 when more distinct definitions can concern one subject than expected. A burn alert's q is the mean of two:
with the workspace's own SLI records, and with the reference ones in their place (ids with `.ref.`).

An alert that lacks one of the subject's labels tells nobody whom it is about: it counts for no subject when it should
fire, and against each whose quiet span it fires in. One with another value is about something else: it counts for
nobody. A label or annotation that no firing alert ever showed is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from alertforge.grader.definitions import (
    Definition,
    Index,
    distinct_for,
    follows_values,
    made_labels,
    with_what_they_read,
)
from alertforge.grader.observed import Observed
from alertforge.grader.result import Check, Judgement, family_mean, labels_text, runs, runs_text
from alertforge.grader.spec import AlertCase, AlertRequirement, AnnotationRule, LabelRule, Quiet
from alertforge.grader.timeline import Firing, Timeline
from alertforge.prometheus import templates
from alertforge.prometheus.series import Labels

DUPLICATE: float = 0.8


def judge(requirement: AlertRequirement, observed: Observed) -> Judgement:
    """All checks of an alert and its q."""
    definitions = observed.definitions.get((True, requirement.alert), ())
    subjects = list(dict.fromkeys(case.subject for case in requirement.cases))
    distinct = distinct_for(definitions, subjects) if definitions else 0
    dup = 1.0 if distinct <= requirement.definitions else DUPLICATE
    chosen = frozenset(_chosen(definitions, observed.definitions))
    checks = [
        _definitions_check(requirement, len(definitions), distinct),
        *_Half(requirement, observed.timeline, requirement.id, chosen).checks(),
    ]
    q = fold(checks, exists=bool(definitions), dup=dup)
    if requirement.burn:
        second = list(_Half(requirement, observed.reference, f"{requirement.id}.ref", chosen).checks())
        q = 0.5 * q + 0.5 * fold(second, exists=bool(definitions), dup=dup)
        checks += second
    return Judgement(requirement.id, requirement.kind, q, tuple(checks))


def _chosen(alert: Sequence[Definition], known: Index) -> Iterator[str]:
    """Labels whose values are chosen while an alert fires: by its template, or from values that became labels."""
    yield from (name for one in alert for name, text in one.labels if templates.chooses(text))
    read = with_what_they_read(alert, known)
    if any(follows_values(one) for one in read):
        yield from (name for one in read for name in made_labels(one))


def fold(checks: list[Check], *, exists: bool, dup: float) -> float:
    """q of one half from its checks."""
    fires = family_mean(checks, "fire", "timing", "once")
    silent = family_mean(checks, "silent")
    carries = family_mean(checks, "label", "annotation")
    return float(exists) * dup * fires * silent * (0.7 + 0.3 * carries)


def _definitions_check(requirement: AlertRequirement, existing: int, distinct: int) -> Check:
    score = 0.0 if not existing else 1.0 if distinct <= requirement.definitions else DUPLICATE
    return Check(
        f"{requirement.id}.exists",
        requirement.id,
        "exists",
        score,
        f"alert {requirement.alert} exists, with at most {requirement.definitions} distinct definition(s) a subject",
        f"{distinct or existing} distinct definition(s)" if existing else "no rule of that name that Prometheus takes",
    )


class _Half:
    """One pass over the cases, on one timeline. `chosen` are labels whose values are chosen while the alert fires."""

    def __init__(
        self, requirement: AlertRequirement, timeline: Timeline, prefix: str, chosen: frozenset[str] = frozenset()
    ) -> None:
        self.requirement = requirement
        self.timeline = timeline
        self.prefix = prefix
        self.chosen = chosen
        self.taken: dict[str, int] = {}

    def checks(self) -> Iterator[Check]:
        """Every check but existence."""
        for case in self.requirement.cases:
            yield from self.case(case)
        shown = list(self.shown())
        for rule in self.requirement.labels:
            yield self.label(rule, shown)
        for annotation in self.requirement.annotations:
            yield self.annotation(annotation, shown)

    def case(self, case: AlertCase) -> Iterator[Check]:
        """The checks of one case."""
        minutes = sorted({minute for span in case.fires for minute in span.minutes()})
        if minutes:
            yield self.fire(case, minutes)
        if case.first is not None:
            yield self.timing(case, case.first.first, case.first.last)
        if minutes:
            yield self.once(case, minutes)
        for quiet in case.quiet:
            yield self.silent(case, quiet)

    def about(self, case: AlertCase, minute: int) -> list[Firing]:
        """The firing alerts that are about the case's subject."""
        found = self.timeline.firing(case.scenario, self.requirement.alert, minute)
        return [firing for firing in found if firing.labels.contains(case.subject)]

    def about_nobody(self, case: AlertCase, minute: int) -> list[Firing]:
        """The firing alerts that lack a label of the subject and contradict none."""
        found = self.timeline.firing(case.scenario, self.requirement.alert, minute)
        return [firing for firing in found if _names_nobody(firing.labels, case.subject)]

    def fire(self, case: AlertCase, minutes: list[int]) -> Check:
        """Whether it fires through the outage."""
        missing = [minute for minute in minutes if not self.about(case, minute)]
        seen = f"not firing at {runs_text(missing)}" if missing else "firing throughout"
        stray = next((one for minute in missing for one in self.about_nobody(case, minute)), None)
        if stray:
            seen += f"; an alert without the subject's labels fires: {labels_text(stray.labels.pairs)}"
        return self.check(
            "fire", case, not missing, f"firing for {_who(case)} at {runs_text(minutes)}", seen, missing or minutes
        )

    def timing(self, case: AlertCase, first: int, last: int) -> Check:
        """Whether it starts in time: not before its `for`, not late."""
        started = next((minute for minute in range(self.minutes(case)) if self.about(case, minute)), None)
        good = started is not None and first <= started <= last
        seen = "never fires" if started is None else f"first fires at minute {started}"
        expected = f"first fires for {_who(case)} within minutes {first}-{last}"
        return self.check("timing", case, good, expected, seen, range(first, last + 1))

    def once(self, case: AlertCase, minutes: list[int]) -> Check:
        """Whether one outage is one alert."""
        counts = {minute: len({firing.labels for firing in self.about(case, minute)}) for minute in minutes}
        wrong = [minute for minute, count in counts.items() if count != 1]
        seen = f"{max(counts[minute] for minute in wrong)} alerts at {runs_text(wrong)}" if wrong else "one alert"
        return self.check(
            "once", case, not wrong, f"exactly one alert for {_who(case)} at a time", seen, wrong or minutes
        )

    def silent(self, case: AlertCase, quiet: Quiet) -> Check:
        """Whether it leaves people alone."""
        span = quiet.span
        loud = [m for m in span.minutes() if self.about(case, m) or self.about_nobody(case, m)]
        seen = "silent"
        if loud:
            firing = [*self.about(case, loud[0]), *self.about_nobody(case, loud[0])][0]
            seen = f"firing at {runs_text(loud)}: {labels_text(firing.labels.pairs)}"
        expected = f"silent for {_who(case)} ({quiet.reason}) at {runs_text(span.minutes())}"
        return self.check("silent", case, not loud, expected, seen, loud or span.minutes())

    def minutes(self, case: AlertCase) -> int:
        """One more than the last minute at which the alert fires in the case's scenario."""
        return max(self.timeline.firing_minutes(case.scenario, self.requirement.alert), default=-1) + 1

    def shown(self) -> Iterator[tuple[AlertCase, int, Firing]]:
        """Every firing alert of every subject, each case's at each minute."""
        for case in self.requirement.cases:
            for minute in range(self.minutes(case)):
                for firing in self.about(case, minute):
                    yield case, minute, firing

    def label(self, rule: LabelRule, shown: list[tuple[AlertCase, int, Firing]]) -> Check:
        """Whether the label is there, with its value, always: what is chosen by the moment is not."""
        return self.carried(
            "label",
            rule.name,
            rule.subject,
            shown,
            f'label {rule.name}="{rule.value}"',
            lambda firing: firing.labels.get(rule.name),
            lambda value: value == rule.value and rule.name not in self.chosen,
        )

    def annotation(self, rule: AnnotationRule, shown: list[tuple[AlertCase, int, Firing]]) -> Check:
        """Whether the annotation says what it must, as rendered."""
        expected = f"annotation {rule.name} {rule.mode} {rule.value}".rstrip()

        def good(text: str) -> bool:
            if rule.mode == "present":
                return bool(text.strip())
            return rule.value in text if rule.mode == "contains" else text.strip() == rule.value.strip()

        return self.carried(
            "annotation",
            rule.name,
            rule.subject,
            shown,
            expected,
            lambda firing: dict(firing.annotations).get(rule.name, ""),
            good,
        )

    def carried(
        self,
        family: str,
        name: str,
        subject: Labels,
        shown: list[tuple[AlertCase, int, Firing]],
        expected: str,
        read: Callable[[Firing], str],
        good: Callable[[str], bool],
    ) -> Check:
        """A check on something that every firing alert of the subject must carry."""
        judged = [(case, minute, firing) for case, minute, firing in shown if firing.labels.contains(subject)]
        wrong = [(case, minute, firing) for case, minute, firing in judged if not good(read(firing))]
        scenario, minutes, seen = "", [], "as expected whenever it fires"
        if not judged:
            seen = "never fires for a subject"
        elif wrong:
            scenario = wrong[0][0].scenario
            minutes = [minute for case, minute, _ in wrong if case.scenario == scenario]
            seen = f'{name}="{read(wrong[0][2])}" on {labels_text(wrong[0][2].labels.pairs)}'
        who = f" on {labels_text(subject.pairs)}" if subject else ""
        return Check(
            self.id(family, name),
            self.requirement.id,
            family,
            float(bool(judged) and not wrong),
            expected + who,
            seen,
            scenario,
            runs(minutes),
        )

    def check(
        self, family: str, case: AlertCase, good: bool, expected: str, seen: str, minutes: list[int] | range
    ) -> Check:
        """A check on one case."""
        return Check(
            self.id(family, case.scenario),
            self.requirement.id,
            family,
            float(good),
            expected,
            seen,
            case.scenario,
            runs(minutes),
        )

    def id(self, family: str, what: str) -> str:
        """`A1.fire.sustained`; a second one of the same name ends in `.2`."""
        name = f"{self.prefix}.{family}.{what}"
        count = self.taken[name] = self.taken.get(name, 0) + 1
        return name if count == 1 else f"{name}.{count}"


def _who(case: AlertCase) -> str:
    return labels_text(case.subject.pairs)


def _names_nobody(labels: Labels, subject: Labels) -> bool:
    values = [(labels.get(name), value) for name, value in subject.pairs]
    return any(have == "" for have, _ in values) and all(have in ("", value) for have, value in values)
