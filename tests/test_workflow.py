"""Workflow files: those of the core tier are sound, and a mistake is told with file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from alertforge import build
from alertforge.alerts import KINDS
from alertforge.create import create, draft
from alertforge.tools import find
from alertforge.workflow import SIZES, WorkflowError, core, load

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "night-shift.yaml"
TEXT = EXAMPLE.read_text("utf-8")
FIRST = '- "The night shift of {{ services }} went through what woke it in the last month."'
SECOND = '\n      - "What should wake somebody for {{ services }}, and what can wait until morning?"\n'


def test_the_core_tier_has_five_workflows_at_three_tiers() -> None:
    assert list(core()) == [
        "slo-onboarding",
        "alert-storm-cleanup",
        "missed-page-postmortem",
        "latency-slo",
        "team-reorg-migration",
    ]
    assert all(tuple(one.tiers) == tuple(SIZES) for one in core().values())
    assert all((ROOT / "skill" / one.skill / "SKILL.md").is_file() for one in core().values())
    assert all(len(one.situations) >= 4 for one in core().values())


def test_the_packaged_file_is_the_one_that_people_read() -> None:
    packaged = ROOT / "src" / "alertforge" / "workflows.yaml"
    assert packaged.read_bytes() == (ROOT / "workflows" / "workflows.yaml").read_bytes()


def test_house_records_latency_where_a_queue_asks_for_it() -> None:
    assert {name: workflow.slis for name, workflow in core().items() if len(workflow.slis) > 1} == {
        "latency-slo": ("availability", "latency")
    }


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "on: 1}\n          - new",
            "on: 2}\n          - new",
            "queue[0].repair.on: expected a whole number from 1 to 1",
        ),
        ("[misrouted, noisy]", "[loud]", "queue[0].repair.flavours[0]: 'loud' is not one of noisy"),
        ("state: broken", "state: gone", "queue[2].route.state: 'gone' is not one of new, broken"),
        ("- inhibition: {}", "- inhibitions: {}", "queue[3].inhibitions: unknown key"),
        ("          - inhibition: {}\n", "", "tiers.easy.queue: 4 requirements, easy has 5"),
        ("kinds: [error-ratio, probe-failing]", "kinds: [no-such]", "kinds[0]: 'no-such' is not one of"),
        ("    title: The", "    titel: The", "workflows[0].titel: unknown key"),
        ("    verifier: routing\n", "", "workflows[0]: key 'verifier' is missing"),
        ("version: 1", "version: 2", "version: expected a whole number from 1 to 1, not '2'"),
        ("name: night-shift", "name: Night Shift", "name: 'Night Shift' is not lower-case words"),
        ("personas: [on-call]", "personas: on-call", "personas: expected a list"),
        (FIRST, "- {text: x, names: loud}", "situations[0].names: 'loud' is not one of new, moved, noisy"),
        (FIRST, "- {text: x}", "situations[0]: key 'names' is missing"),
        (FIRST, "- {text: x, names: new, kinds: [no-such]}", "kinds[0]: 'no-such' is not one of"),
        (FIRST, "- {text: x, names: new, unless: [new]}", "unless[0]: 'new' is not one of noisy"),
        (FIRST + SECOND, "- {text: x, names: new}\n", "situations: expected at least one that names all services"),
        (
            "    watch: [memory-limit]\n",
            "    watch: [memory-limit]\n    watch: [memory-limit]\n",
            "watch: stands there twice",
        ),
    ],
)
def test_a_mistake_is_told_with_file_line_and_key(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert TEXT.count(old) >= 1
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT.replace(old, new, 1), "utf-8")
    with pytest.raises(WorkflowError) as error:
        load(path)
    assert told in str(error.value)
    assert str(error.value).startswith("mine.yaml:")
    line = int(str(error.value).split(":")[1])
    assert 1 <= line <= len(path.read_text("utf-8").splitlines())


@pytest.mark.parametrize("text", ["", "version: [", "- 1", "version: 1\nworkflows: {}\n", "\x00"])
def test_a_file_that_is_no_workflow_file_is_told_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(WorkflowError) as error:
        load(path)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(WorkflowError, match="No such file"):
        load(tmp_path / "none.yaml")


def test_a_workflow_of_ones_own_makes_a_task() -> None:
    task = create("night-shift", "easy", 1, "tests-of-workflows", EXAMPLE)
    assert task.id == "af-x-night-shift-easy-s1"
    assert [one.id for one in task.spec.requirements()] == ["A1", "I1", "P1", "P2", "R1"]
    symptom = task.world.style.symptoms["memory-limit"]
    assert any(symptom in text for path, text in task.solved.items() if path.startswith("rules/"))


@pytest.mark.parametrize("workflow", list(core()))
def test_a_situation_names_only_services_of_which_it_is_true(workflow: str) -> None:
    """Read off the requests, which know nothing of situations."""
    texts = {one.text: one for one in core()[workflow].situations}
    made = draft(workflow, "hard", 1, "situations")
    assert len(made.brief.openings) >= 2
    for opening in made.brief.openings:
        situation = texts[opening.text]
        assert opening.services
        for name in opening.services:
            mine = [one for one in made.brief.requests if one.subject.name == name]
            if situation.names == "moved":
                assert any(one.outcome.slot == "rehome-outcome" for one in mine)
            elif situation.names == "new":
                assert any(one.category == "alert" for one in mine)
            elif situation.names:
                told = [one for one in mine if one.category == "repair" and one.symptom and not one.audit]
                assert any(one.flavour == situation.names for one in told)


def test_services_that_a_situation_would_be_wrong_about_are_not_named() -> None:
    texts = {one.text: one for one in core()["latency-slo"].situations if one.unless}
    assert texts
    for number in (1, 2, 3):
        made = draft("latency-slo", "hard", number, "situations")
        for opening in made.brief.openings:
            for flavour in texts[opening.text].unless if opening.text in texts else ():
                symptoms = {made.world.style.symptoms[kind] for kind in texts[opening.text].kinds}
                spoilt = [
                    one.name
                    for one in made.brief.requests
                    if one.flavour == flavour and one.subject.name in opening.services and one.category == "repair"
                ]
                assert not [name for name in spoilt if any(symptom in name for symptom in symptoms)]


def test_every_alert_kind_can_be_asked_for_by_some_workflow() -> None:
    """Kinds that are no burn alerts are drawn for every workflow's health alerts; burn alerts must be named."""
    named = {
        kind
        for one in core().values()
        for recipe in one.tiers.values()
        for entry in recipe.queue
        for kind in entry.kinds
    }
    assert {name for name, kind in KINDS.items() if kind.burn} <= named


@pytest.mark.slow
def test_a_workflow_of_ones_own_passes_the_gate(tmp_path: Path) -> None:
    order = build.Order("night-shift", "easy", 1, "tests-of-workflows", EXAMPLE)
    made = build.sample(tmp_path, order, build.Kit(find("promtool"), find("amtool")))
    assert made.report is not None
    assert [str(one) for one in made.report.failures] == []
