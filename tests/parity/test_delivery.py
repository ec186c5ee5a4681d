"""Delivered pages against the real Alertmanager, quick form."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from alertforge.grader.delivery import Delivery

from . import delivery

CASES = [delivery.draw(random.Random(f"quick/{index}")) for index in range(40)]


@pytest.mark.alertmanager
def test_pages_reach_the_receivers_that_the_server_groups_them_for() -> None:
    counts, differences = delivery.compare(CASES)
    assert counts["alerts"] > 400
    assert min(counts["inhibited"], counts["several pages"]) > 20
    assert [str(difference) for difference in differences] == []


@pytest.mark.alertmanager
@pytest.mark.parametrize("slip", ["inhibition", "receiver", "grouping"])
def test_the_comparison_sees_a_wrong_answer(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    right = delivery.deliver

    def wrong(*arguments: object) -> Delivery:
        found = right(*arguments)  # type: ignore[arg-type]
        assert found.config is not None
        if slip == "inhibition":
            return replace(found, config=replace(found.config, inhibit_rules=()), matches=_blunt(found))
        return replace(found, matches={labels: _changed(match, slip) for labels, match in found.matches.items()})

    monkeypatch.setattr(delivery, "deliver", wrong)
    _, differences = delivery.compare(CASES[:10])
    assert differences


def _blunt(found: Delivery) -> dict[object, object]:
    """Matches as they would be without any inhibition rule."""
    return {labels: replace(match, sources=frozenset(), targets=frozenset()) for labels, match in found.matches.items()}


def _changed(match: object, slip: str) -> object:
    nodes = [
        replace(node, receiver="sentinel") if slip == "receiver" else replace(node, group_by=(*node.group_by, "svc"))
        for node in match.nodes  # type: ignore[attr-defined]
    ]
    return replace(match, nodes=tuple(nodes))  # type: ignore[type-var]
