"""The tables that worlds are drawn from."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from alertforge.world.catalog import FAMILIES, STORES, read_areas
from alertforge.world.companies import COMPANIES
from alertforge.world.create import FLEET_TEAMS
from alertforge.world.industries import INDUSTRIES, PLATFORM
from alertforge.world.model import SliFamily

ALL_FAMILIES = [family for families in FAMILIES.values() for family in families]
METRIC = re.compile(r"[a-z_][a-z0-9_]*")
KEBAB = re.compile(r"[a-z]+(-[a-z]+)*")


def is_error(family: SliFamily, value: str) -> bool:
    """Label matching as Prometheus does it: anchored regexes."""
    regex = family.error_op in ("=~", "!~")
    matches = bool(re.fullmatch(family.error_value, value)) if regex else value == family.error_value
    return matches != family.error_op.startswith("!")


@pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.name)
def test_matcher_of_a_family_takes_errors_and_nothing_else(family: SliFamily) -> None:
    assert family.ok and family.errors
    assert [value for value in (*family.ok, *family.errors) if is_error(family, value)] == list(family.errors)


@pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.name)
def test_counter_is_no_part_of_the_histogram(family: SliFamily) -> None:
    parts = [family.histogram + suffix for suffix in ("_bucket", "_count", "_sum")]
    assert family.counter not in parts
    assert METRIC.fullmatch(family.name) and METRIC.fullmatch(family.counter) and METRIC.fullmatch(family.histogram)


@pytest.mark.parametrize("family", ALL_FAMILIES, ids=lambda family: family.name)
def test_counter_and_histogram_are_of_one_instrument(family: SliFamily) -> None:
    """No service counts its requests with one library and times them with another."""
    counter, histogram = (name.split("_")[0].removesuffix("s") for name in (family.counter, family.histogram))
    assert counter == histogram


def test_family_names_are_unique_and_protocols_share_no_metric() -> None:
    assert len({family.name for family in ALL_FAMILIES}) == len(ALL_FAMILIES) >= 5
    owners = {
        protocol: {name for family in families for name in (family.counter, family.histogram)}
        for protocol, families in FAMILIES.items()
    }
    assert sum(map(len, owners.values())) == len(set().union(*owners.values()))


def test_there_are_forty_companies_in_ten_industries() -> None:
    assert len({company.name for company in COMPANIES}) == len(COMPANIES) >= 40
    assert len({company.industry for company in COMPANIES}) >= 10
    assert {company.industry for company in COMPANIES} == set(INDUSTRIES)


def test_companies_are_well_formed() -> None:
    assert len({company.domain for company in COMPANIES}) == len(COMPANIES)
    for company in COMPANIES:
        assert re.fullmatch(r"[a-z]+\.example", company.domain)
        assert company.blurb.startswith(company.name)
        assert company.blurb.endswith(".") and company.blurb.count(".") == 1


def test_what_a_company_does_reads_right_without_its_name() -> None:
    for company in COMPANIES:
        rest = company.blurb.removeprefix(company.name)
        assert re.match(r" (is an? |(?!is\b)[a-z]+s )", rest), company.blurb


@pytest.mark.parametrize("industry", INDUSTRIES)
def test_archetypes_of_an_industry_are_well_formed(industry: str) -> None:
    archetypes = [archetype for area in (*INDUSTRIES[industry], *PLATFORM) for archetype in area.archetypes]
    names = [archetype.name for archetype in archetypes]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for archetype in archetypes:
        assert KEBAB.fullmatch(archetype.name) and len(archetype.name) >= 5
        assert archetype.title.startswith("the ")
        assert re.fullmatch(r"[a-z].*[a-z0-9]", archetype.purpose)
        assert archetype.rps >= 10 and archetype.pods >= 2
        assert set(archetype.needs) <= set(names) | set(STORES)


@pytest.mark.parametrize("industry", INDUSTRIES)
def test_every_area_has_three_services_that_stand_apart_from_every_other_name(industry: str) -> None:
    areas = (*INDUSTRIES[industry], *PLATFORM)
    assert len(INDUSTRIES[industry]) >= 5
    teams = [name for name, _ in (*FLEET_TEAMS, *(team for area in areas for team in area.teams))]
    assert len(set(teams)) == len(teams)
    everything = [name.replace("-", "") for name in teams]
    everything += [archetype.name.replace("-", "") for area in areas for archetype in area.archetypes]
    for area in areas:
        apart = [
            archetype.name
            for archetype in area.archetypes
            if sum(
                other.startswith(own) or own.startswith(other)
                for own in [archetype.name.replace("-", "")]
                for other in everything
            )
            == 1
        ]
        assert len(apart) >= 3, area.teams


def test_there_are_several_hundred_archetypes() -> None:
    areas = [*PLATFORM, *(area for industry in INDUSTRIES.values() for area in industry)]
    assert sum(len(area.archetypes) for area in areas) >= 300


def test_a_row_with_an_unknown_protocol_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown protocol 'soap'"):
        read_areas("# crew=Crew\nold-api | the old API | is old | soap 10/2 | redis")


def test_no_two_industries_have_a_service_of_one_name() -> None:
    areas = [*INDUSTRIES.values(), PLATFORM]
    names = [archetype.name for industry in areas for area in industry for archetype in area.archetypes]
    assert [name for name in names if names.count(name) > 1] == []
