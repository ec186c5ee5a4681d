"""The README, the catalog and the decisions state every convention, and are true of the repo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

import pytest
import yaml
from briefs import NUMBERS, TASKS, brief, everything, plain

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.create import draft
from alertforge.draft import Draft
from alertforge.repo import texts
from alertforge.repo.brief import Brief
from alertforge.repo.printer import duration
from alertforge.repo.wordings import TEMPLATES, Share, wordings
from alertforge.world.catalog import FAMILIES

URGENCIES = ("severities-kept", "severities")  # where a team's tickets take in what is neither, and where not


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
