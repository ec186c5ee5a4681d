# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""Where an alert goes: the routing tree resolved in Python.

For configurations of our own. Regular expressions run in Python here, so a configuration that somebody else wrote goes
through `amtool.Classifier`, which leaves every decision to Alertmanager's own code.
"""

from __future__ import annotations

from collections.abc import Mapping

from alertforge.alertmanager.config import Route, RouteNode
from alertforge.alertmanager.matchers import matches_all


def resolve(route: Route, labels: Mapping[str, str]) -> tuple[RouteNode, ...]:
    """The nodes that notify for an alert, in tree order (`Route.Match` of Alertmanager's `dispatch`).

    A node's children are tried in order; the first that matches ends the search unless it has `continue`. A node
    notifies when it matches and none of its children does. Empty when the root has matchers and they do not hold.
    """
    return _matched(RouteNode.root(route), labels)


def receivers(route: Route, labels: Mapping[str, str]) -> tuple[str, ...]:
    """The receivers of an alert in tree order, one for each node that notifies: a name may stand there twice."""
    return tuple(node.receiver for node in resolve(route, labels))


def _matched(node: RouteNode, labels: Mapping[str, str]) -> tuple[RouteNode, ...]:
    if not matches_all(node.route.matchers, labels):
        return ()
    found: tuple[RouteNode, ...] = ()
    for child in node.children():
        matched = _matched(child, labels)
        found += matched
        if matched and not child.route.continue_:
            break
    return found or (node,)
