"""Notes for people who are on call."""

from __future__ import annotations

from typing import Any, Final

from alertforge.repo.texts.markdown import bullets, table
from alertforge.repo.texts.writer import Writer
from alertforge.world.model import Team

PATH: Final = "docs/oncall.md"


def page(writer: Writer) -> str:
    """The whole page."""
    rng = writer.seed.rng("shift")
    shift: dict[str, Any] = {
        "weekday": rng.choice(["Monday", "Tuesday", "Wednesday", "Thursday"]),
        "hour": rng.between(9, 15),
    }
    slots = rng.shuffled(["oncall-page", "oncall-ticket", "oncall-wrong", "oncall-handover"])
    lines = [
        f"# {rng.choice(['On call', 'The pager', 'On-call notes', 'Carrying the pager'])}",
        writer.say("oncall-intro"),
        bullets([writer.say("oncall-shift", **shift), *(writer.say(slot) for slot in slots)]),
        table(
            rng.choice([("Team", "Lead", "Pages go to"), ("Who", "Ask", "Receiver"), ("Team", "Contact", "Pager")]),
            [
                (team.title, f"{team.lead.name} (@{team.lead.handle})", _receiver(writer, team))
                for team in _reachable(writer)
            ],
        ),
        f"<!-- canary {writer.brief.canary} -->",
    ]
    return "\n\n".join(lines) + "\n"


def _reachable(writer: Writer) -> list[Team]:
    """The teams that have receivers today: a team that the queue asks routes for has none yet."""
    unknown = {one.name for one in writer.brief.requests if one.category == "route" and not one.symptom}
    return [team for team in writer.brief.world.teams if team.name not in unknown]


def _receiver(writer: Writer, team: Team) -> str:
    return f"`{writer.brief.world.style.receiver['page'].format(team=team.name)}`"
