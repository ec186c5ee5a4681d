"""Postmortems agree with themselves, with the calendar, and with what each team can have heard."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

import pytest
from briefs import brief

from alertforge.create import draft
from alertforge.defects import DEFECTS
from alertforge.items.alert import AlertItem
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.route import RouteItem
from alertforge.repo import texts
from alertforge.repo.brief import Brief
from alertforge.repo.texts.postmortems import WAYS, Story, decoys, fits, stories, topics, variants
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import wordings
from alertforge.seeds import Seed
from alertforge.world.catalog import FAMILIES

TASKS: Final = 30
MOST: Final = 5  # tasks of these that may share a sentence
NUMBERS = pytest.mark.parametrize("number", range(TASKS))
HOLIDAYS: Final = {(12, 24), (12, 25), (12, 26), (12, 31), (1, 1)}


@lru_cache(maxsize=TASKS)
def reports(number: int) -> dict[str, Story]:
    return stories(Writer(*brief(number)))


def told(story: Story) -> str:
    """Everything that a story says."""
    steps = (step for _, step in story.timeline)
    return "\n".join(
        (story.title, story.noticed, story.saw, story.impact, story.detail, *steps, *story.after, story.remark)
    )


def ways(*slots: str) -> Iterator[str]:
    """The wordings of all slots that begin like one of these."""
    return (way for slot, found in wordings().items() if slot.startswith(slots) for way in found)


# --- days, numbers, times --------------------------------------------------------------------------------------------


@NUMBERS
def test_postmortems_are_of_working_days_in_the_order_of_their_numbers(number: int) -> None:
    told_, _ = brief(number)
    ordered = sorted(reports(number).values(), key=lambda story: story.number)
    days = [story.day for story in ordered]
    assert all(0 < (later - earlier).days <= 33 for earlier, later in pairwise(days))
    assert days[-1] == told_.world.calendar.incident
    assert all(day.weekday() < 5 and (day.month, day.day) not in HOLIDAYS for day in days)


@NUMBERS
def test_a_postmortem_is_dated_with_its_day(number: int) -> None:
    documents = texts.documents(*brief(number))
    for story in reports(number).values():
        day = story.day
        assert day.isoformat() in documents[story.path] or f"{day.day} {day:%B %Y}" in documents[story.path]


def test_gaps_between_postmortems_and_between_steps_vary() -> None:
    gaps, ids = set(), set()
    for number in range(TASKS):
        numbers = sorted(story.number for story in reports(number).values())
        ids |= {later - earlier for earlier, later in pairwise(numbers)}
        for story in reports(number).values():
            times = [int(time[:2]) * 60 + int(time[3:]) for time, _ in story.timeline]
            assert times[0] >= 8 * 60 and times[-1] < 20 * 60
            gaps |= {later - earlier for earlier, later in pairwise(times)}
    assert ids == {1, 2, 3}
    assert len(gaps) > 40 and min(gaps) >= 2 and max(gaps) <= 55


def test_no_wording_of_a_step_belongs_to_one_time_of_day() -> None:
    of_day = re.compile(
        r"all day|for the day|\bmorning|\bevening|\bnight|\bnoon|lunch|breakfast|stand-up|tonight|weekend"
    )
    assert [
        way for way in ways("event-", "step-", "decoy-first", "decoy-between", "decoy-last") if of_day.search(way)
    ] == []


# --- who -------------------------------------------------------------------------------------------------------------


@NUMBERS
def test_nobody_writes_about_themselves(number: int) -> None:
    told_, _ = brief(number)
    for story in reports(number).values():
        assert story.author.name not in told(story)
        assert story.author in (told_.world.sre, story.team.lead, *story.team.members)


@NUMBERS
def test_a_ticket_that_somebody_took_is_not_without_an_owner(number: int) -> None:
    sre = brief(number)[0].world.sre.name
    handed = re.compile(rf"(goes|handed over|queue of|{sre} takes)")
    for story in reports(number).values():
        last = story.timeline[-1][1]
        if sre in last and handed.search(last):
            assert not re.search(
                r"unassigned|no owner|not started|nobody|somebody has to|to spare", story.after[0], re.I
            )


@NUMBERS
def test_every_postmortem_ends_with_what_came_of_it_and_not_with_a_bare_name(number: int) -> None:
    documents = texts.documents(*brief(number))
    for story in reports(number).values():
        text = re.sub(r"\s+", " ", documents[story.path])
        assert f"({story.author.name})" not in text
        if story.remark:
            assert text.index(story.after[0]) < text.rindex(story.remark)


# --- how it was noticed ----------------------------------------------------------------------------------------------


def pattern(way: str) -> str:
    """A wording as a regex for what is made with it."""
    return "".join(map(_piece, re.split(r"(\{\{.*?\}\})", way)))


def _piece(text: str) -> str:
    """A name as anything, one of several texts as any of them, and plain text as it is."""
    if re.fullmatch(r'\{\{ one\("[^"]*"(, "[^"]*")+\) \}\}', text):
        either = re.findall(r'"([^"]*)"', text)
        return f"(?:{'|'.join(map(re.escape, either))})"
    return ".+" if text.startswith("{{") else re.escape(text)


def written_with(text: str, slot: str) -> bool:
    """Whether a text is made with a wording of that slot."""
    return any(re.fullmatch(pattern(way), text) for way in wordings()[slot])


@NUMBERS
def test_what_was_found_later_has_no_live_report_and_the_other_way_round(number: int) -> None:
    modes = ("live", "found")
    for key, story in reports(number).items():
        if key.startswith("decoy"):
            continue
        pieces = (story.noticed, story.timeline[0][1], story.impact)
        slots = [slot for slot in wordings() if slot.startswith(("noticed-", "event-", "impact-"))]
        only = {
            mode
            for piece in pieces
            for mode, other in zip(modes, reversed(modes), strict=True)
            if any(written_with(piece, slot) for slot in slots if slot.endswith(mode))
            and not any(written_with(piece, slot) for slot in slots if not slot.endswith(mode))
        }
        assert len(only) <= 1, pieces


@pytest.mark.parametrize("flavour", ["noisy", "silent", "misrouted", "cosmetic"])
@pytest.mark.parametrize("mode", ["live", "found"])
@pytest.mark.parametrize("circle", [("heard", "page"), ("heard",), ("unheard",)])
def test_every_way_to_notice_an_alert_has_wordings(flavour: str, mode: str, circle: tuple[str, ...]) -> None:
    facets = ("alert", flavour, *circle, mode, "free")
    for part in ("title", "noticed", "impact", "event"):
        slots = variants(f"{part}-{flavour}", facets)
        assert sum(len(wordings()[slot]) for slot in slots) >= 3, (part, slots)
        assert not any({"live": "found", "found": "live"}[mode] in slot for slot in slots)


@pytest.mark.parametrize(
    "symptom",
    [
        "X was quiet in the last three incidents",
        "trouble at y went unannounced for an hour",
        "every restart of y sets X off",
        "the log held two weeks of X",
    ],
)
def test_what_took_long_or_came_again_was_found_later(symptom: str) -> None:
    asked, seed = brief(0)
    requests = tuple(replace(one, symptom=symptom) if one.symptom else one for one in asked.requests)
    live = {pattern(way) for slot, found in wordings().items() if slot.endswith("-live") for way in found}
    later = {pattern(way) for slot, found in wordings().items() if not slot.endswith("-live") for way in found}
    for story in stories(Writer(replace(asked, requests=requests), seed)).values():
        for piece in (story.noticed, story.timeline[0][1], story.impact):
            only = any(re.fullmatch(one, piece) for one in live) and not any(re.fullmatch(one, piece) for one in later)
            assert not only, piece


def test_silences_and_deletions_are_spoken_of_where_there_is_something_to_be_heard() -> None:
    for slot, found in wordings().items():
        if slot.startswith(("step-", "next", "impact-", "blame", "well")):
            loud = [way for way in found if re.search(r"\bdelet|\bmut(e|ing)|silence(s|d)? (is|would|it)", way)]
            assert not loud or slot.endswith("-noisy"), loud


# --- who can have heard ----------------------------------------------------------------------------------------------


def heard(asked: Brief, seed: Seed) -> set[str]:
    """Wordings in the postmortems of a brief that only fit those whose phone rang or inbox filled up."""
    slots = [slot for slot in wordings() if re.search(r"-(heard|page)(-|$)", slot) and not slot.startswith("oncall")]
    lines = [line for story in stories(Writer(asked, seed)).values() for line in told(story).splitlines()]
    patterns = [re.compile(pattern(way)) for slot in slots for way in wordings()[slot]]
    return {one.pattern for one in patterns if any(map(one.fullmatch, lines))}


@pytest.mark.parametrize("flavour", ["noisy", "cosmetic"])
def test_only_who_was_reached_has_heard_of_an_alert(flavour: str) -> None:
    found: dict[str, set[str]] = {"": set(), "ticket": set(), "page": set()}
    for number in range(0, TASKS, 2):
        asked, seed = brief(number)
        for how in found:
            requests = tuple(
                replace(one, symptom="it is odd", flavour=flavour, heard=how) if one.category == "repair" else one
                for one in asked.requests
            )
            found[how] |= heard(replace(asked, requests=requests), seed)
    assert not found[""] and found["ticket"] and found["page"]
    assert flavour == "cosmetic" or found["page"] - found["ticket"]


def test_a_team_that_hears_nothing_of_a_noisy_alert_does_nothing_about_it() -> None:
    for defect in DEFECTS.values():
        if defect.flavour == "noisy":
            unheard = defect.told(None)
            assert len(unheard) >= 3 and not any("{{ team }}" in one for one in unheard), defect.name
    for slot in ("title-noisy", "noticed-noisy", "impact-noisy", "event-noisy"):
        facets = ("alert", "noisy", "unheard", "live", "found", "taken", "free")
        assert not [way for one in variants(slot, facets) for way in wordings()[one] if "{{ team }}" in way]


# --- what a story has to know ----------------------------------------------------------------------------------------


def with_traits(number: int, category: str, *traits: str) -> list[Story]:
    """The stories of a category in a brief whose requests have these traits."""
    asked, seed = brief(number)
    requests = tuple(
        replace(one, traits=traits, symptom="it is odd") if one.category == category else one for one in asked.requests
    )
    told_ = stories(Writer(replace(asked, requests=requests), seed))
    return [told_[one.id] for one in requests if one.category == category]


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_a_drill_is_told_as_a_drill(number: int) -> None:
    for story in with_traits(number, "inhibition", "drill"):
        for part, text in (("title", story.title), ("noticed", story.noticed), ("impact", story.impact)):
            slots = [slot for slot in wordings() if slot.startswith(f"{part}-inhibition-drill")]
            assert any(written_with(text, slot) for slot in slots), text
        lines = [line for _, line in story.timeline]
        assert written_with(lines[0], "event-inhibition-drill") and written_with(lines[-1], "step-last-drill")
        assert all(written_with(line, "step-middle-drill") for line in lines[1:-1]), lines


def test_only_the_impact_of_a_drill_is_hypothetical() -> None:
    happened = [slot for slot in wordings() if slot.startswith("impact-") and "-drill" not in slot]
    assert not [
        way for slot in happened for way in wordings()[slot] if re.search(r"\bit would (cost|cause)", way, re.I)
    ]


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_what_concerns_the_pages_of_all_teams_is_told_as_that(number: int) -> None:
    for story in with_traits(number, "route", "all"):
        assert written_with(story.title, "title-route-all") and written_with(story.impact, "impact-route-all")
        assert written_with(story.timeline[-1][1], "step-last-all") and written_with(story.after[0], "next-all")
        assert "all teams" in story.after[0] and re.search(
            r"first|top of|ahead of|before|priority", story.after[0], re.I
        )


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_alerts_are_said_to_read_records_only_where_some_do(number: int) -> None:
    for story in with_traits(number, "recording"):
        assert not re.search(r"\balerts\b", story.impact), story.impact
    assert "impact-wrong-read" in variants("impact-wrong", ("recording", "wrong", "read"))


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_what_concerns_all_teams_is_the_newest_report(number: int) -> None:
    asked, seed = brief(number)
    requests = tuple(replace(one, traits=("all",) if one.category == "route" else one.traits) for one in asked.requests)
    told_ = stories(Writer(replace(asked, requests=requests), seed))
    for_all = {one.id for one in requests if "all" in one.traits and one.id in told_}
    newest = sorted(told_, key=lambda key: told_[key].number)[-len(for_all) or len(told_) :]
    assert not for_all or set(newest) == for_all


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_records_without_values_have_no_wrong_figures(number: int) -> None:
    for story in with_traits(number, "recording", "empty"):
        for part, text in (("title", story.title), ("noticed", story.noticed), ("impact", story.impact)):
            assert written_with(text, f"{part}-wrong-empty"), text
        assert not re.search(r"wrong figures|misled|add up|do not agree|differ|number from", told(story)), told(story)


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_what_a_drill_would_mean_depends_on_what_is_wrong(number: int) -> None:
    for story in with_traits(number, "inhibition", "drill", "toomuch"):
        assert not written_with(story.impact, "impact-inhibition-drill-agreed"), story.impact
    slots = variants("impact-inhibition", ("inhibition", "inhibition", "drill", "toomuch"))
    assert slots == ["impact-inhibition-drill", "impact-inhibition-drill-toomuch"]


def with_alerts(number: int, symptom: str, flavour: str, heard_: str = "", *traits: str) -> list[Story]:
    """The stories of the broken alerts of a brief, whose requests are made to be like this."""
    asked, seed = brief(number)
    requests = tuple(
        replace(one, symptom=symptom, flavour=flavour, heard=heard_, traits=traits) if one.category == "repair" else one
        for one in asked.requests
    )
    told_ = stories(Writer(replace(asked, requests=requests), seed))
    return [told_[one.id] for one in requests if one.category == "repair" and one.id in told_]


@pytest.mark.parametrize(
    ("symptom", "mode"),
    [
        ("Web saw the traffic of shop drop to nothing on a graph; X was quiet", "live"),
        ("Web watched X wait, and wait, while shop suffered", "live"),
        ("Web expected X in the last incident on shop and waited in vain", "live"),
        ("Web expected X when shop passed the agreed limit, and it did not come", "live"),
        ("another team got X, shrugged and closed it an hour later; Web never saw it", "found"),
        ("Web slowed shop down in a test and waited for X in vain", "tested"),
        ("Web tried it on purpose, with every request hanging: no X", "tested"),
    ],
)
def test_what_somebody_looked_on_at_was_not_found_later(symptom: str, mode: str) -> None:
    others = {"live", "found", "tested"} - {mode}
    for number in range(0, TASKS, 5):
        for story in with_alerts(number, symptom, "silent", "page", "felt"):
            for part, text in (("noticed", story.noticed), ("impact", story.impact)):
                slots = [slot for slot in wordings() if slot.startswith(f"{part}-silent")]
                at = {slot for slot in slots if written_with(text, slot)}
                assert not all(slot.endswith(tuple(others)) for slot in at), (text, at)


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_help_is_late_only_where_the_alert_would_have_been_heard(number: int) -> None:
    for story in with_alerts(number, "shop was down without X", "silent"):
        assert not re.search(r"\blate\b|minutes were lost|heard it elsewhere", f"{story.title} {story.impact}"), story


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_an_alert_that_nobody_got_cost_nobody_minutes(number: int) -> None:
    for story in with_alerts(number, "X went elsewhere", "misrouted", "", "routed"):
        assert not re.search(r"\d+ minutes (each|went|for)|No harm|Harmless", story.impact), story.impact


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_what_can_be_seen_on_the_alert_itself_raises_no_doubts_and_takes_few_people(number: int) -> None:
    busy = [slot for slot in wordings() if slot.startswith(("doubt", "step-doubt")) or slot.endswith("-busy")]
    for story in with_alerts(number, "the text of X has a hole", "cosmetic", "page"):
        for text in (story.detail, *(line for _, line in story.timeline)):
            assert not [slot for slot in busy if written_with(text, slot)], text


def test_one_report_in_three_rules_something_out() -> None:
    doubts = [slot for slot in wordings() if slot.startswith(("doubt", "step-doubt"))]
    open_ = [story for number in range(TASKS) for story in reports(number).values() if story.status == "open"]
    lines = [[story.detail, *(line for _, line in story.timeline)] for story in open_]
    doubted = [[line for line in one if any(written_with(line, slot) for slot in doubts)] for one in lines]
    assert max(map(len, doubted)) == 1
    assert 0.15 < sum(map(bool, doubted)) / len(open_) < 0.4


@NUMBERS
def test_a_log_does_not_open_with_what_needs_something_seen_before(number: int) -> None:
    for key, story in reports(number).items():
        if not key.startswith("decoy"):
            assert not written_with(story.timeline[0][1], "step-first-seen"), story.timeline


@pytest.mark.parametrize("number", range(0, TASKS, 3))
def test_impact_and_detail_share_no_figure(number: int) -> None:
    for symptom in ("shop was down without X", "the log held two weeks of X"):
        for story in with_alerts(number, symptom, "silent", "page", "felt"):
            figures = [set(re.findall(r"\bevery \d+ minutes|\d+ (?=users|people|messages|support|tickets)", text))
                       for text in (story.impact, story.detail)]  # fmt: skip
            assert figures[0].isdisjoint(figures[1]), story


def test_topics_are_the_figures_of_a_wording_and_what_was_done() -> None:
    assert topics('{{ one("every " ~ watch ~ " minutes", "now") }} by hand, {{ people }} people') == {
        "watch", "people", "by hand",
    }  # fmt: skip


def test_traits_follow_from_what_an_item_is() -> None:
    made = draft("alert-storm-cleanup", "hard", 1, "traits")
    for item, request in zip(made.items, made.brief.requests, strict=True):
        match item:
            case RouteItem() if item.defect is not None:
                assert ("all" in request.traits) == item.defect.everyone
            case InhibitionItem() if item.defect is not None:
                assert ("drill" in request.traits) == (not item.acted and bool(item.defect.rehearsed))
            case RecordingItem() if item.defect is not None:
                assert ("read" in request.traits) == bool(item.readers)
            case AlertItem() if item.defect is not None:
                assert ("routed" in request.traits) == item.defect.routed
            case _:
                assert not request.traits


@NUMBERS
def test_a_log_has_three_to_seven_lines_and_numbers_about_it_agree_with_it(number: int) -> None:
    for key, story in reports(number).items():
        if not key.startswith("decoy"):
            assert 3 <= len(story.timeline) <= 7
            first, last = (60 * int(story.timeline[at][0][:2]) + int(story.timeline[at][0][3:]) for at in (0, -1))
            if spent := re.search(r"(took|people|far: ) ?(\d+) minutes", story.detail):
                assert int(spent[2]) == last - first, story.detail


def test_no_wording_says_in_colours_what_an_alert_does() -> None:
    colours = re.compile(r"\b(red|green|amber|yellow)\b", re.I)
    assert not [
        way for way in ways("title-", "noticed-", "event-", "step-", "impact-", "detail") if colours.search(way)
    ]


def test_hardly_any_sentence_of_a_postmortem_stands_in_many_tasks() -> None:
    holders: dict[str, set[int]] = {}
    for number in range(TASKS):
        told_, _ = brief(number)
        people = [told_.world.sre, *(one for team in told_.world.teams for one in (team.lead, *team.members))]
        names = [text for one in people for text in (one.name, one.role)] + [one.title for one in told_.world.teams]
        for key, story in reports(number).items():
            for line in () if key.startswith("decoy") else told(story).splitlines():
                text = re.sub(r"`[^`]*`|\b[A-Z]+-\d+\b|\d+", "N", line)
                for name in sorted(names, key=len, reverse=True):
                    text = text.replace(name, "W")
                if len(text.split()) >= 5 and line != story.saw:
                    holders.setdefault(text, set()).add(number)
    assert not {text: len(found) for text, found in holders.items() if len(found) > MOST}
    assert len(holders) > 500


# --- decoys ----------------------------------------------------------------------------------------------------------


def test_there_are_more_decoys_than_tasks() -> None:
    assert len(decoys()) > TASKS


@pytest.mark.parametrize("name", decoys())
def test_a_decoy_says_what_it_fits_and_has_two_ways_to_say_everything_else(name: str) -> None:
    known = {"any", "company", *FAMILIES, "kafka", "mysql", "objstore", "postgres", "rabbitmq", "redis"}
    assert set(decoys()[name]) == {"fits", "title", "saw", "cause", "done"}
    assert known.issuperset(decoys()[name]["fits"][0].split())
    for part in ("title", "saw", "cause", "done"):
        assert len(decoys()[name][part]) == WAYS, part


@pytest.mark.parametrize("name", decoys())
def test_a_decoy_leaves_durations_to_its_log(name: str) -> None:
    lasted = re.compile(r"\bfor (half an?|an|some|a few|a quarter of an|\w+) (hour|minute)s?\b|(hour|minute)s? late")
    assert not [way for part in ("title", "saw") for way in decoys()[name][part] if lasted.search(way)]


@pytest.mark.parametrize("name", [name for name, one in decoys().items() if one["fits"] == ("company",)])
def test_what_concerns_the_whole_company_names_no_service(name: str) -> None:
    assert not [way for found in decoys()[name].values() for way in found if "{{ service }}" in way]


def test_decoys_of_the_company_are_printed_without_a_service() -> None:
    without = 0
    for number in range(TASKS):
        told_, _ = brief(number)
        documents = texts.documents(*brief(number))
        for key, story in reports(number).items():
            if key.startswith("decoy") and story.service is None:
                without += 1
                assert not any(f"`{one.name}`" in documents[story.path] for one in told_.world.services)
    assert without > 5


def test_tasks_of_the_core_tier_are_dealt_decoys_of_their_own() -> None:
    told_of = Counter(
        (story.title, story.impact)
        for number in range(TASKS)
        for key, story in reports(number).items()
        if key.startswith("decoy")
    )
    assert max(told_of.values()) <= 2


def test_a_decoy_for_any_service_tells_of_nothing_that_only_some_have() -> None:
    special = re.compile(
        r"\b(pages?|menus?|forms?|uploads?|buttons?|search|database|queue|cache|bucket|fonts?)\b", re.I
    )
    for name, decoy in decoys().items():
        if decoy["fits"] == ("any",):
            about = [way for part in ("title", "saw", "cause") for way in decoy[part] if "{{ service }}" in way]
            assert not [way for way in about if special.search(way) and not re.search(r"guide|help", way)], name


@NUMBERS
def test_decoys_fit_the_services_they_are_told_of_and_come_once_as_one_story(number: int) -> None:
    told_decoys = [story for key, story in reports(number).items() if key.startswith("decoy")]
    names = []
    for story in told_decoys:
        parts = {"title": story.title, "saw": story.saw, "cause": story.impact, "done": story.after[0]}
        for name, decoy in decoys().items():
            for way in range(WAYS):
                if all(re.fullmatch(pattern(decoy[part][way]), text) for part, text in parts.items()):
                    names.append(name)
                    assert (story.service is None) == (decoy["fits"] == ("company",))
                    assert story.service is None or fits(decoy, story.service)
    assert len(names) == len(told_decoys) == len(set(names))


def test_hardly_any_decoy_is_told_word_for_word_in_two_tasks() -> None:
    every = [story for number in range(TASKS) for key, story in reports(number).items() if key.startswith("decoy")]
    same = Counter(
        tuple(
            text.replace(story.service.name if story.service else "`", "").replace(story.team.title, "")
            for text in (story.saw, story.impact)
        )
        for story in every
    )
    assert sum(count - 1 for count in same.values()) <= len(every) // 5
