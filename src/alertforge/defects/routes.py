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


# What is told does not depend on how a route came to miss its team: one set of wordings for all that do.
_NOT_CALLED: Final = (
    "nobody in {{ team }} is called for {{ service }} any more",
    "{{ team }} does its on-call as before, only that no call ever comes",
    "the urgent alerts of {{ service }} go past {{ team }}",
    "the pager of {{ team }} works whenever it is tested by hand; no alert of {{ service }} has set it off for weeks",
    "nobody in {{ team }} was called during the trouble at {{ service }}, although alerts were firing all along",
    "whoever is on call for {{ team }} reads in the morning what happened to {{ service }} at night",
    "no phone has rung at {{ team }} for weeks, and it was not for lack of urgent alerts",
    "{{ team }} asked for an urgent test alert about {{ service }}, twice, and was not called for either",
    "urgent alerts of {{ service }} have to be spotted on the alerts page, because {{ team }} is not called for them",
    "the pager statistics of {{ team }} show a zero for the month, and the history of {{ service }} shows otherwise",
    "the alert named {{ team }} and it was urgent, and {{ team }} was not called",
)
_NOTHING_ARRIVES: Final = (
    "what {{ service }} reports ends up in the catch-all; {{ team }} has had nothing for two weeks",
    "the alert names {{ team }}, and still it went to the catch-all",
    "the catch-all inbox is full of things that belong to {{ team }}",
    "nothing fails, nothing warns, and the alerts of {{ service }} go to the catch-all",
    "the catch-all has become the place where {{ team }} looks first",
    "for weeks neither a call nor a ticket about {{ service }} has reached {{ team }}",
    "{{ team }} learns of trouble at {{ service }} from people who go through the catch-all",
    "a newcomer in {{ team }} asked when the first alert would come; there has not been one for a long time",
    "the on-call week of {{ team }} was perfectly quiet, and the catch-all held all that it should have got",
    "alerts of {{ service }} have been coming up in the catch-all for some time, the urgent ones and the others",
    "{{ team }} and the catch-all compared what they had got: the catch-all had the alerts of {{ service }}, {{ team }}"
    " had none",
    *_NOT_CALLED,
)

DEFECTS: Final = (
    ConfigDefect(
        "matcher-misspelt",
        "routes",
        _misspelt,
        _NOTHING_ARRIVES,
        "send the catch-all to the team as well",
    ),
    ConfigDefect(
        "shadowed-by-severity",
        "routes",
        _shadow,
        (
            "for weeks no team has been called for anything urgent, {{ team }} included",
            "tickets come as ever, but the urgent alerts of all teams, {{ team }} among them, end up in a shared inbox",
            "the worst outage of {{ service }} this year came up in a shared inbox, and so did everyone else's",
            "{{ team }} and its neighbours all hear of small things at once and of big ones from customers",
            "tickets reach {{ team }} and everyone else; whatever is urgent lies in an inbox that belongs to no team",
            "{{ team }} asked the other teams, and none of them has been called lately, whatever happened",
            "no pager in the company goes off any more, that of {{ team }} included; there is only a common inbox",
            "the urgent alerts of {{ service }} were found by chance, among everyone else's, in a common inbox",
            "urgent alerts of {{ team }} and of every other team arrive in one and the same inbox, and call nobody",
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
            "for weeks no team has been called, only the log has its entries; {{ team }} noticed it first",
            "the log has every urgent alert of the company, the phones of {{ team }} and of everyone else have none",
            "{{ team }} and all the others used to be called in addition to the log; now there is only the log",
            "whatever is urgent is on record and nowhere else, for {{ team }} as for all other teams",
            "nobody was called for {{ service }}, nor for anything else this month; all of it is on record",
            "{{ team }} looked its missing calls up on the record: they are there, and so are those of all other teams",
            "what should ring a phone, at {{ team }} or in any other team, is written down and nothing more",
            "the record of urgent alerts is complete, and not one of them reached {{ team }} or any other team",
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
            "{{ team }} has not had a ticket in weeks, because whatever comes in, comes in as a call",
            "what could wait until Monday wakes {{ team }} on Saturday",
            "on-call at {{ team }} means being called for every trifle of {{ service }}",
            "{{ team }} went through its calls: most of them should have been tickets, or not even that",
            "somebody in {{ team }} was woken for an alert of {{ service }} that is meant for office hours",
        ),
        "turn all of the team's alerts into the lowest urgency",
    ),
    ConfigDefect(
        "under-the-wrong-parent",
        "routes",
        _wrong_parent,
        _NOT_CALLED,
        "send the catch-all to the team as well",
    ),
    ConfigDefect(
        "literal-alternation",
        "routes",
        _alternation,
        _NOTHING_ARRIVES,
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
            "one pager does the work of all: {{ team }} is called for every urgent alert there is, and nobody else is",
            "{{ team }} spent the night passing calls on to other teams, none of which had been called itself",
            "whatever is urgent goes to {{ team }}, whichever team it belongs to, and that team does not hear of it",
            "other teams have not been called for weeks; {{ team }} was, for all that was theirs",
            "{{ team }} was woken for another team's outage, and that team heard of it from {{ team }}",
        ),
        "mute the alerts of other teams at the team's receiver",
        everyone=True,
        filed=(
            "no phone rings in any team any more: whatever is urgent lies in the queue of {{ team }}",
            "all that is urgent in the company, for whichever team, has become a ticket of {{ team }}",
            "nobody was called for the outage of {{ service }}, nor for any other; {{ team }} has all of it as tickets",
            "the queue of {{ team }} is full of what every other team should have been called for",
            "urgent alerts of all teams wait in one queue, that of {{ team }}, and wake nobody",
            "{{ team }} has tickets about the outages of the whole company, and no team was called for its own",
            "other teams found what they should have been called for among the tickets of {{ team }}",
            "the pagers of all teams are quiet, that of {{ team }} as well; its queue holds what they should have had",
        ),
    ),
    ConfigDefect(
        "receivers-swapped",
        "routes",
        _receivers_swapped,
        (
            "urgent alerts of {{ service }} wait in the queue, while small ones ring the phone of {{ team }}",
            "{{ team }} was called for a reminder, and found the outage in a queue",
            "what should wait rings, what should ring waits; that is how it has been at {{ team }} for weeks",
            "the phone of {{ team }} stayed silent through the outage; the ticket was there in time",
            "{{ team }} gets calls about what is meant for office hours, and tickets about what cannot wait",
            "for an outage of {{ service }} there was a ticket, for a reminder the night after there was a call",
            "the on-call of {{ team }} is woken for what can wait, and has to look in the queue for what cannot",
            "the urgent half of what {{ service }} reports arrives as tickets at {{ team }}, the other half as calls",
            "{{ team }} compared its calls with its tickets, and each list is what the other should be",
        ),
        "make everything of the team urgent",
    ),
    ConfigDefect(
        "route-gone",
        "routes",
        _route_gone,
        _NOTHING_ARRIVES,
        "send the catch-all to the team as well",
    ),
)
