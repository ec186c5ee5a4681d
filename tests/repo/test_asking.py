"""The instruction asks for everything once, in words that are true of the repo."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from briefs import NUMBERS, TASKS, brief, everything, plain

from alertforge.create import draft
from alertforge.repo import texts
from alertforge.repo.brief import Opening
from alertforge.repo.texts.asking import forms
from alertforge.repo.texts.writer import WORKSPACE
from alertforge.repo.wordings import compiled, wordings


@NUMBERS
def test_the_instruction_holds_every_request_once_and_every_constraint(number: int) -> None:
    told, seed = brief(number)
    text = texts.instruction(told, seed)
    for request in told.requests:
        assert text.count(f"**{request.id}**") == 1
    for word in ("`interval`", "`query_offset`", "`limit`", "time", "`ALERTS", WORKSPACE, "promtool", "amtool"):
        assert word.lower() in text.lower(), word
    assert "bin/af-check" in text and "README" in text


def test_requests_are_shuffled() -> None:
    orders = {tuple(re.findall(r"\*\*([A-Z]\d)\*\*", everything(number)["instruction.md"])) for number in range(TASKS)}
    assert len(orders) > TASKS // 2


@NUMBERS
def test_novices_get_every_name_and_number_and_others_get_the_outcome(number: int) -> None:
    told, seed = brief(number)
    text = plain(texts.instruction(told, seed))
    for request in told.requests:
        if not request.symptom:
            wanted = request.exact if told.expertise == "novice" else request.outcome
            for mark in re.findall(r"`([^`]+)`", str(wanted)):
                assert mark in text, wanted
    (alert,) = [one for one in told.requests if one.category == "alert"]
    assert (alert.name in text.split("**A1**")[1].split("**")[0]) == (told.expertise == "novice")


def test_the_company_is_not_named_twice_in_a_row() -> None:
    for number in range(TASKS):
        told, _ = brief(number)
        opening = plain(everything(number)["instruction.md"])
        name = re.escape(told.world.company)
        assert not re.search(rf"{name}[^.]*\. {name} ", opening), opening[:300]


@pytest.mark.parametrize("slot", ["rehome-exact", "rehome-outcome"])
def test_moving_an_alert_forbids_no_change_that_moving_takes(slot: str) -> None:
    for way in wordings()[slot]:
        assert not re.search(r"(?i)nothing else|everything else|all else|no other change", way), way


@pytest.mark.parametrize("slot", ["rehome-outcome", "route-outcome"])
def test_who_owns_what_is_said_without_claims_about_what_arrives(slot: str) -> None:
    """In the same task the routing of all teams may be broken."""
    for way in wordings()[slot]:
        assert not re.search(r"(?i)\b(hear|hears|heard|reach\w*|gets `|paged|every other team has)\b", way), way


@pytest.mark.parametrize("slot", ["inhibition-exact", "inhibition-outcome"])
def test_new_inhibitions_are_asked_for_as_wishes_and_not_told_as_events(slot: str) -> None:
    for way in wordings()[slot]:
        assert not re.search(r"(?i)\b(announce\w*|later|again|we (get|hear)|pages?|paging|already)\b", way), way


def test_requests_about_broken_inhibitions_are_true_whichever_side_is_wrong() -> None:
    """Right in a rule may be what its source does, wrong what others do; there may be no rule at all."""
    for way in wordings()["inhibition-broken"]:
        assert "{{ service }}" in way and "README" in way, way
        assert not re.search(r"`\{\{ source \}\}` (suppresses|holds|fires|keeps)", way), way


def test_what_is_broken_for_all_teams_is_to_be_repaired_for_all() -> None:
    for way in wordings()["route-broken-everyone"]:
        assert re.search(r"(?i)\b(all|everyone|every)\b", way), way
    told, seed = brief(0)
    hit = replace(
        told, requests=tuple(replace(one, traits=("all",) if one.id == "R2" else ()) for one in told.requests)
    )
    (line,) = [one for one in texts.instruction(hit, seed).splitlines() if "**R2**" in one]
    names = {"team": next(one.name for one in told.requests if one.id == "R2")}
    ways = (re.sub(r"\{\{ (\w+) \}\}", lambda m: names[m[1]], way) for way in wordings()["route-broken-everyone"])
    assert any(way in line for way in ways), line


def test_time_intervals_that_are_forbidden_are_those_of_alertmanager() -> None:
    for way in wordings()["times"]:
        assert re.search(r"(?i)alertmanager|routes", way) and "mut" in way.lower() and "active" in way, way


@pytest.mark.parametrize("workflow", ["team-reorg-migration", "slo-onboarding"])
def test_no_two_requests_of_a_task_use_the_same_words(workflow: str) -> None:
    for number in (1, 2):
        made = draft(workflow, "hard", number, "wordings")
        asked = texts.instruction(made.brief, made.seed.child("texts"))
        ids = {one.id: one.category for one in made.brief.requests}
        said = [(ids[one], text) for one, text in re.findall(r"\*\*([A-Z]\d)\*\* (.*)", asked)]
        bare = [(category, re.sub(r"`[^`]*`", "X", text)) for category, text in said]
        assert len(set(bare)) == len(bare) == len(ids)
        pointers = re.findall(r"[^.]*postmortems/[^.]*\.md`[^.]*\.$", asked, re.MULTILINE)
        sources = [re.sub(r"`[^`]*`", "X", one) for one in pointers]
        assert len(set(sources)) == len(sources)


@NUMBERS
def test_requests_have_one_numbering(number: int) -> None:
    assert not re.search(r"(?m)^\d+\. \*\*[A-Z]\d", everything(number)["instruction.md"])


@pytest.mark.parametrize(
    ("services", "alerts", "text"),
    [
        (("a",), 1, "`a` gets an alert on its budget"),
        (("a",), 2, "`a` gets alerts on its budget"),
        (("a", "b"), 2, "`a` and `b` get alerts on their budgets"),
    ],
)
def test_openings_agree_in_number_with_what_is_asked(services: tuple[str, ...], alerts: int, text: str) -> None:
    way = "{{ services }} {{ get }} {{ alerts }} on {{ its }} {{ budget }}"
    assert compiled(way).render(forms(Opening(way, services, alerts))) == text


def test_broken_latency_records_are_not_called_error_ratios() -> None:
    for way in wordings()["latency-recording-broken"]:
        assert "error" not in way, way
        assert "slow" in way or "latency" in way, way
