"""Everything the texts of a task need to know, as plain values: the templates read nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from alertforge.repo.wordings import Fact
from alertforge.seeds import Seed
from alertforge.world.model import Person, Service, World

Category = Literal["alert", "repair", "recording", "route", "inhibition"]
Expertise = Literal["novice", "practitioner", "expert"]
Tone = Literal["plain", "friendly", "terse", "formal"]
Persona = Literal["sre", "team-lead", "on-call"]  # who asks


@dataclass(frozen=True)
class Request:
    """One change request of the queue.

    `exact` spells out names, numbers and labels (what a novice gets); `outcome` says what should be the case (what a
    practitioner or expert gets; the rest is in the repo). A repair has the `symptom` people saw instead, and unless
    `audit` is set there is a postmortem about it. `notes` are facts that must be stated somewhere in the workspace.
    `traits` are what a story has to know beside: a broken route concerns the pages of `all` teams; a broken inhibition
    showed in a `drill`, before anything happened, and holds back `toomuch`; alerts are `read` from broken records, or
    these are `empty`; the trouble that an alert is for is `felt` by users; a misrouted alert is `routed` to the wrong
    place and not only named wrongly.
    """

    id: str
    category: Category
    subject: Service
    name: str  # alert, record, team or receiver that the request is about
    exact: Fact
    outcome: Fact
    symptom: str = ""
    flavour: str = ""  # noisy, silent, misrouted, cosmetic
    audit: bool = False
    heard: str = ""  # page or ticket: how the broken alert reaches its team; empty if it does not
    notes: tuple[str, ...] = ()
    traits: tuple[str, ...] = ()  # of: all, drill, toomuch, read, empty, felt, routed


@dataclass(frozen=True)
class AlertEntry:
    """One alert policy of the house: what the alert means and every number it relies on."""

    kind: str
    title: str  # "error ratio"
    condition: Fact  # the whole condition in words, numbers included, for any service: "more than 5 % of requests ..."
    urgency: str  # the house's severity word
    for_minutes: int


@dataclass(frozen=True)
class Opening:
    """A way to open the instruction, as jinja2 over the words of `asking.forms`."""

    text: str
    services: tuple[str, ...]  # those it names
    alerts: int = 2  # one only where a single alert is asked for, or told of


@dataclass(frozen=True)
class Turns:
    """A task's place in a set of tasks, which take turns with wordings and templates."""

    seed: Seed  # the same for the whole set
    place: int  # from 0

    def ordered(self, ways: Sequence[str], *names: str | int) -> list[str]:
        """Ways to do something in the order in which this task uses them: none comes first again before all have."""
        deck, first = divmod(self.place, len(ways))
        order = self.seed.rng(*names, deck).shuffled(ways)
        return [*order[first:], *order[:first]]


@dataclass(frozen=True)
class Brief:
    """The task in words and numbers."""

    task: str
    workflow: str
    tier: Literal["easy", "medium", "hard"]
    expertise: Expertise
    tone: Tone
    world: World
    requests: tuple[Request, ...]
    policies: tuple[AlertEntry, ...]
    metrics: tuple[tuple[str, Fact], ...]  # exported metric and what it is
    records: tuple[str, ...]  # names of the house's SLI records, with what each holds stated by the template
    files: tuple[str, ...]  # paths of the rule files in the repo
    canary: str
    requester: Person
    openings: tuple[Opening, ...]  # ways to open the instruction, all of them true
    windows: tuple[int, ...]  # minutes, of the SLI records
    examples: tuple[tuple[str, str], ...]  # (kind, service) of bystanders' alerts that stand in the repo today
    inhibitions: tuple[Fact, ...] = ()  # the house's inhibition policy
    routing: tuple[Fact, ...] = ()  # the house's routing policy
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what services depend on, by name
    decoys: int = 2  # postmortems about things that need nothing from this queue
    turns: Turns | None = None  # a task that belongs to no set draws its wordings by itself
