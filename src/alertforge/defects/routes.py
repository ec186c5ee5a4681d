"""Defects of the routing tree: alerts that reach the wrong people, or none."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alertmanager.config import Config, Route
from alertforge.alertmanager.matchers import Matcher
from alertforge.defects.config import (
    ConfigDefect,
    Path,
    Scene,
    asks_for,
    our_routes,
    replaced,
    route_at,
    routes,
    with_root,
)


def _misspelt(config: Config, scene: Scene) -> Config | None:
    """The team's name with its halves joined by the wrong stroke, or as other tools write it."""
    label, team = scene.style.owner_label, scene.team
    wrong = team.replace("-", "_") if "-" in team else f"team-{team}"
    root = config.route
    for path, route in routes(config.route):
        new = tuple(
            replace(m, value=wrong) if m.name == label and m.op == "=" and m.value == team else m
            for m in route.matchers
        )
        if path and new != route.matchers:
            root = replaced(root, path, replace(route_at(root, path), matchers=new))
    return with_root(config, root)


def _above_all(children: tuple[Route, ...], new: tuple[Route, ...]) -> tuple[Route, ...]:
    """Routes put in front of all that end the search."""
    at = next((index for index, one in enumerate(children) if not one.continue_), len(children))
    return (*children[:at], *new, *children[at:])


def _shadow(config: Config, scene: Scene) -> Config | None:
    """A broad route on severity stands above and ends the search."""
    style = scene.style
    every_page = Matcher(style.severity_label, "=", style.severities["page"])
    if not our_routes(config, scene):
        return None
    broad = Route(receiver=style.default_receiver, matchers=(every_page,))
    return with_root(config, replace(config.route, routes=_above_all(config.route.routes, (broad,))))


def _no_continue(config: Config, scene: Scene) -> Config | None:
    """What stands behind it never hears of what it takes."""
    for path, route in routes(config.route):
        if path and route.continue_ and _stands_before_ours(config, scene, path):
            return with_root(config, replaced(config.route, path, replace(route, continue_=False)))
    return None


def _stands_before_ours(config: Config, scene: Scene, path: Path) -> bool:
    parent = route_at(config.route, path[:-1])
    later = parent.routes[path[-1] + 1 :]
    return any(scene.is_ours(route) for sibling in later for _, route in routes(sibling))


def _loose_regex(config: Config, scene: Scene) -> Config | None:
    """Any severity that is set is taken for a page."""
    label, page = scene.style.severity_label, scene.style.severities["page"]
    for path, route in our_routes(config, scene):
        old = next((m for m in route.matchers if m.name == label and asks_for((m,), label, page)), None)
        if old is not None:
            new = tuple(replace(m, op="=~", value=".+", legacy=False) if m == old else m for m in route.matchers)
            return with_root(config, replaced(config.route, path, replace(route, matchers=new)))
    return None


def _wrong_parent(config: Config, scene: Scene) -> Config | None:
    """The team's route one level too deep: below a neighbour that never lets its alerts through."""
    for path, route in our_routes(config, scene):
        parent = route_at(config.route, path[:-1])
        place = next(
            (
                index
                for index, sibling in enumerate(parent.routes)
                if index != path[-1] and sibling.matchers and not scene.is_ours(sibling) and not sibling.continue_
                and not any(scene.is_ours(below) for _, below in routes(sibling))
            ),
            None,
        )  # fmt: skip
        if place is None:
            continue
        neighbour = parent.routes[place]
        moved = replace(neighbour, routes=(*neighbour.routes, route))
        rest = tuple(moved if index == place else one for index, one in enumerate(parent.routes) if index != path[-1])
        return with_root(config, replaced(config.route, path[:-1], replace(parent, routes=rest)))
    return None


def _alternation(config: Config, scene: Scene) -> Config | None:
    """A choice of two under the old key that takes its value literally."""
    label, root = scene.style.owner_label, config.route
    for path, route in routes(config.route):
        old = next((m for m in route.matchers if m.name == label and asks_for((m,), label, scene.team)), None)
        if path and old is not None:
            choice = old.value if "|" in old.value else f"{scene.team}|{scene.team}-oncall"
            new = tuple(Matcher(label, "=", choice, legacy=True) if m == old else m for m in route.matchers)
            root = replaced(root, path, replace(route_at(root, path), matchers=new))
    return with_root(config, root)


def _dash_too_many(config: Config, scene: Scene) -> Config | None:
    """One route in two, above the others: the first has a receiver and takes everything, the second the conditions."""
    for path, route in our_routes(config, scene):
        if not (route.receiver and route.matchers):
            continue
        parent = route_at(config.route, path[:-1])
        at = path[-1]
        halves = (replace(route, matchers=(), routes=(), continue_=False), replace(route, receiver=None))
        children = _above_all((*parent.routes[:at], *parent.routes[at + 1 :]), halves)
        return with_root(config, replaced(config.route, path[:-1], replace(parent, routes=children)))
    return None


def _receivers_swapped(config: Config, scene: Scene) -> Config | None:
    """Pages in the queue, tickets on the phone."""
    page, ticket = (scene.style.receiver[urgency].format(team=scene.team) for urgency in ("page", "ticket"))
    other = {page: ticket, ticket: page}
    used = {route.receiver for _, route in routes(config.route)}
    if page == ticket or not {page, ticket} <= used:
        return None

    def swap(route: Route) -> Route:
        receiver = other.get(route.receiver, route.receiver) if route.receiver else None
        return replace(route, receiver=receiver, routes=tuple(swap(child) for child in route.routes))

    return with_root(config, swap(config.route))


def _route_gone(config: Config, scene: Scene) -> Config | None:
    """The team's routes were cut away with those of a team that is no more."""

    def cut(route: Route) -> Route:
        return replace(route, routes=tuple(cut(child) for child in route.routes if not scene.is_ours(child)))

    return with_root(config, cut(config.route))


DEFECTS: Final = (
    ConfigDefect(
        "matcher-misspelt",
        "routes",
        _misspelt,
        (
            "what {{ service }} reports ends up in the catch-all; {{ team }} has had nothing for two weeks",
            "{{ team }} is on the list, the alert names {{ team }}, and still it went to the catch-all",
            "nobody in {{ team }} was called for the outage of {{ service }}, although the alert fired on time",
            "the catch-all inbox is full of things that belong to {{ team }}",
        ),
        "send the catch-all to the team as well",
    ),
    ConfigDefect(
        "shadowed-by-severity",
        "routes",
        _shadow,
        (
            "since the incident channel was set up, no team is called for urgent things any more, {{ team }} included",
            "tickets come as ever, but the urgent alerts of all teams, {{ team }} among them, end up in a shared inbox",
            "the worst outage of {{ service }} this year came up in a shared inbox, and so did everyone else's",
            "{{ team }} and its neighbours all hear of small things at once and of big ones from the news",
        ),
        "add the team's receiver a second time at the end of the tree",
        everyone=True,
        hushes=True,
    ),
    ConfigDefect(
        "search-ends-early",
        "routes",
        _no_continue,
        (
            "the copies for the record arrive, the calls do not: not at {{ team }}, and not at any other team",
            "since someone tidied up the file no team has been called, only the log; {{ team }} noticed it first",
            "the log has every urgent alert of the company, the phones of {{ team }} and of everyone else have none",
            "{{ team }} and all the others used to be called in addition to the log; now there is only the log",
        ),
        "move the team's route to the top, so that the log misses its alerts instead",
        everyone=True,
        hushes=True,
    ),
    ConfigDefect(
        "any-severity-pages",
        "routes",
        _loose_regex,
        (
            "{{ team }} is called for things that are meant for the queue",
            "everything that {{ service }} reports rings the phone, however small it is",
            "the ticket queue of {{ team }} has been empty for a week, and its pager has not been quiet for an hour",
            "even reminders wake the on-call of {{ team }}",
        ),
        "turn all of the team's alerts into the lowest urgency",
    ),
    ConfigDefect(
        "under-the-wrong-parent",
        "routes",
        _wrong_parent,
        (
            "since the file was re-indented, {{ team }} is not called for {{ service }} any more",
            "{{ team }} has its place in the file, anyone can see it, and yet it is never called",
            "{{ team }} is listed and yet left out: the urgent alerts of {{ service }} go past it",
            "the review of the change looked harmless, and no phone has rung at {{ team }} from that day on",
        ),
        "send the catch-all to the team as well",
    ),
    ConfigDefect(
        "literal-alternation",
        "routes",
        _alternation,
        (
            "{{ team }} and its rota were put into one entry to save a few lines, and now neither is called",
            "nothing fails, nothing warns, and the alerts of {{ service }} go to the catch-all",
            "when the entry for {{ team }} was made to cover two names, it stopped covering either",
            "{{ team }} was called until the two entries were merged",
        ),
        "repeat the entry further down",
    ),
    ConfigDefect(
        "a-dash-too-many",
        "routes",
        _dash_too_many,
        (
            "{{ team }} suddenly gets the urgent alerts of the whole company, and no other team gets any",
            "all other teams wonder where their urgent alerts have gone; {{ team }} has every one of them",
            "the people behind {{ service }} are called for everyone; those it is meant for are not called at all",
            "{{ team }} was called eleven times for services it has never heard of, and their owners not once",
        ),
        "mute the alerts of other teams at the team's receiver",
        everyone=True,
        filed=(
            "no phone rings in any team any more: whatever is urgent lies in the queue of {{ team }}",
            "all that is urgent in the company, for whichever team, has become a ticket of {{ team }}",
            "nobody was called for the outage of {{ service }}, nor for any other; {{ team }} has all of it as tickets",
            "the queue of {{ team }} is full of what every other team should have been called for",
        ),
    ),
    ConfigDefect(
        "receivers-swapped",
        "routes",
        _receivers_swapped,
        (
            "urgent alerts of {{ service }} wait in the queue, while small ones ring the phone of {{ team }}",
            "{{ team }} was called for a reminder, and found the outage in a queue",
            "what should wait rings, what should ring waits, ever since the receivers of {{ team }} were renamed",
            "the phone of {{ team }} stayed silent through the outage; the ticket was there in time",
        ),
        "make everything of the team urgent",
    ),
    ConfigDefect(
        "route-gone",
        "routes",
        _route_gone,
        (
            "alerts of {{ service }} have come up in the catch-all since the reorganisation",
            "with the clean-up of old teams {{ team }} stopped being called, too",
            "{{ team }} does its on-call as before, only that no call ever comes",
            "the catch-all has become the place where {{ team }} looks first",
        ),
        "send the catch-all to the team as well",
    ),
)
