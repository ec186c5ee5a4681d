"""A task as a value: what gets written to disk, and every scripted way of editing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from alertforge.grader.spec import Spec
from alertforge.world.model import World

Files = Mapping[str, str]  # path below monitoring/ -> text


@dataclass(frozen=True)
class Attempt:
    """One scripted answer: the whole workspace, and where its scores must lie.

    `bound` limits the `s` of `requirement` from above (wrong ways); None for accepted ways, which must score 1.0 on
    the whole task.
    """

    name: str  # "A1/from-counters"
    requirement: str
    files: Files
    bound: float | None = None


@dataclass(frozen=True)
class Round:
    """Several attempts in one workspace, each at a requirement of its own, all right or all wrong.

    What each of them promises must hold here too; grading the round shows all of it at once.
    """

    files: Files
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True)
class Task:
    """One task, complete but for the scores of its start state, which the grader measures when it is written."""

    id: str
    workflow: str
    tier: str
    number: int  # seed number within workflow and tier
    axes: Mapping[str, str]  # archetype, persona, tone, expertise, rules format, ...
    world: World
    start: Files
    solved: Files
    executables: frozenset[str]  # paths that are scripts
    spec: Spec
    hidden: Files  # below tests/hidden/: baseline/..., records.yml
    instruction: str
    readme: str
    canary: str
    accepted: tuple[Attempt, ...] = ()
    wrong: tuple[Attempt, ...] = ()
    rounds: tuple[Round, ...] = ()
    partial: Files = field(default_factory=dict)  # half the requirements and one plausible mistake
    adversaries: tuple[Attempt, ...] = ()
