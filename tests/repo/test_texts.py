"""The texts of a task say what the brief says, in words that other tasks do not use."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from briefs import NUMBERS, TASKS, brief, everything, plain

from alertforge.create import draft
from alertforge.repo import script, texts
from alertforge.repo.brief import Brief, Turns
from alertforge.repo.wordings import Fact, agreeing, clause, wordings
from alertforge.seeds import Seed

MOST = TASKS // 3


GUIDES = r"README\.md|docs/.*"


FACTS = (
    *("condition-", "metric-", "route-", "inhibit-", "rehome-", "alert-", "recording-", "latency-recording-"),
    *("failed-", "slow-", "inhibition-"),
)


# Names that other wordings may leave out, because they are said anyway.
OPTIONAL = {"inhibition-outcome": {"service"}, "condition-burn": {"service"}, "rehome-outcome": {"former"}}


@NUMBERS
def test_no_template_syntax_is_left(number: int) -> None:
    for path, text in everything(number).items():
        assert not re.search(r"\{\{|\}\}|\{%|%\}|Undefined|<bound method|None\b", text), path
        assert text.endswith("\n") and not text.endswith("\n\n"), path
        assert "\n\n\n" not in text, path


@NUMBERS
def test_every_file_that_can_has_the_canary(number: int) -> None:
    told, _ = brief(number)
    for path, text in everything(number).items():
        assert told.canary in text, path


def test_the_same_seed_gives_the_same_bytes_under_any_hash_seed() -> None:
    code = (
        "import sys, hashlib; sys.path.insert(0, sys.argv[1]); import test_texts\n"
        "print(hashlib.sha256(repr(test_texts.everything(4)).encode()).hexdigest())"
    )
    command = [sys.executable, "-c", code, str(Path(__file__).parent)]
    path = os.pathsep.join(sys.path)
    outputs = {
        subprocess.run(
            command, env={"PYTHONHASHSEED": hashes, "PYTHONPATH": path}, capture_output=True, text=True, check=True
        ).stdout
        for hashes in ("1", "2")
    }
    assert len(outputs) == 1


def test_every_wording_renders_and_is_unique_in_its_slot() -> None:
    for slot, ways in wordings().items():
        assert len(ways) >= 3, slot
        assert len(set(ways)) == len(ways), slot


@NUMBERS
def test_what_has_a_symptom_has_a_postmortem_that_tells_it_and_a_pointer(number: int) -> None:
    told, seed = brief(number)
    documents, asked = texts.documents(told, seed), texts.instruction(told, seed)
    postmortems = {path: text for path, text in documents.items() if path.startswith("postmortems/")}
    with_story = [one for one in told.requests if one.symptom and not one.audit]
    assert len(postmortems) == len(with_story) + told.decoys
    numbers = sorted(int(re.findall(r"PM-(\d+)", path)[0]) for path in postmortems)
    assert numbers[0] == told.world.calendar.first_incident
    for request in with_story:
        line = next(line for line in asked.splitlines() if f"**{request.id}**" in line)
        (path,) = re.findall(r"postmortems/PM-\d+\.md", line)
        assert request.symptom.rstrip(".").lower() in plain(postmortems[path]).lower()
        assert request.symptom not in asked
    (audit,) = [one for one in told.requests if one.audit]
    line = next(line for line in asked.splitlines() if f"**{audit.id}**" in line)
    assert "postmortems/" not in line and f"{told.world.calendar.review:%B %Y}" in line
    assert all(audit.symptom not in text for text in (*postmortems.values(), asked))


@NUMBERS
def test_a_postmortem_tells_its_symptom_once(number: int) -> None:
    told, _ = brief(number)
    text = plain("\n".join(text for path, text in everything(number).items() if "postmortems/" in path)).lower()
    for request in told.requests:
        if request.symptom and not request.audit:
            alike = sum(one.symptom == request.symptom for one in told.requests)
            assert text.count(request.symptom.rstrip(".").lower()) <= alike, request.symptom


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a `instance` of an `service`", "an `instance` of a `service`"),
        ("at least 1 requests a second for 11 minutes", "at least 1 request a second for 11 minutes"),
        ("0.1 seconds, 1 minutes, 1 more days", "0.1 seconds, 1 minute, 1 more day"),
        ("a `user` and a `job`", "a `user` and a `job`"),
    ],
)
def test_articles_and_plurals_follow_names_and_numbers(text: str, right: str) -> None:
    assert agreeing(text) == right


@pytest.mark.parametrize(
    ("condition", "bare"),
    [
        ("fires when it is slow, or when it is gone, for 5 minutes", "it is slow, or it is gone, for 5 minutes"),
        ("is raised once both are up", "both are up"),
        ("no target is up", "no target is up"),
    ],
)
def test_a_condition_stands_after_a_colon_without_its_verb(condition: str, bare: str) -> None:
    assert clause(condition) == bare


def facts(told: Brief) -> Iterator[Fact]:
    """Everything that a brief says."""
    yield from (*told.routing, *told.inhibitions, *(what for _, what in told.metrics))
    yield from (one.condition for one in told.policies)
    for request in told.requests:
        for one in (request.exact, request.outcome):
            yield one
            yield from (part for _, part in one.names if isinstance(part, Fact))


@pytest.mark.parametrize("workflow", ["slo-onboarding", "latency-slo", "team-reorg-migration"])
def test_whatever_a_task_says_has_several_wordings_that_use_the_names_they_are_given(workflow: str) -> None:
    for told in (draft(workflow, "medium", number, "wordings").brief for number in (1, 2)):
        for one in facts(told):
            names = {name for name, _ in one.names}
            assert len(wordings()[one.slot]) >= 3, one.slot
            for way in wordings()[one.slot]:
                assert mentioned(way) <= names, (one.slot, way)


@pytest.mark.parametrize("slot", [slot for slot in wordings() if slot.startswith(FACTS)])
def test_every_wording_of_a_fact_says_all_that_the_first_one_says(slot: str) -> None:
    first, *others = wordings()[slot]
    for way in others:
        assert mentioned(way) >= mentioned(first) - OPTIONAL.get(slot, set()), way


def mentioned(way: str) -> set[str]:
    return {name.removesuffix("_upper") for name in re.findall(r"\{\{ (\w+)(?: \| clause)? \}\}", way)}


def sentences(number: int, paths: str = r".*") -> Iterator[str]:
    """The sentences of a task's prose, with names, numbers and code taken out."""
    world = brief(number)[0].world
    people = [world.sre, *(one for team in world.teams for one in (team.lead, *team.members))]
    names = [world.company, *(person.name for person in people)]
    names += [text for team in world.teams for text in (team.title, team.name)]
    names += [text for service in world.services for text in (service.title, service.name)]
    for path, text in everything(number).items():
        if not path.endswith(".md") or not re.fullmatch(paths, path):
            continue
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        text = re.sub(r"`[^`\n]*`", "X", text)
        for name in sorted(names, key=len, reverse=True):
            text = text.replace(name, "W")
        text = re.sub(r"[\d.]*\d", "N", text)
        for line in re.split(r"\n|\|", text):
            if not line.strip().startswith(("#", "<!--", "---")):
                for sentence in re.split(r"(?<=[.:?!]) +", re.sub(r"^\s*([-*]|N\.|N) +|\*\*\w+\*\* ", "", line)):
                    if len(sentence.split()) >= 5:
                        yield sentence.strip()


def test_no_sentence_stands_in_more_than_a_third_of_the_tasks() -> None:
    holders: dict[str, set[int]] = defaultdict(set)
    for number in range(TASKS):
        for sentence in sentences(number):
            holders[sentence].add(number)
    common = {text: len(found) for text, found in holders.items() if len(found) > MOST}
    assert not common
    assert len(holders) > 1000  # the sentences were found at all


def test_no_sentence_stands_in_the_guides_and_decisions_of_more_than_five_tasks() -> None:
    holders: dict[str, set[int]] = defaultdict(set)
    for number in range(TASKS):
        for sentence in sentences(number, GUIDES):
            holders[sentence].add(number)
    assert not {text: len(found) for text, found in holders.items() if len(found) > 5}
    assert len(holders) > 500  # the sentences were found at all


def test_tasks_of_a_set_take_turns_with_wordings() -> None:
    ways = [f"way {number}" for number in range(7)]
    orders = [Turns(Seed.master("set"), place).ordered(ways, "say", "slot") for place in range(21)]
    assert all(sorted(order) == ways for order in orders)
    assert all(
        sorted(order[turn] for order in orders[start : start + 7]) == ways for start in (0, 7, 14) for turn in (0, 1)
    )
    assert orders[:7] != orders[7:14]


def test_readmes_have_several_structures() -> None:
    def outline(text: str) -> tuple[str, ...]:
        return tuple(line for line in text.splitlines() if re.match(r"#+ |\*\*\w", line))[1:4]

    assert len({outline(everything(number)["README.md"]) for number in range(TASKS)}) >= 5


@pytest.mark.parametrize("manifests", [False, True])
def test_the_script_is_bash_without_leftovers(manifests: bool) -> None:
    told = next(b for b, _ in map(brief, range(TASKS)) if b.world.style.manifests == manifests)
    text = script.af_check(told)
    assert text.startswith("#!/usr/bin/env bash\n")
    assert ("yaml" in text.split("PYTHON")[1]) == manifests
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
