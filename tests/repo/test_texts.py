"""The texts of a task say what the brief says, in words that other tasks do not use."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from briefs import brief

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.create import draft
from alertforge.draft import Draft
from alertforge.repo import script, texts
from alertforge.repo.brief import Brief, Opening, Turns
from alertforge.repo.printer import duration
from alertforge.repo.texts.asking import forms
from alertforge.repo.texts.writer import WORKSPACE
from alertforge.repo.wordings import TEMPLATES, Fact, Share, agreeing, clause, compiled, wordings
from alertforge.seeds import Seed
from alertforge.world.catalog import FAMILIES

TASKS = 30
MOST = TASKS // 3
GUIDES = r"README\.md|docs/.*"
FACTS = (
    *("condition-", "metric-", "route-", "inhibit-", "rehome-", "alert-", "recording-", "latency-recording-"),
    *("failed-", "slow-", "inhibition-"),
)
# Names that other wordings may leave out, because they are said anyway.
OPTIONAL = {"inhibition-outcome": {"service"}, "condition-burn": {"service"}, "rehome-outcome": {"former"}}
URGENCIES = ("severities-kept", "severities")  # where a team's tickets take in what is neither, and where not
NUMBERS = pytest.mark.parametrize("number", range(TASKS))


@lru_cache(maxsize=TASKS)
def everything(number: int) -> dict[str, str]:
    told, seed = brief(number)
    return {
        **texts.documents(told, seed),
        "instruction.md": texts.instruction(told, seed),
        "task README.md": texts.readme(told, seed),
    }


def plain(text: str) -> str:
    """A text without line breaks and marks, as a reader takes it in."""
    return re.sub(r"\s+", " ", text.replace("\\|", "|"))


# --- rendering -------------------------------------------------------------------------------------------------------


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


# --- what is said ----------------------------------------------------------------------------------------------------


@NUMBERS
def test_the_readme_states_every_convention(number: int) -> None:
    told, seed = brief(number)
    style, text = told.world.style, plain(texts.documents(told, seed)["README.md"])
    words = [style.severity_label, style.owner_label, style.service_label, *style.severities.values()]
    words += [style.info_severity, style.summary_key, style.runbook_key, style.default_receiver]
    words += [f"{key}: {value}" for key, value in style.extra_labels]
    words += [re.sub(r"\{(\w+)\}", r"<\1>", one) for one in (style.alert_name, style.runbook, style.record_name)]
    words += [one.format(team="<team>") for one in style.receiver.values()]
    words += [style.audit_receiver] if style.audit_receiver else []
    for word in words:
        assert re.search(rf"`[^`]*{re.escape(word)}[^`]*`", text), word
    for label in style.group_by:
        assert f"`{label}`" in text
    assert re.search(rf"\b{style.slo_days} days", text)
    for window in told.windows:
        assert f"`{duration(window * 60_000)}`" in text


@NUMBERS
def test_the_readme_states_every_number_of_the_burn_tiers(number: int) -> None:
    told, seed = brief(number)
    text = texts.documents(told, seed)["README.md"]
    for tier in told.world.style.burn.values():
        long, short, wait = (duration(minutes * 60_000) for minutes in (tier.long, tier.short, tier.for_))
        rows = [line for line in text.splitlines() if re.search(rf"(?<![\d.]){re.escape(tier.factor)}(?![\d.])", line)]
        whole = [line for line in rows if all(re.search(rf"\b{value}\b", line) for value in (long, short, wait))]
        columns = re.search(r"\| long window \|.*\n\| short window \|.*\n\| factor \|.*\n\| `for` \|.*", text)
        assert whole or (columns and all(value in columns[0] for value in (tier.factor, long, short, wait)))
    assert "(1 − SLO)" in text


@NUMBERS
def test_the_readme_states_every_policy_with_its_numbers(number: int) -> None:
    told, seed = brief(number)
    text = texts.documents(told, seed)["README.md"]
    lines = text.splitlines()
    for entry in told.policies:
        numbers = sorted(
            re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", re.sub(r"`[^`]*`|is 1 ", "", str(entry.condition)))
        )
        fitting = [
            line
            for line in lines
            if all(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", line) for one in numbers)
            and re.search(rf"for {entry.for_minutes} minutes?", line.lower())
        ]
        assert fitting, entry.condition
        assert any(told.world.style.symptoms[entry.kind] in line for line in lines)
        assert entry.urgency in text


@NUMBERS
def test_shares_are_percentages_all_written_alike(number: int) -> None:
    told, seed = brief(number)
    shares = [part for entry in told.policies for _, part in entry.condition.names if isinstance(part, Share)]
    texts_ = [text for path, text in everything(number).items() if path.endswith(".md") and "postmortems/" not in path]
    ways = {re.sub(r"[\d.]+", "N", one) for text in texts_ for one in re.findall(r"[\d.]+(?: ?%| percent)", text)}
    assert len(ways) == 1
    readme = plain(texts.documents(told, seed)["README.md"])
    for share in shares:
        percent = ways.copy().pop().replace("N", share.hundredths)
        assert percent in readme
        assert not re.search(
            rf"(more than|above|over|exceeds|less than|fewer than|under|below) {share.fraction} of", readme
        )


@pytest.mark.parametrize(
    ("fraction", "percent"), [("0.15", "15 %"), ("0.9", "90 %"), ("0.005", "0.5 %"), ("1", "100 %")]
)
def test_a_share_is_said_in_percent(fraction: str, percent: str) -> None:
    assert str(Share(fraction)) == percent


@NUMBERS
def test_every_exported_metric_and_every_policy_sentence_is_there(number: int) -> None:
    told, seed = brief(number)
    text = texts.documents(told, seed)["README.md"]
    for name, _ in told.metrics:
        assert f"`{name}`" in text
    for sentence in (*told.routing, *told.inhibitions):
        for mark in re.findall(r"`([^`]+)`", str(sentence)):
            for part in mark.split(": "):
                assert part in text, sentence


@NUMBERS
def test_the_catalog_has_every_service_with_its_objective_owner_and_errors(number: int) -> None:
    told, seed = brief(number)
    text = texts.documents(told, seed)["slo/services.yaml"]
    flat = yaml.dump(yaml.load(text, Loader=yaml.BaseLoader), default_style="'", width=10_000)
    for service in told.world.services:
        family = service.family
        errors = f'{family.status_label}{family.error_op}"{family.error_value}"'
        facts = [service.name, service.team, service.namespace, service.slo, service.latency_slo, errors]
        for fact in [*facts, service.latency_threshold, family.counter, family.histogram, family.status_label]:
            assert f"'{fact}'" in flat, fact
        assert all(need in flat for need in service.depends_on)


@NUMBERS
def test_the_catalog_lists_every_team_with_its_lead_and_says_what_the_one_without_services_runs(number: int) -> None:
    told, seed = brief(number)
    catalog = yaml.load(texts.documents(told, seed)["slo/services.yaml"], Loader=yaml.BaseLoader)
    teams = catalog["teams"]
    listed = (
        teams if isinstance(teams, dict) else {one.get("name") or one.get("team") or one["id"]: one for one in teams}
    )
    assert set(listed) == {team.name for team in told.world.teams}
    for team in told.world.teams:
        said = [value for value in listed[team.name].values() if isinstance(value, str)]
        assert {team.title, team.lead.name} <= set(said)
        assert any("exporters" in value for value in said) == (team.name == told.world.fleet)


def test_catalogs_come_in_several_shapes() -> None:
    shapes = {tuple(yaml.safe_load(everything(number)["slo/services.yaml"])) for number in range(TASKS)}
    assert len(shapes) >= 4


# --- postmortems and requests ----------------------------------------------------------------------------------------


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


# --- variety ---------------------------------------------------------------------------------------------------------


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


@NUMBERS
def test_decisions_are_taken_on_working_days_in_the_order_of_their_numbers(number: int) -> None:
    days = []
    for path, text in sorted(everything(number).items()):
        if path.startswith("docs/adr/"):
            found = re.search(r"\d{4}-\d\d-\d\d|\b\d{1,2} [A-Z][a-z]+ 20\d\d\b", re.sub("canary .*", "", text))
            assert found, path
            iso = found[0][:4].isdigit()
            days.append(datetime.strptime(found[0], "%Y-%m-%d" if iso else "%d %B %Y").date())
    assert len(days) in (2, 3)
    assert all(day.weekday() < 5 and (day.month, day.day) not in ((1, 1), (12, 25), (12, 26)) for day in days)
    assert all(earlier < later for earlier, later in pairwise(days))


@NUMBERS
def test_camel_case_is_explained_where_names_have_it_and_nowhere_else(number: int) -> None:
    told, _ = brief(number)
    named = "{Service}" in told.world.style.alert_name
    readme = everything(number)["README.md"].lower()
    assert (
        "camel case" in readme or "capitalised" in readme or "`<Service>`" in everything(number)["README.md"]
    ) == named


@NUMBERS
def test_bounds_of_histograms_are_explained_where_there_are_any(number: int) -> None:
    told, _ = brief(number)
    buckets = any(name.endswith("_bucket") for name, _ in told.metrics)
    assert ("`1.0`" in everything(number)["README.md"] or '`le="1.0"`' in everything(number)["README.md"]) == buckets


def test_a_team_that_is_to_get_routes_is_not_on_the_list_of_pagers() -> None:
    pages = 0
    for number in range(TASKS):
        told, _ = brief(number)
        if page := everything(number).get("docs/oncall.md"):
            pages += 1
            wanted = {one.name for one in told.requests if one.category == "route" and not one.symptom}
            listed = {team.name for team in told.world.teams if f"| {team.title} |" in page}
            assert wanted and listed == {team.name for team in told.world.teams} - wanted
    assert pages > 5


def test_the_company_is_not_named_twice_in_a_row() -> None:
    for number in range(TASKS):
        told, _ = brief(number)
        opening = plain(everything(number)["instruction.md"])
        name = re.escape(told.world.company)
        assert not re.search(rf"{name}[^.]*\. {name} ", opening), opening[:300]


@NUMBERS
def test_the_readme_says_which_keys_of_the_catalog_hold_what_conditions_mention(number: int) -> None:
    told, seed = brief(number)
    documents = texts.documents(told, seed)
    catalog = yaml.load(documents["slo/services.yaml"], Loader=yaml.BaseLoader)
    service = told.world.services[0]
    said = " ".join(str(one.condition) for one in told.policies)
    wanted = {"SLO": service.slo}
    if "latency threshold" in said:
        wanted["latency threshold"] = service.latency_threshold
    for term, value in wanted.items():
        found = re.search(rf"`([\w.]+)` \({term}\)", documents["README.md"])
        assert found, term
        assert value in list(under(catalog, found[1].split("."))), found[0]


def under(tree: object, keys: list[str]) -> Iterator[object]:
    """The values that stand anywhere in a tree under these keys, each inside the one before."""
    if isinstance(tree, list):
        for one in tree:
            yield from under(one, keys)
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == keys[0] and len(keys) == 1:
                yield value
            elif key == keys[0]:
                yield from under(value, keys[1:])
            else:
                yield from under(value, keys)


@NUMBERS
def test_the_readme_contradicts_itself_neither_about_unowned_pages_nor_about_notes(number: int) -> None:
    told, seed = brief(number)
    slots = {one.slot for one in told.routing}
    assert any(slot.endswith("-copied") for slot in slots) == ("route-audit-alone" in slots)
    readme = plain(texts.documents(told, seed)["README.md"])
    ways = {slot: [way for way in wordings()[slot] if filled(way, told) in readme] for slot in URGENCIES}
    kept = told.world.style.routing == "team-first"
    assert [bool(ways[slot]) for slot in URGENCIES] == [kept, not kept]


def filled(way: str, told: Brief) -> str:
    style = told.world.style
    names = {"sev": style.severity_label, "info": style.info_severity, **style.severities}
    return plain(re.sub(r"\{\{ (\w+) \}\}", lambda found: names[found[1]], way))


@pytest.mark.parametrize("name", ["worker", "tasks", "consumer"])
def test_what_workers_count_is_not_called_requests_without_a_word(name: str) -> None:
    (family,) = [one for one in FAMILIES["job"] if one.name == name]
    world = brief(1)[0].world
    subject = Subject(world, replace(world.services[0], family=family))
    for kind in KINDS.values():
        for metric, what in kind.exported(subject):
            if metric.startswith((family.counter, family.histogram)):
                assert subject.unit in str(what) and subject.unit != "requests"
    (_, summary), *_ = KINDS["error-ratio"].rule(subject).annotations
    assert summary.endswith(f"{subject.unit} fail") and "% of" in summary


@NUMBERS
def test_the_readme_says_how_late_a_record_may_make_an_alert(number: int) -> None:
    told, seed = brief(number)
    readme = plain(texts.documents(told, seed)["README.md"])
    assert any(plain(way) in readme for way in wordings()["records-order"])


@NUMBERS
def test_the_readme_says_what_no_alert_may_hang_on(number: int) -> None:
    told, seed = brief(number)
    readme = plain(texts.documents(told, seed)["README.md"])
    assert any(plain(way) in readme for way in wordings()["own-metrics"])


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
    hit = replace(told, requests=tuple(replace(one, everyone=one.id == "R2") for one in told.requests))
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


# --- what is said is true of the repo ---------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def drafted(workflow: str, tier: str) -> Draft:
    return draft(workflow, tier, 1, "true")


DRAFTS = pytest.mark.parametrize(
    ("workflow", "tier"), [("slo-onboarding", "hard"), ("latency-slo", "easy"), ("team-reorg-migration", "medium")]
)


@DRAFTS
def test_names_are_explained_with_alerts_that_stand_in_the_repo(workflow: str, tier: str) -> None:
    made = drafted(workflow, tier)
    there = {rule.name for rule in made.start.rules() if rule.is_alert}
    asked_for = {name for item in made.items for name in item.touched().alerts}
    world = made.world
    examples = {Subject(world, world.service(name)).alert_name(kind) for kind, name in made.brief.examples}
    assert examples and examples <= there - asked_for
    policy = {one.kind for one in made.brief.policies}
    assert {kind for kind, _ in made.brief.examples} <= policy


@DRAFTS
def test_every_team_that_owns_an_alert_is_in_the_catalog_or_in_the_readme(workflow: str, tier: str) -> None:
    made = drafted(workflow, tier)
    label = made.world.style.owner_label
    owners = {value for rule in made.solved.rules() for key, value in rule.labels if key == label}
    services = {service.team for service in made.world.services}
    assert made.world.fleet in owners
    for owner in owners - services:
        assert f"`{label}: {owner}`" in made.docs["README.md"]
        assert made.world.team(owner).title in made.docs["README.md"]


@DRAFTS
def test_burn_rates_replace_no_error_threshold_where_the_house_has_one(workflow: str, tier: str) -> None:
    made = drafted(workflow, tier)
    kinds = {one.kind for one in made.brief.policies}
    said = plain("\n".join(text for path, text in made.docs.items() if path.startswith("docs/adr/")))
    replacing = re.search(r"(?i)(instead of|replace) error thresholds|and not on error rates|used to page on", said)
    assert not (replacing and kinds & {"error-ratio", "latency-fast-burn"})
    assert bool(re.search(r"latency|slow requests", said)) == ("latency-fast-burn" in kinds)


def test_slots_of_decisions_beside_thresholds_do_not_say_that_these_are_gone() -> None:
    for slot in ("burn-title-beside", "burn-context-beside", "burn-title-latency", "burn-context-latency"):
        for way in wordings()[slot]:
            assert not re.search(r"(?i)instead|replace|used to page|the old", way), way
    for slot in ("burn-both", "burn-latency"):
        assert all(re.search(r"(?i)latency|slow requests", way) for way in wordings()[slot]), slot


def test_suppression_is_told_as_one_outage_by_the_label_and_not_as_what_follows() -> None:
    for way in wordings()["inhibit-policy"]:
        assert not re.search(r"(?i)follow|consequence|bound to|implied|pages", way), way
        assert re.search(r"label.*(same|equal)|(same|equal).*label", re.sub(r"\{\{.*?\}\}", "", way)), way
        assert re.search(r"(?i)listed|named with it|the list", way), way
        assert "same outage" in way or "that outage" in way or "one outage" in way, way


def test_one_thing_for_each_of_some_others_is_said_with_per() -> None:
    thing = r"(service|team|tier|window|alert|task|group|`)"
    for path in sorted((TEMPLATES / "wordings").glob("*.txt")):
        if path.stem in ("readme", "adr", "conditions", "metrics", "oncall"):
            found = re.findall(rf"\b(?:one|two|at most \w+) \w+ an? {thing}", path.read_text(encoding="utf-8"))
            assert not found, path.name


@pytest.mark.parametrize("slot", ["metric-requests", "metric-work"])
def test_request_counters_are_told_with_the_label_of_the_service(slot: str) -> None:
    assert all("{{ by }}" in way for way in wordings()[slot])


# --- bin/af-check ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("manifests", [False, True])
def test_the_script_is_bash_without_leftovers(manifests: bool) -> None:
    told = next(b for b, _ in map(brief, range(TASKS)) if b.world.style.manifests == manifests)
    text = script.af_check(told)
    assert text.startswith("#!/usr/bin/env bash\n")
    assert ("yaml" in text.split("PYTHON")[1]) == manifests
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
