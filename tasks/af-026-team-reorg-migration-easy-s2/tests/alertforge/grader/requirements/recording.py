# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""Recording rules: the values they record, and for how many series.

| family | one check per | met when |
|---|---|---|
| exists | record | a rule of that name is loaded |
| value | record case | one sample, with the subject's labels only, within the tolerance; `value` None: there is none |
| cardinality | cardinality case | the record has that many series, beside those of other requests |

    q = dup · mean(value ∪ cardinality)

dup is 0.8 when more distinct definitions of one record can concern one subject than expected. A record that does not
exist meets nothing: not even that it has no sample.
"""

from __future__ import annotations

import math

from alertforge.grader.definitions import distinct_for
from alertforge.grader.observed import Observed
from alertforge.grader.result import Check, Judgement, family_mean, labels_text
from alertforge.grader.spec import CardinalityCase, RecordCase, RecordingRequirement
from alertforge.grader.timeline import Samples
from alertforge.prometheus.series import METRIC_NAME, Labels

DUPLICATE: float = 0.8
ZERO: float = 1e-12  # what still counts as 0 where 0 is expected


def judge(requirement: RecordingRequirement, observed: Observed) -> Judgement:
    """All checks of the records and their q."""
    existing = {name: observed.definitions.get((False, name), ()) for name in _names(requirement)}
    checks: list[Check] = []
    for name, definitions in existing.items():
        subjects = [case.subject for case in requirement.values if case.record == name]
        distinct = distinct_for(definitions, dict.fromkeys(subjects)) if definitions else 0
        checks.append(_exists(requirement, name, len(definitions), distinct))
    dup = DUPLICATE if any(check.score == DUPLICATE for check in checks) else 1.0
    for number, value in enumerate(requirement.values, 1):
        checks.append(_value(requirement, number, value, bool(existing[value.record]), observed))
    for number, count in enumerate(requirement.cardinality, 1):
        checks.append(_cardinality(requirement, number, count, bool(existing[count.record]), observed))
    return Judgement(requirement.id, requirement.kind, dup * family_mean(checks, "value", "cardinality"), tuple(checks))


def _names(requirement: RecordingRequirement) -> list[str]:
    cases: list[RecordCase | CardinalityCase] = [*requirement.values, *requirement.cardinality]
    return list(dict.fromkeys([*requirement.records, *(case.record for case in cases)]))


def _exists(requirement: RecordingRequirement, name: str, existing: int, distinct: int) -> Check:
    score = 0.0 if not existing else 1.0 if distinct <= requirement.definitions else DUPLICATE
    return Check(
        f"{requirement.id}.exists.{name}",
        requirement.id,
        "exists",
        score,
        f"record {name} exists, with at most {requirement.definitions} distinct definition(s) a subject",
        f"{distinct or existing} distinct definition(s)" if existing else "no rule of that name that Prometheus takes",
    )


def _value(requirement: RecordingRequirement, number: int, case: RecordCase, exists: bool, observed: Observed) -> Check:
    samples = observed.timeline.record(case.scenario, case.record, case.minute)
    found = [(labels, value) for labels, value in samples or () if labels.contains(case.subject)]
    if not exists or samples is None:
        good = False
    elif case.value is None:
        good = not found
    else:
        # a record says which labels it has: one more is another series to everything that joins it
        exact = len(found) == 1 and Labels.of(found[0][0].without([METRIC_NAME]).pairs) == case.subject
        good = exact and close(found[0][1], case.value, case.tolerance)
    expected = "no sample" if case.value is None else f"{case.value:.12g}"
    return Check(
        f"{requirement.id}.value.{number}",
        requirement.id,
        "value",
        float(good),
        f"{case.record}{labels_text(case.subject.pairs)} is {expected}",
        _shown(exists, samples, found),
        case.scenario,
        ((case.minute, case.minute),),
    )


def close(seen: float, expected: float, tolerance: float) -> bool:
    """Whether two values are the same within a relative tolerance; NaN is NaN, infinities are exact."""
    if math.isnan(expected) or math.isnan(seen):
        return math.isnan(expected) and math.isnan(seen)
    return math.isclose(seen, expected, rel_tol=tolerance, abs_tol=ZERO)


def _cardinality(
    requirement: RecordingRequirement, number: int, case: CardinalityCase, exists: bool, observed: Observed
) -> Check:
    samples = observed.timeline.record(case.scenario, case.record, case.minute)
    counted = sum(not any(_is_of(labels, other) for other in case.others) for labels, _ in samples or ())
    beside = " and ".join(labels_text(other.pairs) for other in case.others)
    return Check(
        f"{requirement.id}.cardinality.{number}",
        requirement.id,
        "cardinality",
        float(exists and samples is not None and counted == case.count),
        f"{case.record} has {case.count} series{beside and ' beside those of ' + beside}",
        "no rule of that name" if not exists else "not readable" if samples is None else f"{counted} series",
        case.scenario,
        ((case.minute, case.minute),),
    )


def _is_of(labels: Labels, other: Labels) -> bool:
    """Whether a series is about `other`; if that is empty, about nobody: it has no label but its name."""
    if other:
        return labels.contains(other)
    return not labels.without([METRIC_NAME]).pairs


def _shown(exists: bool, samples: Samples | None, found: list[tuple[Labels, float]]) -> str:
    if not exists:
        return "no rule of that name"
    if samples is None:
        return "not readable"
    shown = found or samples[:3]
    text = "; ".join(f"{labels_text(labels.pairs)} {value:.12g}" for labels, value in shown[:3])
    return text if found else f"none for the subject, but {text}" if shown else "no sample"
