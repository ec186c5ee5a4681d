"""The burn tiers of the house, ready to print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from alertforge.repo.printer import duration
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import Share
from alertforge.world.model import BurnTier
from alertforge.world.naming import window_text

LATENCY: Final = {"latency-fast-burn", "latency-slow-burn"}  # kinds of alerts on the budget of slow requests


@dataclass(frozen=True)
class Tier:
    """One burn tier, ready to print."""

    title: str
    word: str
    long: str
    short: str
    factor: str
    wait: str
    spent: str

    def sentence(self, writer: Writer, turn: int, name: str) -> str:
        """The tier in one sentence, under that name."""
        return writer.say(
            "burn-tier", turn=turn, name=name, word=self.word, factor=self.factor, long=self.long, short=self.short,
            wait=self.wait, spent=self.spent,
        )  # fmt: skip


def tiers(writer: Writer) -> list[Tier]:
    """The burn tiers, fast one first."""
    burn = writer.brief.world.style.burn
    return [_tier(writer, name, burn[name]) for name in ("fast", "slow")]


def _tier(writer: Writer, name: str, tier: BurnTier) -> Tier:
    style = writer.brief.world.style
    spent = float(style.budget_spent(tier))
    return Tier(
        f"{name} burn",
        style.severities[tier.urgency],
        window_text(tier.long),
        window_text(tier.short),
        tier.factor,
        duration(tier.for_ * 60_000),
        writer.percent(Share(f"{spent:g}")),
    )
