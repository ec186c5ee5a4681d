"""The fictional companies. Names are made up; every domain is under `.example`, which nobody can register."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Company:
    """A company before a seed gave it teams, services and a house style."""

    name: str  # "Halmring Freight"
    industry: str  # key of `industries.INDUSTRIES`
    blurb: str  # one sentence on what it does

    @property
    def slug(self) -> str:
        """The name as one lower-case word: `halmringfreight`."""
        return "".join(char for char in self.name.lower() if char.isalnum())

    @property
    def domain(self) -> str:
        """`halmringfreight.example`."""
        return f"{self.slug}.example"


_FREIGHT = "freight logistics"
_MEALS = "meal delivery"
_HEALTH = "telehealth"
_BANK = "retail banking"
_EVENTS = "ticketing and live events"
_LEARN = "online learning"
_MUSIC = "music streaming"
_GAMES = "online games"
_POWER = "electricity and smart metering"
_TRAVEL = "travel booking"
_FARM = "precision farming"
_USED = "second-hand marketplace"
_TRANSIT = "public transport"

COMPANIES: tuple[Company, ...] = (
    Company("Halmring Freight", _FREIGHT, "Halmring Freight books trucks and short-sea vessels around the Baltic."),
    Company("Ostervane Lines", _FREIGHT, "Ostervane Lines ships single containers by road and sea."),
    Company("Cargowick", _FREIGHT, "Cargowick fills half-empty trucks with other people's pallets."),
    Company("Brennhaul", _FREIGHT, "Brennhaul moves temperature-controlled goods from seaports across the Alps."),
    Company("Munchquarter", _MEALS, "Munchquarter brings dinner from neighbourhood kitchens in eleven cities."),
    Company("Tiffinroute", _MEALS, "Tiffinroute delivers lunch to offices by cargo bike."),
    Company("Ladlewise", _MEALS, "Ladlewise delivers home-style cooking from small restaurants."),
    Company("Plattervan", _MEALS, "Plattervan delivers restaurant food to small parties at short notice."),
    Company("Carewhistle", _HEALTH, "Carewhistle lets patients see a doctor by video within the hour."),
    Company("Klinivo Nord", _HEALTH, "Klinivo Nord runs the online practice of four regional hospitals."),
    Company("Mendsparrow", _HEALTH, "Mendsparrow looks after people with chronic illness between their visits."),
    Company("Pulsefern", _HEALTH, "Pulsefern offers dermatology and sleep medicine by appointment from home."),
    Company("Tallowbank", _BANK, "Tallowbank keeps current accounts for people who are paid in several currencies."),
    Company("Fjordskilling", _BANK, "Fjordskilling is a savings bank with no branches."),
    Company("Quillmarket Bank", _BANK, "Quillmarket Bank serves freelancers and very small firms."),
    Company("Oxbow Thrift", _BANK, "Oxbow Thrift belongs to the two hundred thousand people who bank with it."),
    Company("Stagehollow", _EVENTS, "Stagehollow sells tickets for theatres and small halls."),
    Company("Encorewick", _EVENTS, "Encorewick runs on-sales for festivals that sell out in minutes."),
    Company("Gatewren", _EVENTS, "Gatewren handles tickets and turnstiles for arenas and open-air stages."),
    Company(
        "Rowseven", _EVENTS, "Rowseven sells tickets for concerts and lets fans pass theirs on at the price they paid."
    ),
    Company("Chalkmeadow", _LEARN, "Chalkmeadow teaches mathematics to pupils in small live classes."),
    Company("Lernquay", _LEARN, "Lernquay prepares pupils for their school-leaving exams."),
    Company("Tutorfjell", _LEARN, "Tutorfjell gives schools a classroom on the web."),
    Company(
        "Vellumquay", _LEARN, "Vellumquay teaches languages to school classes and at home, five minutes at a time."
    ),
    Company("Needlegroove", _MUSIC, "Needlegroove streams records that never made it to other catalogues."),
    Company("Hummingquay", _MUSIC, "Hummingquay streams music to homes, shops and cafes."),
    Company("Balladry Cloud", _MUSIC, "Balladry Cloud streams folk and choral music, with scores."),
    Company("Wavetern", _MUSIC, "Wavetern streams music and pays artists by the minute listened."),
    Company("Grimlantern Games", _GAMES, "Grimlantern Games makes a dungeon shooter for parties of four."),
    Company(
        "Kitebolt Foundry", _GAMES, "Kitebolt Foundry makes an airship combat game that is played in short seasons."
    ),
    Company("Pawn and Petrel", _GAMES, "Pawn and Petrel makes a naval battle game for crews of strangers."),
    Company("Voltarrow", _POWER, "Voltarrow sells electricity by the quarter of an hour."),
    Company("Hearthwick", _POWER, "Hearthwick operates the local network and the meters of a mid-sized city."),
    Company("Norrwatt", _POWER, "Norrwatt sells electricity and uses parked car batteries as a power plant."),
    Company("Awayfinch", _TRAVEL, "Awayfinch books trains, flights and hotels in one basket."),
    Company("Roomlark", _TRAVEL, "Roomlark sells trips to family-run hotels, travel included."),
    Company("Sojourn Ferry", _TRAVEL, "Sojourn Ferry sells island holidays, with crossings and hotels in one booking."),
    Company("Farrowfield", _FARM, "Farrowfield tells farmers where and when to water."),
    Company("Soilmurmur", _FARM, "Soilmurmur reads moisture probes on sixty thousand fields."),
    Company("Barleymast", _FARM, "Barleymast advises growers' co-operatives and runs their silos and grain contracts."),
    Company("Attictrove", _USED, "Attictrove runs a marketplace for what people no longer want in their attic."),
    Company("Twicewell", _USED, "Twicewell lets parents sell children's clothes to each other by the bundle."),
    Company("Loftbarrow", _USED, "Loftbarrow runs a marketplace for used furniture, delivery included."),
    Company("Tramwick", _TRANSIT, "Tramwick runs trams and buses in three cities."),
    Company("Metroheron", _TRANSIT, "Metroheron runs ticketing and control rooms for a regional transport authority."),
    Company(
        "Lindenbus", _TRANSIT, "Lindenbus operates electric buses and trams, and everything a passenger sees of them."
    ),
)
