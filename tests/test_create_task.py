"""What a created task promises before any tool has seen it: `tests/test_gate.py` has the rest."""

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter

import pytest

from alertforge.create import catalogue, create, task_id
from alertforge.errors import AlertForgeError
from alertforge.grader.spec import from_plain, to_json
from alertforge.task import Task

MASTER = "tests-of-create"
COUNTS = {
    "easy": {"A": 1, "P": 1, "C": 1, "R": 1, "I": 1},
    "medium": {"A": 3, "P": 3, "C": 1, "R": 1, "I": 2},
    "hard": {"A": 4, "P": 5, "C": 2, "R": 1, "I": 2},
}


@pytest.fixture(scope="module", params=["easy", "medium", "hard"])
def task(request: pytest.FixtureRequest) -> Task:
    return create("slo-onboarding", request.param, 1, MASTER)


def test_a_tier_has_its_requirements(task: Task) -> None:
    assert Counter(r.id[0] for r in task.spec.requirements()) == COUNTS[task.tier]


def test_the_spec_survives_json(task: Task) -> None:
    assert from_plain(json.loads(to_json(task.spec))) == task.spec


def test_every_item_has_three_accepted_and_three_wrong_ways(task: Task) -> None:
    accepted = Counter(one.requirement for one in task.accepted)
    wrong = Counter(one.requirement for one in task.wrong)
    for requirement in task.spec.requirements():
        assert accepted[requirement.id] >= 3, requirement.id
        assert wrong[requirement.id] >= 3, requirement.id
    assert all(one.bound is None for one in task.accepted)
    assert all(one.bound is not None and one.bound < 1 for one in task.wrong)


def test_three_ways_of_each_kind_differ_from_the_reference_and_from_each_other(task: Task) -> None:
    """A house that lays routes out flat makes one of the right ways its reference: three others must be left."""
    reference = dict(task.solved)
    for requirement in task.spec.requirements():
        for attempts in (task.accepted, task.wrong):
            own = [dict(one.files) for one in attempts if one.requirement == requirement.id]
            different = [files for place, files in enumerate(own) if files != reference and files not in own[:place]]
            assert len(different) >= 3, requirement.id


def test_start_and_solved_differ_in_rules_and_routing_only(task: Task) -> None:
    changed = {path for path in {*task.start, *task.solved} if task.start.get(path) != task.solved.get(path)}
    assert changed
    assert all(path.startswith(("rules/", "alertmanager/")) for path in changed)


def test_the_master_seed_is_written_nowhere() -> None:
    secret = "correct-horse-battery"
    made = create("slo-onboarding", "easy", 1, secret)
    every = [*made.start.values(), *made.solved.values(), *made.hidden.values(), made.instruction, made.readme]
    assert not any(secret in text for text in (*every, to_json(made.spec), repr(made.axes)))


def test_another_master_seed_makes_another_company_and_another_contract() -> None:
    one, other = (create("slo-onboarding", "easy", 1, master) for master in ("a", "b"))
    assert one.world.company != other.world.company
    assert to_json(one.spec) != to_json(other.spec)


@pytest.mark.parametrize(("hash_seed", "folder"), [("0", "."), ("4242", "/")])
def test_the_same_seed_gives_the_same_task_in_any_process(hash_seed: str, folder: str) -> None:
    script = (
        "import hashlib; from alertforge.create import create; from alertforge.grader.spec import to_json;"
        f"t = create('slo-onboarding', 'easy', 2, {MASTER!r});"
        "text = to_json(t.spec) + repr(sorted(t.start.items())) + repr(sorted(t.solved.items())) + t.instruction;"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    made = create("slo-onboarding", "easy", 2, MASTER)
    text = to_json(made.spec) + repr(sorted(made.start.items())) + repr(sorted(made.solved.items())) + made.instruction
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == hashlib.sha256(text.encode()).hexdigest()


def test_unknown_workflow_tier_and_number_are_one_clear_line() -> None:
    for arguments in (("no-such", "easy", 1), ("slo-onboarding", "extreme", 1), ("slo-onboarding", "easy", 0)):
        with pytest.raises(AlertForgeError) as info:
            create(*arguments, MASTER)
        assert "\n" not in str(info.value)


def test_ids_of_the_core_tier() -> None:
    ids = [item[0] for item in catalogue()]
    assert ids[0] == "af-001-slo-onboarding-easy-s1"
    assert ids[5] == "af-006-slo-onboarding-hard-s2"
    assert task_id("slo-onboarding", "hard", 7) == "af-x-slo-onboarding-hard-s7"
