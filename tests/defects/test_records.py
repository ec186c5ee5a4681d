"""Every defect of recording rules changes what is recorded, as promtool sees it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from alertforge.alerts.base import Subject
from alertforge.alerts.sli import AVAILABILITY
from alertforge.defects import DEFECTS, applicable
from alertforge.items.recording import RecordingItem
from alertforge.prometheus.promtool import TestFile, run_tests
from alertforge.prometheus.rules import Group, Rule
from alertforge.prometheus.series import Labels, notation, selector_text
from alertforge.tools import find
from alertforge.traffic.exposure import calm, expose
from alertforge.traffic.shapes import plateau

from .hosts import SEED, sli_records

MINUTES = 90
ASKED = (20, 35, 45, 60, 75)
Recorded = list[dict[Labels, float]]


def _traffic(subject: Subject) -> tuple[tuple[str, str], ...]:
    """Both services in focus: an outage of the first in growing traffic, the second calm."""
    out = []
    for index, service in enumerate(subject.world.services[:2]):
        quiet = [(1 - Fraction(service.slo)) / 10] * (MINUTES + 1)
        errors = plateau(quiet, 30, 50, Fraction(1, 3)) if index == 0 else quiet
        flow = calm(SEED.child("flow", service.name), service, MINUTES, errors=errors)
        flow = replace(flow, requests=[count * (60 + minute) // 60 for minute, count in enumerate(flow.requests)])
        exposure = expose(subject.world, service, flow, SEED.child("pods", service.name), histogram=True)
        out += [(selector_text(one.labels), notation(one.samples)) for one in exposure.series]
    return tuple(out)


def _record(subject: Subject, rules: list[Rule]) -> list[Recorded]:
    """What each rule records at the minutes asked for; a rule that fails records nothing."""
    named = [replace(rule, name=f"recorded:{index}") for index, rule in enumerate(rules)]
    files = [
        TestFile(
            (Group("records", (rule,)),),
            _traffic(subject),
            MINUTES,
            samples=tuple((minute, rule.name) for minute in ASKED),
        )
        for rule in named
    ]
    results, problem = run_tests(files, find("promtool"), seconds=120)
    assert results is not None, problem
    out: list[Recorded] = []
    for rule, result in zip(named, results, strict=True):
        assert not result.problem
        seen = [dict(result.samples.get((minute, rule.name), ())) for minute in ASKED]
        out.append([{labels.without(("__name__",)): value for labels, value in one.items()} for one in seen])
    return out


@pytest.fixture(scope="module")
def hosts(subject: Subject) -> dict[str, Rule]:
    """The error ratio over a short and a long window, and the fast share of requests."""
    family, by = subject.service.family, subject.by
    short, *_, long = sli_records(subject)
    bound = Fraction(subject.service.latency_threshold)
    stored = f"{float(bound):g}" if bound.denominator != 1 else f"{bound}.0"
    bucket = f'{family.histogram}_bucket{{le="{stored}"}}'
    fast = f"sum by ({by}) (rate({bucket}[5m])) / sum by ({by}) (rate({family.histogram}_count[5m]))"
    return {"short": short, "long": long, "fast": Rule("service:fast:ratio_rate5m", fast, is_alert=False)}


@pytest.mark.parametrize("host", ["short", "long", "fast"])
def test_every_broken_record_records_something_else(host: str, hosts: dict[str, Rule], subject: Subject) -> None:
    rule = hosts[host]
    broken = applicable(rule, subject, SEED)
    right, *others = _record(subject, [rule, *(one for _, one in broken)])
    assert all(any(labels.contains(subject.identity) for labels in minute) for minute in right)
    assert [defect.name for (defect, _), seen in zip(broken, others, strict=True) if _close(seen, right)] == []


def _close(one: Recorded, other: Recorded) -> bool:
    """The same series at every minute, with values closer than a grade would tell apart."""
    return all(
        a.keys() == b.keys() and all(abs(a[key] - b[key]) <= 1e-6 * max(1e-3, abs(b[key])) for key in a)
        for a, b in zip(one, other, strict=True)
    )


def test_every_record_defect_has_a_host(hosts: dict[str, Rule], subject: Subject) -> None:
    held = {defect.name for rule in hosts.values() for defect, _ in applicable(rule, subject, SEED)}
    assert held == {name for name, defect in DEFECTS.items() if defect.records}


def test_a_mean_of_ratios_is_told_by_the_longest_window(subject: Subject) -> None:
    longest = [name for name, defect in DEFECTS.items() if defect.longest]
    item = RecordingItem("C1", subject, (), SEED, AVAILABILITY, DEFECTS["record-mean-of-ratios"])
    assert longest == ["record-mean-of-ratios"]
    assert item.rules[-1].name in item.request().symptom and item.request().name == item.rules[-1].name


def test_no_record_of_one_service_is_said_to_be_empty_for_all() -> None:
    for name in ("record-dropped-by", "record-bound-rewritten"):
        assert [text for text in DEFECTS[name].symptoms if "{{ service }}" not in text] == []
