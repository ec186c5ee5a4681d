"""From a seed to a task: draw a company, plan the queue, build the solved repo, break it, write the texts."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from alertforge.contract import contract, hidden
from alertforge.draft import Draft, broken
from alertforge.errors import AlertForgeError
from alertforge.groundwork import groundwork
from alertforge.plan import PlanError, Planner
from alertforge.policies.adversaries import adversaries
from alertforge.policies.partial import partial
from alertforge.policies.variants import variants
from alertforge.repo.brief import Turns
from alertforge.repo.texts import documents, instruction, readme
from alertforge.repo.visible import visible_tests
from alertforge.seeds import Seed
from alertforge.spoil import spoiled
from alertforge.task import Task
from alertforge.words import brief
from alertforge.workflow import SIZES, Recipe, Workflow, core, load
from alertforge.world.create import create as create_world
from alertforge.world.create import deal
from alertforge.world.model import World

TIERS: Final = tuple(SIZES)
SEEDS_PER_TIER: Final = 2
WORLDS: Final = 100  # draws before giving up
SAME_QUEUE: Final = 20  # of them with the same draws for the queue


def catalogue() -> tuple[tuple[str, str, str, int], ...]:
    """The core tier: (task id, workflow, tier, seed number), in the order of the ids."""
    out = []
    for workflow in core():
        for tier in TIERS:
            for number in range(1, SEEDS_PER_TIER + 1):
                out.append((task_id(workflow, tier, number), workflow, tier, number))
    return tuple(out)


def task_id(workflow: str, tier: str, number: int) -> str:
    """`af-001-slo-onboarding-easy-s1`; tasks beyond the core tier have no number: `af-x-slo-onboarding-easy-s7`."""
    index = "x"
    if workflow in core() and number <= SEEDS_PER_TIER:
        place = (list(core()).index(workflow) * len(TIERS) + TIERS.index(tier)) * SEEDS_PER_TIER + number
        index = f"{place:03d}"
    return f"af-{index}-{workflow}-{tier}-s{number}"


def find_workflow(workflow: str, tier: str, number: int, file: Path | None = None) -> Workflow:
    """The workflow of a task, of the core tier or of those in `file`.

    Raises AlertForgeError for an unknown workflow or tier, a number below 1, or a file that cannot be used.
    """
    known = core() if file is None else load(file)
    if workflow not in known:
        raise AlertForgeError(f"unknown workflow {workflow!r}: one of {', '.join(known)}")
    if tier not in known[workflow].tiers:
        raise AlertForgeError(f"unknown tier {tier!r}: one of {', '.join(known[workflow].tiers)}")
    if number < 1:
        raise AlertForgeError(f"seed numbers start at 1, not {number}")
    return known[workflow]


def create(workflow: str, tier: str, number: int, master: str | int, file: Path | None = None) -> Task:
    """One task. Raises AlertForgeError as `draft` does."""
    return pack(draft(workflow, tier, number, master, file))


def draft(workflow: str, tier: str, number: int, master: str | int, file: Path | None = None) -> Draft:
    """A task before it is packed: much cheaper than the task.

    Raises AlertForgeError as `find_workflow` does, or where no company has a place for the queue.
    """
    found = find_workflow(workflow, tier, number, file)
    root = Seed.master(master)
    seed = root.child(workflow, tier, number)
    recipe = found.tiers[tier]
    name = task_id(workflow, tier, number)
    place = _place(name)
    turns = None if place is None else Turns(root.child("wordings"), place)
    last = ""
    for attempt, world in enumerate(_worlds(root, seed, recipe, name)):
        # what a queue draws hardly depends on the world: where many have no place for it, the queue is drawn again, too
        again = seed if attempt < SAME_QUEUE else seed.child("queue", attempt)
        try:
            return _draft(name, number, Planner(found, recipe, again, world), turns)
        except PlanError as error:
            last = str(error)
    raise AlertForgeError(f"no world in {WORLDS} draws has a place for the queue of {workflow} {tier}: {last}")


def _place(name: str) -> int | None:
    """Where a task stands in the core tier, from 0."""
    ids = [entry[0] for entry in catalogue()]
    return ids.index(name) if name in ids else None


def _worlds(root: Seed, seed: Seed, recipe: Recipe, name: str) -> Iterator[World]:
    """Draws of the task's company, which is dealt without repeats over the core tier."""
    place = _place(name)
    company = None if place is None else deal(root.child("companies"), len(catalogue()))[place]
    for attempt in range(WORLDS):
        yield create_world(seed.child("world", attempt), services=recipe.services, company=company)


def _draft(name: str, number: int, planner: Planner, turns: Turns | None) -> Draft:
    """The queue, placed and broken. Raises PlanError where this world has no place for it."""
    items = planner.items()
    solved = groundwork(planner, items)
    for item in items:
        solved = item.place(solved)
    items = spoiled(planner, items, solved.config)
    start = broken(solved, items)
    canary = str(uuid.UUID(bytes=planner.seed.child("canary").key[:16], version=4))
    about = replace(brief(name, canary, planner, items, start, solved.config), turns=turns)
    text_seed = planner.seed.child("texts")
    untouched = [file for file in start.rule_files if file in solved.rule_files]
    docs = {
        **documents(about, text_seed),
        **visible_tests(untouched, planner.world, text_seed.child("visible"), canary),
    }
    return Draft(name, number, canary, planner, items, start, solved, about, docs)


def pack(made: Draft) -> Task:
    """The whole task: contract, texts, and every scripted way of editing its repo."""
    accepted, wrong, rounds = variants(made)
    text_seed = made.seed.child("texts")
    return Task(
        made.name,
        made.planner.workflow.name,
        made.planner.recipe.tier,
        made.number,
        {
            "archetype": made.axes.archetype,
            "expertise": made.axes.expertise,
            "industry": made.world.industry,
            "persona": made.axes.persona,
            "rules_format": "PrometheusRule" if made.world.style.manifests else "plain",
            "tone": made.axes.tone,
            "verifier": made.planner.workflow.verifier,
        },
        made.world,
        made.files(made.start),
        made.files(made.solved),
        frozenset(path for path in made.docs if path.startswith("bin/")),
        contract(made),
        hidden(made),
        instruction(made.brief, text_seed),
        readme(made.brief, text_seed),
        made.canary,
        accepted,
        wrong,
        rounds,
        made.files(partial(made)),
        adversaries(made),
    )


__all__ = ["Draft", "catalogue", "create", "draft", "find_workflow", "pack", "task_id"]
