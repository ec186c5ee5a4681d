from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest

from alertforge.prometheus.series import STALE, Marker, Series
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Flow, Target, buckets, calm, expose, lives, stored_le
from alertforge.traffic.shapes import split, steady
from alertforge.world.create import create
from alertforge.world.model import Service

WORLD = create(Seed.master("traffic"), services=1)
SERVICE = WORLD.services[0]
SEED = Seed.master("traffic").child("flow")
MINUTES = 30


def shown(flow: Flow, *, histogram: bool = False) -> Exposure:
    return expose(WORLD, SERVICE, flow, SEED, histogram=histogram)


def pods(series: tuple[Series, ...]) -> set[str]:
    return {one.labels.get(WORLD.style.pod_label) for one in series}


def numbers(series: Series) -> list[float]:
    return [sample for sample in series.samples if not isinstance(sample, Marker)]


def growth(series: tuple[Series, ...]) -> float:
    return sum(numbers(one)[-1] - numbers(one)[0] for one in series)


def failed(exposure: Exposure) -> tuple[Series, ...]:
    family = SERVICE.family
    return tuple(s for s in exposure.metric(family.counter) if s.labels.get(family.status_label) in family.errors)


def test_counters_hold_exactly_the_requests_and_errors_of_the_flow() -> None:
    flow = calm(SEED, SERVICE, MINUTES, errors=Fraction(1, 7))
    exposure = shown(flow)
    assert growth(exposure.metric(SERVICE.family.counter)) == sum(flow.requests[:-1])
    assert growth(failed(exposure)) == sum(flow.errors[:-1])


def test_the_same_seed_gives_the_same_series_and_another_seed_does_not() -> None:
    first, again, other = (calm(seed, SERVICE, MINUTES) for seed in (SEED, SEED, SEED.child("other")))
    assert shown(first).series == shown(again).series
    assert shown(first).series != shown(other).series


def test_trouble_falls_on_the_one_pod_only() -> None:
    flow = calm(SEED, SERVICE, MINUTES, errors=Fraction(1, 100), trouble_on=1)
    failing = {s.labels.get(WORLD.style.pod_label) for s in failed(shown(flow)) if growth((s,)) > 0}
    assert failing == {lives(SERVICE, flow, SEED)[1].pod}


def test_a_target_that_is_down_is_scraped_as_zero_and_one_that_is_gone_is_stale() -> None:
    states: list[Target] = ["up"] * 5 + ["down"] * 5 + ["up"] * 5 + ["gone"] * 5 + ["up"] * 11
    for up in shown(calm(SEED, SERVICE, MINUTES, target=states)).metric("up"):
        assert up.samples[:15] == (1,) * 5 + (0,) * 5 + (1,) * 5
        assert up.samples[15] is STALE
        assert up.samples[20:] == (1,) * 11


def test_a_single_pod_can_fare_unlike_the_others() -> None:
    down: list[Target] = ["down"] * (MINUTES + 1)
    up: list[Target] = ["up"] * (MINUTES + 1)
    ups = shown(calm(SEED, SERVICE, MINUTES, target=down, pod_targets={0: up})).metric("up")
    assert sorted(one.samples[7] for one in ups) == [0] * (SERVICE.pods - 1) + [1]


@pytest.mark.parametrize("stagger", [0, 1, 2])
def test_a_deploy_replaces_each_pod_once_without_a_gap(stagger: int) -> None:
    flow = calm(SEED, SERVICE, MINUTES, deploys=frozenset({8}), stagger=stagger)
    ups = shown(flow).metric("up")
    assert len(pods(ups)) == 2 * SERVICE.pods
    for minute in range(MINUTES + 1):
        assert [one.samples[minute] for one in ups].count(1) == SERVICE.pods
    assert {life.first for life in lives(SERVICE, flow, SEED)} == {0, *(8 + i * stagger for i in range(SERVICE.pods))}


def test_new_pods_count_from_zero_and_counters_never_fall() -> None:
    exposure = shown(calm(SEED, SERVICE, MINUTES, deploys=frozenset({8})))
    for one in exposure.metric(SERVICE.family.counter):
        values = numbers(one)
        assert all(before <= after for before, after in pairwise(values))
        assert isinstance(one.samples[0], Marker) == (values[0] == 0)


def test_the_threshold_is_a_bound_and_buckets_count_what_is_at_most_theirs() -> None:
    flow = calm(SEED, SERVICE, MINUTES, slow=Fraction(1, 10))
    exposure, name = shown(flow, histogram=True), f"{SERVICE.family.histogram}_bucket"
    by_bound = [growth(exposure.metric(name, le=stored_le(bound))) for bound in (*buckets(SERVICE), "+Inf")]
    assert by_bound == sorted(by_bound)
    fast = growth(exposure.metric(name, le=stored_le(SERVICE.latency_threshold)))
    assert fast == sum(flow.requests[:-1]) - sum(flow.slow[:-1])
    assert by_bound[-1] == growth(exposure.metric(f"{SERVICE.family.histogram}_count")) == sum(flow.requests[:-1])


def test_bounds_are_written_as_the_server_stores_them() -> None:
    assert [stored_le(bound) for bound in ("1", "0.25", "10", "+Inf")] == ["1.0", "0.25", "10.0", "+Inf"]


def test_steady_traffic_loses_nothing_to_rounding() -> None:
    requests = steady(SEED, 600, Fraction(1, 5))
    assert abs(sum(requests) - 601 * 12) <= 601 * 12 // 100 + 1
    assert sum(split(17, [3, 1, 1])) == 17


def test_a_service_of_one_pod_works_too() -> None:
    single = Service(**{**{f: getattr(SERVICE, f) for f in SERVICE.__dataclass_fields__}, "pods": 1})
    assert len(expose(WORLD, single, calm(SEED, single, 5), SEED).metric("up")) == 1
