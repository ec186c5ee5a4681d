"""What other exporters say about a service: its pods' memory, restarts and CPU periods; pools, volumes, probes, lags.

Series of cAdvisor and kube-state-metrics carry `namespace`, `pod` and `container`, and the house's service label, which
the scrape configuration puts on. Pods live as in the service's flow; a container has the service's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final

from alertforge.prometheus.series import METRIC_NAME, Labels, Marker, Series
from alertforge.seeds import Seed
from alertforge.traffic.exposure import Exposure, Life, Target, counter, lives, target_labels, with_markers
from alertforge.world.model import Service, World

Curve = Callable[[int, int], Fraction]  # pod (0 is the first) and minute -> a share
Counts = Callable[[int, int], int]  # pod (or partition, ...) and minute -> a whole number
Readings = Callable[[int, int], int | None]  # the same of something that may be missing at times

LIMITS: Final = (256, 512, 768, 1024, 2048)  # MiB
PERIODS: Final = 600  # CFS periods a minute: one every 100 ms
VANTAGES: Final = ("ams", "gru", "iad", "nrt", "syd")  # where probes start from
CAPACITIES: Final = (20, 50, 100, 200)  # GiB of a volume
VOLUMES: Final = 2
HOSTS: Final = ("", "-admin")  # names under which a service has certificates
RUNNERS: Final = ("runner-1", "runner-2")  # where a service's batch job may run
PARTITIONS: Final = 4
REPLICAS: Final = 3


def memory(world: World, seed: Seed, exposure: Exposure, ratio: Curve) -> list[Series]:
    """Working set, and the limit as cAdvisor and as kube-state-metrics see it (with the CPU limit beside it)."""
    limit = seed.rng("limit").choice(LIMITS) * 1024 * 1024
    out = []
    for life in _lives(seed, exposure):
        own, state = _container(world, exposure.service, life, "cadvisor"), _state(world, exposure.service, life)
        used: list[int | float | None] = [
            int(limit * ratio(life.index, minute)) if life.first <= minute <= life.last else None
            for minute in range(exposure.minutes + 1)
        ]
        out.append(_series("container_memory_working_set_bytes", own, used))
        out.append(_series("container_spec_memory_limit_bytes", own, _constant(limit, life, exposure.minutes)))
        for resource, unit, value in (("memory", "byte", limit), ("cpu", "core", 2)):
            labels = {**state, "resource": resource, "unit": unit}
            constant = _constant(value, life, exposure.minutes)
            out.append(_series("kube_pod_container_resource_limits", labels, constant))
    return out


def restarts(world: World, seed: Seed, exposure: Exposure, events: Counts) -> list[Series]:
    """Container restarts as kube-state-metrics counts them: old pods have a history, new ones start at 0."""
    out = []
    for life in _lives(seed, exposure):
        base = seed.rng("restarts", life.index).between(5, 40) if life.generation == 0 else 0
        labels = _state(world, exposure.service, life)
        out.append(_counter("kube_pod_container_status_restarts_total", labels, events, life, base, exposure.minutes))
    return out


def throttling(world: World, seed: Seed, exposure: Exposure, ratio: Curve) -> list[Series]:
    """CFS periods of each container, and those in which it was throttled."""
    out = []
    for life in _lives(seed, exposure):
        labels = _container(world, exposure.service, life, "cadvisor")
        base = seed.rng("periods", life.index).between(100_000, 900_000) if life.generation == 0 else 0

        def throttled(pod: int, minute: int) -> int:
            return int(PERIODS * ratio(pod, minute))

        for name, events, start in (
            ("container_cpu_cfs_periods_total", lambda pod, minute: PERIODS, base),
            ("container_cpu_cfs_throttled_periods_total", throttled, base // 50),
        ):
            out.append(_counter(name, labels, events, life, start, exposure.minutes))
    return out


def pool(world: World, seed: Seed, exposure: Exposure, ratio: Curve) -> list[Series]:
    """Database connections of each pod: open at most, and in use. The service's own targets export them."""
    size = seed.rng("pool").choice((20, 40, 50, 80)) * 5
    out = []
    for life in _lives(seed, exposure):
        labels = {**target_labels(world, exposure.service, life.pod), "db_name": "main"}
        used: list[int | float | None] = [
            int(size * ratio(life.index, minute)) if life.first <= minute <= life.last else None
            for minute in range(exposure.minutes + 1)
        ]
        out.append(_series("go_sql_stats_connections_in_use", labels, used))
        out.append(_series("go_sql_stats_connections_max_open", labels, _constant(size, life, exposure.minutes)))
    return out


def probes(world: World, exposure: Exposure, success: Counts) -> list[Series]:
    """Results of the blackbox exporter's probes from each vantage point, 1 or 0 a minute."""
    service = exposure.service
    labels = {
        "job": "blackbox",
        "instance": f"https://{service.name}.{world.domain}/healthz",
        world.style.service_label: service.name,
    }
    return [
        _series("probe_success", {**labels, "vantage": vantage}, [success(at, m) for m in range(exposure.minutes + 1)])
        for at, vantage in enumerate(VANTAGES)
    ]


def volumes(world: World, seed: Seed, exposure: Exposure, free: Curve) -> list[Series]:
    """Bytes of each persistent volume as the kubelet sees them; `free` is the share of a volume that is available."""
    service = exposure.service
    capacity = seed.rng("capacity").choice(CAPACITIES) * 1024**3
    out = []
    for at in range(VOLUMES):
        labels = {
            "job": "kubelet",
            "namespace": service.namespace,
            "persistentvolumeclaim": f"data-{service.name}-{at}",
            world.style.service_label: service.name,
        }
        available = [int(capacity * free(at, minute)) for minute in range(exposure.minutes + 1)]
        out.append(_series("kubelet_volume_stats_available_bytes", labels, available))
        out.append(_series("kubelet_volume_stats_used_bytes", labels, [capacity - left for left in available]))
        out.append(_series("kubelet_volume_stats_capacity_bytes", labels, [capacity] * len(available)))
    return out


def certificates(world: World, exposure: Exposure, expiry: Readings) -> list[Series]:
    """When the first certificate of the chain runs out, for each name of the service; a replay begins at second 0."""
    service = exposure.service
    out = []
    for at, suffix in enumerate(HOSTS):
        labels = {
            "job": "blackbox",
            "instance": f"https://{service.name}{suffix}.{world.domain}",
            world.style.service_label: service.name,
        }
        seconds = [expiry(at, minute) for minute in range(exposure.minutes + 1)]
        out.append(_series("probe_ssl_earliest_cert_expiry", labels, seconds))
    return out


def batch_runs(world: World, exposure: Exposure, finished: Readings) -> list[Series]:
    """The second of the last success of the service's batch job, as each runner that it may run on reports it."""
    service = exposure.service
    out = []
    for at, runner in enumerate(RUNNERS):
        labels = {"job": f"{service.name}-batch", "runner": runner, world.style.service_label: service.name}
        seconds = [finished(at, minute) for minute in range(exposure.minutes + 1)]
        out.append(_series("batch_last_success_timestamp_seconds", labels, seconds))
    return [one for one in out if any(not isinstance(sample, Marker) for sample in one.samples)]


def consumer_lag(world: World, exposure: Exposure, messages: Readings) -> list[Series]:
    """How many messages the service's consumer group has still to read, by partition."""
    service = exposure.service
    out = []
    for partition in range(PARTITIONS):
        labels = {
            "job": "kafka-exporter",
            "consumergroup": service.name,
            "topic": f"{service.name}.events",
            "partition": str(partition),
            world.style.service_label: service.name,
        }
        left = [messages(partition, minute) for minute in range(exposure.minutes + 1)]
        out.append(_series("kafka_consumergroup_lag", labels, left))
    return out


def replication(world: World, exposure: Exposure, seconds: Readings) -> list[Series]:
    """How far each replica of the service's database is behind, seconds."""
    service = exposure.service
    out = []
    for at in range(REPLICAS):
        labels = {
            "job": "postgres-exporter",
            "server": f"{service.name}-db-{at + 1}:5432",
            world.style.service_label: service.name,
        }
        behind = [seconds(at, minute) for minute in range(exposure.minutes + 1)]
        out.append(_series("pg_replication_lag_seconds", labels, behind))
    return out


# --- parts -----------------------------------------------------------------------------------------------------------


def _lives(seed: Seed, exposure: Exposure) -> list[Life]:
    """The pods of an exposure; `seed` is the one that it was made with."""
    assert exposure.flow is not None
    return lives(exposure.service, exposure.flow, seed)


def _container(world: World, service: Service, life: Life, job: str) -> dict[str, str]:
    return {
        "job": job,
        "namespace": service.namespace,
        "pod": life.pod,
        "container": service.name,
        world.style.service_label: service.name,
    }


def _state(world: World, service: Service, life: Life) -> dict[str, str]:
    return _container(world, service, life, "kube-state-metrics")


def _constant(value: int, life: Life, minutes: int) -> list[int | float | None]:
    return [value if life.first <= minute <= life.last else None for minute in range(minutes + 1)]


def _series(name: str, labels: dict[str, str], values: Sequence[int | float | None]) -> Series:
    return Series(Labels.of(labels, **{METRIC_NAME: name}), with_markers(values))


def _counter(name: str, labels: dict[str, str], events: Counts, life: Life, base: int, minutes: int) -> Series:
    alive: list[Target | None] = ["up" if life.first <= m <= life.last else None for m in range(minutes + 1)]
    counts = [events(life.index, minute) for minute in range(minutes + 1)]
    return counter(Labels.of(labels, **{METRIC_NAME: name}), counts, alive, life.first, base)
