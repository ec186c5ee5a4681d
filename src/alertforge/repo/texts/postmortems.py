"""Postmortems: what people saw, and what came of it; never why it was."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from itertools import accumulate
from typing import Any, Final

from alertforge.repo.brief import Request
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import compiled, upper, wordings
from alertforge.world.model import Person, Service, Team

_SATURDAY: Final = 5
_FLAVOURS: Final = {"recording": "wrong", "route": "route", "inhibition": "inhibition"}


@dataclass(frozen=True)
class Story:
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


def postmortems(writer: Writer) -> dict[str, str]:
    """A postmortem for everything that has one, and those about other things."""
    return {story.path: writer.render("postmortem", story.number, pm=story) for story in stories(writer).values()}


def stories(writer: Writer) -> dict[str, Story]:
    """Stories by the id of their request, decoys by a number; numbers and dates rise together."""
    brief = writer.brief
    told = [one.id for one in brief.requests if one.symptom and not one.audit]
    order = writer.seed.rng("stories").shuffled([*told, *(f"decoy {n}" for n in range(brief.decoys))])
    requests = {one.id: one for one in brief.requests}
    teller = _Teller(writer)
    out = {}
    for key, (number, day) in zip(order, _report_dates(writer, len(order)), strict=True):
        if key in requests:
            out[key] = teller.story(requests[key], number, day)
        else:
            out[key] = teller.decoy(int(key.split()[1]), number, day)
    return out


def _report_dates(writer: Writer, count: int) -> list[tuple[int, date]]:
    """Numbers and days of so many postmortems, the newest on the day of the incident."""
    rng, calendar = writer.seed.rng("calendar"), writer.brief.world.calendar
    number, day = calendar.first_incident, calendar.incident
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


@dataclass(frozen=True)
class _Teller:
    """Tells all stories of one task; `said` keeps two of them from sharing a wording."""

    writer: Writer
    said: set[str] = field(default_factory=set)

    def pick(self, slot: str, *more: str, **names: Any) -> str:
        """A wording of the slot or of its variants, one that no other postmortem has while there are any left."""
        slots = [slot, *(f"{slot}-{one}" for one in more if f"{slot}-{one}" in wordings())]
        ways = self.writer.seed.rng("pick", *slots).shuffled([way for one in slots for way in wordings()[one]])
        fresh = next((one for one in ways if one not in self.said), None)
        way = fresh or self.writer.draw("again", slot, len(self.said), of=ways)
        self.said.add(way)
        return self.writer.fill(way, names)

    def story(self, request: Request, number: int, day: date) -> Story:
        """The postmortem of a request."""
        world = self.writer.brief.world
        rng = self.writer.seed.rng("story", request.id)
        team = world.team(request.subject.team)
        who, other = rng.sample(team.members, 2)
        kind = "alert" if request.category == "repair" else request.category
        told = partial(
            self.pick,
            name=request.name,
            about=_about(request),
            them="them" if kind == "recording" else "it",
            who=who.name,
            role=who.role,
            other=other.name,
            team=team.title,
            service=request.subject.name,
            ticket=f"{world.ticket_prefix}-{self._ticket(number)}",
        )
        flavour = request.flavour or "silent" if kind == "alert" else _FLAVOURS[kind]
        circle = {"page": ("heard", "page"), "ticket": ("heard",)}.get(request.heard, ("unheard",))
        steps = [told(f"event-{flavour}"), told("step-first")]
        steps += [told("step-middle", kind) for _ in range(rng.between(1, 2))]
        steps.append(told("step-last", kind))
        return Story(
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

    def decoy(self, turn: int, number: int, day: date) -> Story:
        """A postmortem about something that needs nothing from the queue."""
        world = self.writer.brief.world
        rng = self.writer.seed.rng("decoy", turn)
        pool = [slot for slot in wordings() if re.fullmatch(r"decoy-\d+", slot)]
        slot = self.writer.seed.rng("decoys").shuffled(pool)[turn]
        service = rng.choice(world.services[world.focus :] or world.services)
        team = world.team(service.team)
        who, other = rng.sample(team.members, 2)
        texts = dict(line.split(": ", 1) for line in wordings()[slot])
        texts = {key: compiled(text).render(service=service.name, team=team.title) for key, text in texts.items()}
        told = partial(self.pick, who=who.name, other=other.name, role=who.role, team=team.title)
        steps = [told("decoy-first"), told("decoy-middle"), told("decoy-last")]
        if rng.chance(50):
            steps.insert(1, told("decoy-between"))
        return Story(
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

    def _ticket(self, report: int) -> int:
        """The ticket that a postmortem opened; later postmortems have higher ones."""
        calendar = self.writer.brief.world.calendar
        drawn = self.writer.seed.rng("ticket", report).below(7)
        return calendar.first_ticket + 7 * (report - calendar.first_incident) + drawn


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
