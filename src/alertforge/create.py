"""From a seed to a task: plan the queue, build the solved repo, break it, derive the contract, write the texts."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from alertforge.alertmanager import routing as amrouting
from alertforge.alertmanager.config import Config, InhibitRule
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.sli import Sli, windows
from alertforge.errors import AlertForgeError
from alertforge.grader.spec import (
    SPEC_VERSION,
    AlertRequirement,
    InhibitionRequirement,
    InputSeries,
    Preservation,
    RecordingRequirement,
    RouteProbe,
    RouteRequirement,
    Scenario,
    Spec,
)
from alertforge.items.alert import AlertItem
from alertforge.items.base import Edit, Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.items.surroundings import with_surroundings
from alertforge.plan import PlanError, Planner
from alertforge.prometheus.rules import Group, Rule, RuleFile, machine_text
from alertforge.prometheus.series import Labels
from alertforge.repo import exporters
from alertforge.repo.brief import AlertEntry, Brief, Expertise, Persona, Tone
from alertforge.repo.model import CONFIG_PATH, Repo, alert_place, record_place
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.repo.routing import base_config, inhibit_rule, routing_policy
from alertforge.repo.texts import documents, instruction, readme
from alertforge.repo.visible import visible_tests
from alertforge.seeds import Seed
from alertforge.task import Attempt, Files, Round, Task
from alertforge.workflow import SIZES, Recipe, Workflow, core, load
from alertforge.world.create import create as create_world
from alertforge.world.create import deal
from alertforge.world.model import Person, Service, World

TIERS: Final = tuple(SIZES)
SEEDS_PER_TIER: Final = 2
WORLDS: Final = 100  # draws before giving up


def catalogue() -> tuple[tuple[str, str, str, int], ...]:
    """The core tier: (task id, workflow, tier, seed number), in the order of the ids."""
    out = []
    for workflow in core():
        for tier in TIERS:
            for number in range(1, SEEDS_PER_TIER + 1):
                out.append((task_id(workflow, tier, number), workflow, tier, number))
    return tuple(out)


def task_id(workflow: str, tier: str, number: int) -> str:
    """`af-001-slo-onboarding-easy-s1`; tasks beyond the core tier have no number: `af-x-slo-onboarding-easy-s7`."""
    index = "x"
    if workflow in core() and number <= SEEDS_PER_TIER:
        place = (list(core()).index(workflow) * len(TIERS) + TIERS.index(tier)) * SEEDS_PER_TIER + number
        index = f"{place:03d}"
    return f"af-{index}-{workflow}-{tier}-s{number}"


def find_workflow(workflow: str, tier: str, number: int, file: Path | None = None) -> Workflow:
    """The workflow of a task, of the core tier or of those in `file`.

    Raises AlertForgeError for an unknown workflow or tier, a number below 1, or a file that cannot be used.
    """
    known = core() if file is None else load(file)
    if workflow not in known:
        raise AlertForgeError(f"unknown workflow {workflow!r}: one of {', '.join(known)}")
    if tier not in known[workflow].tiers:
        raise AlertForgeError(f"unknown tier {tier!r}: one of {', '.join(known[workflow].tiers)}")
    if number < 1:
        raise AlertForgeError(f"seed numbers start at 1, not {number}")
    return known[workflow]


def create(workflow: str, tier: str, number: int, master: str | int, file: Path | None = None) -> Task:
    """One task. Raises AlertForgeError as `draft` does."""
    return draft(workflow, tier, number, master, file).task()


def draft(workflow: str, tier: str, number: int, master: str | int, file: Path | None = None) -> Draft:
    """A task before it is written out: much cheaper than the task.

    Raises AlertForgeError as `find_workflow` does, or where no company has a place for the queue.
    """
    found = find_workflow(workflow, tier, number, file)
    root = Seed.master(master)
    seed = root.child(workflow, tier, number)
    recipe = found.tiers[tier]
    last = "no house style names its alerts after services"
    for world in _worlds(root, seed, recipe, task_id(workflow, tier, number)):
        try:
            return _Maker(found, recipe, number, seed, world).draft()
        except PlanError as error:
            last = str(error)
    raise AlertForgeError(f"no world in {WORLDS} draws has a place for the queue of {workflow} {tier}: {last}")


def _worlds(root: Seed, seed: Seed, recipe: Recipe, name: str) -> Iterator[World]:
    """Draws of the task's company: dealt without repeats over the core tier; alert names hold the service's name."""
    ids = [entry[0] for entry in catalogue()]
    company = deal(root.child("companies"), len(ids))[ids.index(name)] if name in ids else None
    for attempt in range(WORLDS):
        world = create_world(seed.child("world", attempt), services=recipe.services, company=company)
        if "{Service}" in world.style.alert_name or "{service}" in world.style.alert_name:
            yield world


@dataclass(frozen=True)
class Axes:
    """What a task varies in beside its workflow, tier and world."""

    expertise: Expertise
    tone: Tone
    archetype: str
    persona: Persona


@dataclass(frozen=True)
class Draft:
    """A task as values: the queue, both repos, and the texts around them."""

    maker: _Maker
    items: tuple[Item, ...]
    start: Repo
    solved: Repo
    brief: Brief
    docs: Files  # what a workspace holds beside rules and configuration

    @property
    def world(self) -> World:
        """The company, its people and its house style."""
        return self.maker.world

    @property
    def seed(self) -> Seed:
        """The task's seed."""
        return self.maker.seed

    @property
    def axes(self) -> Axes:
        """What the task varies in beside its world."""
        return self.maker.axes

    def files(self, repo: Repo) -> Files:
        """A whole workspace as the house writes it."""
        return dict(sorted({**self.maker.files(repo), **self.docs}.items()))

    def task(self) -> Task:
        """The whole task."""
        return self.maker.task(self)


@dataclass(frozen=True)
class _Maker:
    """Builds one task; every method reads the same seed and world."""

    workflow: Workflow
    recipe: Recipe
    number: int
    seed: Seed
    world: World
    printed: dict[RuleFile, str] = field(default_factory=dict)
    printed_configs: list[tuple[Config, str]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The task's id."""
        return task_id(self.workflow.name, self.recipe.tier, self.number)

    @cached_property
    def axes(self) -> Axes:
        """What the task varies in beside its world."""
        rng = self.seed.rng("axes")
        expertise, tone = rng.choice(self.recipe.expertise), rng.choice(self.workflow.tones)
        return Axes(expertise, tone, rng.choice(self.workflow.archetypes), rng.choice(self.workflow.personas))

    def _requester(self, persona: Persona) -> Person:
        """Who asks: the company's SRE, or somebody of a team that owns one of the services in focus."""
        rng = self.seed.rng("requester")
        team = self.world.team(rng.choice(self.focus).team)
        match persona:
            case "sre":
                return self.world.sre
            case "team-lead":
                return team.lead
            case "on-call":
                return rng.choice(team.members)

    @cached_property
    def planner(self) -> Planner:
        """Who draws the queue."""
        return Planner(self.workflow, self.recipe, self.seed, self.world)

    @property
    def focus(self) -> tuple[Service, ...]:
        """The services the task is about."""
        return self.planner.focus

    def subject(self, service: Service) -> Subject:
        """A service as alert kinds see it."""
        return self.planner.subject(service)

    # --- the repo ----------------------------------------------------------------------------------------------------

    def base(self, items: Sequence[Item]) -> Repo:
        """Everything in the solved repo that no item is about."""
        world, style = self.world, self.world.style
        taken = {name for item in items for name in item.touched().alerts}
        routed = {item.team.name for item in items if isinstance(item, RouteItem)}
        repo = Repo((), base_config(world, [team for team in world.teams if team.name not in routed]))
        for exporter in self._exporters():
            owner = self.seed.rng("exporter-owner", exporter.name).choice(world.teams).name
            repo = replace(repo, rule_files=(*repo.rule_files, exporters.render(exporter, style, owner, world.domain)))
        repo = self._base_records(repo, items)
        inhibited = {item.source for item in items if isinstance(item, InhibitionItem)}
        for service in world.services:
            subject = self.subject(service)
            names = {}
            for kind in self._base_kinds(service):
                rule = KINDS[kind].rule(subject)
                names[kind] = rule.name
                if rule.name not in taken:
                    path, group = alert_place(world, service, burn=KINDS[kind].burn)
                    repo = repo.add(path, group, (rule,), manifests=style.manifests)
            down = names.pop("target-down")
            if down not in inhibited:
                rules = (*repo.config.inhibit_rules, inhibit_rule(world, down, tuple(names.values())))
                repo = repo.with_config(replace(repo.config, inhibit_rules=rules))
        return replace(repo, rule_files=tuple(sorted(repo.rule_files, key=lambda file: file.path)))

    def _base_kinds(self, service: Service) -> tuple[str, ...]:
        """Healthy sibling burn alerts stand in the repo unless the tier is hard."""
        burn = self.workflow.siblings if service not in self.focus and not self.planner.hard else ()
        return (*self.planner.health_kinds(service), *burn)

    def _base_records(self, repo: Repo, items: Sequence[Item]) -> Repo:
        made = {rule for item in items if isinstance(item, RecordingItem) for rule in item.rules}
        for sli, service in self.planner.records():
            path, group = record_place(self.world, service.family.name)
            rules = [rule for rule in self._sli_rules(sli, service) if rule not in made]
            if rules:
                repo = repo.add(path, group, rules, manifests=self.world.style.manifests)
        return repo

    def _sli_rules(self, sli: Sli, service: Service) -> list[Rule]:
        """The reference records of a family or service, shortest window first."""
        return [sli.rule(self.subject(service), window) for window in windows(self.world.style)]

    def _exporters(self) -> tuple[exporters.Exporter, ...]:
        names = self.seed.rng("exporters").sample(exporters.load_all(), self.recipe.distractors)
        return tuple(sorted(names, key=lambda one: one.name))

    # --- the contract ------------------------------------------------------------------------------------------------

    def spec(self, items: Sequence[Item], start: Repo, solved: Repo) -> Spec:
        """Requirements and scenarios of all items, and what must be preserved."""
        scenarios: list[Scenario] = []
        requirements = []
        for item in items:
            requirement, own = item.requirement(solved, items)
            requirements.append(requirement)
            scenarios += own
        return Spec(
            SPEC_VERSION,
            self.id,
            tuple(scenarios),
            tuple(r for r in requirements if isinstance(r, AlertRequirement)),
            tuple(r for r in requirements if isinstance(r, RecordingRequirement)),
            tuple(r for r in requirements if isinstance(r, RouteRequirement)),
            tuple(r for r in requirements if isinstance(r, InhibitionRequirement)),
            with_surroundings(
                self._preservation(items, start.config, solved.config),
                start.config,
                solved,
                self.world.style.service_label,
            ),
            self._inputs(scenarios),
            "records.yml",
        )

    def _inputs(self, scenarios: Sequence[Scenario]) -> tuple[str, ...]:
        """Metrics that targets export: those replayed, and those that the README lists."""
        replayed = {_metric(series) for scenario in scenarios for series in scenario.series}
        listed = {
            name
            for service in self.world.services
            for kind in KINDS.values()
            for name, _ in kind.exported(self.subject(service))
        }
        return tuple(sorted(replayed | listed))

    def _preservation(self, items: Sequence[Item], start: Config, solved: Config) -> Preservation:
        touched = [item.touched() for item in items]
        routes = []
        for labels in self._probe_labels():
            before = amrouting.receivers(start.route, labels.as_dict())
            if before == amrouting.receivers(solved.route, labels.as_dict()):
                routes.append(RouteProbe(labels, before))
        return Preservation(
            _names(one.alerts for one in touched),
            _names(one.records for one in touched),
            _names(one.receivers for one in touched),
            tuple(routes),
        )

    def _probe_labels(self) -> Iterable[Labels]:
        style = self.world.style
        for team in (*(one.name for one in self.world.teams), "nobody-we-know", ""):
            for level in (*style.severities.values(), style.info_severity):
                yield Labels.of(
                    {
                        "alertname": "Probe",
                        style.severity_label: level,
                        style.owner_label: team,
                        style.service_label: "probe",
                        **dict(style.extra_labels),
                    }
                )

    def reference_records(self) -> str:
        """The reference SLI records of every family, as a rule file."""
        groups: dict[str, list[Rule]] = {}
        for sli, service in self.planner.records():
            groups.setdefault(f"{sli.name}-{service.family.name}", []).extend(self._sli_rules(sli, service))
        return machine_text([Group(name, tuple(rules)) for name, rules in groups.items()]) + "\n"

    # --- files -------------------------------------------------------------------------------------------------------

    @property
    def canary(self) -> str:
        """The task's canary GUID."""
        return str(uuid.UUID(bytes=self.seed.child("canary").key[:16], version=4))

    def files(self, repo: Repo) -> dict[str, str]:
        """Rules and configuration as the house writes them."""
        out = {}
        for file in repo.rule_files:
            if file not in self.printed:
                self.printed[file] = print_rule_file(file, self.world.style, self._header)
            out[file.path] = self.printed[file]
        out[CONFIG_PATH] = self.config_text(repo.config)
        return out

    def config_text(self, config: Config) -> str:
        """The Alertmanager configuration as the house writes it; a hundred variants share a handful of them."""
        for known, text in self.printed_configs:
            if known == config:
                return text
        self.printed_configs.append((config, print_alertmanager(config, self.world.style, self._header)))
        return self.printed_configs[-1][1]

    @property
    def _header(self) -> tuple[str, ...]:
        return (f"canary {self.canary}",)

    def brief(self, items: Sequence[Item], start: Repo, solved: Config) -> Brief:
        """Everything the texts need."""
        style, axes, slis = self.world.style, self.axes, self.workflow.slis
        kinds = dict.fromkeys(
            (
                *(name for name, kind in KINDS.items() if isinstance(kind, BurnKind) and kind.sli.name in slis),
                *(item.kind.name for item in items if isinstance(item, AlertItem)),
                *(kind for service in self.world.services for kind in self._base_kinds(service)),
            )
        )
        example = self.subject(self.focus[0])
        anyone = self.subject(_placeholder(self.focus[0]))
        metrics: dict[str, str] = {}
        for kind in kinds:
            for service in self.world.services:
                metrics.update(dict(KINDS[kind].exported(self.subject(service))))
        records = dict.fromkeys(
            rule.name for sli, service in self.planner.records() for rule in self._sli_rules(sli, service)
        )
        return Brief(
            self.id,
            self.workflow.name,
            self.recipe.tier,  # type: ignore[arg-type]
            axes.expertise,
            axes.tone,
            self.world,
            tuple(item.request() for item in items),
            tuple(
                AlertEntry(
                    kind,
                    KINDS[kind].title,
                    KINDS[kind].novice(anyone),
                    style.severities[KINDS[kind].urgency(example)],
                    KINDS[kind].for_minutes(example),
                )
                for kind in kinds
            ),
            tuple(metrics.items()),
            tuple(records),
            tuple(file.path for file in start.rule_files),
            self.canary,
            self._requester(axes.persona),
            self.workflow.situations,
            windows(self.world.style),
            (
                f"While a service's `{style.symptoms['target-down']}` alert fires, the alerts that only follow from it "
                f"stay quiet for that service (same `{style.service_label}`), and for no other; everything else pages.",
                *(_suppression(rule) for rule in solved.inhibit_rules),
            ),
            routing_policy(self.world),
        )

    def draft(self) -> Draft:
        """The queue, placed and broken. Raises PlanError where this world has no place for it."""
        items = self.planner.items()
        solved = self.base(items)
        for item in items:
            solved = item.place(solved)
        items = tuple(self.planner.spoiled(items, solved.config))
        start = self._broken(solved, items)
        brief = self.brief(items, start, solved.config)
        text_seed = self.seed.child("texts")
        docs: dict[str, str] = dict(documents(brief, text_seed))
        untouched = [file for file in start.rule_files if file in solved.rule_files]
        docs.update(visible_tests(untouched, self.world, text_seed.child("visible"), self.canary))
        return Draft(self, items, start, solved, brief, docs)

    def task(self, made: Draft) -> Task:
        """The whole task."""
        items, start, solved, whole = made.items, made.start, made.solved, made.files
        text_seed = self.seed.child("texts")
        start_files = self.files(start)
        hidden = {f"baseline/{path}": text for path, text in start_files.items()}
        hidden["records.yml"] = self.reference_records()
        accepted, wrong, rounds = self._attempts(items, solved, whole)
        return Task(
            self.id,
            self.workflow.name,
            self.recipe.tier,
            self.number,
            {
                "archetype": self.axes.archetype,
                "expertise": self.axes.expertise,
                "industry": self.world.industry,
                "persona": self.axes.persona,
                "rules_format": "PrometheusRule" if self.world.style.manifests else "plain",
                "tone": self.axes.tone,
                "verifier": self.workflow.verifier,
            },
            self.world,
            whole(start),
            whole(solved),
            frozenset(path for path in made.docs if path.startswith("bin/")),
            self.spec(items, start, solved),
            hidden,
            instruction(made.brief, text_seed),
            readme(made.brief, text_seed),
            self.canary,
            accepted,
            wrong,
            rounds,
            whole(self._partial(items, solved)),
        )

    @staticmethod
    def _broken(solved: Repo, items: Sequence[Item]) -> Repo:
        for item in items:
            solved = item.break_(solved)
        return solved

    def _attempts(
        self, items: Sequence[Item], solved: Repo, whole: Callable[[Repo], Files]
    ) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...], tuple[Round, ...]]:
        """Every right and wrong way alone, and in rounds: many at once, each at an item of its own."""
        ways: dict[bool, list[list[tuple[Attempt, Edit]]]] = {True: [], False: []}
        for item in items:
            right = [(name, edit, None) for name, edit in item.accepted().items()]
            wrong = [(name, one.edit, one.bound) for name, one in item.wrong().items()]
            for good, some in ((True, right), (False, wrong)):
                ways[good].append(
                    [(Attempt(f"{item.id}/{n}", item.id, whole(e(solved)), bound), e) for n, e, bound in some]
                )
        # a wrong alert or record changes nothing about another; wrong routes and inhibitions may, so they stay alone
        alike = [[one for one in ways[False] if one and one[0][0].requirement[0] in letters] for letters in ("AP", "C")]
        rounds = [
            Round(whole(_all_of([edit for _, edit in some], solved)), tuple(attempt for attempt, _ in some))
            for group in (ways[True], *alike)
            for some in _turns(group)
        ]
        singles = {good: tuple(attempt for own in ways[good] for attempt, _ in own) for good in ways}
        return singles[True], singles[False], tuple(rounds)

    def _partial(self, items: Sequence[Item], solved: Repo) -> Repo:
        """Every second item done; of the others, the first is done in a wrong way, the rest not at all."""
        left = items[0::2]
        first = left[0]
        slips = list(first.wrong().values())
        return self._broken(self.seed.rng("partial").choice(slips).edit(solved), left[1:])


T = TypeVar("T")


def _turns(ways: Sequence[Sequence[T]]) -> list[list[T]]:
    """The first way of everything together, then the second of whatever has one, and so on."""
    return [
        [own[turn] for own in ways if turn < len(own)] for turn in range(max((len(own) for own in ways), default=0))
    ]


def _all_of(edits: Iterable[Edit], repo: Repo) -> Repo:
    for edit in edits:
        repo = edit(repo)
    return repo


def _placeholder(service: Service) -> Service:
    """Any service, for sentences about the house's policy."""
    family = replace(service.family, name="<family>")
    return replace(
        service,
        name="<service>",
        family=family,
        slo="SLO",
        latency_threshold="<latency threshold>",
        latency_slo="latency SLO",
    )


def _suppression(rule: InhibitRule) -> str:
    """One inhibition of the house in a sentence."""
    targets = ", ".join(f"`{name}`" for name in rule.target[0].value.split("|"))
    return f"`{rule.source[0].value}` keeps {targets} quiet."


def _metric(series: InputSeries) -> str:
    return series.series.split("{", 1)[0]


def _names(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for group in groups for name in group}))


__all__ = ["Draft", "catalogue", "create", "draft", "find_workflow", "task_id"]
