"""Architecture decision records."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from alertforge.repo.texts.tiers import LATENCY, tiers
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import upper
from alertforge.world.calendar import working_day


def decisions(writer: Writer) -> dict[str, str]:
    """Two or three decision records by path, oldest first."""
    rng = writer.seed.rng("adr")
    topics = ["burn", "routing"]
    if rng.chance(60):
        topics.append(rng.choice(["records", "labels"]))
    number = rng.between(2, 30)
    day = writer.brief.world.calendar.incident - timedelta(days=rng.between(200, 400))
    out = {}
    for topic in rng.shuffled(topics):
        title = writer.say(_slot(writer, topic, "title"))
        path = f"docs/adr/{number:04d}-{re.sub(r'[^a-z0-9]+', '-', title.lower()).strip('-')}.md"
        out[path] = _decision(writer, topic, title, number, working_day(day))
        number += rng.between(1, 4)
        day += timedelta(days=rng.between(9, 60))
    return out


def _decision(writer: Writer, topic: str, title: str, number: int, day: date) -> str:
    world = writer.brief.world
    deciders = writer.seed.rng("deciders", topic).sample(world.teams, 2)
    return writer.render(
        "adr",
        topic,
        title=title,
        number=number,
        date=day,
        deciders=[world.sre, *(team.lead for team in deciders)],
        context=writer.say(_slot(writer, topic, "context")),
        decision=_decided(writer, topic),
        alternatives=writer.say(f"{topic}-alternatives"),
        consequences=[writer.say(f"{topic}-consequences", turn=turn) for turn in (0, 1)],
    )


def _slot(writer: Writer, topic: str, part: str) -> str:
    """Where wordings of a title or context are: burn rates came in place of thresholds only where none is left."""
    if topic != "burn":
        return f"{topic}-{part}"
    kinds = _kinds(writer)
    if kinds & LATENCY:
        return f"burn-{part}-latency"
    return f"burn-{part}-beside" if "error-ratio" in kinds else f"burn-{part}"


def _kinds(writer: Writer) -> set[str]:
    return {one.kind for one in writer.brief.policies}


def _decided(writer: Writer, topic: str) -> str:
    """What was decided; the tiers of burn alerts with every number."""
    names: dict[str, Any] = {}
    if topic == "burn":
        names = {one.title.split()[0]: one.sentence(writer, turn, one.title) for turn, one in enumerate(tiers(writer))}
    decision = upper(writer.say(f"{topic}-decision", **names))
    if topic == "burn":
        decision = re.sub(r"(?<=\. )([a-z])", lambda found: found[1].upper(), decision)
        return f"{decision} {writer.say('burn-both')}" if _kinds(writer) & LATENCY else decision
    if topic == "routing":
        return f"{decision} {writer.say(f'routing-layout-{writer.brief.world.style.routing}')}"
    return decision
