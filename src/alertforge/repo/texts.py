"""Everything people wrote in and around a repo: README, catalog, decisions, postmortems, the instruction.

Sentences come from `templates/wordings/*.txt`, several wordings each, and the order of things from the jinja2
templates beside them. What is said is the brief's; how it is said is drawn from the seed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Final

from alertforge.repo import catalog, script
from alertforge.repo.brief import Brief, Request
from alertforge.repo.printer import duration
from alertforge.repo.wordings import (
    ENVIRONMENT,
    TEMPLATES,
    Fact,
    agreeing,
    clause,
    compiled,
    upper,
    with_capitals,
    wordings,
)
from alertforge.seeds import Rng, Seed
from alertforge.world.model import BurnTier, Person, Service, Team
from alertforge.world.naming import slug, window_text

WORKSPACE: Final = "/workspace/monitoring"


def documents(brief: Brief, seed: Seed) -> dict[str, str]:
    """Every text of the repo beside rules, configuration and visible tests, by path."""
    author = _Author(brief, seed)
    out = {
        "README.md": author.readme(),
        catalog.PATH: catalog.catalog(brief, seed.child("catalog")),
        script.PATH: script.af_check(brief),
        **author.decisions(),
        **author.postmortems(),
    }
    if seed.rng("oncall").chance(50):
        out["docs/oncall.md"] = author.oncall()
    return dict(sorted(out.items()))


def instruction(brief: Brief, seed: Seed) -> str:
    """What the agent is asked to do."""
    return _Author(brief, seed).instruction()


def readme(brief: Brief, seed: Seed) -> str:
    """The README of the task directory, for a human who opens it."""
    return _Author(brief, seed).task_readme()


# --- wordings --------------------------------------------------------------------------------------------------------


def _placeholders(pattern: str) -> str:
    """`{Service}{symptom}` as a README writes it: `<Service><symptom>`."""
    return re.sub(r"\{(\w+)\}", r"<\1>", pattern)


def _listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars inside cells are escaped."""
    lines = ["| " + " | ".join(headers) + " |", "|" + "|".join("---" for _ in headers) + "|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _numbered(lines: Iterable[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))


def _in_drawn_order(text: str, rng: Rng) -> str:
    """The sections of a README, which `%%` stands between, the first and the last in their place; `§` is a number."""
    first, *sections, last = text.split("\n%%\n")
    ordered = [*rng.shuffled(sections), last]
    return "\n".join([first, *(one.replace("§", str(number)) for number, one in enumerate(ordered, 1))])


# --- what there is to say --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kind:
    """One alert policy, ready to print."""

    title: str
    symptom: str
    word: str
    condition: str
    example: str


@dataclass(frozen=True)
class _Tier:
    """One burn tier, ready to print."""

    title: str
    word: str
    long: str
    short: str
    factor: str
    wait: str
    spent: str


@dataclass(frozen=True)
class _Story:
    """One postmortem, ready to print; `timeline` has times of day."""

    number: int
    title: str
    day: date
    author: Person
    team: Team
    service: Service
    noticed: str
    saw: str
    impact: str
    timeline: tuple[tuple[str, str], ...]
    after: tuple[str, ...]
    remark: str
    status: str

    @property
    def id(self) -> str:
        """`PM-4043`."""
        return f"PM-{self.number}"

    @property
    def path(self) -> str:
        """Where it is in the repo."""
        return f"postmortems/{self.id}.md"


@dataclass(frozen=True)
class _Author:
    """Writes all texts of one task."""

    brief: Brief
    seed: Seed

    # --- saying things -----------------------------------------------------------------------------------------------

    def say(self, slot: str, *, turn: int = 0, **names: Any) -> str:
        """One wording of a slot. Further turns take other wordings before the first one comes back."""
        ways = self.seed.rng("say", slot).shuffled(wordings()[slot])
        return self._render(ways[turn % len(ways)], names)

    def _render(self, way: str, names: Mapping[str, Any]) -> str:
        return agreeing(compiled(way).render({**self.words, **names}))

    def tell(self, told: Fact, turn: int = 0) -> str:
        """A fact of the brief, in a wording of this task."""
        names = {name: self.tell(part, turn) if isinstance(part, Fact) else part for name, part in told.names}
        if targets := names.get("targets"):
            names["targets"] = _listed(targets.split(", "))
        return self.say(told.slot, turn=turn, **with_capitals(names))

    def draw(self, *names: str | int, of: Sequence[Any]) -> Any:
        """One of several things."""
        return self.seed.rng(*names).choice(of)

    def render(self, folder: str, key: str | int = "", **names: Any) -> str:
        """One of the templates of a folder."""
        found = sorted(path.name for path in (TEMPLATES / folder).glob("*.md.j2"))
        template = ENVIRONMENT.get_template(f"{folder}/{self.draw('template', folder, key, of=found)}")
        text = template.render({**self.words, "say": self.say, **self._tools, **names})
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip() + "\n"

    @property
    def _tools(self) -> dict[str, Any]:
        return {
            "table": _table, "bullets": _bullets, "numbered": _numbered, "day": _day, "brief": self.brief,
            "upper": upper, "me": self, "listed": _listed,
        }  # fmt: skip

    @cached_property
    def words(self) -> dict[str, Any]:
        """What every sentence may mention."""
        world, style = self.brief.world, self.brief.world.style
        service = world.services[0]
        example = self._alert_name(self.brief.policies[0].kind, service)
        extra = [f"`{key}: {value}`" for key, value in style.extra_labels]
        return {
            "company": world.company, "industry": world.industry, "blurb": world.blurb, "sre": world.sre,
            "sev": style.severity_label, "page": style.severities["page"], "ticket": style.severities["ticket"],
            "info": style.info_severity, "owner": style.owner_label, "svc": style.service_label,
            "pod": style.pod_label, "and_extra": f", as well as {_listed(extra)}" if extra else "",
            "summary": style.summary_key, "runbook_key": style.runbook_key, "desc": style.description_key or "",
            "runbook": _placeholders(style.runbook), "ext": style.yaml.extension, "days": style.slo_days,
            "rps": style.min_rps, "record_pattern": _placeholders(style.record_name),
            "latency_pattern": _placeholders(style.latency_record_name),
            "windows": _listed(f"`{window_text(minutes)}`" for minutes in self.brief.windows),
            "fallback": style.default_receiver, "group_by": _listed(f"`{label}`" for label in style.group_by),
            "name_pattern": _placeholders(style.alert_name), "example_service": service.name,
            "example_camel": service.camel, "example_title": service.title, "example_alert": example,
            "example_slug": slug(example), "teams": len(world.teams), "workspace": WORKSPACE,
            "nights": self.seed.rng("nights").between(3, 19), "copies": self.seed.rng("copies").between(5, 14),
            "page_to": _placeholders(style.receiver["page"]), "ticket_to": _placeholders(style.receiver["ticket"]),
            "canary": self.brief.canary,
        }  # fmt: skip

    def _alert_name(self, kind: str, service: Service) -> str:
        style = self.brief.world.style
        return style.alert_name.format(Service=service.camel, service=service.name, symptom=style.symptoms[kind])

    # --- README ------------------------------------------------------------------------------------------------------

    def readme(self) -> str:
        """The repo's README: layout, house style, policies, routing."""
        return _in_drawn_order(self.render("readme"), self.seed.rng("sections"))

    @property
    def kinds(self) -> list[_Kind]:
        """Every alert policy of the house."""
        service = self.draw("example", of=self.brief.world.services)
        symptoms = self.brief.world.style.symptoms
        return [
            _Kind(
                one.title,
                symptoms[one.kind],
                one.urgency,
                clause(self.tell(one.condition, turn)),
                self._alert_name(one.kind, service),
            )
            for turn, one in enumerate(self.brief.policies)
        ]

    @property
    def example_of_names(self) -> dict[str, Any]:
        """One alert name, with what it is made of."""
        service = self.draw("example", of=self.brief.world.services)
        entry = self.draw("example-kind", of=self.brief.policies)
        return {"kind": entry.title, "service": service.name, "name": self._alert_name(entry.kind, service)}

    @property
    def tiers(self) -> list[_Tier]:
        """The burn tiers, fast one first."""
        style = self.brief.world.style
        return [self._tier(name, style.burn[name]) for name in ("fast", "slow")]

    def _tier(self, name: str, tier: BurnTier) -> _Tier:
        style = self.brief.world.style
        spent = style.budget_spent(tier) * 100
        return _Tier(
            f"{name} burn",
            style.severities[tier.urgency],
            window_text(tier.long),
            window_text(tier.short),
            tier.factor,
            duration(tier.for_ * 60_000),
            f"{float(spent):g}",
        )

    def rows(self, *columns: str) -> list[list[str]]:
        """A table of the alert policies; names and words in code marks."""
        code = {"symptom", "word", "example"}
        return [
            [f"`{getattr(kind, name)}`" if name in code else getattr(kind, name) for name in columns]
            for kind in self.kinds
        ]

    @property
    def condition_lines(self) -> list[str]:
        """The alert policies, a sentence each."""
        return [f"{upper(one.title)} is `{one.word}`: {one.condition}." for one in self.kinds]

    @property
    def tier_rows(self) -> list[list[str]]:
        """The burn tiers as a table."""
        return [
            [one.title, f"`{one.word}`", one.long, one.short, one.factor, one.wait, f"{one.spent} % in {one.long}"]
            for one in self.tiers
        ]

    @property
    def tier_rows_short(self) -> list[list[str]]:
        """The same, urgency late."""
        return [
            [one.title, one.long, one.short, f"{one.factor}×", one.wait, f"`{one.word}`", f"{one.spent} %"]
            for one in self.tiers
        ]

    @property
    def tier_columns(self) -> list[list[str]]:
        """The same, a column a tier."""
        fast, slow = self.tier_rows
        names = ("urgency", "long window", "short window", "factor", "`for`", "budget spent")
        return [[name, a, b] for name, a, b in zip(names, fast[1:], slow[1:], strict=True)]

    @property
    def tier_sentences(self) -> list[str]:
        """The same, a sentence a tier."""
        return [
            self.say(
                "burn-tier", turn=turn, name=f"**{one.title}**", word=one.word, factor=one.factor, long=one.long,
                short=one.short, wait=one.wait, spent=one.spent,
            )
            for turn, one in enumerate(self.tiers, 2)
        ]  # fmt: skip

    @property
    def places(self) -> list[str]:
        """Where rules are, and how they are wrapped."""
        style = self.brief.world.style
        return [
            self.say(f"place-{style.files}"),
            self.say("place-records"),
            self.say("place-exporters"),
            self.say("manifests" if style.manifests else "plain"),
        ]

    @property
    def label_rules(self) -> list[str]:
        """Which labels an alert carries."""
        return [self.say("labels"), self.say("labels-other"), self.say("one-alert")]

    @property
    def naming(self) -> list[str]:
        """How alerts are named."""
        out = [self.say("names")]
        if re.search(r"\{[Ss]ervice\}", self.brief.world.style.alert_name):
            out.append(self.say("name-parts"))
        return [*out, self.say("names-example", **self.example_of_names)]

    @property
    def annotating(self) -> list[str]:
        """Annotations and runbooks."""
        style = self.brief.world.style
        out = [self.say("annotations"), self.say("runbook")]
        if style.description_key:
            out.insert(1, self.say("description"))
        if "{slug}" in style.runbook:
            out.append(self.say("slug"))
        return out

    @property
    def burning(self) -> list[str]:
        """How burn alerts work."""
        return [self.say("burn"), self.say("period")]

    @property
    def guards(self) -> list[str]:
        """Minimum traffic, where some policy has it."""
        return [self.say("guard")] if any(one.kind == "error-ratio" for one in self.brief.policies) else []

    @property
    def recording(self) -> list[str]:
        """What is recorded, and under which names."""
        style = self.brief.world.style
        out = [self.say("records"), self.say("records-windows")]
        families = {service.family.name for service in self.brief.world.services}
        if "{family}" not in style.record_name and len(families) > 1:
            out.append(self.say("records-shared"))
        latency = re.escape(style.latency_record_name).replace(r"\{family\}", ".+").replace(r"\{window\}", ".+")
        if any(re.fullmatch(latency, name) for name in self.brief.records):
            out.append(self.say("latency-records"))
        return out

    @property
    def routing(self) -> list[str]:
        """The routing policy."""
        return [self.tell(one) for one in self.brief.routing]

    @property
    def inhibiting(self) -> list[str]:
        """The inhibition policy."""
        return [self.tell(one) for one in self.brief.inhibitions]

    @property
    def metric_rows(self) -> list[tuple[str, str]]:
        """What targets export."""
        return [(f"`{name}`", self.tell(what)) for name, what in self.brief.metrics]

    # --- decisions ---------------------------------------------------------------------------------------------------

    def decisions(self) -> dict[str, str]:
        """Two or three architecture decision records, oldest first."""
        rng = self.seed.rng("adr")
        topics = ["burn", "routing"]
        if rng.chance(60):
            topics.append(rng.choice(["records", "labels"]))
        number = rng.between(2, 30)
        day = self.brief.world.calendar.incident - timedelta(days=rng.between(200, 400))
        out = {}
        for topic in rng.shuffled(topics):
            title = self.say(f"{topic}-title")
            path = f"docs/adr/{number:04d}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.md"
            out[path] = self._decision(topic, title, number, day)
            number += rng.between(1, 4)
            day += timedelta(days=rng.between(9, 60))
        return out

    def _decision(self, topic: str, title: str, number: int, day: date) -> str:
        world = self.brief.world
        names: dict[str, Any] = {}
        if topic == "burn":
            names = {
                one.title.split()[0]: self.say(
                    "burn-tier", turn=turn, name=one.title, word=one.word, factor=one.factor, long=one.long,
                    short=one.short, wait=one.wait, spent=one.spent,
                )
                for turn, one in enumerate(self.tiers)
            }  # fmt: skip
        decision = upper(self.say(f"{topic}-decision", **names))
        if topic == "burn":
            decision = re.sub(r"(?<=\. )([a-z])", lambda found: found[1].upper(), decision)
        if topic == "routing":
            decision += " " + self.say(f"routing-layout-{world.style.routing}")
        deciders = self.seed.rng("deciders", topic).sample(world.teams, 2)
        return self.render(
            "adr",
            topic,
            title=title,
            number=number,
            date=day,
            deciders=[world.sre, *(team.lead for team in deciders)],
            context=self.say(f"{topic}-context"),
            decision=decision,
            alternatives=self.say(f"{topic}-alternatives"),
            consequences=[self.say(f"{topic}-consequences", turn=turn) for turn in (0, 1)],
        )

    def oncall(self) -> str:
        """Notes for people who are on call."""
        rng = self.seed.rng("shift")
        shift: dict[str, Any] = {
            "weekday": rng.choice(["Monday", "Tuesday", "Wednesday", "Thursday"]),
            "hour": rng.between(9, 15),
        }
        slots = rng.shuffled(["oncall-page", "oncall-ticket", "oncall-wrong", "oncall-handover"])
        world = self.brief.world
        lines = [
            f"# {rng.choice(['On call', 'The pager', 'On-call notes', 'Carrying the pager'])}",
            self.say("oncall-intro"),
            _bullets([self.say("oncall-shift", **shift), *(self.say(slot) for slot in slots)]),
            _table(
                rng.choice([("Team", "Lead", "Pages go to"), ("Who", "Ask", "Receiver"), ("Team", "Contact", "Pager")]),
                [(team.title, f"{team.lead.name} (@{team.lead.handle})", self._receiver(team)) for team in world.teams],
            ),
            f"<!-- canary {self.brief.canary} -->",
        ]
        return "\n\n".join(lines) + "\n"

    def _receiver(self, team: Team) -> str:
        return f"`{self.brief.world.style.receiver['page'].format(team=team.name)}`"

    # --- postmortems -------------------------------------------------------------------------------------------------

    def postmortems(self) -> dict[str, str]:
        """A postmortem for everything that has one, and those about other things."""
        return {
            story.path: self.render("postmortem", story.number, pm=story, names=story)
            for story in self._stories.values()
        }

    @cached_property
    def _stories(self) -> dict[str, _Story]:
        """Stories by the id of their request, decoys by a number; numbers and dates rise together."""
        told = [one.id for one in self.brief.requests if one.symptom and not one.audit]
        order = self.seed.rng("stories").shuffled([*told, *(f"decoy {n}" for n in range(self.brief.decoys))])
        requests = {one.id: one for one in self.brief.requests}
        out = {}
        said: set[str] = set()
        for key, (number, day) in zip(order, self._report_dates(len(order)), strict=True):
            if key in requests:
                out[key] = self._story(requests[key], number, day, said)
            else:
                out[key] = self._decoy(int(key.split()[1]), number, day, said)
        return out

    def _report_dates(self, count: int) -> list[tuple[int, date]]:
        """Numbers and days of so many postmortems, the newest on the day of the incident."""
        rng = self.seed.rng("calendar")
        number, day = self.brief.world.calendar.first_incident, self.brief.world.calendar.incident
        numbers, days = [], [day]
        for _ in range(count):
            numbers.append(number)
            number += rng.choice([1, 1, 1, 2, 2, 3])
        for _ in range(count - 1):
            day -= timedelta(days=rng.between(1, 19))
            if day.weekday() >= _SATURDAY and rng.chance(80):
                day -= timedelta(days=day.weekday() - _SATURDAY + 1)
            days.append(day)
        return list(zip(numbers, reversed(days), strict=True))

    def _pick(self, slot: str, *more: str, said: set[str], **names: Any) -> str:
        """A wording of the slot or of its variants, one that no other postmortem has while there are any left."""
        slots = [slot, *(f"{slot}-{one}" for one in more if f"{slot}-{one}" in wordings())]
        ways = self.seed.rng("pick", *slots).shuffled([way for one in slots for way in wordings()[one]])
        way = next((one for one in ways if one not in said), None) or self.draw("again", slot, len(said), of=ways)
        said.add(way)
        return self._render(way, names)

    def _story(self, request: Request, number: int, day: date, said: set[str]) -> _Story:
        world = self.brief.world
        rng = self.seed.rng("story", request.id)
        team = world.team(request.subject.team)
        who, other = rng.sample(team.members, 2)
        kind = "alert" if request.category == "repair" else request.category
        names: dict[str, Any] = {
            "name": request.name,
            "about": _about(request),
            "them": "them" if kind == "recording" else "it",
            "who": who.name,
            "role": who.role,
            "other": other.name,
            "team": team.title,
            "service": request.subject.name,
            "ticket": f"{world.ticket_prefix}-{self._ticket(number)}",
        }
        flavour = request.flavour or "silent" if kind == "alert" else _FLAVOURS[kind]

        def told(slot: str, *more: str) -> str:
            return self._pick(slot, *more, said=said, **names)

        circle = {"page": ("heard", "page"), "ticket": ("heard",)}.get(request.heard, ("unheard",))
        steps = [told(f"event-{flavour}"), told("step-first")]
        steps += [told("step-middle", kind) for _ in range(rng.between(1, 2))]
        steps.append(told("step-last", kind))
        return _Story(
            number,
            upper(told(f"title-{flavour}", *circle)),
            day,
            rng.choice([who, other, world.sre]),
            team,
            request.subject,
            told(f"noticed-{flavour}", *circle),
            _sentence(request.symptom, (request.name, request.subject.name)),
            told(f"impact-{flavour}", *circle),
            _clock(rng.between(8 * 60, 10 * 60), [rng.between(2, 55) for _ in steps[1:]], steps),
            (upper(told("next", kind)),),
            told(rng.choice(["well", "blame"]), kind) if rng.chance(33) else "",
            "open",
        )

    def _ticket(self, report: int) -> int:
        """The ticket that a postmortem opened; later postmortems have higher ones."""
        calendar = self.brief.world.calendar
        return calendar.first_ticket + 7 * (report - calendar.first_incident) + self.seed.rng("ticket", report).below(7)

    def _decoy(self, turn: int, number: int, day: date, said: set[str]) -> _Story:
        world = self.brief.world
        rng = self.seed.rng("decoy", turn)
        pool = [slot for slot in wordings() if re.fullmatch(r"decoy-\d+", slot)]
        slot = self.seed.rng("decoys").shuffled(pool)[turn]
        service = rng.choice(world.services[world.focus :] or world.services)
        team = world.team(service.team)
        who, other = rng.sample(team.members, 2)
        texts = dict(line.split(": ", 1) for line in wordings()[slot])
        texts = {key: compiled(text).render(service=service.name, team=team.title) for key, text in texts.items()}
        told = partial(self._pick, said=said, who=who.name, other=other.name, role=who.role, team=team.title)
        steps = [told("decoy-first"), told("decoy-middle"), told("decoy-last")]
        if rng.chance(50):
            steps.insert(1, told("decoy-between"))
        return _Story(
            number,
            texts["title"],
            day,
            rng.choice([who, team.lead]),
            team,
            service,
            told("decoy-noticed"),
            texts["saw"],
            texts["cause"],
            _clock(rng.between(7 * 60, 16 * 60), [rng.between(2, 55) for _ in steps[1:]], steps),
            (texts["done"],),
            told("closed") if rng.chance(50) else "",
            "closed",
        )

    # --- around the repo ---------------------------------------------------------------------------------------------

    def instruction(self) -> str:
        """The agent's instruction."""
        brief, world = self.brief, self.brief.world
        rng = self.seed.rng("instruction")
        focus = world.services[: world.focus]
        requester = brief.requester
        names = _listed(f"`{service.name}`" for service in focus)
        forms: dict[str, Any] = (
            {"get": "get", "have": "have", "are": "are"}
            if len(focus) > 1
            else {"get": "gets", "have": "has", "are": "is"}
        )
        situation = compiled(rng.choice(brief.situations)).render(services=names, **forms)
        return self.render(
            f"instruction/{brief.tone}",
            hello=self.say(f"hello-{brief.tone}", requester=requester.name, role=requester.role),
            situation=situation,
            requests=self._requests(),
            constraints=[self.say(slot) for slot in rng.shuffled(_CONSTRAINTS)],
            requester=requester,
        )

    def _requests(self) -> list[str]:
        shuffled = self.seed.rng("queue").shuffled(self.brief.requests)
        return [f"**{one.id}** {self._request(one, turn)}" for turn, one in enumerate(shuffled)]

    def _request(self, request: Request, turn: int) -> str:
        """The request in the words of its expertise level; what is broken is told by what people saw."""
        parts = [self._wish(request, turn), *request.notes]
        return " ".join(upper(part) for part in parts)

    def _wish(self, request: Request, turn: int) -> str:
        if not request.symptom:
            return self.tell(request.exact if self.brief.expertise == "novice" else request.outcome, turn)
        review = _day(self.brief.world.calendar.review)
        story = None if request.audit else self._stories[request.id]
        if request.category == "repair" or request.category == "alert":
            if story is None:
                return self.say("audit", turn=turn, name=request.name, date=review)
            return self.say("repair", turn=turn, name=request.name, pm=story.path)
        names: dict[str, Any] = {"family": request.subject.family.name, "team": request.name, "source": request.name}
        wish = self.say(f"{request.category}-broken", turn=turn, **names)
        if story is None:
            return f"{wish} {self.say('review-pointer', turn=turn, date=review)}"
        return f"{wish} {self.say('pointer', turn=turn, pm=story.path)}"

    def task_readme(self) -> str:
        """The README of the task directory."""
        brief = self.brief
        counts: dict[str, int] = {}
        for one in brief.requests:
            counts[one.category] = counts.get(one.category, 0) + 1
        queue = _listed(f"{count} {_plural(category, count)}" for category, count in counts.items())
        return self.render("task", queue=queue, services=brief.world.services[: brief.world.focus])


_SATURDAY: Final = 5
_FLAVOURS: Final = {"recording": "wrong", "route": "route", "inhibition": "inhibition"}
_CONSTRAINTS: Final = ("keep", "settings", "times", "alerts-metric", "inputs", "paths", "tools")
_PLURALS: Final = {
    "alert": ("new alert", "new alerts"),
    "repair": ("repair", "repairs"),
    "recording": ("set of records", "sets of records"),
    "route": ("route", "routes"),
    "inhibition": ("inhibition", "inhibitions"),
}


def _plural(category: str, count: int) -> str:
    return _PLURALS[category][count != 1]


def _about(request: Request) -> str:
    """What a postmortem is about, as a phrase."""
    match request.category:
        case "recording":
            return f"the SLI records of the `{request.subject.family.name}` family"
        case "route":
            return f"the routing of team `{request.name}`"
        case "inhibition":
            return f"the suppression around `{request.name}`"
        case _:
            return f"`{request.name}`"


def _sentence(symptom: str, names: Sequence[str]) -> str:
    """A symptom as a sentence of its own; names keep their spelling."""
    text = symptom if symptom.startswith(tuple(names)) else upper(symptom)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _clock(start: int, gaps: Sequence[int], steps: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Steps with times of day; `start` is in minutes, and so are the gaps between steps."""
    times = accumulate(gaps, initial=start)
    return tuple((f"{time // 60:02d}:{time % 60:02d}", step) for time, step in zip(times, steps, strict=True))


__all__ = ["documents", "instruction", "readme"]
