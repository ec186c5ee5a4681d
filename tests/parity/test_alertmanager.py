"""The quick form of the Alertmanager parity checks; `python -m tests.parity` is the long one."""

from __future__ import annotations

import random

import pytest

from . import inhibition, matchers, routing


def test_matcher_strings_are_read_as_amtool_reads_them() -> None:
    rng = random.Random("quick")
    counts, differences = matchers.compare([matchers.draw(rng) for _ in range(250)])
    assert counts["read = amtool"] > 50
    assert counts["refused = amtool"] > 10
    assert differences == []


def test_routes_are_resolved_as_amtool_resolves_the_original_file() -> None:
    rng = random.Random("quick")
    counts, differences = routing.compare([routing.draw(rng) for _ in range(10)], server=False)
    assert counts == {"Classifier = amtool": 120, "Classifier = resolve": 120}
    assert [str(difference) for difference in differences] == []


def test_inhibition_sides_told_by_amtool_lead_to_the_same_decision_as_those_found_in_python() -> None:
    rng = random.Random("quick")
    counts, differences = inhibition.compare([inhibition.draw(rng) for _ in range(20)], server=False)
    assert counts["decide = inhibited"] > 60
    assert [str(difference) for difference in differences] == []


@pytest.mark.alertmanager
def test_routes_and_groups_are_those_of_the_server() -> None:
    rng = random.Random("quick server")
    counts, differences = routing.compare([routing.draw(rng) for _ in range(30)], direct=False)
    assert counts["resolve = server"] == counts["groups = server"] == 360
    assert [str(difference) for difference in differences] == []


@pytest.mark.alertmanager
def test_inhibition_is_that_of_the_server() -> None:
    rng = random.Random("quick server")
    counts, differences = inhibition.compare([inhibition.draw(rng) for _ in range(120)], classified_share=20)
    assert counts["alerts inhibited"] > 80
    assert counts["inhibited = server"] > 400
    assert [str(difference) for difference in differences] == []
