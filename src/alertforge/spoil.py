"""Break the routes and inhibitions of a queue in ways that show, and that leave every report true.

Every postmortem is true of the start repo as a whole: no broken route or inhibition may contradict what another item
tells, and what is told of an alert depends on how it reaches its team there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from alertforge.alertmanager import routing
from alertforge.alertmanager.config import Config
from alertforge.defects import CONFIG_DEFECTS
from alertforge.defects.config import ConfigDefect
from alertforge.draws import by_theme, rarity
from alertforge.items.alert import AlertItem
from alertforge.items.base import Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.items.surroundings import carried
from alertforge.plan import PlanError, Planner, alike
from alertforge.repo.model import Repo
from alertforge.repo.routing import URGENCIES, base_config, receiver
from alertforge.workflow import Entry
from alertforge.world.styles import ROUTINGS


def spoiled(planner: Planner, items: Sequence[Item], solved: Config) -> tuple[Item, ...]:
    """The items, with a defect for each broken route and inhibition that shows in the whole configuration.

    Raises PlanError where no defect is left, or where records cannot have done what is told of their readers.
    """
    return _Spoiler(planner, solved).items(items)


@dataclass(frozen=True)
class _Spoiler:
    """Breaks the solved configuration of one task."""

    planner: Planner
    solved: Config

    def items(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The items, with a defect for each broken route and inhibition. Raises PlanError where none is left."""
        out = list(items)
        for index, item in enumerate(items):
            if isinstance(item, InhibitionItem) and self._entry(item).state == "broken":
                if not _could_act(item, items):
                    raise PlanError(f"{item.id}: there was nothing to hold back before, or nobody to do it")
                out[index] = self._with_inhibition(item, out)
            if isinstance(item, RecordingItem) and not item.allows(items):
                raise PlanError(f"{item.id}: the alerts that read the records cannot have done what is told of them")
        for index, item in enumerate(items):
            if isinstance(item, RouteItem) and self._entry(item).state == "broken":
                out[index] = self._with_route(item, out, index)
        start = self._start(out)
        heard = [self._heard(item, start) if isinstance(item, AlertItem) else item for item in out]
        return tuple(one.among(heard, start) if isinstance(one, InhibitionItem) else one for one in heard)

    def _entry(self, item: RouteItem | InhibitionItem) -> Entry:
        wanted = "route" if isinstance(item, RouteItem) else "inhibition"
        return self.planner.queued(wanted)[int(item.id[1:]) - 1]

    def _with_inhibition(self, item: InhibitionItem, items: Sequence[Item]) -> InhibitionItem:
        scenes = [replace(item.scene, team=service.team) for service in self.planner.world.services]
        weights = {
            one: rarity(one.apply(self.solved, scene) is not None for scene in scenes)
            for one in self._config_defects("inhibitions", self._entry(item))
        }
        for defect in by_theme(item.seed, weights):
            broken = replace(item, defect=defect)
            queue = [broken if one is item else one for one in items]
            if item.shows(defect, self.solved) and _each_by_itself(queue, self.solved):
                self.planner.taken.add(defect.name)
                return broken
        raise PlanError(f"{item.id}: no defect shows, or each hides what another item tells")

    def _with_route(self, item: RouteItem, items: Sequence[Item], index: int) -> RouteItem:
        houses = [(one, base_config(one.world, one.world.teams)) for one in self._laid_out(item)]
        weights = {
            one: rarity(house.shows(one, config) for house, config in houses)
            for one in self._config_defects("routes", self._entry(item))
        }
        for defect in by_theme(item.seed, weights):
            broken = replace(item, defect=defect)
            queue = (*items[:index], broken, *items[index + 1 :])
            if item.shows(defect, self.solved) and self._true(queue):
                self.planner.taken.add(defect.name)
                return broken
        raise PlanError(f"{item.id}: no defect shows, or each contradicts another item")

    def _laid_out(self, item: RouteItem) -> list[RouteItem]:
        """The item in houses that differ in nothing but how they lay out routes."""
        styles = [
            replace(self.planner.world.style, routing=routing, audit_receiver=audit)
            for routing in ROUTINGS
            for audit in (None, "audit")
        ]
        return [replace(item, world=replace(self.planner.world, style=style)) for style in styles]

    def _config_defects(self, family: str, entry: Entry) -> list[ConfigDefect]:
        """Those that the workflow allows."""
        return [
            one
            for one in CONFIG_DEFECTS.values()
            if one.family == family
            and one.name not in self.planner.taken
            and (not entry.defects or one.name in entry.defects)
            and not (one.hushes and self._loud)
        ]

    @property
    def _loud(self) -> bool:
        """Whether the story is one of too many notifications."""
        return any("noisy" in entry.flavours for entry in self.planner.recipe.queue)

    def _start(self, items: Sequence[Item]) -> Config:
        """The configuration that the task starts with."""
        repo = Repo((), self.solved)
        for item in items:
            if isinstance(item, RouteItem):
                repo = item.break_(repo)
        return repo.config

    def _true(self, items: Sequence[Item]) -> bool:
        """Whether everything that is told holds under all broken routes together."""
        start = self._start(items)
        for item in items:
            if isinstance(item, AlertItem) and item.defect is not None:
                if item.defect.routed and not alike(start, self.solved, item.firing):
                    return False
                if self._loud and item.defect.flavour == "noisy" and not self._reaches_somebody(item, start):
                    return False
            if isinstance(item, RouteItem) and item.defect is not None:
                alone = item.break_(Repo((), self.solved)).config
                levels = (*self.planner.world.style.severities.values(), self.planner.world.style.info_severity)
                if any(not alike(start, alone, item.labels(item.team.name, level).as_dict()) for level in levels):
                    return False
        return True

    def _reaches_somebody(self, item: AlertItem, start: Config) -> bool:
        """Whether the alert reaches any team; one that has no routes yet is told of without that."""
        if item.subject.service.team in self.planner.unrouted:
            return True
        ways = {
            receiver(self.planner.world, team.name, urgency)
            for team in self.planner.world.teams
            for urgency in URGENCIES
        }
        return bool(ways & set(routing.receivers(start.route, item.firing)))

    def _heard(self, item: AlertItem, start: Config) -> AlertItem:
        """The alert with how it reaches its team."""
        reached = set(routing.receivers(start.route, item.firing))
        team = item.subject.service.team
        ways = [urgency for urgency in URGENCIES if receiver(self.planner.world, team, urgency) in reached]
        return replace(item, heard=ways[0] if ways else None)


def _each_by_itself(items: Sequence[Item], solved: Config) -> bool:
    """Whether alerts that are said to come through do so: no other broken rule holds them back."""
    inhibitions = [item for item in items if isinstance(item, InhibitionItem)]
    for item in (one for one in inhibitions if one.defect is not None and one.defect.theme != "too much"):
        repo = Repo((), solved)
        for other in inhibitions:
            repo = replace(other, defect=None if other is item else other.defect).break_(repo)
        if item.hushed(repo.config.inhibit_rules):
            return False
    return True


def _could_act(item: InhibitionItem, items: Sequence[Item]) -> bool:
    """Whether the source and some target are there before anything is done, and tell whom they are about."""
    beside = [one for one in items if isinstance(one, AlertItem) and one.subject.service == item.subject.service]
    mute = {one.rule.name for one in beside if not _tells_whom(one)}
    return item.source not in mute and not mute.issuperset(item.targets)


def _tells_whom(item: AlertItem) -> bool:
    if item.broken is None:
        return False
    return item.subject.by in {*carried(item.broken.tree), *dict(item.broken.labels)}
