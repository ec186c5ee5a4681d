"""Both SLIs: what they say of traffic with a known share of bad requests, and what they are called."""

from __future__ import annotations

from fractions import Fraction

import pytest

from alertforge.alerts.base import Subject
from alertforge.alerts.sli import AVAILABILITY, LATENCY, Sli, budget, windows
from alertforge.prometheus.number import is_nan
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Flow, expose
from alertforge.world.create import create

WORLD = create(Seed.master("sli"), services=1)
SUBJECT = Subject(WORLD, WORLD.services[0])
SEED = Seed.master("sli").child("flow")
BOTH = pytest.mark.parametrize("sli", [AVAILABILITY, LATENCY], ids=lambda sli: sli.name)


def shown(sli: Sli, flow: Flow) -> list[Fraction | float]:
    return sli.ratio(SUBJECT, expose(WORLD, SUBJECT.service, flow, SEED, histogram=sli.histogram), 5)


@BOTH
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 20), Fraction(1, 2)])
def test_the_bad_share_is_that_of_the_traffic(sli: Sli, share: Fraction) -> None:
    found = shown(sli, sli.flow(SEED, SUBJECT.service, 30, bad=share))
    assert is_nan(found[0])  # one sample is no rate
    assert all(abs(value - share) < Fraction(1, 100) for value in found[6:])  # whole windows


@BOTH
def test_what_the_other_sli_counts_is_nothing_to_it(sli: Sli) -> None:
    other = LATENCY if sli is AVAILABILITY else AVAILABILITY
    quiet = sli.flow(SEED, SUBJECT.service, 30, bad=Fraction(0))
    loud = other.flow(SEED, SUBJECT.service, 30, bad=Fraction(1, 2))
    mixed = Flow(quiet.requests, *((quiet.errors, loud.slow) if sli is AVAILABILITY else (loud.errors, quiet.slow)),
                 quiet.target)  # fmt: skip
    assert all(value == 0 for value in shown(sli, mixed)[1:])


@BOTH
def test_a_minute_asked_for_is_the_same_minute(sli: Sli) -> None:
    exposure = expose(WORLD, SUBJECT.service, sli.flow(SEED, SUBJECT.service, 30), SEED, histogram=True)
    assert sli.ratio(SUBJECT, exposure, 5, [20, 7]) == [sli.ratio(SUBJECT, exposure, 5)[minute] for minute in (20, 7)]


@BOTH
def test_records_have_the_name_of_their_window_and_sli(sli: Sli) -> None:
    names = {sli.rule(SUBJECT, window).name for window in windows(SUBJECT.style)}
    other = LATENCY if sli is AVAILABILITY else AVAILABILITY
    assert len(names) == len(windows(SUBJECT.style))
    assert not names & {other.rule(SUBJECT, window).name for window in windows(SUBJECT.style)}


def test_each_sli_has_the_budget_of_its_own_objective() -> None:
    assert budget(SUBJECT) == 1 - Fraction(SUBJECT.service.slo)
    assert budget(SUBJECT, LATENCY) == 1 - Fraction(SUBJECT.service.latency_slo)
