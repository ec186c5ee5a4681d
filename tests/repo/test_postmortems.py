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

from alertforge.defects import DEFECTS
from alertforge.repo import texts
from alertforge.repo.brief import Brief
from alertforge.repo.texts.postmortems import Story, decoys, fits, stories, variants
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import wordings
from alertforge.seeds import Seed
from alertforge.world.catalog import FAMILIES

TASKS: Final = 30
NUMBERS = pytest.mark.parametrize("number", range(TASKS))
HOLIDAYS: Final = {(12, 24), (12, 25), (12, 26), (12, 31), (1, 1)}


@lru_cache(maxsize=TASKS)
def reports(number: int) -> dict[str, Story]:
    return stories(Writer(*brief(number)))


def told(story: Story) -> str:
    """Everything that a story says."""
    steps = (step for _, step in story.timeline)
    return "\n".join((story.title, story.noticed, story.saw, story.impact, *steps, *story.after, story.remark))


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
    return ".+".join(map(re.escape, re.split(r"\{\{.*?\}\}", way)))


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
    pieces = {max(re.split(r"\{\{.*?\}\}", way), key=len) for slot in slots for way in wordings()[slot]}
    text = "\n".join(told(story) for story in stories(Writer(asked, seed)).values())
    return {piece for piece in pieces if len(piece) > 10 and piece in text}


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


# --- decoys ----------------------------------------------------------------------------------------------------------


def test_there_are_more_decoys_than_tasks() -> None:
    assert len(decoys()) > TASKS


@pytest.mark.parametrize("name", decoys())
def test_a_decoy_says_what_it_fits_and_has_two_ways_to_say_everything_else(name: str) -> None:
    known = {"any", *FAMILIES, "kafka", "mysql", "objstore", "postgres", "rabbitmq", "redis"}
    assert set(decoys()[name]) == {"fits", "title", "saw", "cause", "done"}
    assert known.issuperset(decoys()[name]["fits"][0].split())
    for part in ("title", "saw", "cause", "done"):
        assert len(decoys()[name][part]) >= 2, part


def test_a_decoy_for_any_service_tells_of_nothing_that_only_some_have() -> None:
    special = re.compile(
        r"\b(pages?|menus?|forms?|uploads?|buttons?|search|database|queue|cache|bucket|fonts?)\b", re.I
    )
    for name, decoy in decoys().items():
        if decoy["fits"] == ("any",):
            about = [way for part in ("title", "saw", "cause") for way in decoy[part] if "{{ service }}" in way]
            assert not [way for way in about if special.search(way) and not re.search(r"guide|help", way)], name


@NUMBERS
def test_decoys_fit_the_services_they_are_told_of_and_come_once(number: int) -> None:
    told_decoys = [story for key, story in reports(number).items() if key.startswith("decoy")]
    names = []
    for story in told_decoys:
        for name, decoy in decoys().items():
            if any(re.fullmatch(pattern(way), story.saw) for way in decoy["saw"]):
                names.append(name)
                assert fits(decoy, story.service)
    assert len(names) == len(told_decoys) == len(set(names))


def test_hardly_any_decoy_is_told_word_for_word_in_two_tasks() -> None:
    every = [story for number in range(TASKS) for key, story in reports(number).items() if key.startswith("decoy")]
    same = Counter(
        tuple(text.replace(story.service.name, "").replace(story.team.title, "") for text in (story.saw, story.impact))
        for story in every
    )
    assert sum(count - 1 for count in same.values()) <= len(every) // 5
