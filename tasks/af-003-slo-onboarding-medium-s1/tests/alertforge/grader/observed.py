# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""Everything that judging looks at, gathered beforehand: judging starts no process."""

from __future__ import annotations

from dataclasses import dataclass

from alertforge.grader.definitions import Index
from alertforge.grader.delivery import Delivery
from alertforge.grader.timeline import Timeline


@dataclass(frozen=True)
class Observed:
    """The workspace's timeline, the one with the reference SLI records in place, its pages, and its rules."""

    timeline: Timeline
    reference: Timeline
    delivery: Delivery
    definitions: Index
