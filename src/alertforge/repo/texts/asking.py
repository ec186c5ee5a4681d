"""The instruction with its change requests, and the README of the task directory."""

from __future__ import annotations

from typing import Any, Final

from alertforge.repo.brief import Request
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


def instruction(writer: Writer) -> str:
    """What the agent is asked to do."""
    brief = writer.brief
    rng = writer.seed.rng("instruction")
    requester = brief.requester
    opening = rng.choice(brief.openings)
    names = listed(f"`{service}`" for service in opening.services)
    forms: dict[str, Any] = (
        {"get": "get", "have": "have", "are": "are"}
        if len(opening.services) > 1
        else {"get": "gets", "have": "has", "are": "is"}
    )
    situation = compiled(opening.text).render(services=names, **forms)
    return writer.render(
        f"instruction/{brief.tone}",
        hello=writer.say(f"hello-{brief.tone}", requester=requester.name, role=requester.role),
        situation=situation,
        requests=_requests(writer),
        constraints=[writer.say(slot) for slot in rng.shuffled(_CONSTRAINTS)],
        requester=requester,
    )


def _requests(writer: Writer) -> list[str]:
    """All requests in a drawn order, each in the words of its expertise level.

    What is broken is told by what people saw: the request points at the postmortem, or at the review.
    """
    reports = {key: story.path for key, story in stories(writer).items()}
    return [
        f"**{one.id}** " + " ".join(upper(part) for part in (_wish(writer, one, turn, reports.get(one.id)), *one.notes))
        for turn, one in enumerate(writer.seed.rng("queue").shuffled(writer.brief.requests))
    ]


def _wish(writer: Writer, request: Request, turn: int, report: str | None) -> str:
    if not request.symptom:
        return writer.tell(request.exact if writer.brief.expertise == "novice" else request.outcome, turn)
    review = spelt(writer.brief.world.calendar.review)
    if request.category in ("repair", "alert"):
        if report is None:
            return writer.say("audit", turn=turn, name=request.name, date=review)
        return writer.say("repair", turn=turn, name=request.name, pm=report)
    names: dict[str, Any] = {
        "service": request.subject.name,
        "family": request.subject.family.name,
        "team": request.name,
        "source": request.name,
    }
    wish = writer.say(f"{request.outcome.slot.removesuffix('outcome')}broken", turn=turn, **names)
    if report is None:
        return f"{wish} {writer.say('review-pointer', turn=turn, date=review)}"
    return f"{wish} {writer.say('pointer', turn=turn, pm=report)}"


def task_readme(writer: Writer) -> str:
    """The README of the task directory."""
    brief = writer.brief
    counts: dict[str, int] = {}
    for one in brief.requests:
        counts[one.category] = counts.get(one.category, 0) + 1
    queue = listed(f"{count} {_PLURALS[category][count != 1]}" for category, count in counts.items())
    return writer.render("task", queue=queue, services=brief.world.services[: brief.world.focus])
