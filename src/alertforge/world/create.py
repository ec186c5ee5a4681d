"""Draws a world from a seed: a company, its teams, the services a task is about, and bystanders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from alertforge.errors import AlertForgeError
from alertforge.seeds import Rng, Seed
from alertforge.world import calendar, styles
from alertforge.world.catalog import FAMILIES, STORES, Archetype, Area, Protocol
from alertforge.world.companies import COMPANIES, Company
from alertforge.world.industries import INDUSTRIES, PLATFORM
from alertforge.world.model import Service, SliFamily, Team, World
from alertforge.world.people import Staff

MAX_FOCUS = 10
_PER_TEAM = 3  # services of one team at most; every area has as many whose names stand apart from any other

_SLOS = ("0.985", "0.99", "0.99", "0.995", "0.995", "0.9975", "0.998", "0.999", "0.999", "0.9995")
_LATENCY_SLOS = ("0.97", "0.98", "0.985", "0.99", "0.99")
# Histogram bounds and the range of latency objectives, in seconds.
_BUCKETS: dict[Protocol, tuple[tuple[str, ...], ...]] = {
    "web": (
        ("0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10"),
        ("0.1", "0.2", "0.4", "0.8", "1.6", "3.2", "6.4"),
        ("0.025", "0.1", "0.3", "0.6", "1.2", "3", "6"),
    ),
    "rpc": (
        ("0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5"),
        ("0.05", "0.1", "0.2", "0.4", "0.8", "1.6", "3.2"),
        ("0.02", "0.05", "0.15", "0.3", "0.6", "1.5", "3"),
    ),
    "job": (
        ("0.25", "0.5", "1", "2.5", "5", "10", "30"),
        ("0.5", "1", "2", "4", "8", "16", "32"),
        ("0.3", "1", "3", "6", "12", "30", "60"),
    ),
}
_OBJECTIVES: dict[Protocol, tuple[str, str]] = {"web": ("0.2", "1"), "rpc": ("0.1", "0.5"), "job": ("1", "5")}
_PODS = (2, 6)
_TICKET_PREFIXES = ("OBS", "MON", "REL", "OPS", "ALR", "SRE", "WATCH", "PLAT", "PROD", "INFRA", "NOC", "DUTY")
# Who may run what all services stand on: (label value, title).
FLEET_TEAMS = (
    ("infrastructure", "Infrastructure"),
    ("sysops", "Systems Operations"),
    ("cluster-ops", "Cluster Operations"),
    ("hosting", "Hosting"),
    ("foundations", "Foundations"),
    ("runtime", "Runtime"),
    ("datacentre", "Data Centre"),
    ("compute", "Compute"),
)
_NAMESPACES = ("{team}", "{team}-prod", "prod", "{company}", "prod-{team}", "apps", "{company}-live")


class WorldError(AlertForgeError):
    """No world can be drawn as asked."""


@dataclass(frozen=True)
class _Owned:
    """An area with the team that owns it."""

    area: Area
    team: Team


def create(seed: Seed, *, services: int, manifests: bool | None = None, company: Company | None = None) -> World:
    """A company whose first `services` services are what the task is about.

    At least two bystander services of other teams follow; one more team runs what they all stand on. One team owns
    exactly one of the services in focus, no name of a service is the beginning of another's. `manifests` forces
    PrometheusRule manifests on or off, `company` replaces the drawn company. Raises WorldError if `services` is not
    between 1 and 10.
    """
    if not 1 <= services <= MAX_FOCUS:
        raise WorldError(f"a world has 1 to {MAX_FOCUS} services in focus, not {services}")
    chosen = company or seed.rng("company").choice(COMPANIES)
    staff = Staff(seed.rng("people"), chosen)
    sre = staff.sre()
    fleet = _fleet(seed.rng("fleet"), staff)
    owned = _teams(seed, chosen, staff, at_least=3 if services < 3 else 4 if services < 6 else 5)
    picked = _pick(seed.rng("services"), owned, services)
    busy = {team for _, team in picked}
    return World(
        company=chosen.name,
        domain=chosen.domain,
        industry=chosen.industry,
        blurb=chosen.blurb,
        teams=tuple(seed.rng("team-order").shuffled([fleet, *(one.team for one in owned if one.team.name in busy)])),
        fleet=fleet.name,
        services=_services(seed, chosen, picked),
        focus=services,
        sre=sre,
        style=styles.draw(seed.child("style"), domain=chosen.domain, manifests=manifests),
        calendar=calendar.draw(seed),
        ticket_prefix=seed.rng("tickets").choice(_TICKET_PREFIXES),
    )


def deal(seed: Seed, count: int) -> list[Company]:
    """`count` companies for a set of tasks; none comes back before all have been dealt."""
    rng = seed.rng("companies")
    dealt: list[Company] = []
    while len(dealt) < count:
        dealt += rng.shuffled(COMPANIES)
    return dealt[:count]


def _teams(seed: Seed, company: Company, staff: Staff, *, at_least: int) -> list[_Owned]:
    """Three to five teams that own services: most from the industry, at times one that any company has."""
    rng = seed.rng("teams")
    count = rng.between(at_least, 5)
    areas = rng.shuffled(INDUSTRIES[company.industry])
    if rng.chance(60):
        areas = [*areas[: count - 1], rng.choice(PLATFORM)]
    owned: list[_Owned] = []
    for area in areas[:count]:
        taken = [one.team.name for one in owned]
        named = rng.choice([team for team in area.teams if _apart(team[0], taken)])
        owned.append(_Owned(area, _staffed(rng, staff, *named)))
    return rng.shuffled(owned)


def _fleet(rng: Rng, staff: Staff) -> Team:
    """The team that runs what all services stand on."""
    return _staffed(rng, staff, *rng.choice(FLEET_TEAMS))


def _staffed(rng: Rng, staff: Staff, name: str, title: str) -> Team:
    """A team with its people."""
    lead = staff.lead()
    return Team(name, title, lead, tuple(staff.member() for _ in range(rng.between(2, 4))))


def _pick(rng: Rng, owned: Sequence[_Owned], focus: int) -> list[tuple[Archetype, str]]:
    """Archetypes and their teams' names: those in focus first, one team owning just one of them; then bystanders."""
    fewest = 1 - (1 - focus) // _PER_TEAM
    focus_teams = rng.between(fewest, min(focus, len(owned) - 1))
    single, *sharing = owned[:focus_teams]
    bystanding = owned[focus_teams:]
    turns = [single] + [sharing[turn % len(sharing)] for turn in range(focus - 1)]
    bystanders = rng.between(2, _PER_TEAM)
    turns = rng.shuffled(turns) + [bystanding[turn % len(bystanding)] for turn in range(bystanders)]
    names = [one.team.name for one in owned]
    picked: list[tuple[Archetype, str]] = []
    for owner in turns:
        taken = [archetype.name for archetype, _ in picked] + names
        free = [archetype for archetype in owner.area.archetypes if _apart(archetype.name, taken)]
        picked.append((rng.choice(free), owner.team.name))
    return picked


def _apart(name: str, others: Iterable[str]) -> bool:
    """Whether neither spelling of the name begins, or is begun by, another: no regex or route mistakes one for two."""
    plain = name.replace("-", "")
    for other in others:
        their = other.replace("-", "")
        if plain.startswith(their) or their.startswith(plain):
            return False
    return True


def _services(seed: Seed, company: Company, picked: Sequence[tuple[Archetype, str]]) -> tuple[Service, ...]:
    families = {protocol: seed.rng("family", protocol).choice(choices) for protocol, choices in FAMILIES.items()}
    buckets = {protocol: seed.rng("buckets", protocol).choice(choices) for protocol, choices in _BUCKETS.items()}
    namespace = seed.rng("namespace").choice(_NAMESPACES)
    present = {archetype.name for archetype, _ in picked} | set(STORES)
    return tuple(
        _service(
            seed.rng("service", archetype.name),
            archetype,
            team,
            families[archetype.protocol],
            buckets[archetype.protocol],
            namespace.format(team=team, company=company.slug),
            tuple(need for need in archetype.needs if need in present),
        )
        for archetype, team in picked
    )


def _service(
    rng: Rng,
    archetype: Archetype,
    team: str,
    family: SliFamily,
    buckets: tuple[str, ...],
    namespace: str,
    depends_on: tuple[str, ...],
) -> Service:
    low, high = _PODS
    return Service(
        name=archetype.name,
        title=archetype.title,
        team=team,
        family=family,
        slo=rng.choice(_SLOS),
        namespace=namespace,
        pods=min(high, max(low, archetype.pods + rng.between(-1, 1))),
        rps=_rounded(archetype.rps * rng.between(70, 150) // 100),
        purpose=archetype.purpose,
        depends_on=depends_on,
        latency_slo=rng.choice(_LATENCY_SLOS),
        latency_threshold=rng.choice(_objectives(archetype.protocol, buckets)),
        buckets=buckets,
    )


def _objectives(protocol: Protocol, buckets: Sequence[str]) -> list[str]:
    """Bounds that make a sensible latency objective: a request four times as slow still falls into a bucket."""
    low, high = map(Fraction, _OBJECTIVES[protocol])
    top = Fraction(buckets[-1])
    return [bound for bound in buckets if low <= Fraction(bound) <= min(high, top / 4)]


def _rounded(rps: int) -> int:
    """A number that people would say: tens over a hundred, fives over thirty."""
    step = 10 if rps >= 100 else 5 if rps >= 30 else 1
    return max(10, rps // step * step)
