"""Every rule defect: it changes what the alert does, loads in promtool, and is told like a person would tell it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from jinja2 import Environment, StrictUndefined

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.defects import CONFIG_DEFECTS, DEFECTS, applicable, shapes, thresholds
from alertforge.defects.base import Defect
from alertforge.defects.selectors import counted_beside
from alertforge.prometheus import promtool
from alertforge.prometheus.promql import Binary, Expr, Number
from alertforge.prometheus.rules import Rule
from alertforge.tools import find
from alertforge.world.create import create

from .hosts import SEED, Host, complaints

KIND_NAMES = sorted(KINDS)
FAST = ("error-ratio", "cert-expiry")  # the others are slow to replay in all their scenarios
COMPANIES = [create(SEED.child("world", *names), services=2) for names in ((), (1,), (2,), (3,))]
GIVEAWAYS = re.compile(
    r"\b(for:|selector|threshold|matcher|aggregat\w*|label|bool|offset|inverted|regex|rate\(|sum\(|absent|budget"
    r"|window|vector|expr|query|promql|severity)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("name", DEFECTS)
def test_tells_what_people_saw_in_at_least_four_ways_and_not_what_is_wrong(name: str) -> None:
    defect = DEFECTS[name]
    environment = Environment(undefined=StrictUndefined)
    for heard in (None, "page", "ticket"):
        assert len(set(defect.told(heard))) >= 4
    texts = {*defect.told("page"), *defect.told("ticket")}
    told = [environment.from_string(text).render(alert="A", service="S", team="T") for text in sorted(texts)]
    assert not [text for text in told if GIVEAWAYS.search(text)]
    assert not [text for text in told if name.replace("-", " ") in text.lower()]


def _texts(defect: Defect) -> list[str]:
    return sorted({*defect.told("page"), *defect.told("ticket")})


def _all_texts() -> list[str]:
    texts = [text for defect in DEFECTS.values() for text in _texts(defect)]
    return texts + [text for one in CONFIG_DEFECTS.values() for text in (*one.symptoms, *one.rehearsed, *one.filed)]


def test_no_symptom_speaks_in_colours() -> None:
    """In some houses a colour is a severity."""
    assert not [text for text in _all_texts() if re.search(r"\b(red|green|amber|yellow|orange|grey)\b", text)]


def test_no_article_stands_before_a_name_that_may_begin_with_any_letter() -> None:
    assert not [text for text in _all_texts() if re.search(r"\b[Aa]n? \{\{", text)]


def test_an_alert_that_reaches_its_team_is_told_of_in_eight_ways_at_least() -> None:
    assert not [name for name, one in DEFECTS.items() if not one.records and len(set(one.told("page"))) < 8]


def test_what_is_told_of_a_silent_alert_says_what_the_alert_did() -> None:
    silent = [one for one in DEFECTS.values() if one.flavour == "silent" and not one.records]
    assert not [text for one in silent for text in _texts(one) if not re.search(r"{{ alert }}|the alert", text)]


def test_a_lost_service_is_not_told_as_a_doubt_about_the_team() -> None:
    """Owner and severity are as they were: the alert arrives where it should."""
    assert not [text for text in _texts(DEFECTS["no-identity"]) if re.search(r"\b(whom?|whose|owner|people)\b", text)]
    assert all("service" in text for text in _texts(DEFECTS["no-identity"]))


def test_no_symptom_is_shared_by_two_defects() -> None:
    told = [(d.name, text) for d in DEFECTS.values() for text in {*d.told("page"), *d.told("ticket")}]
    assert len(told) == len({text for _, text in told})


NOTIFIED = re.compile(
    r"\b(calls?|called|woke|wakes|pager|phones?|tickets?|queue|mailbox|inbox|notified|notification)\b", re.IGNORECASE
)


def test_what_is_told_of_an_alert_that_reaches_nobody_is_not_about_calls_or_tickets() -> None:
    """Customers may phone all the same, and silence is silence: what rings and fills up is only told where it does."""
    loud = [d for d in DEFECTS.values() if d.flavour in ("noisy", "misrouted") and not d.routed and not d.records]
    assert [(d.name, text) for d in loud for text in d.symptoms if NOTIFIED.search(text)] == []
    for defect in DEFECTS.values():
        assert not [text for text in defect.paged if re.search(r"\b(tickets?|queue)\b", text)], defect.name
        assert not [text for text in defect.ticketed if re.search(r"\b(calls?|called|phone|pager|woke)\b", text)]


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_every_broken_rule_and_every_wrong_repair_loads_in_promtool(kind: str, subject: Subject) -> None:
    rule = KINDS[kind].rule(subject)
    broken = applicable(rule, subject, SEED)
    repaired = [again for defect, one in broken if (again := defect.mis_fix(one, subject)) is not None]
    rules = [one for _, one in broken] + repaired
    verdicts = promtool.check(rules, find("promtool"))
    assert {one.expr: verdict for one, verdict in zip(rules, verdicts, strict=True) if verdict} == {}


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_the_same_seed_breaks_a_rule_the_same_way(kind: str, subject: Subject) -> None:
    rule = KINDS[kind].rule(subject)
    assert applicable(rule, subject, SEED) == applicable(rule, subject, SEED)


def test_every_defect_of_alerts_has_a_kind_that_can_hold_it_in_some_company() -> None:
    held = {
        defect.name
        for world in COMPANIES
        for kind in KINDS.values()
        for defect, _ in applicable(
            kind.rule(Subject(world, world.services[0])), Subject(world, world.services[0]), SEED
        )
    }
    assert sorted(name for name, defect in DEFECTS.items() if not defect.records and name not in held) == []


@pytest.mark.parametrize("company", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, len(COMPANIES)))])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in FAST else pytest.mark.slow) for kind in KIND_NAMES]
)
def test_every_defect_that_applies_shows_in_some_scenario_and_its_wrong_repair_does_too(
    kind: str, company: int
) -> None:
    """What shows is worth less than the reference rule, so that a broken rule left as it is earns nothing."""
    world = COMPANIES[company]
    subject = Subject(world, world.services[0])
    host = Host.of(KINDS[kind], subject)
    broken = applicable(host.rule, subject, SEED)
    wrong = {defect.name: rule for defect, rule in broken} | {
        f"{defect.name}, repaired: {defect.misfix}": again
        for defect, rule in broken
        if (again := defect.mis_fix(rule, subject)) is not None
    }
    seen = host.observe({"reference": host.rule, **wrong})
    assert host.shown_by(seen["reference"], seen["reference"]) == []
    assert [name for name in wrong if not host.shown_by(seen["reference"], seen[name])] == []


@pytest.mark.parametrize("company", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(1, len(COMPANIES)))])
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in FAST else pytest.mark.slow) for kind in KIND_NAMES]
)
def test_a_silent_alert_misses_something_and_a_noisy_one_fires_too_much(kind: str, company: int) -> None:
    """What is told of a defect is what its replay shows: late or missing for `silent`, too often for `noisy`."""
    world = COMPANIES[company]
    subject = Subject(world, world.services[0])
    host = Host.of(KINDS[kind], subject)
    broken = dict(applicable(host.rule, subject, SEED))
    seen = host.observe({"reference": host.rule, **{defect.name: rule for defect, rule in broken.items()}})
    wrong = []
    for defect in broken:
        said = {
            "silent" if one.startswith("missing") else "noisy"
            for judged, right, shown in zip(host.judged, seen["reference"], seen.get(defect.name, ()), strict=False)
            for one in complaints(judged.case, right, shown)
            if one.startswith(("missing", "fires")) or " at once " in one
        }
        if defect.name in seen and defect.flavour in ("silent", "noisy") and defect.flavour not in said:
            wrong.append(defect.name)
    assert wrong == []


def test_totals_are_subtracted_only_where_processes_begin_at_zero(subject: Subject) -> None:
    """Restarts are counted on by the cluster, whatever becomes of the process: there a difference is no fault."""
    defect = DEFECTS["difference-over-restarts"]
    held = {name for name, kind in KINDS.items() if defect.apply(kind.rule(subject), subject, SEED) is not None}
    assert "crash-looping" not in held and "error-ratio" in held


def test_leaves_records_alone(subject: Subject) -> None:
    record = replace(KINDS["fast-burn"].rule(subject), is_alert=False, for_=0, annotations=())
    assert not [defect.name for defect, _ in applicable(record, subject, SEED) if not defect.records]


@pytest.mark.parametrize("name", ["threshold-too-hard", "threshold-too-easy"])
def test_a_threshold_in_error_is_a_number_that_people_choose(name: str) -> None:
    usual = (
        *thresholds.COUNTS,
        *thresholds.RATES,
        *thresholds.SECONDS,
        *thresholds.SHARES,
        *thresholds.BURN_FACTORS,
        *thresholds.HOURS,
        *thresholds.DAYS,
    )
    for world in COMPANIES:
        subject = Subject(world, world.services[0])
        for kind in KINDS.values():
            rule = kind.rule(subject)
            broken = DEFECTS[name].apply(rule, subject, SEED)
            for right, wrong in zip(_limits(rule), _limits(broken) if broken else (), strict=False):
                first = wrong[1].lhs if isinstance(wrong[1], Binary) else wrong[1]
                assert wrong == right or (isinstance(first, Number) and first.value in usual), (kind.name, wrong)
                if kind.name in ("crash-looping", "consumer-lag"):
                    assert isinstance(first, Number) and first.value.is_integer()


def _limits(rule: Rule) -> list[tuple[str, Expr]]:
    return [(shapes.direction(limit), shapes.threshold(limit)) for limit in shapes.main_limits(rule.tree)]


@pytest.mark.parametrize("kind", KIND_NAMES)
def test_a_runbook_in_error_is_that_of_an_alert_which_is_there(kind: str) -> None:
    """Every service is watched for being down; the alert for that links the page of another service's."""
    for world in COMPANIES:
        subject = Subject(world, world.services[0])
        broken = DEFECTS["wrong-runbook"].apply(KINDS[kind].rule(subject), subject, SEED)
        others = [Subject(world, one) for one in world.services[1:]] if kind == "target-down" else [subject]
        there = [one.runbook(one.alert_name("target-down")) for one in others]
        assert broken is not None and broken.annotation(world.style.runbook_key) in there


def test_beside_a_burn_alert_that_names_no_service_the_same_records_count() -> None:
    for world in COMPANIES:
        subject, other = Subject(world, world.services[0]), world.services[1]
        same = other.family == subject.service.family or "{family}" not in world.style.record_name
        for kind, shared in (("fast-burn", same), ("cert-expiry", True)):
            rule = KINDS[kind].rule(subject)
            assert (other in counted_beside(rule, subject)) == shared
            assert subject.service not in counted_beside(rule, subject)
            if world.focus <= 2:
                assert (DEFECTS["everyone-counts"].apply(rule, subject, SEED) is not None) == shared
