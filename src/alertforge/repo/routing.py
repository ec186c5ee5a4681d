"""How a house lays out routing and inhibition: its policy as a configuration, and as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from alertforge.alertmanager.config import Config, InhibitRule, Receiver, Route, duration_text
from alertforge.alertmanager.matchers import Matcher
from alertforge.repo.wordings import Fact, fact
from alertforge.world.model import Team, Urgency, World

URGENCIES: tuple[Urgency, ...] = ("page", "ticket")

GROUP_WAIT: Final = 30_000  # milliseconds, at the root of every tree
GROUP_INTERVAL: Final = 300_000
REPEAT_INTERVAL: Final = 4 * 3_600_000


def receiver(world: World, team: str, urgency: Urgency) -> str:
    """Receiver of a team for an urgency."""
    return world.style.receiver[urgency].format(team=team)


def hook_url(world: World, name: str) -> str:
    """Where a receiver of this house posts to: the company's own notification gateway."""
    path = "".join(char if char.isalnum() else "-" for char in name)
    return f"https://notify.{world.domain}/hooks/{path}"


def receiver_body(world: World, name: str) -> Mapping[str, object]:
    """What a receiver of this house does."""
    return {"webhook_configs": [{"url": hook_url(world, name), "send_resolved": True}]}


def severity(world: World, urgency: Urgency) -> Matcher:
    """`severity="page"` in the house's words."""
    return Matcher(world.style.severity_label, "=", world.style.severities[urgency])


def owner(world: World, team: str) -> Matcher:
    """`team="payments"` in the house's words."""
    return Matcher(world.style.owner_label, "=", team)


def base_config(world: World, teams: Sequence[Team]) -> Config:
    """The whole configuration for some teams, laid out as the house does."""
    style = world.style
    routes: list[Route] = []
    names = [style.default_receiver]
    if style.audit_receiver:
        routes.append(Route(style.audit_receiver, matchers=(severity(world, "page"),), continue_=True))
        names.append(style.audit_receiver)
    if style.routing == "severity-first":
        routes += [Route(matchers=(severity(world, urgency),)) for urgency in URGENCIES]
    root = Route(
        style.default_receiver,
        group_by=style.group_by,
        group_wait=GROUP_WAIT,
        group_interval=GROUP_INTERVAL,
        repeat_interval=REPEAT_INTERVAL,
        routes=tuple(routes),
    )
    config = Config(
        {"resolve_timeout": "5m"}, root, tuple(Receiver(name, receiver_body(world, name)) for name in names)
    )
    for team in teams:
        config = add_team(config, world, team.name)
    return config


def add_team(config: Config, world: World, team: str) -> Config:
    """The team's receivers, and its routes at the end of where the house keeps them."""
    names = tuple(receiver(world, team, urgency) for urgency in URGENCIES)
    receivers = (*config.receivers, *(Receiver(name, receiver_body(world, name)) for name in names))
    return replace(config, receivers=receivers, route=_with_team(config.route, world, team))


def _with_team(root: Route, world: World, team: str) -> Route:
    page, ticket = (receiver(world, team, urgency) for urgency in URGENCIES)
    mine = owner(world, team)
    match world.style.routing:
        case "team-first":
            child = Route(page, matchers=(severity(world, "page"),))
            return replace(root, routes=(*root.routes, Route(ticket, matchers=(mine,), routes=(child,))))
        case "severity-first":
            routes = []
            for route in root.routes:
                for urgency, name in zip(URGENCIES, (page, ticket), strict=True):
                    if route.receiver is None and route.matchers == (severity(world, urgency),):
                        route = replace(route, routes=(*route.routes, Route(name, matchers=(mine,))))
                routes.append(route)
            return replace(root, routes=tuple(routes))
        case _:
            both = [
                Route(name, matchers=(mine, severity(world, urgency)))
                for urgency, name in zip(URGENCIES, (page, ticket), strict=True)
            ]
            return replace(root, routes=(*root.routes, *both))


def without_team(config: Config, world: World, team: str) -> Config:
    """The configuration before the team had routes and receivers."""
    names = {receiver(world, team, urgency) for urgency in URGENCIES}
    return replace(
        config,
        receivers=tuple(one for one in config.receivers if one.name not in names),
        route=prune(config.route, names),
    )


def prune(route: Route, names: set[str]) -> Route:
    """The tree without the routes that go to the receivers named."""
    kept = tuple(prune(child, names) for child in route.routes if child.receiver not in names)
    return replace(route, routes=kept)


def inhibit_rule(world: World, source: str, targets: Sequence[str]) -> InhibitRule:
    """While `source` fires for a service, `targets` of the same service stay quiet."""
    target = targets[0] if len(targets) == 1 else "|".join(targets)
    return InhibitRule(
        (Matcher("alertname", "=", source),),
        (Matcher("alertname", "=" if len(targets) == 1 else "=~", target),),
        (world.style.service_label,),
    )


def routing_policy(world: World) -> tuple[Fact, ...]:
    """The routing conventions."""
    style = world.style
    page, ticket = style.severities["page"], style.severities["ticket"]
    key = style.severity_label
    page_to, ticket_to = (style.receiver[urgency].format(team="<team>") for urgency in URGENCIES)
    out = [
        fact("route-owner", owner=style.owner_label),
        fact("route-severities", key=key, page=page, page_to=page_to, ticket=ticket, ticket_to=ticket_to),
    ]
    # a copy that goes on is the only match of a page that no team's route takes, unless urgencies come first
    alone = style.audit_receiver is not None and style.routing != "severity-first"
    rest = {"fallback": style.default_receiver, **({"page": page} if alone else {})}
    copied = "-copied" if alone else ""
    if style.routing == "team-first":
        out.append(
            fact("route-anything-else", owner=style.owner_label, key=key, info=style.info_severity, ticket=ticket)
        )
        out.append(fact(f"route-unowned{copied}", **rest))
    else:
        out.append(fact(f"route-only-two{copied}", key=key, info=style.info_severity, **rest))
    if style.audit_receiver:
        out.append(fact("route-audit", page=page, audit=style.audit_receiver))
        if alone:
            out.append(fact("route-audit-alone", page=page, audit=style.audit_receiver))
    out.append(fact("route-body", url=f"https://notify.{world.domain}/hooks/<receiver>"))
    wait, interval, repeat = map(duration_text, (GROUP_WAIT, GROUP_INTERVAL, REPEAT_INTERVAL))
    out.append(fact("route-grouping", wait=wait, interval=interval, repeat=repeat))
    return tuple(out)
