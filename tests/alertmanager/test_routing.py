"""The routing tree in Python; the parity tests hold it against amtool and the server."""

from __future__ import annotations

import pytest

from alertforge.alertmanager.config import parse
from alertforge.alertmanager.routing import receivers, resolve

TREE = parse("""
route:
  receiver: root
  routes:
    - matchers: [team="pay"]
      receiver: pay
      routes:
        - {matchers: [severity="page"], receiver: pay-page, continue: true}
        - {matchers: [severity=~"page|warn"], group_by: [x]}
        - {matchers: [severity="never"], receiver: never}
    - {matchers: [audit!=""], receiver: audit, continue: true}
    - {matchers: [team="ops"], receiver: ops, continue: true}
    - {matchers: [team="ops"], receiver: ops}
    - {matchers: [team="ops"], receiver: never}
receivers: [{name: root}, {name: pay}, {name: pay-page}, {name: audit}, {name: ops}, {name: never}]
""").route


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({}, ["root"]),
        ({"team": "pay"}, ["pay"]),
        ({"team": "pay", "severity": "page"}, ["pay-page", "pay"]),
        ({"team": "pay", "severity": "warn", "audit": "y"}, ["pay"]),
        ({"team": "ops", "audit": "y"}, ["audit", "ops", "ops"]),
        ({"audit": ""}, ["root"]),
    ],
)
def test_an_alert_goes_down_the_first_branch_that_matches_and_on_where_it_continues(
    labels: dict[str, str], expected: list[str]
) -> None:
    assert list(receivers(TREE, labels)) == expected


def test_a_node_tells_its_place_and_what_it_inherits() -> None:
    first, second = resolve(TREE, {"team": "pay", "severity": "page"})
    assert (first.path, first.receiver, first.group_by) == ((0, 0), "pay-page", ())
    assert (second.path, second.receiver, second.group_by) == ((0, 1), "pay", ("x",))
