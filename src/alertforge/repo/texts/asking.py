"""The instruction with its change requests, and the README of the task directory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from alertforge.repo.brief import Opening, Request
from alertforge.repo.texts.markdown import listed, spelt
from alertforge.repo.texts.postmortems import stories
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import compiled, upper

_CONSTRAINTS: Final = ("keep", "settings", "times", "alerts-metric", "inputs", "paths", "tools")
_PLURALS: Final = {
    "alert": ("new alert", "new alerts"),
    "repair": ("repair", "repairs"),
    "recording": ("set of records", "sets of records"),
    "route": ("route", "routes"),
    "inhibition": ("inhibition", "inhibitions"),
}

# Words of an opening in the number of its services, and of the alerts that it is about.
_ONE: Final = {"get": "gets", "have": "has", "are": "is", "its": "its", "budget": "budget", "objective": "objective"}
_SEVERAL: Final = {
    **{"get": "get", "have": "have", "are": "are"},
    **{"its": "their", "budget": "budgets", "objective": "objectives"},
}
_ALERT: Final = {"alerts": "an alert", "alerts_are": "is", "alerts_were": "was", "they": "it"}
_ALERTS: Final = {"alerts": "alerts", "alerts_are": "are", "alerts_were": "were", "they": "they"}


def instruction(writer: Writer) -> str:
    """What the agent is asked to do."""
    brief = writer.brief
    rng = writer.seed.rng("instruction")
    requester = brief.requester
    opening = rng.choice(brief.openings)
    situation = compiled(opening.text).render(forms(opening))
    return writer.render(
        f"instruction/{brief.tone}",
        hello=writer.say(f"hello-{brief.tone}", requester=requester.name, role=requester.role),
        situation=situation,
        requests=_requests(writer),
        constraints=[writer.say(slot) for slot in rng.shuffled(_CONSTRAINTS)],
        requester=requester,
    )


def forms(opening: Opening) -> dict[str, str]:
    """What an opening may mention: the services, and words in the number that services and alerts ask for."""
    several = len(opening.services) > 1
    words = _SEVERAL if several else _ONE
    one_alert = opening.alerts == 1 and not several
    return {"services": listed(f"`{name}`" for name in opening.services), **words, **(_ALERT if one_alert else _ALERTS)}


def _requests(writer: Writer) -> list[str]:
    """All requests in a drawn order, each in the words of its expertise level.

    What is broken is told by what people saw: the request points at the postmortem, or at the review. Requests that
    share their wordings take turns, so that no two of them use the same sentence.
    """
    reports = {key: story.path for key, story in stories(writer).items()}
    turns: dict[str, Iterator[int]] = defaultdict(count)
    out = []
    drawn = writer.seed.rng("queue").shuffled(writer.brief.requests)
    for one in sorted(drawn, key=lambda request: "all" not in request.traits):  # what concerns all teams comes first
        wish = _wish(writer, one, next(turns[one.category]), reports.get(one.id))
        if one.symptom and one.category not in ("repair", "alert"):
            wish += f" {_source(writer, next(turns['pointer']), reports.get(one.id))}"
        out.append(f"**{one.id}** " + " ".join(upper(part) for part in (wish, *one.notes)))
    return out


def _wish(writer: Writer, request: Request, turn: int, report: str | None) -> str:
    if not request.symptom:
        return writer.tell(request.exact if writer.brief.expertise == "novice" else request.outcome, turn)
    if request.category in ("repair", "alert"):
        if report is None:
            return writer.say("audit", turn=turn, name=request.name, date=_review(writer))
        return writer.say("repair", turn=turn, name=request.name, pm=report)
    names: dict[str, Any] = {
        "service": request.subject.name,
        "family": request.subject.family.name,
        "team": request.name,
        "source": request.name,
    }
    slot = f"{request.outcome.slot.removesuffix('outcome')}broken"
    return writer.say(f"{slot}-everyone" if "all" in request.traits else slot, turn=turn, **names)


def _source(writer: Writer, turn: int, report: str | None) -> str:
    """Where more is written about what is broken."""
    if report is None:
        return writer.say("review-pointer", turn=turn, date=_review(writer))
    return writer.say("pointer", turn=turn, pm=report)


def _review(writer: Writer) -> str:
    return spelt(writer.brief.world.calendar.review)


def task_readme(writer: Writer) -> str:
    """The README of the task directory."""
    brief = writer.brief
    counts: dict[str, int] = {}
    for one in brief.requests:
        counts[one.category] = counts.get(one.category, 0) + 1
    queue = listed(f"{count} {_PLURALS[category][count != 1]}" for category, count in counts.items())
    return writer.render("task", queue=queue, services=brief.world.services[: brief.world.focus])
