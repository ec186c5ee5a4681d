"""What a defect of the Alertmanager configuration is, and how routes are found and replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from alertforge.alertmanager.config import Config, InhibitRule, Route
from alertforge.alertmanager.matchers import Matcher
from alertforge.world.model import HouseStyle, World


@dataclass(frozen=True)
class Scene:
    """What a defect of the configuration is about: one team of a company, and where it matters one inhibition rule."""

    world: World
    team: str
    rule: InhibitRule | None = None

    @property
    def style(self) -> HouseStyle:
        """The company's house style."""
        return self.world.style

    @property
    def receivers(self) -> tuple[str, ...]:
        """Where the team's pages and tickets go."""
        return tuple(pattern.format(team=self.team) for pattern in self.style.receiver.values())

    def is_ours(self, route: Route) -> bool:
        """Whether a route asks for the team, or leads to one of its receivers."""
        return asks_for(route.matchers, self.style.owner_label, self.team) or route.receiver in self.receivers


@dataclass(frozen=True)
class ConfigDefect:
    """One way in which the routing tree or the inhibition rules go wrong.

    `symptoms` are jinja2 templates over `team` and `service`: what people saw, never the reason; those of inhibitions
    hold whatever the urgency of the alerts. `misfix` says how a person in a hurry would repair it. A defect of routes
    that concerns `everyone` is told and judged as such; one that `hushes` takes the pages of all teams. `theme` is
    shared by defects that look alike. `rehearsed` are told instead where none of the alerts that a broken inhibition
    is about can have fired yet: what came out when it was tried; and `listed` where the team has no receivers yet that
    could show it. `filed` are told instead where the queue of one team
    takes the pages of all.
    """

    name: str
    family: Literal["routes", "inhibitions"]
    breaks: Callable[[Config, Scene], Config | None]
    symptoms: tuple[str, ...]
    misfix: str
    hidden: bool = True
    everyone: bool = False
    hushes: bool = False
    theme: str = ""
    rehearsed: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    filed: tuple[str, ...] = ()

    def apply(self, config: Config, scene: Scene) -> Config | None:
        """The broken configuration; None where its shape cannot hold this defect or nothing would change."""
        broken = self.breaks(config, scene)
        return broken if broken is not None and broken != config else None


Path = tuple[int, ...]


def routes(route: Route, path: Path = ()) -> Iterator[tuple[Path, Route]]:
    """All routes with their paths from the root, parents before children."""
    yield path, route
    for index, child in enumerate(route.routes):
        yield from routes(child, (*path, index))


def route_at(root: Route, path: Path) -> Route:
    """The route at a path."""
    for index in path:
        root = root.routes[index]
    return root


def replaced(root: Route, path: Path, new: Route) -> Route:
    """The tree with another route at a path."""
    if not path:
        return new
    index, *rest = path
    children = list(root.routes)
    children[index] = replaced(children[index], tuple(rest), new)
    return replace(root, routes=tuple(children))


def with_root(config: Config, root: Route) -> Config:
    """The configuration with another routing tree."""
    return replace(config, route=root)


def our_routes(config: Config, scene: Scene) -> list[tuple[Path, Route]]:
    """The team's routes below the root, in the order of the file."""
    return [(path, route) for path, route in routes(config.route) if path and scene.is_ours(route)]


def asks_for(matchers: tuple[Matcher, ...], label: str, value: str) -> bool:
    """Whether a matcher on the label takes the value, and not just any."""
    asking = [m for m in matchers if m.name == label and m.op in ("=", "=~")]
    return any(m.matches({label: value}) and not m.matches({label: ""}) for m in asking)


def service_rules(config: Config, scene: Scene) -> list[tuple[int, InhibitRule]]:
    """The inhibition rules that hold for one service at a time; the scene's own one alone where it names one."""
    label = scene.style.service_label
    return [
        (index, rule)
        for index, rule in enumerate(config.inhibit_rules)
        if label in rule.equal and scene.rule in (None, rule)
    ]


def with_rule(config: Config, index: int, rule: InhibitRule) -> Config:
    """The configuration with another inhibition rule in one place."""
    rules = list(config.inhibit_rules)
    rules[index] = rule
    return replace(config, inhibit_rules=tuple(rules))
