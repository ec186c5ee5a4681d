"""The partial policy: half the queue done, and one plausible mistake."""

from __future__ import annotations

from alertforge.draft import Draft, broken
from alertforge.repo.model import Repo


def partial(draft: Draft) -> Repo:
    """Every second item done; of the others, the first is done in a wrong way, the rest not at all."""
    left = draft.items[0::2]
    slips = list(left[0].wrong().values())
    slipped = draft.seed.rng("partial").choice(slips).edit(draft.solved)
    return broken(slipped, left[1:])
