"""From a seed to a task: plan the queue, build the solved repo, break it, derive the contract, write the texts."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from alertforge.alertmanager import inhibition as aminhibition
from alertforge.alertmanager import routing as amrouting
from alertforge.alertmanager.config import Config, InhibitRule
from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.defects import CONFIG_DEFECTS, applicable
from alertforge.errors import AlertForgeError
from alertforge.grader.spec import (
    SPEC_VERSION,
    AlertRequirement,
    InhibitionCase,
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
from alertforge.items.recording import RecordingItem, sli_record, sli_windows
from alertforge.items.route import RouteItem
from alertforge.prometheus.rules import Group, RuleFile, machine_text
from alertforge.prometheus.series import Labels
from alertforge.repo import exporters
from alertforge.repo.brief import AlertEntry, Brief, Expertise, Tone
from alertforge.repo.model import CONFIG_PATH, Repo, alert_place, record_place
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.repo.routing import base_config, inhibit_rule, routing_policy
from alertforge.repo.texts import documents, instruction, readme
from alertforge.repo.visible import visible_tests
from alertforge.seeds import Seed
from alertforge.task import Attempt, Files, Task
from alertforge.world.create import create as create_world
from alertforge.world.create import deal
from alertforge.world.model import Service, World

TIERS: Final = ("easy", "medium", "hard")
SEEDS_PER_TIER: Final = 2
WORKFLOWS: Final = ("slo-onboarding",)
DISTRACTORS: Final = {"easy": 1, "medium": 3, "hard": 8}
EXPERTISE: Final[Mapping[str, tuple[Expertise, ...]]] = {
    "easy": ("novice", "practitioner"),
    "medium": ("practitioner", "expert"),
    "hard": ("practitioner", "expert"),
}
TONES: Final[tuple[Tone, ...]] = ("plain", "friendly", "terse", "formal")


def catalogue() -> tuple[tuple[str, str, str, int], ...]:
    """The core tier: (task id, workflow, tier, seed number), in the order of the ids."""
    out = []
    for workflow in WORKFLOWS:
        for tier in TIERS:
            for number in range(1, SEEDS_PER_TIER + 1):
                out.append((task_id(workflow, tier, number), workflow, tier, number))
    return tuple(out)


def task_id(workflow: str, tier: str, number: int) -> str:
    """`af-001-slo-onboarding-easy-s1`; tasks beyond the core tier have no number: `af-x-slo-onboarding-easy-s7`."""
    index = "x"
    if number <= SEEDS_PER_TIER:
        place = (WORKFLOWS.index(workflow) * len(TIERS) + TIERS.index(tier)) * SEEDS_PER_TIER + number
        index = f"{place:03d}"
    return f"af-{index}-{workflow}-{tier}-s{number}"


def create(workflow: str, tier: str, number: int, master: str | int) -> Task:
    """One task. Raises AlertForgeError for an unknown workflow or tier, or a number below 1."""
    if workflow not in WORKFLOWS:
        raise AlertForgeError(f"unknown workflow {workflow!r}: one of {', '.join(WORKFLOWS)}")
    if tier not in TIERS:
        raise AlertForgeError(f"unknown tier {tier!r}: one of {', '.join(TIERS)}")
    if number < 1:
        raise AlertForgeError(f"seed numbers start at 1, not {number}")
    root = Seed.master(master)
    seed = root.child(workflow, tier, number)
    return _Maker(workflow, tier, number, seed, _world(root, seed, workflow, tier, number)).task()


def _world(root: Seed, seed: Seed, workflow: str, tier: str, number: int) -> World:
    """The task's company: dealt without repeats over the core tier; one whose alert names hold the service's name."""
    focus = TIERS.index(tier) + 1
    ids = [item[0] for item in catalogue()]
    own = task_id(workflow, tier, number)
    company = deal(root.child("companies"), len(ids))[ids.index(own)] if own in ids else None
    for attempt in range(100):
        world = create_world(seed.child("world", attempt), services=focus, company=company)
        if "{Service}" in world.style.alert_name or "{service}" in world.style.alert_name:
            return world
    raise AlertForgeError("no usable house style in 100 draws")


@dataclass(frozen=True)
class _Maker:
    """Builds one task; every method reads the same seed and world."""

    workflow: str
    tier: str
    number: int
    seed: Seed
    world: World
    printed: dict[RuleFile, str] = field(default_factory=dict)
    printed_configs: list[tuple[Config, str]] = field(default_factory=list)

    # --- the queue ---------------------------------------------------------------------------------------------------

    @property
    def focus(self) -> tuple[Service, ...]:
        """The services the task is about."""
        return self.world.services[: self.world.focus]

    def subject(self, service: Service) -> Subject:
        """A service as alert kinds see it."""
        return Subject(self.world, service)

    def beside(self, service: Service) -> tuple[Service, ...]:
        """Who shares a service's scenarios: one other service, of the same family where there is one."""
        others = [one for one in self.world.services if one != service]
        same = [one for one in others if one.family == service.family]
        return tuple((same or others)[:1])

    def health_kinds(self, service: Service) -> tuple[str, ...]:
        """The alerts that watch a service beside its SLO: whether it is up, and two or three more."""
        rng = self.seed.rng("health", service.name)
        more = [name for name, kind in KINDS.items() if not kind.burn and name != "target-down"]
        count = 3 if service in self.focus else 1
        return ("target-down", *rng.sample(more, count))

    def items(self) -> tuple[Item, ...]:
        """The queue of this workflow and tier."""
        alerts = self._new_alerts()
        repairs = self._repairs({"easy": 1, "medium": 3, "hard": 5}[self.tier])
        records = self._recordings(2 if self.tier == "hard" else 1)
        routes = self._routes(2 if self.tier == "hard" else 1)
        wanted = {"easy": 5, "medium": 10, "hard": 14}[self.tier]
        left = wanted - len(alerts) - len(repairs) - len(records) - len(routes)
        inhibitions = self._inhibitions(left, alerts)
        return (*alerts, *repairs, *records, *routes, *inhibitions)

    def _new_alerts(self) -> tuple[AlertItem, ...]:
        wanted = {
            "easy": ((0, "fast-burn"),),
            "medium": ((0, "fast-burn"), (0, "slow-burn"), (1, "fast-burn")),
            "hard": ((0, "fast-burn"), (0, "slow-burn"), (1, "fast-burn"), (2, "slow-burn")),
        }[self.tier]
        out = []
        for index, (place, kind) in enumerate(wanted, 1):
            service = self.focus[place]
            out.append(
                AlertItem(
                    f"A{index}",
                    self.subject(service),
                    KINDS[kind],
                    self.beside(service),
                    self.seed.child(f"A{index}"),
                )
            )
        return tuple(out)

    def _repairs(self, count: int) -> tuple[AlertItem, ...]:
        """Broken health alerts, spread over the services; no defect twice, hidden ones only on hard."""
        out: list[AlertItem] = []
        used: set[str] = set()
        pairs = [(service, kind) for service in self.focus for kind in self.health_kinds(service)]
        for service, name in self.seed.rng("repairs").shuffled(pairs):
            if len(out) == count:
                break
            item_id = f"P{len(out) + 1}"
            subject, kind = self.subject(service), KINDS[name]
            choices = [
                (defect, broken)
                for defect, broken in applicable(kind.rule(subject), subject, self.seed.child(item_id, "defect"))
                if defect.name not in used and (defect.hidden or self.tier != "hard")
            ]
            if not choices:
                continue
            defect, broken = self.seed.rng(item_id, "choice").choice(choices)
            used.add(defect.name)
            audit = self.tier == "hard" and len(out) == count - 1
            out.append(
                AlertItem(item_id, subject, kind, self.beside(service), self.seed.child(item_id), defect, broken, audit)
            )
        return tuple(out)

    def _recordings(self, count: int) -> tuple[RecordingItem, ...]:
        families: dict[str, Service] = {}
        for service in self.world.services:
            families.setdefault(service.family.name, service)
        out: list[RecordingItem] = []
        for index, service in enumerate(list(families.values())[:count], 1):
            item_seed = self.seed.child(f"C{index}")
            item = RecordingItem(f"C{index}", self.subject(service), self.beside(service), item_seed)
            if index > 1:
                item = self._broken_records(item)
            out.append(item)
        return tuple(out)

    def _broken_records(self, item: RecordingItem) -> RecordingItem:
        """The same records, all with one defect."""
        first = item.rules[0]
        choices = [defect for defect, _ in applicable(first, item.subject, item.seed)]
        for defect in item.seed.rng("defect").shuffled(choices):
            broken = [defect.apply(rule, item.subject, item.seed) for rule in item.rules]
            if all(rule is not None for rule in broken):
                return replace(item, defect=defect, broken=tuple(rule for rule in broken if rule is not None))
        return item

    def _routes(self, count: int) -> tuple[RouteItem, ...]:
        teams = list(dict.fromkeys(service.team for service in self.focus))[:count]
        out = []
        for index, name in enumerate(teams, 1):
            service = next(one for one in self.focus if one.team == name)
            strangers = tuple(team for team in self.world.teams if team.name not in teams)
            out.append(
                RouteItem(
                    f"R{index}", self.world, service, self.world.team(name), strangers, self.seed.child(f"R{index}")
                )
            )
        return tuple(out)

    def _inhibitions(self, count: int, alerts: Sequence[AlertItem]) -> tuple[InhibitionItem, ...]:
        out = []
        for index, service in enumerate(self.focus[:count], 1):
            subject = self.subject(service)
            kinds = self.health_kinds(service)
            targets = [item.rule.name for item in alerts if item.subject.service == service]
            consequences = [kind for kind in kinds if kind in ("error-ratio", "latency-quantile")]
            targets += [subject.alert_name(kind) for kind in consequences]
            if len(targets) < 2:
                targets.append(subject.alert_name(kinds[1]))
            quiet = [subject.alert_name(kind) for kind in kinds[1:] if subject.alert_name(kind) not in targets]
            other = self.beside(service)[0]
            out.append(
                InhibitionItem(
                    f"I{index}",
                    subject,
                    subject.alert_name("target-down"),
                    tuple(targets),
                    tuple(quiet),
                    other,
                    self.seed.child(f"I{index}"),
                    self._tickets(subject),
                )
            )
        return tuple(out)

    @staticmethod
    def _tickets(subject: Subject) -> frozenset[str]:
        """The alerts of a service that ask for a ticket in this house."""
        return frozenset(subject.alert_name(name) for name, kind in KINDS.items() if kind.urgency(subject) == "ticket")

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
        """A healthy sibling burn alert stands in the repo unless the tier is hard."""
        burn = ("fast-burn",) if service not in self.focus and self.tier != "hard" else ()
        return (*self.health_kinds(service), *burn)

    def _base_records(self, repo: Repo, items: Sequence[Item]) -> Repo:
        families = {item.subject.service.family.name for item in items if isinstance(item, RecordingItem)}
        done: set[str] = set()
        for service in self.world.services:
            name = service.family.name
            if name in families or name in done:
                continue
            done.add(name)
            path, group = record_place(self.world, name)
            rules = [sli_record(self.subject(service), window) for window in sli_windows(self.world)]
            repo = repo.add(path, group, rules, manifests=self.world.style.manifests)
        return repo

    def _exporters(self) -> tuple[exporters.Exporter, ...]:
        names = self.seed.rng("exporters").sample(exporters.load_all(), DISTRACTORS[self.tier])
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
            task_id(self.workflow, self.tier, self.number),
            tuple(scenarios),
            tuple(r for r in requirements if isinstance(r, AlertRequirement)),
            tuple(r for r in requirements if isinstance(r, RecordingRequirement)),
            tuple(r for r in requirements if isinstance(r, RouteRequirement)),
            tuple(r for r in requirements if isinstance(r, InhibitionRequirement)),
            self._preservation(items, start.config, solved.config),
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
        inhibitions = []
        for labels, others in self._inhibition_probes(start):
            alerts = [labels.as_dict(), *(other.as_dict() for other in others)]
            outcomes = [bool(aminhibition.inhibited(c.inhibit_rules, alerts)[0]) for c in (start, solved)]
            if outcomes[0] == outcomes[1]:
                inhibitions.append(InhibitionCase(labels, others, outcomes[0], "as before"))
        return Preservation(
            _names(one.alerts for one in touched),
            _names(one.records for one in touched),
            _names(one.receivers for one in touched),
            tuple(routes),
            tuple(inhibitions),
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

    def _inhibition_probes(self, config: Config) -> Iterable[tuple[Labels, tuple[Labels, ...]]]:
        label = self.world.style.service_label
        for rule in config.inhibit_rules:
            source = rule.source[0].value
            for target in rule.target[0].value.split("|"):
                for service in ("one", "two"):
                    yield (
                        Labels.of({"alertname": target, label: "one"}),
                        (Labels.of({"alertname": source, label: service}),),
                    )

    def reference_records(self) -> str:
        """The reference SLI records of every family, as a rule file."""
        seen: dict[str, Service] = {}
        for service in self.world.services:
            seen.setdefault(service.family.name, service)
        groups = [
            Group(f"sli-{name}", tuple(sli_record(self.subject(one), window) for window in sli_windows(self.world)))
            for name, one in seen.items()
        ]
        return machine_text(groups) + "\n"

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
        style = self.world.style
        rng = self.seed.rng("axes")
        kinds = dict.fromkeys(
            kind for service in self.world.services for kind in ("fast-burn", "slow-burn", *self.health_kinds(service))
        )
        example = self.subject(self.focus[0])
        anyone = self.subject(_placeholder(self.focus[0]))
        metrics: dict[str, str] = {}
        for kind in kinds:
            for service in self.world.services:
                metrics.update(dict(KINDS[kind].exported(self.subject(service))))
        families: dict[str, Service] = {}
        for service in self.world.services:
            families.setdefault(service.family.name, service)
        records = dict.fromkeys(
            self.subject(one).record(window) for one in families.values() for window in sli_windows(self.world)
        )
        return Brief(
            task_id(self.workflow, self.tier, self.number),
            self.workflow,
            self.tier,  # type: ignore[arg-type]
            rng.choice(EXPERTISE[self.tier]),
            rng.choice(TONES),
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
            sli_windows(self.world),
            (
                f"While a service's `{style.symptoms['target-down']}` alert fires, the alerts that only follow from it "
                f"stay quiet for that service (same `{style.service_label}`), and for no other; everything else pages.",
                *(_suppression(rule) for rule in solved.inhibit_rules),
            ),
            routing_policy(self.world),
        )

    def task(self) -> Task:
        """The whole task."""
        items = self.items()
        solved = self.base(items)
        for item in items:
            solved = item.place(solved)
        items = tuple(self._spoiled(item, solved.config) for item in items)
        start = self._broken(solved, items)
        brief = self.brief(items, start, solved.config)
        text_seed = self.seed.child("texts")
        docs: dict[str, str] = dict(documents(brief, text_seed))
        untouched = [file for file in start.rule_files if file in solved.rule_files]
        docs.update(visible_tests(untouched, self.world, text_seed.child("visible"), self.canary))

        def whole(repo: Repo) -> Files:
            return dict(sorted({**self.files(repo), **docs}.items()))

        start_files = self.files(start)
        hidden = {f"baseline/{path}": text for path, text in start_files.items()}
        hidden["records.yml"] = self.reference_records()
        accepted, wrong = self._attempts(items, solved, whole)
        return Task(
            task_id(self.workflow, self.tier, self.number),
            self.workflow,
            self.tier,
            self.number,
            {
                "expertise": brief.expertise,
                "tone": brief.tone,
                "industry": self.world.industry,
                "rules_format": "PrometheusRule" if self.world.style.manifests else "plain",
            },
            self.world,
            whole(start),
            whole(solved),
            frozenset(path for path in docs if path.startswith("bin/")),
            self.spec(items, start, solved),
            hidden,
            instruction(brief, text_seed),
            readme(brief, text_seed),
            self.canary,
            accepted,
            wrong,
            whole(self._partial(items, solved)),
        )

    @staticmethod
    def _spoiled(item: Item, solved: Config) -> Item:
        """The first route and the first inhibition of a queue are new; further ones are there, with a defect."""
        if isinstance(item, RouteItem | InhibitionItem) and item.id[1:] != "1":
            family = "routes" if isinstance(item, RouteItem) else "inhibitions"
            choices = [defect for defect in CONFIG_DEFECTS.values() if defect.family == family]
            for defect in item.seed.rng("defect").shuffled(choices):
                if item.shows(defect, solved):
                    return replace(item, defect=defect)
        return item

    @staticmethod
    def _broken(solved: Repo, items: Sequence[Item]) -> Repo:
        for item in items:
            solved = item.break_(solved)
        return solved

    def _attempts(
        self, items: Sequence[Item], solved: Repo, whole: Callable[[Repo], Files]
    ) -> tuple[tuple[Attempt, ...], tuple[Attempt, ...]]:
        def attempt(item: Item, name: str, edit: Edit, bound: float | None) -> Attempt:
            return Attempt(f"{item.id}/{name}", item.id, whole(edit(solved)), bound)

        accepted = [attempt(item, name, edit, None) for item in items for name, edit in item.accepted().items()]
        wrong = [attempt(item, name, one.edit, one.bound) for item in items for name, one in item.wrong().items()]
        return tuple(accepted), tuple(wrong)

    def _partial(self, items: Sequence[Item], solved: Repo) -> Repo:
        """Every second item done; of the others, the first is done in a wrong way, the rest not at all."""
        left = items[0::2]
        first = left[0]
        slips = list(first.wrong().values())
        return self._broken(self.seed.rng("partial").choice(slips).edit(solved), left[1:])


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


__all__ = ["catalogue", "create", "task_id"]
