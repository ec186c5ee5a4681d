from __future__ import annotations

from fractions import Fraction

from alertforge.prometheus.series import Marker, Series
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, calm, expose
from alertforge.traffic.gauges import (
    HOSTS,
    PARTITIONS,
    REPLICAS,
    VANTAGES,
    VOLUMES,
    batch_runs,
    certificates,
    consumer_lag,
    memory,
    pool,
    probes,
    replication,
    restarts,
    throttling,
    volumes,
)
from alertforge.world.create import create

WORLD = create(Seed.master("gauges"), services=1)
SERVICE = WORLD.services[0]
SEED = Seed.master("gauges").child("flow")
MINUTES = 20


def exposure(*deploys: int) -> Exposure:
    return expose(WORLD, SERVICE, calm(SEED, SERVICE, MINUTES, deploys=frozenset(deploys)), SEED)


def named(series: list[Series], name: str) -> list[Series]:
    return [one for one in series if one.labels.name == name]


def numbers(series: Series) -> list[float]:
    return [sample for sample in series.samples if not isinstance(sample, Marker)]


def test_exporters_speak_of_the_pods_that_the_service_has_and_carry_its_label() -> None:
    one = exposure(9)
    own = {series.labels.get(WORLD.style.pod_label) for series in one.metric("up")}
    everything = [
        *memory(WORLD, SEED, one, lambda pod, minute: Fraction(1, 2)),
        *restarts(WORLD, SEED, one, lambda pod, minute: 0),
        *throttling(WORLD, SEED, one, lambda pod, minute: Fraction(0)),
    ]
    assert {series.labels.get("pod") for series in everything} == own
    assert {series.labels.get(WORLD.style.service_label) for series in everything} == {SERVICE.name}
    assert len({series.labels for series in everything}) == len(everything)


def test_both_exporters_agree_on_the_limit_and_the_working_set_is_its_share() -> None:
    series = memory(WORLD, SEED, exposure(), lambda pod, minute: Fraction(3, 4) if pod == 0 else Fraction(1, 4))
    limits = {value for one in named(series, "container_spec_memory_limit_bytes") for value in numbers(one)}
    stated = named(series, "kube_pod_container_resource_limits")
    assert limits == {v for one in stated if one.labels.get("resource") == "memory" for v in numbers(one)}
    (limit,) = limits
    used = [numbers(one)[0] for one in named(series, "container_memory_working_set_bytes")]
    assert used[0] == limit * 3 // 4
    assert set(used[1:]) == {limit // 4}


def test_restarts_count_on_and_a_new_pod_starts_at_zero() -> None:
    series = restarts(WORLD, SEED, exposure(10), lambda pod, minute: int(pod == 0 and minute in (3, 5)))
    old, new = series[: SERVICE.pods], series[SERVICE.pods :]
    assert numbers(old[0])[-1] - numbers(old[0])[0] == 2
    assert all(len(set(numbers(one))) == 1 for one in old[1:])
    assert {value for one in new for value in numbers(one)} == {0}


def test_throttled_periods_are_a_share_of_all_periods() -> None:
    series = throttling(WORLD, SEED, exposure(), lambda pod, minute: Fraction(1, 3))
    for name, expected in (
        ("container_cpu_cfs_periods_total", 600 * MINUTES),
        ("container_cpu_cfs_throttled_periods_total", 200 * MINUTES),
    ):
        assert {numbers(one)[-1] - numbers(one)[0] for one in named(series, name)} == {expected}


def test_pools_and_probes_have_the_values_that_were_asked_for() -> None:
    series = pool(WORLD, SEED, exposure(), lambda pod, minute: Fraction(9, 10))
    size = numbers(named(series, "go_sql_stats_connections_max_open")[0])[0]
    assert {v for one in named(series, "go_sql_stats_connections_in_use") for v in numbers(one)} == {size * 9 // 10}
    probed = probes(WORLD, exposure(), lambda at, minute: int(at > 0))
    assert [one.labels.get("vantage") for one in probed] == list(VANTAGES)
    assert [numbers(one)[0] for one in probed] == [0, 1, 1, 1, 1]


def test_a_volume_is_what_is_free_and_what_is_used() -> None:
    series = volumes(WORLD, SEED, exposure(), lambda at, minute: Fraction(1, at + 2))
    free, used, size = (
        [numbers(one)[-1] for one in named(series, f"kubelet_volume_stats_{part}_bytes")]
        for part in ("available", "used", "capacity")
    )
    assert len(free) == VOLUMES and free[0] > free[1]
    assert [a + b for a, b in zip(free, used, strict=True)] == size


def test_a_runner_without_a_run_reports_nothing() -> None:
    series = batch_runs(WORLD, exposure(), lambda at, minute: 60 * minute if at == 0 else None)
    assert [numbers(one)[-1] for one in series] == [60 * MINUTES]


def test_what_is_missing_is_stale_and_comes_back() -> None:
    for make, count in ((certificates, len(HOSTS)), (consumer_lag, PARTITIONS), (replication, REPLICAS)):
        series = make(WORLD, exposure(), lambda at, minute: None if minute in (5, 6) else 100 + at)
        assert [numbers(one) for one in series] == [[100 + at] * (MINUTES - 1) for at in range(count)]
        assert {one.labels.get(WORLD.style.service_label) for one in series} == {SERVICE.name}
        assert all(isinstance(one.samples[5], Marker) for one in series)
