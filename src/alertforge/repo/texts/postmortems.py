"""Postmortems: what people saw, and what came of it; never why it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any, Final

from alertforge.repo.brief import Request
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import compiled, upper, wordings
from alertforge.seeds import Rng
from alertforge.world.calendar import working_day
from alertforge.world.catalog import protocol
from alertforge.world.model import Person, Service, Team

_FLAVOURS: Final = {"recording": "wrong", "route": "route", "inhibition": "inhibition"}
# What a wording may rely on, as it is written after the name of its slot.
_CIRCLES: Final = {"page": ("heard", "page"), "ticket": ("heard",), "": ("unheard",)}
_NOTICED: Final = ("live", "found")  # while the alert fired or should have; or later, by somebody who looked back
_TRIED: Final = re.compile(r"\b(in a test|on purpose)\b")  # nothing of this happened by itself
_NOW: Final = re.compile(  # somebody looks on
    r"\b(watched|on (a|the) graphs?|in vain|expected \S+ when|(?<!never )saw (the|every))\b"
)
_PAST: Final = re.compile(  # what is told with such words is not seen as it happens
    r"\b(hours?|minutes|days?|weeks?|months?|quarter|year|since|last|incidents?|review|after(wards)?|back|every"
    r"|once|later|long|used|end|lunch|over)\b"
)
WAYS: Final = 2  # stories that each decoy tells
_OWNED: Final = ("taken", "free")  # whether somebody has the ticket already
_ALONE: Final = ("drill", "all", "empty", "tested")  # what most wordings of a slot do not fit: its own stand alone
_TOPICS: Final = re.compile(  # what a report says once, beside its figures
    r"by eye|by hand|test (?:message|notification)|made-up alert|silence|screenshot|summary|runbook|check-config"
    r"|guess|what they g"
)
_NUMBERS: Final = {  # figures of a report
    "people", "hours", "minutes", "watch", "weeks", "messages", "questions", "calls", "panels", "lines", "span",
    "delay",
}  # fmt: skip
_DOUBTED: Final = 33  # percent of the reports that rule something out
_GAPS: Final = ((2, 6), (2, 6), (5, 18), (5, 18), (20, 55))  # minutes between two lines of a log


@dataclass(frozen=True)
class Story:
    """One postmortem, ready to print; `timeline` has times of day."""

    number: int
    title: str
    day: date
    author: Person
    team: Team
    service: Service | None  # None where it is about the whole company
    noticed: str
    saw: str
    impact: str
    detail: str
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


def postmortems(writer: Writer) -> dict[str, str]:
    """A postmortem for everything that has one, and those about other things."""
    return {story.path: writer.render("postmortem", story.number, pm=story) for story in stories(writer).values()}


def stories(writer: Writer) -> dict[str, Story]:
    """Stories by the id of their request, decoys by a number; numbers and dates rise together."""
    brief = writer.brief
    told = [one.id for one in brief.requests if one.symptom and not one.audit]
    requests = {one.id: one for one in brief.requests}
    shuffled = writer.seed.rng("stories").shuffled([*told, *(f"decoy {n}" for n in range(brief.decoys))])
    # no company leaves it open for long that nobody is paged
    order = sorted(shuffled, key=lambda key: key in requests and "all" in requests[key].traits)
    teller = _Teller(writer)
    out = {}
    for key, (number, day) in zip(order, _report_dates(writer, len(order)), strict=True):
        if key in requests:
            out[key] = teller.story(requests[key], number, day)
        else:
            out[key] = teller.decoy(int(key.split()[1]), number, day)
    return out


def _report_dates(writer: Writer, count: int) -> list[tuple[int, date]]:
    """Numbers and days of so many postmortems: working days, the newest that of the incident."""
    rng, calendar = writer.seed.rng("calendar"), writer.brief.world.calendar
    number, day = calendar.first_incident, calendar.incident
    numbers, days = [], [day]
    for _ in range(count):
        numbers.append(number)
        number += rng.choice([1, 1, 1, 2, 2, 3])
    for _ in range(count - 1):
        day = working_day(day - timedelta(days=rng.between(1, 19)))
        days.append(day)
    return list(zip(numbers, reversed(days), strict=True))


@dataclass(frozen=True)
class _Teller:
    """Tells all stories of one task; `said` keeps two of them from sharing a wording, `told` from sharing a decoy."""

    writer: Writer
    said: set[str] = field(default_factory=set)
    told: set[str] = field(default_factory=set)

    def pick(self, slot: str, facets: Sequence[str] = (), *, spent: set[str] | None = None, **names: Any) -> str:
        """A wording of the slot or of its variants, one that no other postmortem has while there are any left.

        A wording of a variant, `impact-noisy-page`, only fits a story that has the facets it names. Within a wording,
        `one("saw", "found")` is either of these. What the story has `spent` it does not say again, if it can help it.
        """
        slots = variants(slot, facets)
        ways = self.writer.seed.rng("pick", *slots).shuffled([way for one in slots for way in wordings()[one]])
        spent = set() if spent is None else spent
        unsaid = [one for one in ways if one not in self.said]
        fresh = next((one for one in unsaid if spent.isdisjoint(topics(one))), None)
        way = fresh or (unsaid[0] if unsaid else self.writer.draw("again", slot, len(self.said), of=ways))
        self.said.add(way)
        spent.update(topics(way))
        rng = self.writer.seed.rng("one", slot, len(self.said))
        return self.writer.fill(way, {**names, "one": lambda *texts: rng.choice(texts)})

    def story(self, request: Request, number: int, day: date) -> Story:
        """The postmortem of a request."""
        world = self.writer.brief.world
        rng = self.writer.seed.rng("story", request.id)
        team = world.team(request.subject.team)
        who, other = rng.sample(team.members, 2)
        kind = "alert" if request.category == "repair" else request.category
        flavour = request.flavour or "silent" if kind == "alert" else _FLAVOURS[kind]
        mode = _noticed(request.symptom, flavour, rng)
        gaps = _gaps(rng, late=mode == "live")
        facets = (*_facets(request, kind, flavour, mode), rng.choice(_OWNED))
        names = {
            "name": request.name, "about": _about(request), "them": "them" if kind == "recording" else "it",
            "who": who.name, "role": who.role, "other": other.name, "team": team.title,
            "service": request.subject.name, "ticket": f"{world.ticket_prefix}-{self._ticket(number)}",
            "delay": gaps[0], "span": sum(gaps), **_figures(rng),
        }  # fmt: skip

        spent: set[str] = set()

        def told(slot: str, *more: str) -> str:
            return self.pick(slot, (*facets, *more), spent=spent, **names)

        drill = "drill" in request.traits
        arc = _arc(rng, flavour, len(gaps) + 1, mode, drill)
        doubted = not drill and flavour != "cosmetic" and rng.chance(_DOUBTED)
        at = arc.index("step-middle") if doubted and "step-middle" in arc and rng.chance(50) else None
        arc = [*arc[:at], "step-doubt", *arc[at + 1 :]] if at is not None else arc
        steps = [told(slot, *(["seen"] if line else [])) for line, slot in enumerate(arc)]
        title, noticed, impact = (told(f"{part}-{flavour}") for part in ("title", "noticed", "impact"))
        detail = told("doubt" if doubted and at is None else "detail")
        after, remark = told("next"), told(rng.choice(["well", "blame"])) if rng.chance(33) else ""
        return Story(
            number,
            upper(title),
            day,
            self._author(rng, team, (*steps, noticed, detail, after, remark)),
            team,
            request.subject,
            noticed,
            _sentence(request.symptom, (request.name, request.subject.name)),
            upper(impact),
            upper(detail),
            _clock(rng.between(8 * 60, 14 * 60), gaps, steps),
            (upper(after),),
            remark,
            "open",
        )

    def _author(self, rng: Rng, team: Team, lines: Sequence[str]) -> Person:
        """Somebody who is not named in these lines: nobody writes of themselves as of another."""
        people = (team.lead, self.writer.brief.world.sre, *team.members)
        return rng.choice([one for one in people if not any(one.name in line for line in lines)])

    def decoy(self, turn: int, number: int, day: date) -> Story:
        """A postmortem about something that needs nothing from the queue."""
        world = self.writer.brief.world
        rng = self.writer.seed.rng("decoy", turn)
        one = rng.choice(world.services[world.focus :] or world.services)
        name, way = self._decoy(one)
        service = None if "company" in decoys()[name]["fits"] else one
        team = world.team(one.team)
        who, other = rng.sample(team.members, 2)
        texts = {
            part: compiled(lines[way]).render(service=one.name, team=team.title)
            for part, lines in decoys()[name].items()
            if part != "fits"
        }
        told = partial(self.pick, who=who.name, other=other.name, role=who.role, team=team.title)
        slots = ["decoy-first", *(["decoy-between"] if rng.chance(50) else []), "decoy-middle", "decoy-last"]
        steps = [told(slot) for slot in slots]
        noticed = told("decoy-noticed")
        return Story(
            number,
            texts["title"],
            day,
            self._author(rng, team, (*steps, noticed)),
            team,
            service,
            noticed,
            texts["saw"],
            texts["cause"],
            "",
            _clock(rng.between(8 * 60, 15 * 60), _gaps(rng, count=len(steps) - 1), steps),
            (texts["done"],),
            told("closed") if rng.chance(50) else "",
            "closed",
        )

    def _decoy(self, service: Service) -> tuple[str, int]:
        """A decoy that fits the service and has not been told yet, and which of its ways is told.

        Tasks that take turns get theirs dealt one after another, others draw them.
        """
        turns = self.writer.brief.turns
        deck = (turns.seed if turns else self.writer.seed).rng("decoys")
        cards = deck.shuffled([(one, way) for one in decoys() for way in range(WAYS)])
        # one card more than a task tells lies between two tasks, for where one does not fit
        start = turns.place * (self.writer.brief.decoys + 1) % len(cards) if turns else 0
        found = next(
            card
            for card in (*cards[start:], *cards[:start])
            if card[0] not in self.told and fits(decoys()[card[0]], service)
        )
        self.told.add(found[0])
        return found

    def _ticket(self, report: int) -> int:
        """The ticket that a postmortem opened; later postmortems have higher ones."""
        calendar = self.writer.brief.world.calendar
        drawn = self.writer.seed.rng("ticket", report).below(7)
        return calendar.first_ticket + 7 * (report - calendar.first_incident) + drawn


def variants(slot: str, facets: Sequence[str]) -> list[str]:
    """The slot, where there is one of that name, and its variants that name one facet or two of the story.

    Variants for what is told altogether differently, `next-all`, stand alone, with their own: `next-all-taken`.
    """
    alone = next((f"{slot}-{one}" for one in _ALONE if one in facets and f"{slot}-{one}" in wordings()), None)
    if alone:
        return [one for one in (alone, *(f"{alone}-{more}" for more in facets)) if one in wordings()]
    pairs = [f"{one}-{two}" for one in facets for two in facets]
    return [one for one in (slot, *(f"{slot}-{more}" for more in (*facets, *pairs))) if one in wordings()]


def topics(way: str) -> set[str]:
    """What a wording mentions of that which is not said twice in one story: figures, and what was done."""
    named = (re.sub(r'"[^"]*"', " ", code) for code in re.findall(r"\{\{(.*?)\}\}", way))
    figures = {name for code in named for name in re.findall(r"\w+", code) if name in _NUMBERS}
    return figures | set(_TOPICS.findall(way))


@lru_cache(maxsize=1)
def decoys() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Each decoy by the name of its slot: the wordings of its parts, and under `fits` the services it is true of.

    The first wordings of all parts are one story, the second ones another. One that `fits` the `company` names no
    service.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for slot in wordings():
        if re.fullmatch(r"decoy-\d+", slot):
            parts = found.setdefault(slot, {})
            for line in wordings()[slot]:
                key, _, text = line.partition(": ")
                parts[key] = (*parts.get(key, ()), text)
    return found


def fits(decoy: Mapping[str, Sequence[str]], service: Service) -> bool:
    """Whether a decoy can be told of a service: of any, of those that speak a protocol, or that depend on a store."""
    (wanted,) = decoy["fits"]
    return not {"any", "company", protocol(service.family), *service.depends_on}.isdisjoint(wanted.split())


def _gaps(rng: Rng, count: int = 0, late: bool = False) -> list[int]:
    """Minutes between the lines of a log, of three to seven lines if no count is given; `late`, nobody came at once."""
    gaps = [rng.between(*rng.choice(_GAPS)) for _ in range(count or rng.between(2, 6))]
    return [max(gaps[0], rng.between(11, 40)), *gaps[1:]] if late else gaps


def _figures(rng: Rng) -> dict[str, int]:
    """Numbers that a report may mention, of no consequence to anything."""
    return {
        "people": rng.between(3, 7), "hours": rng.between(2, 9), "minutes": rng.choice([5, 10, 15, 20, 25, 30, 40]),
        "watch": rng.choice([10, 15, 20, 30]), "weeks": rng.between(2, 8), "messages": rng.between(9, 48),
        "questions": rng.between(3, 24), "calls": rng.between(2, 5), "panels": rng.between(7, 18),
        "lines": rng.between(2, 30) * 100,
    }  # fmt: skip


def _arc(rng: Rng, flavour: str, lines: int, mode: str, drill: bool) -> list[str]:
    """The slots of a log of so many lines; at times somebody asks first, and looks for what happened afterwards."""
    opening = [f"event-{flavour}"]
    if not drill and lines > 3 and rng.chance(80):
        opening.append("step-first")
    if mode == "found" and not drill and rng.chance(25):
        opening.reverse()
    rest = [] if drill else ["step-middle", "step-told"]
    middle = rng.sample([*rest, *["step-middle"] * 6], lines - len(opening) - 1)
    return [*opening, *middle, "step-last"]


def _noticed(symptom: str, flavour: str, rng: Rng) -> str:
    """How what people saw was noticed: in a test, as it happened, or later."""
    if flavour == "silent" and _TRIED.search(symptom):
        return "tested"
    if _NOW.search(symptom):
        return "live"
    return "found" if _PAST.search(symptom) else rng.choice(_NOTICED)


def _facets(request: Request, kind: str, flavour: str, mode: str) -> tuple[str, ...]:
    """All that wordings of a story may rely on."""
    traits = [one for one in request.traits if (one, mode) != ("felt", "tested")]  # no user was there
    circle = _CIRCLES[request.heard]
    more = {
        "lost": "routed" in traits and "unheard" in circle,  # nobody saw it whom it concerns
        "got": not ("routed" in traits and "unheard" in circle),
        "own": "all" not in traits,  # of no concern to other teams
        "busy": flavour != "cosmetic",  # worth the time of several people
        "agreed": kind == "inhibition" and "toomuch" not in traits,
        "filled": kind == "recording" and "empty" not in traits,
    }
    return (kind, flavour, *circle, *traits, mode, *(name for name, true in more.items() if true))


def _about(request: Request) -> str:
    """What a postmortem is about, as a phrase."""
    match request.category:
        case "recording":
            return f"the SLI records of the `{request.subject.family.name}` family"
        case "route":
            whose = "for all teams, among them" if "all" in request.traits else "of team"
            what = "the delivery of urgent alerts" if "all" in request.traits else "the routing"
            return f"{what} {whose} `{request.name}`"
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
