"""Mutants are the reference solution with slips: each slip does what its name says, and nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import pytest

from alertforge import yamlsafe
from alertforge.alertmanager import config as alertmanager
from alertforge.create import draft
from alertforge.draft import Draft
from alertforge.items.alert import AlertItem
from alertforge.items.recording import RecordingItem
from alertforge.policies.mutants import FILE_SLIPS, MOST, REPO_SLIPS, SLIPS, mutants
from alertforge.prometheus import rules
from alertforge.prometheus.promql import Aggregate, walk
from alertforge.prometheus.rules import Rule
from alertforge.repo.model import CONFIG_PATH, Repo
from alertforge.seeds import Seed

MASTER = "tests-of-mutants"
TASKS = (
    ("slo-onboarding", "easy", 1),
    ("alert-storm-cleanup", "medium", 2),
    ("missed-page-postmortem", "hard", 101),
    ("latency-slo", "medium", 1),
    ("team-reorg-migration", "hard", 3),
)


@cache
def made(*task: str | int) -> Draft:
    return draft(*task, MASTER)  # type: ignore[arg-type]


def slipped(name: str) -> Iterator[tuple[Draft, str, Repo]]:
    """Every way in which a slip can happen in the tasks: where, and the repo after it."""
    for task in TASKS:
        one = made(*task)
        for place in REPO_SLIPS[name](one, Seed.master(MASTER).rng(name)):
            repo = place.edit(one.solved)
            if repo is not None and repo != one.solved:
                yield one, place.detail or place.about, repo


def changes(before: Repo, after: Repo) -> tuple[list[Rule], list[Rule]]:
    """Rules that are gone, and rules that are new."""
    gone, new = Counter(before.rules()), Counter(after.rules())
    return list((gone - new).elements()), list((new - gone).elements())


@pytest.mark.parametrize("task", TASKS)
def test_mutants_have_one_to_three_slips_and_no_two_the_same(task: tuple[str, str, int]) -> None:
    found = mutants(made(*task), 12)
    assert len(found) == 12
    assert {len(one.slips) for one in found} == set(range(1, MOST + 1))
    assert len({frozenset(one.slips) for one in found}) == 12
    solved = made(*task).files(made(*task).solved)
    assert all(one.files != solved for one in found)
    assert all(set(one.kinds) <= set(SLIPS) for one in found)


def test_mutants_are_drawn_from_the_task_alone() -> None:
    task = TASKS[0]
    assert mutants(draft(*task, MASTER), 3) == mutants(made(*task), 5)[:3]
    assert mutants(draft(*task, "another"), 3) != mutants(made(*task), 3)


def test_every_slip_is_made_in_some_mutant() -> None:
    seen = Counter(kind for task in TASKS for one in mutants(made(*task), 25) for kind in one.kinds)
    assert set(seen) == set(SLIPS)


@pytest.mark.parametrize("name", REPO_SLIPS)
def test_every_slip_has_a_place_in_the_tasks(name: str) -> None:
    assert any(True for _ in slipped(name))


def test_what_is_left_undone_is_as_in_the_start_repo() -> None:
    for one, about, repo in slipped("undone"):
        item = next(item for item in one.items if item.id == about)
        names = {*item.touched().alerts, *item.touched().records}
        assert [r for r in repo.rules() if r.name in names] == [r for r in one.start.rules() if r.name in names]


def test_a_wrong_for_is_all_that_differs() -> None:
    for one, _, repo in slipped("wrong-for"):
        (old,), (new,) = changes(one.solved, repo)
        assert old.for_ != new.for_ and new.for_ % 60_000 == 0
        assert replace(old, for_=new.for_) == new


def test_a_wrong_severity_is_one_of_the_houses_words() -> None:
    for one, _, repo in slipped("wrong-severity"):
        style = one.world.style
        (old,), (new,) = changes(one.solved, repo)
        assert new == old.with_label(style.severity_label, new.label(style.severity_label))
        assert new.label(style.severity_label) in {*style.severities.values(), style.info_severity}


def test_without_by_nothing_is_grouped() -> None:
    for one, _, repo in slipped("missing-by"):
        gone, new = changes(one.solved, repo)
        assert len(gone) == len(new)
        assert not [node for rule in new for node in walk(rule.tree) if isinstance(node, Aggregate) and node.grouping]


def test_a_duplicate_stands_beside_the_right_alert_under_its_name() -> None:
    for one, about, repo in slipped("duplicate-alert"):
        item = next(item for item in one.items if item.id == about)
        assert isinstance(item, AlertItem)
        gone, new = changes(one.solved, repo)
        assert not gone
        assert item.rule.name in {rule.name for rule in new}
        assert item.broken is None or new == [item.broken]


def test_a_mis_fix_is_neither_the_broken_rule_nor_the_right_one() -> None:
    for one, about, repo in slipped("mis-fix"):
        item = next(item for item in one.items if item.id == about.split("/")[0])
        assert isinstance(item, AlertItem | RecordingItem)
        gone, new = changes(one.solved, repo)
        assert gone and not set(new) & {*one.solved.rules(), *one.start.rules()}


def test_a_neighbour_is_nothing_that_was_asked_about() -> None:
    for one, _, repo in slipped("edited-neighbour"):
        asked = {name for item in one.items for name in (*item.touched().alerts, *item.touched().records)}
        (old,), new = changes(one.solved, repo)
        assert old.name not in asked
        assert [rule.name for rule in new] in ([], [old.name])


def test_missing_continue_ends_the_search_early_and_loses_no_route() -> None:
    seen = set()
    for one, about, repo in slipped("missing-continue"):
        assert not changes(one.solved, repo)[0]
        before, after = one.solved.config, repo.config
        count = [sum(node.route.continue_ for node in config.nodes()) for config in (before, after)]
        assert len(before.nodes()) == len(after.nodes())
        assert count[1] == count[0] - (about == "dropped")
        seen.add(about == "dropped")
    assert seen == {True, False}


def test_a_scratch_file_is_loaded_and_was_never_there() -> None:
    for task in TASKS:
        one = made(*task)
        solved = one.files(one.solved)
        for spot in FILE_SLIPS["scratch-file"](one, one.seed.rng("scratch")):
            files = spot.edit(solved)
            assert files is not None
            assert {path for path in files if files.get(path) != solved.get(path)} == {spot.about}
            assert spot.about.startswith("rules/") and spot.about not in solved


@pytest.mark.parametrize("task", TASKS)
def test_a_broken_indent_is_one_line_and_changes_what_the_file_says(task: tuple[str, str, int]) -> None:
    one = made(*task)
    solved = one.files(one.solved)
    for spot in FILE_SLIPS["yaml-indent"](one, one.seed.rng("indent")):
        files = spot.edit(solved)
        assert files is not None
        (path,) = [path for path in files if files[path] != solved[path]]
        pairs = list(zip(solved[path].splitlines(), files[path].splitlines(), strict=True))
        ((old, new),) = [pair for pair in pairs if pair[0] != pair[1]]
        assert old.strip() == new.strip()
        assert said(path, solved[path]) != said(path, files[path])


def said(path: str, text: str) -> object:
    """What a file means to whom loads it, layout of expressions apart; None where it cannot be loaded."""
    try:
        if path == CONFIG_PATH:
            return alertmanager.parse(text)
        yamlsafe.load(text, scalars="text")
    except (yamlsafe.YamlError, alertmanager.ConfigError):
        return None
    return [replace(rule, expr="".join(rule.expr.split())) for rule in rules.read(path, text).rules()]
