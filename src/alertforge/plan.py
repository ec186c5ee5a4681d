"""From a workflow and a world to the queue: which items, on which services, broken in which manner."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from alertforge.alertmanager import routing
from alertforge.alertmanager.config import Config
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import AVAILABILITY, LATENCY, Sli
from alertforge.defects import DEFECTS, applicable
from alertforge.defects.base import Defect
from alertforge.defects.selectors import counted_beside
from alertforge.draws import PARTS, by_theme, rarity, weighted
from alertforge.errors import AlertForgeError
from alertforge.items.alert import AlertItem
from alertforge.items.base import Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.rehome import RehomeItem, formerly
from alertforge.items.route import RouteItem
from alertforge.prometheus.promql import selectors
from alertforge.prometheus.rules import Rule
from alertforge.repo.routing import base_config
from alertforge.seeds import Seed
from alertforge.workflow import Entry, Recipe, Workflow
from alertforge.world.catalog import protocol
from alertforge.world.model import Service, World

DOWN: Final = "target-down"  # every service has it
HEALTH: Final = 3  # alerts of a service in focus beside that one, unless the workflow names more
SLIS: Final[Mapping[str, Sli]] = {sli.name: sli for sli in (AVAILABILITY, LATENCY)}
# what follows from an outage, so that an inhibition may keep it quiet; the likeliest first
CONSEQUENCES: Final = (
    "error-ratio",
    "fast-burn",
    "slow-burn",
    "latency-fast-burn",
    "latency-slow-burn",
    "latency-quantile",
    "slow-share",
    "traffic-floor",
    "probe-failing",
    "consumer-lag",
    "batch-overdue",
)
# alerts that watch a service's health beside that one: those that follow from an outage, those that do not
WATCHING: Final = tuple(name for name, kind in KINDS.items() if not kind.burn and name != DOWN)
SIDES: Final = tuple(tuple(name for name in WATCHING if (name in CONSEQUENCES) == follows) for follows in (True, False))
ELSEWHERE: Final = 2  # how much more a defect weighs that `hard` has no use for: half of all repairs are there


class PlanError(AlertForgeError):
    """A world in which the queue cannot be placed: another one is drawn."""


@dataclass(frozen=True)
class Planner:
    """Draws one task's queue; every method reads the same seed and world."""

    workflow: Workflow
    recipe: Recipe
    seed: Seed
    world: World
    _used: set[tuple[str, str]] = field(default_factory=set)  # (service, kind) that an item is about
    taken: set[str] = field(default_factory=set)  # defects that some item has
    _settled: dict[str, list[str]] = field(default_factory=dict)  # health alerts that items are about, by service
    _hosted: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)  # what `_holds` found out

    @property
    def focus(self) -> tuple[Service, ...]:
        """The services the task is about."""
        return self.world.services[: self.world.focus]

    @property
    def hard(self) -> bool:
        """Whether nothing may be found by a text search."""
        return self.recipe.tier == "hard"

    def subject(self, service: Service) -> Subject:
        """A service as alert kinds see it."""
        return Subject(self.world, service)

    def beside(self, service: Service) -> tuple[Service, ...]:
        """Who shares a service's scenarios: one other service, of the same family where there is one."""
        others = [one for one in self.world.services if one != service]
        same = [one for one in others if one.family == service.family]
        return tuple((same or others)[:1])

    def health_kinds(self, service: Service) -> tuple[str, ...]:
        """The alerts that watch a service beside its SLO: whether it is up, what the workflow names, and some more.

        One of them at least follows from an outage, and one does not. What items are about is among them, so this is
        the last word only when all alerts of the queue are placed.
        """
        rng = self.seed.rng("health", service.name)
        out = self._settled_kinds(service)
        free = [name for name in WATCHING if name not in out and (service.name, name) not in self._used]
        for side in SIDES:
            if not set(side) & set(out):
                able = [name for name in side if name in free]
                out.append(rng.choice([name for name in able if _suits(service, name)] or able))
        rest = [name for name in free if name not in out and _suits(service, name)]
        return (*out, *rng.sample(rest, max(self._health_count(service) - len(out), 0)))

    def _health_count(self, service: Service) -> int:
        """How many alerts watch a service's health, unless the workflow names more."""
        return 1 + (HEALTH if service in self.focus else 2)

    def _settled_kinds(self, service: Service) -> list[str]:
        """The health alerts that a service has already: what all have, what the workflow names, what items took."""
        watch = self.workflow.watch if service in self.focus else ()
        return list(dict.fromkeys((DOWN, *watch, *self._settled.get(service.name, ()))))

    def _can_have(self, service: Service, kind: str) -> bool:
        """Whether a service's health alerts include a kind, or can without being too many."""
        settled = self._settled_kinds(service)
        wanted = {*settled, kind}
        missing = sum(not wanted & set(side) for side in SIDES)
        return kind in settled or (kind in WATCHING and len(wanted) + missing <= self._health_count(service))

    def _take(self, service: Service, kind: str) -> None:
        """An item is about that alert, which is a health alert of the service unless it is a burn alert."""
        self._used.add((service.name, kind))
        if not KINDS[kind].burn:
            self._settled.setdefault(service.name, []).append(kind)

    def siblings(self, service: Service) -> tuple[str, ...]:
        """A bystander's burn alerts, which are healthy: the first that it may have, and others for some services.

        None on hard, and none that would read records which are still to be made.
        """
        if service in self.focus or self.hard:
            return ()
        able = [kind for kind in self.workflow.siblings if not self._unrecorded(kind, service)]
        rng = self.seed.rng("siblings", service.name)
        return tuple(kind for place, kind in enumerate(able) if place == 0 or rng.chance(50))

    def _unrecorded(self, kind: str, service: Service) -> bool:
        """Whether the records that a burn alert reads are among what is asked for."""
        burn = KINDS[kind]
        if not isinstance(burn, BurnKind):
            return False
        asked = zip(self.queued("recording"), self._asked_records(), strict=True)
        missing = [one for entry, (sli, one) in asked if entry.state == "new" and sli == burn.sli]
        return service in missing or (not burn.sli.per_service and service.family in [one.family for one in missing])

    # --- the queue ---------------------------------------------------------------------------------------------------

    def items(self) -> tuple[Item, ...]:
        """The whole queue. Raises PlanError where this world has no place for some of it."""
        ids = _Ids()
        alerts = self._drawn(ids, {"new-alert": self._new_alert, "rehome": self._rehome, "repair": self._repair})
        records = self._each(ids, "recording", lambda i, entry, n: self._recording(i, entry, n, alerts))
        routes = self._each(ids, "route", self._route)
        inhibitions = self._each(ids, "inhibition", lambda i, entry, n: self._inhibition(i, entry, n, alerts))
        return (*alerts, *records, *routes, *inhibitions)

    def _drawn(self, ids: _Ids, makers: Mapping[str, Callable[[str, Entry], AlertItem]]) -> list[AlertItem]:
        """The items about alerts: new ones first, they leave the rest to be broken; what names more before the rest."""
        out = []
        for wanted, make in makers.items():
            entries = [one for one in self.recipe.queue if one.item == wanted]
            for entry in sorted(entries, key=lambda one: (one.on is None, not one.kinds, one.audit)):
                out += [make(ids.next("A" if wanted == "new-alert" else "P"), entry) for _ in range(entry.count)]
        return out

    def _each(self, ids: _Ids, wanted: str, make: Callable[[str, Entry, int], Item]) -> list[Item]:
        letter = {"recording": "C", "route": "R", "inhibition": "I"}[wanted]
        return [make(ids.next(letter), entry, number) for number, entry in enumerate(self.queued(wanted))]

    # --- alerts ------------------------------------------------------------------------------------------------------

    def _services(self, entry: Entry) -> tuple[Service, ...]:
        """The services that an entry may be about."""
        return self.focus if entry.on is None else (self.focus[entry.on - 1],)

    def _places(self, entry: Entry, item_id: str, kinds: Sequence[str]) -> list[tuple[Service, str]]:
        """Where an item can be: services and kinds that no other item is about, in a drawn order; what suits first."""
        pairs = [(service, kind) for service in self._services(entry) for kind in kinds]
        free = [(service, kind) for service, kind in pairs if (service.name, kind) not in self._used]
        return sorted(self.seed.rng(item_id, "place").shuffled(free), key=lambda place: not _suits(*place))

    def _new_alert(self, item_id: str, entry: Entry) -> AlertItem:
        places = self._places(entry, item_id, entry.kinds)
        if not places:
            raise PlanError(f"{item_id}: no service is left for {', '.join(entry.kinds)}")
        service, kind = places[0]
        self._used.add((service.name, kind))
        return AlertItem(item_id, self.subject(service), KINDS[kind], self.beside(service), self.seed.child(item_id))

    def _repair(self, item_id: str, entry: Entry) -> AlertItem:
        """A broken alert: as the workflow wants it broken if that can be, with no defect twice.

        It is a health alert, or a burn alert that the workflow names.
        """
        for kinds, anyhow in ((entry.kinds, False), ((), False), (entry.kinds, True), ((), True)):
            found = self._broken(item_id, entry, kinds or (DOWN, *WATCHING), anyhow)
            if found is not None:
                service, kind, defect, broken = found
                self._take(service, kind)
                self.taken.add(defect.name)
                return AlertItem(
                    item_id,
                    self.subject(service),
                    KINDS[kind],
                    self.beside(service),
                    self.seed.child(item_id),
                    defect,
                    broken,
                    entry.audit,
                )
        raise PlanError(f"{item_id}: nothing is left to break")

    def _broken(
        self, item_id: str, entry: Entry, kinds: Sequence[str], anyhow: bool
    ) -> tuple[Service, str, Defect, Rule] | None:
        """A defect, and then an alert of these kinds that can have it: a defect that few can have is no rarer for that.

        One that other kinds can have as well is drawn in proportion to how many of its kinds are to be had here.
        `anyhow` takes a defect that the workflow did not ask for.
        """
        places = [
            (service, kind)
            for service, kind in self._places(entry, item_id, kinds)
            if KINDS[kind].burn or self._can_have(service, kind)
        ]
        rng = self.seed.rng(item_id, "choice")
        weights = {
            defect: self._part(defect, kinds) * (1 if defect.hidden else ELSEWHERE)
            for defect in self._wanted(entry, anyhow)
        }
        for defect in weighted(rng, weights):
            for service, kind in places:
                if not self._holds(service, kind, defect):
                    continue
                subject = self.subject(service)
                broken = defect.apply(KINDS[kind].rule(subject), subject, self.seed.child(item_id, "defect"))
                if broken is None or self._counts_nobody_else(service, kind, broken):
                    continue
                if not (defect.routed and self._in_the_way(subject, broken)):
                    return service, kind, defect, broken
        return None

    def _counts_nobody_else(self, service: Service, kind: str, broken: Rule) -> bool:
        """Whether an alert has lost its service, and the one beside it could not set it off before the queue is done.

        What is slow there is slow by a bound of its own, and its records may be among what is asked for.
        """
        subject, alert = self.subject(service), KINDS[kind]
        if all(any(m.name == subject.by for m in one.matchers) for one in selectors(broken.tree)):
            return False
        if isinstance(alert, BurnKind):
            return all(self._unrecorded(kind, one) for one in counted_beside(alert.rule(subject), subject))
        bound = Fraction(service.latency_threshold)
        return alert.histogram and any(Fraction(one.latency_threshold) < bound for one in self.beside(service))

    def _wanted(self, entry: Entry, anyhow: bool) -> list[Defect]:
        """The defects that an entry may be about, of those that no item has yet."""
        return [
            defect
            for defect in DEFECTS.values()
            if not defect.records
            and defect.name not in self.taken
            and (defect.hidden or not self.hard)
            and (anyhow or not entry.flavours or defect.flavour in entry.flavours)
            and (anyhow or not entry.defects or defect.name in entry.defects)
        ]

    def _part(self, defect: Defect, kinds: Sequence[str]) -> int:
        """How many of the alert kinds that can have a defect here are among some, in thousandths."""
        able = ([kind for kind in KINDS if self._holds(service, kind, defect)] for service in self.focus)
        hosts = next(filter(None, able), [])  # services hardly differ in this
        return PARTS * sum(kind in kinds for kind in hosts) // max(len(hosts), 1)

    def _holds(self, service: Service, kind: str, defect: Defect) -> bool:
        """Whether a service's alert of a kind can have a defect."""
        key = (service.name, kind)
        if key not in self._hosted:
            subject = self.subject(service)
            found = applicable(KINDS[kind].rule(subject), subject, self.seed.child("hosts"))
            self._hosted[key] = frozenset(one.name for one, _ in found)
        return defect.name in self._hosted[key]

    @property
    def unrouted(self) -> frozenset[str]:
        """The teams that nothing routes to before their item is done."""
        states = zip(self._teams, self.queued("route"), strict=False)
        return frozenset(team for team, entry in states if entry.state == "new")

    def _in_the_way(self, subject: Subject, broken: Rule) -> bool:
        """Whether a team without routes changes where a broken alert ends up."""
        labels = _labels(subject, broken)
        start = base_config(self.world, [team for team in self.world.teams if team.name not in self.unrouted])
        return not alike(start, base_config(self.world, self.world.teams), labels)

    def _rehome(self, item_id: str, entry: Entry) -> AlertItem:
        """An alert that did not move with its service; the alerts of one service all come from one team."""
        places = self._places(entry, item_id, entry.kinds or (DOWN, *WATCHING))
        places = [(service, kind) for service, kind in places if entry.kinds or self._can_have(service, kind)]
        if not places:
            raise PlanError(f"{item_id}: no alert is left to move")
        service, kind = places[0]
        self._take(service, kind)
        subject = self.subject(service)
        owners = {one.team for one in self.focus}
        others = [team for team in self.world.teams if team.name not in owners]
        former = self.seed.rng("former", service.name).choice(others)
        broken = formerly(KINDS[kind].rule(subject), subject, former)
        return RehomeItem(
            item_id,
            subject,
            KINDS[kind],
            self.beside(service),
            self.seed.child(item_id),
            broken=broken,
            former=former,
        )

    # --- records -----------------------------------------------------------------------------------------------------

    def records(self) -> tuple[tuple[Sli, Service], ...]:
        """What the house records: an SLI of a family (the service is any of its), or of a service."""
        families: dict[str, Service] = {}
        for service in self.world.services:
            families.setdefault(service.family.name, service)
        out: list[tuple[Sli, Service]] = []
        for name in self.workflow.slis:
            sli = SLIS[name]
            out += [(sli, service) for service in (self.world.services if sli.per_service else families.values())]
        return tuple(out)

    def _asked_records(self) -> tuple[tuple[Sli, Service], ...]:
        """What each item about records is about, in the order of the queue. Raises PlanError where it is too much."""
        known = {name: [one for one in self.records() if one[0].name == name] for name in SLIS}
        out = []
        for entry in self.queued("recording"):
            if not known[entry.sli]:
                raise PlanError(f"too few sets of {entry.sli} records")
            out.append(known[entry.sli].pop(0))
        return tuple(out)

    def _recording(self, item_id: str, entry: Entry, number: int, alerts: Sequence[AlertItem]) -> RecordingItem:
        sli, service = self._asked_records()[number]
        item = RecordingItem(item_id, self.subject(service), self.beside(service), self.seed.child(item_id), sli)
        return item if entry.state == "new" else self._broken_records(item, entry, alerts)

    def queued(self, wanted: str) -> list[Entry]:
        """The entries of a kind, each as often as it counts."""
        return [entry for entry in self.recipe.queue if entry.item == wanted for _ in range(entry.count)]

    def _broken_records(self, item: RecordingItem, entry: Entry, alerts: Sequence[AlertItem]) -> RecordingItem:
        """The same records, all with one defect, one that leaves true what is told of broken alerts on them."""
        choices = [
            defect
            for defect, _ in applicable(item.rules[0], item.subject, item.seed)
            if defect.name not in self.taken
            and (not entry.defects or defect.name in entry.defects)
            and replace(item, defect=defect).allows(alerts)
        ]
        records = [replace(item, sli=sli).rules[0] for sli in SLIS.values()]
        weights = {
            one: rarity(one.apply(record, item.subject, item.seed) is not None for record in records) for one in choices
        }
        for defect in by_theme(item.seed, weights):
            broken = [defect.apply(rule, item.subject, item.seed) for rule in item.rules]
            if all(rule is not None for rule in broken):
                self.taken.add(defect.name)
                rules = tuple(rule for rule in broken if rule is not None)
                return replace(item, defect=defect, broken=rules, readers=self._readers(item))
        raise PlanError(f"{item.id}: no defect fits the records")

    def _readers(self, item: RecordingItem) -> tuple[str, ...]:
        """The burn alerts of bystanders that read the records."""
        rules = [
            (KINDS[kind].rule(self.subject(one)), one) for one in self.world.services for kind in self.siblings(one)
        ]
        return tuple(rule.name for rule, service in rules if item.reads(rule, service))

    # --- routes and inhibitions --------------------------------------------------------------------------------------

    @property
    def _teams(self) -> list[str]:
        """Who owns the services in focus, in the order of the items about routes."""
        return list(dict.fromkeys(service.team for service in self.focus))

    def _route(self, item_id: str, entry: Entry, number: int) -> RouteItem:
        """Routing of a team in focus. A broken one gets its defect when the whole configuration is known."""
        teams = self._teams
        routes = len(self.queued("route"))
        if routes > len(teams):
            raise PlanError(f"{item_id}: only {len(teams)} teams own the services")
        name = teams[number]
        service = next(one for one in self.focus if one.team == name)
        strangers = tuple(team for team in self.world.teams if team.name not in teams[:routes])
        return RouteItem(item_id, self.world, service, self.world.team(name), strangers, self.seed.child(item_id))

    def _inhibition(self, item_id: str, entry: Entry, number: int, alerts: Sequence[AlertItem]) -> InhibitionItem:
        if number >= len(self.focus):
            raise PlanError(f"{item_id}: only {len(self.focus)} services")
        service = self.focus[number]
        subject = self.subject(service)
        asked = [one.kind.name for one in alerts if one.subject.service == service]
        kinds = [kind for kind in dict.fromkeys((*self.health_kinds(service), *asked)) if kind != DOWN]
        return InhibitionItem(
            item_id,
            subject,
            subject.alert_name(DOWN),
            tuple(subject.alert_name(kind) for kind in consequences(kinds)),
            tuple(subject.alert_name(kind) for kind in kinds if kind not in CONSEQUENCES),
            (*self._sisters(service), *self.beside(service))[0],
            self.seed.child(item_id),
            frozenset(subject.alert_name(name) for name, kind in KINDS.items() if kind.urgency(subject) == "ticket"),
        )

    def _sisters(self, service: Service) -> tuple[Service, ...]:
        """Other services of the same team: the likeliest to be taken for one and the same."""
        return tuple(one for one in self.world.services if one.team == service.team and one != service)


def _labels(subject: Subject, rule: Rule) -> Mapping[str, str]:
    """What an alert carries when it fires."""
    return {"alertname": rule.name, **dict(rule.labels), **subject.identity.as_dict()}


def alike(one: Config, other: Config, labels: Mapping[str, str]) -> bool:
    """Whether an alert ends up in the same places."""
    return set(routing.receivers(one.route, labels)) == set(routing.receivers(other.route, labels))


def consequences(kinds: Sequence[str]) -> tuple[str, ...]:
    """Those of some alert kinds that follow from an outage, the likeliest first."""
    return tuple(kind for kind in CONSEQUENCES if kind in kinds)


def _suits(service: Service, kind: str) -> bool:
    """Whether an alert makes sense for a service as it is drawn: for the stores that it has, and what it speaks."""
    alert = KINDS[kind]
    stored = not alert.stores or alert.anybody or not {*alert.stores}.isdisjoint(service.depends_on)
    return stored and protocol(service.family) in alert.protocols


@dataclass
class _Ids:
    """Numbers items by their letter."""

    counts: dict[str, int] = field(default_factory=dict)

    def next(self, letter: str) -> str:
        """`A1`, then `A2`."""
        self.counts[letter] = self.counts.get(letter, 0) + 1
        return f"{letter}{self.counts[letter]}"
