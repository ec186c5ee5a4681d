# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
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
