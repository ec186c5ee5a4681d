"""What one service's targets export over a scenario.

A `Flow` says what happens to a service minute by minute; `expose` turns it into the series that its pods would have:
request counters by status, a latency histogram, `up`. Alert kinds add the series of other exporters to the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from alertforge.prometheus.series import GAP, METRIC_NAME, STALE, Labels, Marker, Sample, Series
from alertforge.seeds import Seed
from alertforge.traffic.shapes import blips, daily, split
from alertforge.world.model import Service, World

Target = Literal["up", "down", "gone"]  # scraped; scrape fails; left service discovery


@dataclass(frozen=True)
class Flow:
    """What happens to a service, a value a minute: requests, errors and slow requests in that minute, target state.

    `slow` counts requests over the service's latency threshold. `deploys` are minutes at which every pod is replaced
    by a new one (new names, counters from zero, the old series stale).
    """

    requests: Sequence[int]
    errors: Sequence[int]
    slow: Sequence[int]
    target: Sequence[Target]
    deploys: frozenset[int] = frozenset()

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
) -> Flow:
    """Ordinary traffic of a service; ratios of errors and slow requests can be set, a value or one a minute.

    Background ratios stay under a tenth of what the objectives allow.
    """
    requests = daily(seed.child("requests"), minutes, Fraction(service.rps) if rps is None else rps)
    budget = (1 - Fraction(service.slo)) / 10
    latency_budget = (1 - Fraction(service.latency_slo)) / 10
    return Flow(
        requests,
        _counts(requests, errors, blips(seed.child("errors"), minutes, budget)),
        _counts(requests, slow, blips(seed.child("slow"), minutes, latency_budget)),
        target or ["up"] * (minutes + 1),
        deploys,
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


def expose(world: World, service: Service, flow: Flow, seed: Seed, *, histogram: bool = False) -> Exposure:
    """The service's own series for a flow: `up`, request counters by status and, if asked, the latency histogram.

    A counter's sample at a minute holds what was counted before it. A target that is down is scraped as `up` 0 and
    its other series go stale; a target that is gone has no series at all.
    """
    series: list[Series] = []
    generations = _generations(flow)
    for generation, (first, last) in enumerate(generations):
        alive = [_scraped(flow, minute, first, last) for minute in range(flow.minutes + 1)]
        pods = pod_names(seed.child("pods"), service, generation)
        weights = [100 + seed.rng("weight", generation, pod).below(21) for pod in range(len(pods))]
        for index, pod in enumerate(pods):
            labels = target_labels(world, service, pod)
            series.append(_up(labels, flow, first, last))
            counts = [_Minute.of(flow, minute, weights, index) for minute in range(flow.minutes + 1)]
            base = seed.rng("base", generation, index).between(20_000, 90_000) if generation == 0 else 0
            series += _requests(service, labels, counts, alive, first, base)
            if histogram:
                series += _histogram(service, labels, counts, alive, first, base)
    seen = tuple(s for s in series if any(not isinstance(sample, Marker) for sample in s.samples))
    return Exposure(service, seen, flow)


@dataclass(frozen=True)
class _Minute:
    """One pod's share of one minute."""

    requests: int
    errors: int
    slow: int

    @classmethod
    def of(cls, flow: Flow, minute: int, weights: Sequence[int], index: int) -> _Minute:
        # rotate who gets the rounding rest, so that single errors do not all fall on one pod
        order = [(minute + shift) % len(weights) for shift in range(len(weights))]
        place = order.index(index)
        turned = [weights[i] for i in order]
        return cls(*(split(total[minute], turned)[place] for total in (flow.requests, flow.errors, flow.slow)))


def _generations(flow: Flow) -> list[tuple[int, int]]:
    """First and last minute of each set of pods."""
    starts = [0, *sorted(flow.deploys)]
    ends = [*(start - 1 for start in starts[1:]), flow.minutes]
    return list(zip(starts, ends, strict=True))


def _scraped(flow: Flow, minute: int, first: int, last: int) -> Target | None:
    return flow.target[minute] if first <= minute <= last else None


def _up(labels: dict[str, str], flow: Flow, first: int, last: int) -> Series:
    samples = _with_markers(
        [
            None if (state := _scraped(flow, minute, first, last)) in (None, "gone") else 1 if state == "up" else 0
            for minute in range(flow.minutes + 1)
        ]
    )
    return Series(Labels.of(labels, **{METRIC_NAME: "up"}), samples)


def _with_markers(values: Sequence[int | float | None]) -> tuple[Sample, ...]:
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
    return Series(labels, _with_markers(values))


def _requests(
    service: Service,
    labels: dict[str, str],
    counts: Sequence[_Minute],
    alive: Sequence[Target | None],
    first: int,
    base: int,
) -> list[Series]:
    family = service.family
    good = [m.requests - m.errors for m in counts]
    bad = [m.errors for m in counts]
    shares = {**_divided(good, family.ok, 50), **_divided(bad, family.errors, 4)}
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
    threshold = Fraction(service.latency_threshold)
    out = []
    for bound in (*service.buckets, "+Inf"):
        at_most = [_at_most(m, None if bound == "+Inf" else Fraction(bound), threshold) for m in counts]
        fraction = Fraction(1) if bound == "+Inf" else _fast_share(Fraction(bound), threshold)
        out.append(
            counter(
                Labels.of(labels, **{METRIC_NAME: f"{service.family.histogram}_bucket", "le": stored_le(bound)}),
                at_most,
                alive,
                first,
                int(base * fraction),
            )
        )
    total = [m.requests for m in counts]
    out.append(
        counter(Labels.of(labels, **{METRIC_NAME: f"{service.family.histogram}_count"}), total, alive, first, base)
    )
    return out


def stored_le(bound: str) -> str:
    """A bucket bound as Prometheus 3 stores it: `1` becomes `1.0`."""
    return bound if bound == "+Inf" or "." in bound else f"{bound}.0"


def _fast_share(bound: Fraction, threshold: Fraction) -> Fraction:
    """Share of fast requests at most `bound`: most are well below the threshold."""
    return min(Fraction(1), bound / threshold * Fraction(13, 10)) if bound < threshold else Fraction(1)


def _at_most(minute: _Minute, bound: Fraction | None, threshold: Fraction) -> int:
    if bound is None:
        return minute.requests
    fast = minute.requests - minute.slow
    below = int(fast * _fast_share(bound, threshold))
    slow_share = max(Fraction(0), min(Fraction(1), (bound - threshold) / (threshold * 3)))
    return below + int(minute.slow * slow_share)
