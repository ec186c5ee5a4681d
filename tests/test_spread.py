"""How much tasks vary: which tasks a run makes, that none is made twice, and what the page says about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from alertforge import cli, spread, spread_report, variety
from alertforge.build import MASTER_SEED, Kit, Order
from alertforge.create import TIERS, catalogue, draft, pack
from alertforge.draft import Draft
from alertforge.errors import AlertForgeError
from alertforge.harbor.directory import read_tree
from alertforge.spread import Graded, Plan, Row
from alertforge.tools import find
from alertforge.workflow import core

PLAN = Plan("a-secret-of-ours", episodes=5, mutants=2, gate_every=0)
KIT = Kit(Path("no-promtool"), Path("no-amtool"), 1, False)


@cache
def made(workflow: str, tier: str) -> Draft:
    return draft(workflow, tier, 101, "tests-of-spread")


def row(number: int, **fields: object) -> Row:
    """The row of one task of many that have next to nothing in common."""
    whole = Row(
        f"task-{number}",
        "slo-onboarding",
        TIERS[number % 3],
        100 + number,
        "these tests",
        checks=100 + number,
        requirements={"alert": 1, "repair": 2, "recording": 0, "route": 1, "inhibition": 0},
        drawn={"company": (f"Company {number}",)},
        asked=("new fast-burn", f"repair error-ratio defect-{number}"),
        names=(f"name-{number}",),
        sentences={"README": (f"This is what only task {number} says.",)},
        solution={"rules/a.yml": f"digest-{number}"},
    )
    return replace(whole, **fields)  # type: ignore[arg-type]


def graded(reward: float, *slips: str) -> Graded:
    return Graded(slips or ("undone A1",), reward, reward, 1.0, True, False)


def page(rows: list[Row], plan: Plan = PLAN) -> str:
    return spread_report.report(rows, plan)


# --- which tasks -----------------------------------------------------------------------------------------------------


def test_a_turn_holds_every_workflow_at_every_tier_and_no_core_task() -> None:
    turn = len(core()) * len(TIERS)
    orders = replace(PLAN, episodes=2 * turn).orders()
    assert {(one.workflow, one.tier) for one in orders[:turn]} == {(w, t) for w in core() for t in TIERS}
    assert {one.number for one in orders[:turn]} == {101}
    assert {one.number for one in orders[turn:]} == {102}
    assert not {one.id for one in orders} & {entry[0] for entry in catalogue()}
    assert len({one.id for one in orders}) == 2 * turn


def test_more_episodes_begin_with_the_same_ones() -> None:
    assert replace(PLAN, episodes=9).orders()[:5] == PLAN.orders()


def test_only_picks_by_id_and_must_leave_something() -> None:
    assert [one.tier for one in replace(PLAN, only="-easy-").orders()] == ["easy"] * 2
    with pytest.raises(AlertForgeError, match="none of the 5 task ids contains 'expert'"):
        replace(PLAN, only="expert").orders()


def test_every_so_manieth_task_is_held_against_the_gate() -> None:
    held = replace(PLAN, gate_every=2).gated
    assert [one.id in held for one in PLAN.orders()] == [True, False, True, False, True]
    assert not PLAN.gated
    assert replace(PLAN, gate_every=1).gated == {one.id for one in PLAN.orders()}


def test_what_rows_are_made_with_tells_runs_apart_and_no_secrets() -> None:
    others = [replace(PLAN, master="another"), replace(PLAN, mutants=3)]
    assert len({one.made_with for one in (PLAN, *others)}) == 3
    assert replace(PLAN, episodes=9, gate_every=2, only="easy").made_with == PLAN.made_with


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.fixture()
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of the tasks that were made, by a stand-in for making them."""
    seen: list[str] = []

    def episode(order: Order, *, made_with: str, **_: object) -> Row:
        seen.append(order.id)
        return replace(row(len(seen)), id=order.id, tier=order.tier, made_with=made_with, mutants=(graded(0.25),))

    monkeypatch.setattr(spread, "episode", episode)
    return seen


def test_a_row_survives_json() -> None:
    whole = row(3, failures=(("oracle", "reward 0"),), mutants=(graded(0.3, "undone A1", "wrong-for P1"),))
    assert Row.from_plain(json.loads(whole.to_json())) == whole


def test_more_gating_makes_only_those_anew_that_were_not_gated(tmp_path: Path, asked: list[str]) -> None:
    spread.spread(tmp_path, PLAN, KIT)
    asked.clear()
    spread.spread(tmp_path, replace(PLAN, gate_every=2), KIT)
    assert asked == [PLAN.orders()[n].id for n in (0, 2, 4)]


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path, asked: list[str]) -> None:
    def stop(_: Row) -> None:
        if len(asked) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spread.spread(tmp_path, PLAN, KIT, done=stop)
    with (tmp_path / spread.ROWS).open("a") as file:
        file.write('{"id": "cut off in the mid')
    rows = spread.spread(tmp_path, PLAN, KIT)
    wanted = [order.id for order in PLAN.orders()]
    assert [one.id for one in rows] == wanted
    assert asked == wanted
    assert spread.spread(tmp_path, PLAN, KIT) == rows
    assert asked == wanted
    assert len((tmp_path / spread.ROWS).read_text().splitlines()) == 5


def test_a_longer_run_makes_only_what_is_missing(tmp_path: Path, asked: list[str]) -> None:
    spread.spread(tmp_path, PLAN, KIT)
    spread.spread(tmp_path, replace(PLAN, episodes=7), KIT)
    assert asked == [order.id for order in replace(PLAN, episodes=7).orders()]


def test_rows_made_with_something_else_are_made_again_and_kept(tmp_path: Path, asked: list[str]) -> None:
    first = spread.spread(tmp_path, PLAN, KIT)
    spread.spread(tmp_path, replace(PLAN, master="another"), KIT)
    assert len(asked) == 10
    assert spread.spread(tmp_path, PLAN, KIT) == first
    assert len(asked) == 10


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(AlertForgeError, match=r"--out .*file/out: Not a directory"):
        spread.spread(tmp_path / "file" / "out", PLAN, KIT)


@pytest.mark.parametrize("error", [AlertForgeError("no world in 100 draws"), RuntimeError("no usable traffic")])
def test_a_task_that_cannot_be_made_has_a_row_that_says_why(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(spread, "draft", _raising(error))
    found = spread.episode(PLAN.orders()[0], plan=PLAN, kit=KIT, made_with="x")
    assert found.error == f"{type(error).__name__}: {error}"
    assert found.id == PLAN.orders()[0].id and not found.mutants


def test_a_full_disk_is_no_fault_of_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "draft", _raising(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"):
        spread.episode(PLAN.orders()[0], plan=PLAN, kit=KIT, made_with="x")


def _raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise error

    return fail


@pytest.mark.slow
def test_a_real_task_is_measured_and_can_be_looked_at(tmp_path: Path) -> None:
    plan = Plan(MASTER_SEED, 1, 2, False)
    kit = Kit(find("promtool"), find("amtool"), 2, False)
    (whole,) = spread.spread(tmp_path, plan, kit)
    assert whole.error == ""
    assert whole.checks >= 60 and sum(whole.requirements.values()) == len(whole.asked) == 5
    assert len(whole.mutants) == 2
    assert all(0 <= one.reward < 1 and one.slips for one in whole.mutants)
    (again,) = spread.spread(tmp_path, replace(plan, only=whole.id), kit)
    assert again == whole
    folder = tmp_path / spread.KEPT / whole.id
    assert sorted(path.name for path in folder.iterdir()) == [whole.id, "mutant-1", "mutant-2"]
    start = read_tree(folder / whole.id / "environment" / "workspace" / "monitoring")
    assert set(whole.unchanged) <= set(start)


# --- what tasks are made of ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workflow", core())
def test_everything_drawn_is_something_that_exists(workflow: str) -> None:
    drawn = variety.drawn(made(workflow, "medium"))
    known = variety.vocabulary()
    assert set(drawn) == set(known)
    assert {key: set(values) - set(known[key]) for key, values in drawn.items() if set(values) - set(known[key])} == {}
    assert all(len(set(values)) == len(values) for values in known.values())


def test_what_is_asked_names_kinds_and_defects() -> None:
    one = made("alert-storm-cleanup", "medium")
    asked = variety.asked(one.items)
    assert len(asked) == len(one.items)
    drawn = variety.drawn(one)
    assert [
        text.split()[2] for text in asked if text.startswith("repair") and text.split()[1] in drawn["alert kind"]
    ] == (list(drawn["rule defect"]))


def test_sentences_hide_names_numbers_and_code() -> None:
    one = made("slo-onboarding", "easy")
    found = variety.sentences(one, pack(one).instruction)
    assert set(found) >= {"instruction", "README", "decisions", "postmortems"}
    text = "\n".join(sentence for some in found.values() for sentence in some)
    assert not any(char.isdigit() or char == "`" for char in text)
    assert not [name for name in variety.names(one) if name[0].isupper() and name in text]
    assert all(len(sentence.split()) >= variety.SHORTEST for sentence in text.splitlines())


# --- the page --------------------------------------------------------------------------------------------------------


def test_a_task_that_could_not_be_made_is_listed_with_how_to_see_it() -> None:
    text = page([row(1), row(2, error="AlertForgeError: no world")])
    assert "1 of 2 tasks could be made" in text
    assert (
        "| task-2 | AlertForgeError: no world | `alertforge sample --workflow slo-onboarding --tier hard --seed 102"
        in text
    )


def test_a_gate_that_rejects_is_counted_and_quoted() -> None:
    rows = [row(1, verdicts=50), row(3), row(2, verdicts=50, failures=(("oracle", "reward 0.9"),))]
    text = page(rows)
    assert "1 of 2 that were held against the gate pass it (50 %)" in text
    assert "| task-2 | oracle | reward 0.9 |" in text
    assert "The gate was not asked" in page([row(1)])


def test_a_secret_master_seed_stands_nowhere() -> None:
    text = page([row(1, mutants=(graded(0.1),)), row(2, error="no")])
    assert PLAN.master not in text
    assert "--master-seed S" in text
    assert "--master-seed" not in page([row(1)], replace(PLAN, master=MASTER_SEED))


def test_rewards_of_mutants_have_mean_ends_and_deciles() -> None:
    rewards = [0.0, 0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 1.0]
    text = page([row(3, mutants=tuple(map(graded, rewards)))])
    assert "10 mutants: mean reward 0.275, 20 % at 0, 10 % at 1, 9 distinct values" in text
    assert "| easy | 10 | 0.275 | 20 % | 10 % | 9 | 0.000 | 0.000 | 0.100 | 0.150 | 0.200 |" in text
    assert "| undone | 10 | 0.275 | 10 | 0.275 | 1 |" in text


def test_a_mutant_that_loses_nothing_is_listed() -> None:
    text = page([row(1, mutants=(graded(0.3), graded(1.0, "wrong-for P1", "undone R1")))])
    assert "| task-1 | 2 | wrong-for P1; undone R1 |" in text


def test_what_was_never_drawn_is_dead() -> None:
    tones = variety.vocabulary()["tone"]
    text = page([row(1, drawn={"tone": tones[:1]}), row(2, drawn={"tone": tones[:1]})])
    (line,) = [line for line in text.splitlines() if line.startswith("| tone |")]
    assert f"`{tones[0]}` 2" in line
    assert ", ".join(f"`{tone}`" for tone in tones[1:]) in line
    assert f"{(1 - 1 / len(tones)) ** 2:.1%}" in line


def test_solution_files_that_two_tasks_share_are_told() -> None:
    assert "No file that a solution changes is the same" in page([row(1), row(2)])
    text = page([row(1), row(2, solution={"rules/b.yml": "digest-1"}), row(3)])
    assert "| rules/a.yml, rules/b.yml | task-1, task-2 |" in text


def test_the_canary_does_not_hide_that_files_are_the_same() -> None:
    one, two = (spread._digests({"a.yml": f"# canary {guid}\nx: 1\n"}, guid) for guid in ("first", "second"))
    assert one == two


def test_the_closest_tasks_are_named_with_what_they_share() -> None:
    rows = [row(1), row(2, names=("twin", "one")), row(3, names=("twin", "two")), row(4, names=())]
    assert "| names | 0.33 | task-2, task-3 | twin |" in page(rows)
    assert "| names |" not in page([row(1), row(4, names=())])


def test_sentences_count_among_the_tasks_that_could_hold_them() -> None:
    def told(number: int, *traits: str, says: bool) -> Row:
        text = ("We say this time and again.",) if says else (f"Only {number} says this.",)
        return row(number, sentences={"README": text}, circumstances=traits)

    seldom = [told(n, says=n < 6) for n in range(18)]  # a third of all tasks
    often = [told(n, says=n < 7) for n in range(18)]
    assert "None." in page(seldom).split("## Sentences")[1]
    assert "| README | 7 | 18 | 38.9 % | We say this time and again. |" in page(often)
    # one in five tasks, but all that have an audit receiver
    fitting = [told(n, *(["audit receiver: yes"] if n < 8 else []), says=n < 8) for n in range(40)]
    assert "| README | 8 | 8 | 100 % | We say this time and again. |" in page(fitting)
    # what two in three tasks have, eight may share by chance
    common = [told(n, *(["description: yes"] if n % 3 else []), says=n % 3 > 0 and n < 12) for n in range(24)]
    assert "| README | 8 | 24 |" in page(common)
    assert "None." in page(common).split("## Sentences")[1]


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_writes_the_page_and_all_rows(
    tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("promtool", "amtool"):
        monkeypatch.setenv(f"AF_{name.upper()}", str(find(name)))
    arguments = ["spread", "--out", str(tmp_path), "--episodes", "3", "--mutants", "1", "--gate-every", "0"]
    result = CliRunner().invoke(cli.main, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == str(tmp_path / "spread.md")
    assert len(result.stdout.splitlines()) == 4
    document = json.loads((tmp_path / "spread.json").read_text("utf-8"))
    assert [one["id"] for one in document["rows"]] == asked
    assert document["command"] == "alertforge spread --out DIR --episodes 3 --mutants 1 --gate-every 0"
    first = (tmp_path / "spread.md").read_text("utf-8")
    assert CliRunner().invoke(cli.main, arguments).exit_code == 0
    assert (tmp_path / "spread.md").read_text("utf-8") == first
    assert len(asked) == 3


def test_the_command_fails_where_a_task_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("promtool", "amtool"):
        monkeypatch.setenv(f"AF_{name.upper()}", str(find(name)))
    monkeypatch.setattr(spread, "draft", _raising(AlertForgeError("no world")))
    result = CliRunner().invoke(cli.main, ["spread", "--out", str(tmp_path), "--episodes", "2", "--gate-every", "0"])
    assert result.exit_code == cli.EXIT_FAILED
    assert "0 of 2 tasks could be made" in (tmp_path / "spread.md").read_text("utf-8")
