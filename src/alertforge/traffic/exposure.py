"""What one service's targets export over a scenario.

A `Flow` says what happens to a service minute by minute; `expose` turns it into the series that its pods would have:
request counters by status, a latency histogram, `up`. Alert kinds add the series of other exporters to the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

from alertforge.prometheus.series import GAP, METRIC_NAME, STALE, Labels, Marker, Sample, Series
from alertforge.seeds import Seed
from alertforge.traffic.shapes import blips, daily, split
from alertforge.world.model import Service, World

Target = Literal["up", "down", "gone"]  # scraped; scrape fails; left service discovery

LADDER: Final = ("0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1", "2.5", "5", "10", "30", "60", "120")


@dataclass(frozen=True)
class Flow:
    """What happens to a service, a value a minute: requests, errors and slow requests in that minute, target state.

    `slow` counts requests over the service's latency threshold, `refused` those that end in the family's last good
    outcome because of the client (a bad address, a bad argument): none of them is an error. `deploys` are minutes at
    which every pod is replaced by a new one (new names, counters from zero, the old series stale), `stagger` minutes
    from one pod to the next.
    """

    requests: Sequence[int]
    errors: Sequence[int]
    slow: Sequence[int]
    target: Sequence[Target]
    deploys: frozenset[int] = frozenset()
    stagger: int = 0
    pod_targets: Mapping[int, Sequence[Target]] = field(default_factory=dict)  # pods that fare unlike `target`
    trouble_on: int | None = None  # the one pod that all errors and slow requests fall on
    refused: Sequence[int] = ()  # none at all where it is empty

    @property
    def minutes(self) -> int:
        """The last minute."""
        return len(self.requests) - 1


@dataclass(frozen=True)
class Exposure:
    """Everything that is known of one service in one scenario."""

    service: Service
    series: tuple[Series, ...]
    flow: Flow | None = field(default=None, compare=False)

    @property
    def minutes(self) -> int:
        """The last minute."""
        return len(self.series[0].samples) - 1

    def metric(self, name: str, **labels: str) -> tuple[Series, ...]:
        """The series of a metric that carry the labels given."""
        wanted = Labels.of(labels)
        return tuple(s for s in self.series if s.labels.name == name and s.labels.contains(wanted))

    def plus(self, series: Sequence[Series]) -> Exposure:
        """The same with further series."""
        return Exposure(self.service, (*self.series, *series), self.flow)


def calm(
    seed: Seed,
    service: Service,
    minutes: int,
    *,
    rps: Fraction | None = None,
    errors: Sequence[Fraction] | Fraction | None = None,
    slow: Sequence[Fraction] | Fraction | None = None,
    target: Sequence[Target] | None = None,
    deploys: frozenset[int] = frozenset(),
    stagger: int = 0,
    pod_targets: Mapping[int, Sequence[Target]] | None = None,
    trouble_on: int | None = None,
    requests: Sequence[int] | None = None,
    refused: Sequence[Fraction] | None = None,
) -> Flow:
    """Ordinary traffic of a service; ratios of errors, slow and refused requests can be set, a value or one a minute.

    Background ratios stay under a tenth of what the objectives allow.
    """
    requests = requests or daily(seed.child("requests"), minutes, Fraction(service.rps) if rps is None else rps)
    budget = (1 - Fraction(service.slo)) / 10
    latency_budget = (1 - Fraction(service.latency_slo)) / 10
    return Flow(
        requests,
        _counts(requests, errors, blips(seed.child("errors"), minutes, budget)),
        _counts(requests, slow, blips(seed.child("slow"), minutes, latency_budget)),
        target or ["up"] * (minutes + 1),
        deploys,
        stagger,
        pod_targets or {},
        trouble_on,
        () if refused is None else _counts(requests, refused, refused),
    )


def _counts(
    requests: Sequence[int], ratio: Sequence[Fraction] | Fraction | None, background: Sequence[Fraction]
) -> list[int]:
    """Whole events a minute for a ratio a minute; what rounding cuts off is carried into the next minute."""
    wanted = background if ratio is None else [ratio] * len(requests) if isinstance(ratio, Fraction) else ratio
    out, carried = [], Fraction(0)
    for count, share in zip(requests, wanted, strict=True):
        exact = count * share + carried
        whole = min(count, int(exact))
        carried = exact - whole if whole < count else Fraction(0)
        out.append(whole)
    return out


def pod_names(seed: Seed, service: Service, generation: int) -> list[str]:
    """Names as a deployment's pods have them; a new generation for every deploy."""
    alphabet = "bcdfghjklmnpqrstvwxz2456789"
    replica_set = "".join(seed.rng("rs", generation).choice(alphabet) for _ in range(1)) + _suffix(
        seed.child("rs", generation), alphabet, 8
    )
    return [
        f"{service.name}-{replica_set}-{_suffix(seed.child('pod', generation, index), alphabet, 5)}"
        for index in range(service.pods)
    ]


def _suffix(seed: Seed, alphabet: str, length: int) -> str:
    rng = seed.rng("suffix")
    return "".join(rng.choice(alphabet) for _ in range(length))


def target_labels(world: World, service: Service, pod: str) -> dict[str, str]:
    """The labels every scraped series of a pod carries."""
    return {
        "job": service.name,
        "namespace": service.namespace,
        world.style.service_label: service.name,
        world.style.pod_label: pod,
    }


@dataclass(frozen=True)
class Life:
    """One pod: which of the service's it is, its name, and the minutes in which it exists."""

    index: int
    generation: int
    pod: str
    first: int
    last: int


def lives(service: Service, flow: Flow, seed: Seed) -> list[Life]:
    """Every pod of a scenario, by generation; `seed` is the one that `expose` gets."""
    starts = [0, *sorted(flow.deploys)]
    out = []
    for generation, start in enumerate(starts):
        for index, pod in enumerate(pod_names(seed.child("pods"), service, generation)):
            late = index * flow.stagger
            first = start + late if generation else 0
            last = starts[generation + 1] + late - 1 if generation + 1 < len(starts) else flow.minutes
            if first <= flow.minutes:
                out.append(Life(index, generation, pod, first, min(last, flow.minutes)))
    return out


def expose(world: World, service: Service, flow: Flow, seed: Seed, *, histogram: bool = False) -> Exposure:
    """The service's own series for a flow: `up`, request counters by status and, if asked, the latency histogram.

    A counter's sample at a minute holds what was counted before it. A target that is down is scraped as `up` 0 and
    its other series go stale; a target that is gone has no series at all.
    """
    series: list[Series] = []
    weights = [100 + seed.rng("weight", pod).below(21) for pod in range(service.pods)]
    shares = _shares(flow, weights)
    for life in lives(service, flow, seed):
        labels = target_labels(world, service, life.pod)
        alive = [_scraped(flow, minute, life) for minute in range(flow.minutes + 1)]
        base = seed.rng("base", life.index).between(20_000, 90_000) if life.generation == 0 else 0
        series.append(_up(labels, alive))
        series += _requests(service, labels, shares[life.index], alive, life.first, base)
        if histogram:
            series += _histogram(service, labels, shares[life.index], alive, life.first, base)
    seen = tuple(s for s in series if any(not isinstance(sample, Marker) for sample in s.samples))
    return Exposure(service, seen, flow)


@dataclass(frozen=True)
class _Minute:
    """One pod's share of one minute."""

    requests: int
    errors: int
    slow: int
    refused: int


def _shares(flow: Flow, weights: Sequence[int]) -> list[list[_Minute]]:
    """What falls on each pod, a value a minute."""
    troubled = weights if flow.trouble_on is None else [int(i == flow.trouble_on) for i in range(len(weights))]
    columns = [
        [_turned(total, by, minute) for minute, total in enumerate(totals)]
        for totals, by in (
            (flow.requests, weights),
            (flow.errors, troubled),
            (flow.slow, troubled),
            (flow.refused or [0] * len(flow.requests), weights),
        )
    ]
    return [
        [_Minute(*(column[minute][pod] for column in columns)) for minute in range(flow.minutes + 1)]
        for pod in range(len(weights))
    ]


def _turned(total: int, weights: Sequence[int], minute: int) -> list[int]:
    """`split`, with the rounding rest given to another pod every minute: single errors do not all fall on one."""
    shift = minute % len(weights)
    parts = split(total, [*weights[shift:], *weights[:shift]])
    return parts[len(parts) - shift :] + parts[: len(parts) - shift]


def _scraped(flow: Flow, minute: int, life: Life) -> Target | None:
    if not life.first <= minute <= life.last:
        return None
    return flow.pod_targets.get(life.index, flow.target)[minute]


def _up(labels: dict[str, str], alive: Sequence[Target | None]) -> Series:
    values = [None if state in (None, "gone") else int(state == "up") for state in alive]
    return Series(Labels.of(labels, **{METRIC_NAME: "up"}), with_markers(values))


def with_markers(values: Sequence[int | float | None]) -> tuple[Sample, ...]:
    """Missing values as Prometheus writes them: one staleness marker where a series ends, then nothing."""
    out: list[Sample] = []
    for index, value in enumerate(values):
        if value is not None:
            out.append(value)
        else:
            out.append(STALE if index > 0 and values[index - 1] is not None else GAP)
    return tuple(out)


def counter(labels: Labels, per_minute: Sequence[int], alive: Sequence[Target | None], first: int, base: int) -> Series:
    """A counter over the minutes from `first` at which its target is scraped; a process that comes back starts at 0."""
    values: list[int | float | None] = []
    total = base
    for minute, state in enumerate(alive):
        if minute > first:
            total = total + per_minute[minute - 1] if alive[minute - 1] == "up" else 0
        values.append(total if state == "up" else None)
    return Series(labels, with_markers(values))


def _requests(
    service: Service,
    labels: dict[str, str],
    counts: Sequence[_Minute],
    alive: Sequence[Target | None],
    first: int,
    base: int,
) -> list[Series]:
    family = service.family
    refused = [min(m.refused, m.requests - m.errors) for m in counts]
    good = [m.requests - m.errors - no for m, no in zip(counts, refused, strict=True)]
    bad = [m.errors for m in counts]
    shares = {**_divided(good, family.ok, 50), **_divided(bad, family.errors, 4)}
    if any(refused):
        usual = shares.get(family.ok[-1], [0] * len(refused))
        shares[family.ok[-1]] = [some + more for some, more in zip(usual, refused, strict=True)]
    bases = dict.fromkeys(shares, base // 2000) | {family.ok[0]: base}
    return [
        counter(
            Labels.of(labels, **{METRIC_NAME: family.counter, family.status_label: status}),
            share,
            alive,
            first,
            bases[status],
        )
        for status, share in shares.items()
    ]


def _divided(counts: Sequence[int], statuses: Sequence[str], part: int) -> dict[str, list[int]]:
    """Events by status: one in `part` carries the second status, if there is one."""
    if len(statuses) == 1:
        return {statuses[0]: list(counts)}
    second = [count // part for count in counts]
    return {statuses[0]: [c - s for c, s in zip(counts, second, strict=True)], statuses[1]: second}


def _histogram(
    service: Service,
    labels: dict[str, str],
    counts: Sequence[_Minute],
    alive: Sequence[Target | None],
    first: int,
    base: int,
) -> list[Series]:
    """Classic buckets: fast requests spread below the threshold, slow ones between it and four times as much."""
    out = []
    for bound in (*buckets(service), "+Inf"):
        fast, slow = _shares_at_most(bound, Fraction(service.latency_threshold))
        at_most = [
            (m.requests - m.slow) * fast.numerator // fast.denominator + m.slow * slow.numerator // slow.denominator
            for m in counts
        ]
        out.append(
            counter(
                Labels.of(labels, **{METRIC_NAME: f"{service.family.histogram}_bucket", "le": stored_le(bound)}),
                at_most,
                alive,
                first,
                int(base * fast),
            )
        )
    total = [m.requests for m in counts]
    out.append(
        counter(Labels.of(labels, **{METRIC_NAME: f"{service.family.histogram}_count"}), total, alive, first, base)
    )
    return out


def buckets(service: Service) -> tuple[str, ...]:
    """The finite bounds of the latency histogram, seconds: the threshold, two below it and two above."""
    bounds = sorted({*LADDER, service.latency_threshold}, key=Fraction)
    at = bounds.index(service.latency_threshold)
    return tuple(bounds[max(0, at - 2) : at + 3])


def stored_le(bound: str) -> str:
    """A bucket bound as Prometheus 3 stores it: `1` becomes `1.0`."""
    return bound if bound == "+Inf" or "." in bound else f"{bound}.0"


def _shares_at_most(bound: str, threshold: Fraction) -> tuple[Fraction, Fraction]:
    """Which share of fast requests takes at most `bound`, and which of slow ones; most fast ones are well below it."""
    if bound == "+Inf":
        return Fraction(1), Fraction(1)
    at = Fraction(bound)
    fast = min(Fraction(1), at / threshold * Fraction(13, 10)) if at < threshold else Fraction(1)
    return fast, max(Fraction(0), min(Fraction(1), (at - threshold) / (threshold * 3)))


def healthy(world: World, service: Service, seed: Seed, minutes: int) -> Exposure:
    """A service that a scenario is not about: its targets are up, and nothing else of it is shown."""
    ones: tuple[Sample, ...] = (1,) * (minutes + 1)
    series = tuple(
        Series(Labels.of(target_labels(world, service, pod), **{METRIC_NAME: "up"}), ones)
        for pod in pod_names(seed.child("pods"), service, 0)
    )
    return Exposure(service, series)
