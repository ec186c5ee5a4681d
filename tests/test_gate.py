"""The gate accepts a sound task and says of an unsound one what is wrong with it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import tiny

from alertforge import create, harbor
from alertforge.gate import Report, gate, leaks, solves
from alertforge.grader.spec import InputSeries
from alertforge.task import Task
from alertforge.tools import find

Gate = Callable[[Task], Report]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return harbor.write(tiny.task(), tmp_path_factory.mktemp("tasks"), promtool=find("promtool"), amtool=find("amtool"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("answers")


@pytest.fixture()
def judged(written: Path, answers: Path) -> Gate:
    """The gate on a task whose directory is that of the tiny one."""

    def judge(task: Task) -> Report:
        return gate(task, written, promtool=find("promtool"), amtool=find("amtool"), cache=answers)

    return judge


def failed(report: Report) -> set[str]:
    return {verdict.name for verdict in report.failures}


def test_a_sound_task_is_accepted_with_every_verdict_listed(written: Path, answers: Path) -> None:
    seen: list[str] = []
    report = gate(
        tiny.task(),
        written,
        promtool=find("promtool"),
        amtool=find("amtool"),
        rebuild=tiny.task,
        cache=answers,
        progress=seen.append,
    )
    assert failed(report) == set()
    assert report.rewards == {"oracle": 1.0, "nop": 0.0, "partial": 0.16}
    names = [verdict.name for verdict in report.verdicts]
    assert {"oracle", "nop", "partial", "two grades are one", "same bytes when built again", "solve.sh"} <= set(names)
    assert sum(name.startswith("accepted ") for name in names) == 1 + len(tiny.task().accepted)
    assert sum(name.startswith("wrong ") for name in names) == 1 + len(tiny.task().wrong)
    assert "oracle" in seen


def test_a_solution_that_does_not_solve_is_rejected(judged: Gate) -> None:
    task = tiny.task()
    assert {"oracle", "solve.sh"} <= failed(judged(replace(task, solved=task.partial)))


def test_a_start_repo_that_earns_something_is_rejected(judged: Gate) -> None:
    task = tiny.task()
    assert "nop" in failed(judged(replace(task, start=task.partial)))


@pytest.mark.parametrize("files", [tiny.SOLVED, tiny.START])
def test_a_partial_solution_outside_its_band_is_rejected(judged: Gate, files: dict[str, str]) -> None:
    assert failed(judged(replace(tiny.task(), partial=files))) == {"partial"}


def test_an_accepted_way_that_is_marked_down_is_rejected_with_the_reason(judged: Gate) -> None:
    task = tiny.task()
    wrong = tiny.attempt("P1/wrong-label", tiny.MENDED.replace("severity: page", "severity: ticket"))
    report = judged(replace(task, accepted=(*task.accepted, wrong)))
    assert failed(report) == {"accepted P1/wrong-label"}
    assert "severity" in report.failures[0].detail


def test_a_wrong_way_above_its_bound_is_rejected_in_figures(judged: Gate) -> None:
    task = tiny.task()
    # q = 0.7, from 1/3: s = 0.55
    label = tiny.attempt("P1/label", tiny.MENDED.replace("severity: page", "severity: ticket"), bound=0.5)
    report = judged(replace(task, wrong=(*task.wrong, label)))
    assert failed(report) == {"wrong P1/label"}
    assert "s=0.55, at most 0.5" in report.failures[0].detail


def test_a_wrong_way_that_solves_the_task_is_rejected_whatever_its_bound(judged: Gate) -> None:
    task = tiny.task()
    assert failed(judged(replace(task, wrong=(*task.wrong, tiny.attempt("P1/right", bound=1.0))))) == {"wrong P1/right"}


def test_an_adversary_has_its_bound_on_the_requirement_or_on_the_reward(judged: Gate) -> None:
    task = tiny.task()
    always = tiny.attempt("P1/always", tiny.MENDED.replace("> 100", ">= 0"), bound=0.0)
    everyone = replace(tiny.attempt("P1/half", tiny.RULES), requirement="", bound=0.1)
    report = judged(replace(task, adversaries=(always, everyone)))
    assert failed(report) == {"adversary P1/half"}


def test_fewer_than_three_ways_are_not_enough(judged: Gate) -> None:
    assert failed(judged(replace(tiny.task(), wrong=tiny.task().wrong[:5]))) == {"wrong ways"}


def test_a_tier_has_its_sizes(judged: Gate) -> None:
    report = judged(replace(tiny.task(), tier="easy"))
    assert failed(report) == {"requirements", "checks"}
    assert {verdict.detail for verdict in report.failures} == {"2, easy has 5", "15, at least 60"}


def test_a_directory_with_other_bytes_is_rejected(written: Path, answers: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(written, tmp_path / written.name)
    (folder / "instruction.md").write_text("Do nothing.\n")
    (folder / "stray").write_text("")
    report = gate(
        tiny.task(), folder, promtool=find("promtool"), amtool=find("amtool"), rebuild=tiny.task, cache=answers
    )
    assert failed(report) == {"same bytes when built again"}
    assert "instruction.md, stray" in report.failures[0].detail


def test_a_directory_without_a_contract_is_rejected(written: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(written, tmp_path / written.name)
    (folder / "tests" / "spec.json").write_text("{}")
    report = gate(tiny.task(), folder, promtool=find("promtool"), amtool=find("amtool"))
    assert failed(report) == {"contract"}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("see the run called q-full", "scenario names"),
        ("rehearse: the mail queue fills up and drains", "scenario names"),
        ("values: '10x9 500x19 10x9'", "series"),
        ('series: queue_depth{service="mail",pod="mail-7d9f-x1"}', "series"),
        ("kubectl logs mail-7d9f-x1", "pod names"),
    ],
)
def test_hidden_things_in_the_workspace_are_found(text: str, what: str) -> None:
    task = tiny.task()
    label = task.world.style.pod_label
    named = (InputSeries(f'queue_depth{{service="mail",{label}="mail-7d9f-x1"}}', "10x9 500x19 10x9"),)
    spec = replace(
        task.spec, scenarios=(replace(task.spec.scenarios[0], series=(*task.spec.scenarios[0].series, *named)),)
    )
    leaking = replace(task, spec=spec, start={**task.start, "docs/notes.md": text})
    found = {verdict.name: verdict for verdict in leaks(leaking) if not verdict.ok}
    assert f"no hidden {what}" in found
    assert "docs/notes.md" in found[f"no hidden {what}"].detail
    assert all(verdict.ok for verdict in leaks(replace(task, spec=spec)))


def test_a_script_that_fails_is_a_verdict(tmp_path: Path) -> None:
    script = tmp_path / "solve.sh"
    script.write_text("echo broken >&2; exit 4\n")
    verdict = solves(script, tiny.START, tiny.SOLVED, tmp_path)
    assert (verdict.ok, verdict.detail) == (False, "exit code 4: broken")


def test_a_script_that_does_too_little_or_too_much_is_told_by_path(tmp_path: Path) -> None:
    script = tmp_path / "solve.sh"
    script.write_text('touch "$AF_WORKSPACE/scratch.yml"\n')
    verdict = solves(script, tiny.START, tiny.SOLVED, tmp_path)
    assert not verdict.ok
    assert verdict.detail == "differs: alertmanager/alertmanager.yml, rules/mail.yml, scratch.yml"


@pytest.mark.slow
def test_a_task_of_another_master_seed_passes_the_whole_gate(tmp_path: Path) -> None:
    def rebuild() -> Task:
        return create.create("slo-onboarding", "easy", 1, "tests-of-the-gate")

    promtool, amtool, answers = find("promtool"), find("amtool"), tmp_path / "answers"
    folder = harbor.write(rebuild(), tmp_path, promtool=promtool, amtool=amtool, cache=answers)
    report = gate(rebuild(), folder, promtool=promtool, amtool=amtool, rebuild=rebuild, cache=answers)
    assert [(verdict.name, verdict.detail) for verdict in report.failures] == []
