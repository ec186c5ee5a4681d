"""The exporter rules load, mean what they say, and keep out of the way of what a task is about."""

from __future__ import annotations

import re
import subprocess
from dataclasses import fields, replace
from pathlib import Path

import pytest

from alertforge.prometheus import promql
from alertforge.prometheus.promtool import TestFile, run_tests
from alertforge.prometheus.rules import RuleFile, machine_text
from alertforge.repo.exporters import Exporter, load_all, read, render
from alertforge.tools import find
from alertforge.world.model import HouseStyle, YamlStyle

EXPORTERS = load_all()
RULES = [pytest.param(e, r, id=f"{e.name}-{r.name}") for e in EXPORTERS for r in e.rules]
ALERTS = [param for param in RULES if param.values[1].is_alert]
RECORDS = {rule.name for exporter in EXPORTERS for rule in exporter.rules if not rule.is_alert}

# What a task's hidden scenarios are made of; an exporter rule must not read any of it.
SCENARIO_METRICS = re.compile(
    r"(http|grpc|rpc|request)_.*(total|bucket|count|sum)"
    r"|container_(memory|spec|cpu)_.*|kube_pod_container_.*|kubelet_volume_stats_.*|node_filesystem_.*"
    r"|kube_cronjob_.*|kafka_consumergroup_.*|pg_replication_.*|mysql_slave_status_seconds_behind_.*"
    r"|probe_success|.*_cert_.*expir.*|.*_ssl_.*expir.*|.*_pool_(size|active|used|max|pending).*|ALERTS.*"
)

# Beginnings of the metric names that each exporter writes.
PREFIXES = {
    "alertmanager": ("alertmanager_", "up"),
    "blackbox": ("probe_", "blackbox_exporter_", "up"),
    "coredns": ("coredns_", "up"),
    "elasticsearch": ("elasticsearch_",),
    "etcd": ("etcd_", "up"),
    "haproxy": ("haproxy_", "up"),
    "jvm": ("jvm_", "process_files_", "logback_events_"),
    "kafka": ("kafka_", "up"),
    "kube-state-metrics": ("kube_", "up"),
    "kubelet": ("kubelet_", "container_network_", "kube_node_", "up"),
    "mysql": ("mysql_",),
    "nginx-ingress": ("nginx_ingress_controller_", "up"),
    "node": ("node_", "up"),
    "postgres": ("pg_",),
    "prometheus": ("prometheus_",),
    "rabbitmq": ("rabbitmq_", "up"),
    "redis": ("redis_",),
}
ALERT_PREFIXES = {"kube-state-metrics": "Kube"}

# Only what exporter files depend on; the rest stays empty, so that reading it would show.
READ_FIELDS = {
    "severity_label": "severity",
    "severities": {"page": "critical", "ticket": "warning"},
    "info_severity": "info",
    "owner_label": "team",
    "extra_labels": (("env", "prod"),),
    "runbook": "https://runbooks.{domain}/{service}/{slug}",
    "runbook_key": "runbook_url",
    "summary_key": "summary",
    "description_key": "description",
    "manifests": False,
    "yaml": YamlStyle(True, "literal", 80, False, "none", "spaced"),
}
NORTH = HouseStyle(**{**dict.fromkeys(field.name for field in fields(HouseStyle)), **READ_FIELDS})  # type: ignore[arg-type]
SOUTH = replace(
    NORTH,
    severity_label="priority",
    severities={"page": "P1", "ticket": "P3"},
    info_severity="P5",
    owner_label="squad",
    extra_labels=(),
    runbook="https://wiki.{domain}/{team}/{alert}",
    runbook_key="runbook",
    summary_key="title",
    description_key=None,
    manifests=True,
    yaml=replace(NORTH.yaml, extension="yaml"),
)


def files(style: HouseStyle) -> list[RuleFile]:
    return [render(exporter, style, "platform", "lumafreight.example") for exporter in EXPORTERS]


def selectors(expr: str) -> list[promql.Selector]:
    return promql.selectors(promql.parse(expr))


# --- the files -------------------------------------------------------------------------------------------------------


def test_enough_exporters_in_order_and_each_with_alerts_and_records() -> None:
    names = [exporter.name for exporter in EXPORTERS]
    assert names == sorted(PREFIXES)
    for exporter in EXPORTERS:
        assert 5 <= sum(rule.is_alert for rule in exporter.rules) <= 9, exporter.name
        assert any(not rule.is_alert for rule in exporter.rules), exporter.name
        assert exporter.role in ("platform", "data")


@pytest.mark.parametrize("style", [NORTH, SOUTH], ids=["north", "south"])
def test_promtool_takes_every_rendered_file(style: HouseStyle, tmp_path: Path) -> None:
    names = []
    for file in files(style):
        names.append(f"{Path(file.path).stem}.yml")
        (tmp_path / names[-1]).write_text(machine_text(file.groups), encoding="utf-8")
    done = subprocess.run(
        [find("promtool"), "check", "rules", "--lint=all", "--lint-fatal", *names],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("SUCCESS") == len(EXPORTERS)


def test_names_are_unique_and_tell_the_exporter() -> None:
    names = [rule.name for exporter in EXPORTERS for rule in exporter.rules]
    assert len(set(names)) == len(names)
    for exporter in EXPORTERS:
        prefix = ALERT_PREFIXES.get(exporter.name, "".join(p.capitalize() for p in exporter.name.split("-")))
        for rule in exporter.rules:
            if rule.is_alert:
                assert rule.name.startswith(prefix)
            else:
                assert rule.name.count(":") == 2


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("exporter: other\ntitle: t\nrole: data\nrules: []\n", "x.yml: holds exporter 'other'"),
        ("exporter: x\ntitle: t\nrules: []\n", "x.yml: needs exactly"),
        ("exporter: x\ntitle: t\nrole: data\nrules: [{alert: A, expr: b}]\n", "x.yml: rule 'A' has missing"),
        (
            "exporter: x\ntitle: t\nrole: data\nrules: [{alert: A, expr: b, for: 1m, summary: s, urgency: now}]\n",
            "x.yml: rule 'A' has urgency 'now'",
        ),
        ("exporter: x\ntitle: t\nrole: data\nrules: [{record: 'a:b:c', expr: 'sum('}]\n", "x.yml: "),
        ("a: [\n", "x.yml: "),
    ],
)
def test_a_malformed_file_is_named_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(ValueError) as error:
        read("x.yml", text)
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)


# --- the expressions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("exporter", "rule"), RULES)
def test_expression_round_trips_and_reads_only_its_exporter(exporter: Exporter, rule) -> None:  # type: ignore[no-untyped-def]
    tree = promql.parse(rule.expr)
    assert promql.parse(promql.to_text(tree)) == tree
    own = {other.name for other in exporter.rules if not other.is_alert}
    for selector in promql.selectors(tree):
        assert selector.name is not None
        if ":" in selector.name:
            assert selector.name in own
            continue
        assert not SCENARIO_METRICS.fullmatch(selector.name)
        assert any(
            selector.name == prefix or (prefix.endswith("_") and selector.name.startswith(prefix))
            for prefix in PREFIXES[exporter.name]
        ), selector.name
        if exporter.name != "jvm":  # those metrics come from the applications' own jobs
            job = selector.matcher("job")
            assert job is not None and job.op == "=", selector.name


@pytest.mark.parametrize(("exporter", "rule"), RULES)
def test_expression_does_not_ask_the_clock_or_make_series_up(exporter: Exporter, rule) -> None:  # type: ignore[no-untyped-def]
    called = {node.func for node in promql.walk(promql.parse(rule.expr)) if isinstance(node, promql.Call)}
    assert not called & {"absent", "absent_over_time", "vector", "scalar", "time", "label_replace", "label_join"}


@pytest.mark.parametrize(("exporter", "rule"), RULES)
def test_rates_are_of_counters_and_gauges_are_not_rated(exporter: Exporter, rule) -> None:  # type: ignore[no-untyped-def]
    counter = re.compile(
        r".*_(total|bucket|count|sum|errors|success|tripped|evictions)"
        r"|pg_stat_database_(deadlocks|xact_commit|xact_rollback)"
        r"|mysql_global_status_(slow_queries|innodb_log_waits|created_tmp_(disk_)?tables)"
    )
    for node in promql.walk(promql.parse(rule.expr)):
        if isinstance(node, promql.Call) and node.func in ("rate", "increase"):
            (selector,) = promql.selectors(node)
            assert selector.name and counter.fullmatch(selector.name), selector.name
            assert selector.window is not None and selector.window >= 300_000


@pytest.mark.parametrize(("exporter", "rule"), ALERTS)
def test_alert_waits_and_keeps_the_labels_its_texts_name(exporter: Exporter, rule) -> None:  # type: ignore[no-untyped-def]
    assert rule.for_ >= 120_000
    assert rule.summary and not rule.summary.endswith(".")
    named = set(re.findall(r"\$labels\.(\w+)", rule.summary + (rule.description or "")))
    records = {other.name: promql.parse(other.expr) for other in exporter.rules if not other.is_alert}
    kept = labels_of(promql.parse(rule.expr), records)
    assert named <= (kept if kept is not None else {"instance", "job"})


def labels_of(expr: promql.Expr, records: dict[str, promql.Expr]) -> set[str] | None:
    """Labels a result can carry; None: those of a scraped series."""
    match expr:
        case promql.Selector(name=name) if name in records:
            return labels_of(records[name], records)
        case promql.Selector():
            return None
        case promql.Aggregate(grouping=grouping, without=False):
            return set(grouping or ())
        case promql.Call(func="histogram_quantile", args=(_, buckets)):
            kept = labels_of(buckets, records)
            return None if kept is None else kept - {"le"}
        case promql.Call(args=(only,)):
            return labels_of(only, records)
        case promql.Binary(lhs=promql.Number(), rhs=side) | promql.Binary(lhs=side, rhs=promql.Number()):
            return labels_of(side, records)
        case promql.Binary(lhs=lhs, rhs=rhs):
            left, right = labels_of(lhs, records), labels_of(rhs, records)
            assert left == right or expr.matching is not None, "the two sides would never match"
            return left
    raise AssertionError(type(expr).__name__)


# --- the replay ------------------------------------------------------------------------------------------------------

ONE_HOUR = "x100"
APPLICATION_SERIES = (
    ('up{job="chat-gw", service="chat-gw", instance="a:8080", pod="chat-gw-0"}', f"0{ONE_HOUR}"),
    ('http_requests_total{job="chat-gw", service="chat-gw", pod="chat-gw-0", code="500"}', f"0+600{ONE_HOUR}"),
    ('http_request_duration_seconds_bucket{job="chat-gw", service="chat-gw", le="0.5"}', f"0+1{ONE_HOUR}"),
    ('http_request_duration_seconds_bucket{job="chat-gw", service="chat-gw", le="+Inf"}', f"0+600{ONE_HOUR}"),
    ('grpc_server_handled_total{job="chat-gw", service="chat-gw", grpc_code="Internal"}', f"0+600{ONE_HOUR}"),
    ('container_memory_working_set_bytes{namespace="chat", pod="chat-gw-0", container="app"}', f"99{ONE_HOUR}"),
    ('container_spec_memory_limit_bytes{namespace="chat", pod="chat-gw-0", container="app"}', f"100{ONE_HOUR}"),
    ('kube_pod_container_resource_limits{namespace="chat", pod="chat-gw-0", resource="memory"}', f"100{ONE_HOUR}"),
    ('kube_pod_container_status_restarts_total{namespace="chat", pod="chat-gw-0"}', f"0+2{ONE_HOUR}"),
    ('container_cpu_cfs_throttled_periods_total{namespace="chat", pod="chat-gw-0"}', f"0+600{ONE_HOUR}"),
    ('container_cpu_cfs_periods_total{namespace="chat", pod="chat-gw-0"}', f"0+600{ONE_HOUR}"),
    ('kubelet_volume_stats_available_bytes{namespace="chat", persistentvolumeclaim="data"}', f"1{ONE_HOUR}"),
    ('kubelet_volume_stats_capacity_bytes{namespace="chat", persistentvolumeclaim="data"}', f"100{ONE_HOUR}"),
    ('node_filesystem_avail_bytes{job="node-exporter", instance="n1", mountpoint="/"}', f"1{ONE_HOUR}"),
    ('node_filesystem_size_bytes{job="node-exporter", instance="n1", mountpoint="/"}', f"100{ONE_HOUR}"),
    ('kafka_consumergroup_lag{job="kafka-exporter", consumergroup="chat", topic="t"}', f"0+900{ONE_HOUR}"),
    ('probe_success{job="blackbox-http", instance="chat"}', f"0{ONE_HOUR}"),
)

# Trouble, and the one alert (with its identity) that it must raise. Written from what the metrics mean.
TROUBLE: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("NodeExporterDown", "n9"): (('up{job="node-exporter", instance="n9"}', "0x100"),),
    ("NodeCpuBusy", "n1"): (
        ('node_cpu_seconds_total{job="node-exporter", instance="n1", cpu="0", mode="idle"}', "0+1x100"),
        ('node_cpu_seconds_total{job="node-exporter", instance="n1", cpu="1", mode="idle"}', "0+1x100"),
    ),
    ("NodeMemoryShort", "n1"): (
        ('node_memory_MemAvailable_bytes{job="node-exporter", instance="n1"}', "5x100"),
        ('node_memory_MemTotal_bytes{job="node-exporter", instance="n1"}', "100x100"),
    ),
    ("NodeInterfaceReceiveErrors", "n1"): (
        ('node_network_receive_errs_total{job="node-exporter", instance="n1", device="eth0"}', "0+120x100"),
        ('node_network_receive_packets_total{job="node-exporter", instance="n1", device="eth0"}', "0+6000x100"),
    ),
    ("NodeClockNotSynchronised", "n1"): (
        ('node_timex_sync_status{job="node-exporter", instance="n1"}', "0x100"),
        ('node_timex_maxerror_seconds{job="node-exporter", instance="n1"}', "16x100"),
    ),
    ("KubeDeploymentReplicasMissing", "web"): (
        ('kube_deployment_spec_replicas{job="kube-state-metrics", namespace="a", deployment="web"}', "3x100"),
        (
            'kube_deployment_status_replicas_available{job="kube-state-metrics", namespace="a", deployment="web"}',
            "2x100",
        ),
    ),
    ("KubeNodeNotReady", "k1"): (
        ('kube_node_status_condition{job="kube-state-metrics", node="k1", condition="Ready", status="true"}', "0x100"),
        ('kube_node_spec_unschedulable{job="kube-state-metrics", node="k1"}', "0x100"),
    ),
    ("KubeAutoscalerOutOfRoom", "web"): (
        (
            'kube_horizontalpodautoscaler_status_condition{job="kube-state-metrics", namespace="a", '
            'horizontalpodautoscaler="web", condition="ScalingLimited", status="true"}',
            "1x100",
        ),
        *(
            (
                f'kube_horizontalpodautoscaler_{name}{{job="kube-state-metrics", namespace="a", '
                'horizontalpodautoscaler="web"}',
                f"{value}x100",
            )
            for name, value in (("status_desired_replicas", 6), ("spec_max_replicas", 6), ("spec_min_replicas", 2))
        ),
    ),
    ("KubeletPodSlotsNearlyUsed", "k1"): (
        ('kubelet_running_pods{job="kubelet", instance="10.0.0.1:10250", node="k1"}', "109x100"),
        ('kube_node_status_capacity{job="kube-state-metrics", instance="ksm", node="k1", resource="pods"}', "110x100"),
    ),
    ("KubeletRelistSlow", "k1"): (
        ('kubelet_pleg_relist_duration_seconds_bucket{job="kubelet", node="k1", le="5"}', "0+10x100"),
        ('kubelet_pleg_relist_duration_seconds_bucket{job="kubelet", node="k1", le="10"}', "0+60x100"),
        ('kubelet_pleg_relist_duration_seconds_bucket{job="kubelet", node="k1", le="+Inf"}', "0+60x100"),
    ),
    ("KubeletRuntimeErrors", "k1"): (
        ('kubelet_runtime_operations_errors_total{job="kubelet", node="k1", operation_type="exec"}', "0+5x100"),
        ('kubelet_runtime_operations_total{job="kubelet", node="k1", operation_type="exec"}', "0+20x100"),
    ),
    ("PostgresConnectionsNearLimit", "pg1"): (
        ('pg_stat_activity_count{job="postgres-exporter", instance="pg1", datname="a", state="active"}', "50x100"),
        ('pg_stat_activity_count{job="postgres-exporter", instance="pg1", datname="a", state="idle"}', "45x100"),
        ('pg_settings_max_connections{job="postgres-exporter", instance="pg1", server="x"}', "100x100"),
    ),
    ("PostgresRollbacksHigh", "pg1"): (
        ('pg_stat_database_xact_commit{job="postgres-exporter", instance="pg1", datname="a"}', "0+300x100"),
        ('pg_stat_database_xact_rollback{job="postgres-exporter", instance="pg1", datname="a"}', "0+100x100"),
    ),
    ("PostgresArchivingFailing", "pg1"): (
        ('pg_stat_archiver_failed_count{job="postgres-exporter", instance="pg1"}', "0+1x100"),
        ('pg_stat_archiver_archived_count{job="postgres-exporter", instance="pg1"}', "7x100"),
    ),
    ("RedisMemoryNearMaximum", "r1"): (
        ('redis_memory_used_bytes{job="redis-exporter", instance="r1"}', "95x100"),
        ('redis_memory_max_bytes{job="redis-exporter", instance="r1"}', "100x100"),
    ),
    ("RedisHitRateLow", "r2"): (
        ('redis_keyspace_hits_total{job="redis-exporter", instance="r2"}', "0+600x100"),
        ('redis_keyspace_misses_total{job="redis-exporter", instance="r2"}', "0+1800x100"),
    ),
    ("RedisAppendFileFailing", "r1"): (
        ('redis_aof_enabled{job="redis-exporter", instance="r1"}', "1x100"),
        ('redis_aof_last_write_status{job="redis-exporter", instance="r1"}', "0x100"),
    ),
    ("KafkaControllerCountWrong", "kafka-brokers"): (
        ('kafka_controller_kafkacontroller_activecontrollercount{job="kafka-brokers", instance="b1"}', "1x100"),
        ('kafka_controller_kafkacontroller_activecontrollercount{job="kafka-brokers", instance="b2"}', "1x100"),
    ),
    ("KafkaPartitionsUnderReplicated", "orders"): (
        (
            'kafka_topic_partition_under_replicated_partition{job="kafka-exporter", topic="orders", partition="0"}',
            "1x100",
        ),
    ),
    ("JvmHeapNearlyFull", "chat-gw"): (
        ('jvm_memory_used_bytes{namespace="chat", job="chat-gw", pod="p0", area="heap", id="Old"}', "80x100"),
        ('jvm_memory_used_bytes{namespace="chat", job="chat-gw", pod="p0", area="heap", id="Eden"}', "15x100"),
        ('jvm_memory_max_bytes{namespace="chat", job="chat-gw", pod="p0", area="heap", id="Old"}', "100x100"),
        ('jvm_memory_max_bytes{namespace="chat", job="chat-gw", pod="p0", area="heap", id="Eden"}', "-1x100"),
    ),
    ("BlackboxPlainHttpServed", "old.example"): (
        ('probe_http_ssl{job="blackbox-http", instance="old.example"}', "0x100"),
        ('probe_http_status_code{job="blackbox-http", instance="old.example"}', "200x100"),
    ),
    ("BlackboxOldTlsVersion", "older.example"): (
        ('probe_tls_version_info{job="blackbox-http", instance="older.example", version="TLS 1.0"}', "1x100"),
        ('probe_tls_version_info{job="blackbox-http", instance="new.example", version="TLS 1.3"}', "1x100"),
    ),
    ("NginxIngressConnectionsDropped", "nginx"): tuple(
        (
            'nginx_ingress_controller_nginx_process_connections_total{job="ingress-nginx", '
            f'controller_class="nginx", controller_pod="c0", state="{state}"}}',
            f"0+{step}x100",
        )
        for state, step in (("accepted", 600), ("handled", 480))
    ),
    ("PrometheusNotIngesting", "p1"): (
        ('prometheus_tsdb_head_samples_appended_total{job="prometheus", instance="p1", type="float"}', "900x100"),
        ('prometheus_sd_discovered_targets{job="prometheus", instance="p1", name="scrape", config="a"}', "30x100"),
    ),
    ("AlertmanagerMembersMissing", "alertmanager"): (
        ('alertmanager_cluster_members{job="alertmanager", instance="am1"}', "1x100"),
        ('alertmanager_cluster_members{job="alertmanager", instance="am2"}', "1x100"),
        ('up{job="alertmanager", instance="am1"}', "1x100"),
        ('up{job="alertmanager", instance="am2"}', "1x100"),
    ),
    ("AlertmanagerNotificationsFail", "webhook"): (
        ('alertmanager_notifications_failed_total{job="alertmanager", integration="webhook", reason="x"}', "0+1x100"),
        ('alertmanager_notifications_total{job="alertmanager", integration="webhook"}', "0+10x100"),
    ),
    ("EtcdQuorumAtRisk", "etcd"): (
        ('up{job="etcd", instance="e1"}', "1x100"),
        ('up{job="etcd", instance="e2"}', "1x100"),
        ('up{job="etcd", instance="e3"}', "0x100"),
    ),
    ("EtcdSpaceQuotaNearlyUsed", "e1"): (
        ('etcd_mvcc_db_total_size_in_bytes{job="etcd", instance="e1"}', "95x100"),
        ('etcd_server_quota_backend_bytes{job="etcd", instance="e1"}', "100x100"),
    ),
    ("CorednsServerFailures", "."): (
        ('coredns_dns_responses_total{job="coredns", zone=".", rcode="SERVFAIL"}', "0+60x100"),
        ('coredns_dns_responses_total{job="coredns", zone=".", rcode="NOERROR"}', "0+600x100"),
    ),
    ("ElasticsearchHeapNearlyFull", "es-0"): (
        (
            'elasticsearch_jvm_memory_used_bytes{job="elasticsearch-exporter", cluster="c", name="es-0", area="heap"}',
            "95x100",
        ),
        (
            'elasticsearch_jvm_memory_max_bytes{job="elasticsearch-exporter", cluster="c", name="es-0", area="heap"}',
            "100x100",
        ),
    ),
    ("RabbitmqPublishersBlocked", "q1"): (
        ('rabbitmq_alarms_memory_used_watermark{job="rabbitmq", instance="q1"}', "0x100"),
        ('rabbitmq_alarms_free_disk_space_watermark{job="rabbitmq", instance="q1"}', "1x100"),
    ),
    ("HaproxyServerDown", "s1"): (
        ('haproxy_server_status{job="haproxy", instance="h1", proxy="web", server="s1", state="DOWN"}', "1x100"),
        ('haproxy_server_status{job="haproxy", instance="h2", proxy="web", server="s1", state="DOWN"}', "1x100"),
        ('haproxy_server_status{job="haproxy", instance="h1", proxy="web", server="s2", state="DOWN"}', "1x100"),
        ('haproxy_server_status{job="haproxy", instance="h2", proxy="web", server="s2", state="DOWN"}', "0x100"),
    ),
    ("HaproxyConnectionErrors", "web"): (
        ('haproxy_backend_connection_errors_total{job="haproxy", instance="h1", proxy="web"}', "0+6x100"),
        ('haproxy_backend_connection_attempts_total{job="haproxy", instance="h1", proxy="web"}', "0+60x100"),
    ),
    ("MysqlReplicationStopped", "my1"): (
        ('mysql_slave_status_slave_io_running{job="mysqld-exporter", instance="my1", channel_name=""}', "1x100"),
        ('mysql_slave_status_slave_sql_running{job="mysqld-exporter", instance="my1", channel_name=""}', "0x100"),
    ),
    ("MysqlTemporaryTablesOnDisk", "my1"): (
        ('mysql_global_status_created_tmp_disk_tables{job="mysqld-exporter", instance="my1"}', "0+300x100"),
        ('mysql_global_status_created_tmp_tables{job="mysqld-exporter", instance="my1"}', "0+600x100"),
    ),
}
ALSO_FIRES = {("EtcdMemberDown", "e3")}  # a member that is down puts the quorum at risk as well


def fired(series: tuple[tuple[str, str], ...]) -> set[tuple[str, tuple[tuple[str, str], ...]]]:
    """Every alert that fired within 99 minutes: its name and labels."""
    groups = tuple(group for file in files(NORTH) for group in file.groups)
    alerts = tuple(rule.name for group in groups for rule in group.rules if rule.is_alert)
    results, reason = run_tests([TestFile(groups, series, 99, alerts)], find("promtool"), seconds=120)
    assert results is not None, reason
    (result,) = results
    assert not result.problem and not result.errors
    return {(name, active.labels.pairs) for (_, name), found in result.alerts.items() for active in found}


def test_application_outages_fire_no_exporter_alert_and_exporter_trouble_does() -> None:
    trouble = tuple(pair for pairs in TROUBLE.values() for pair in pairs)
    seen = fired(APPLICATION_SERIES + trouble)
    identities = {name: {value for _, value in labels} for name, labels in seen}
    assert len(seen) == len(identities), "one alert each, though several targets report"
    assert set(identities) == {name for name, _ in (*TROUBLE, *ALSO_FIRES)}
    for name, identity in (*TROUBLE, *ALSO_FIRES):
        assert identity in identities[name], name


# --- house styles ----------------------------------------------------------------------------------------------------


def test_two_house_styles_keep_names_and_expressions() -> None:
    for north, south, exporter in zip(files(NORTH), files(SOUTH), EXPORTERS, strict=True):
        own = [(rule.name, rule.expr, rule.for_) for rule in exporter.rules]
        assert [(rule.name, rule.expr, rule.for_) for rule in north.rules()] == own
        assert [(rule.name, rule.expr, rule.for_) for rule in south.rules()] == own


def test_a_rendered_alert_follows_the_house_style() -> None:
    node = next(exporter for exporter in EXPORTERS if exporter.name == "node")
    file = render(node, NORTH, "infra", "lumafreight.example")
    assert (file.path, file.manifest_name) == ("rules/node.yml", None)
    (alert,) = [rule for rule in file.rules() if rule.name == "NodeMemoryShort"]
    assert alert.labels == (("severity", "warning"), ("team", "infra"), ("env", "prod"))
    assert [key for key, _ in alert.annotations] == ["summary", "description", "runbook_url"]
    assert alert.annotation("runbook_url") == "https://runbooks.lumafreight.example/node/node-memory-short"

    file = render(node, SOUTH, "infra", "lumafreight.example", (("role", "alert-rules"),))
    assert (file.path, file.manifest_name) == ("rules/node.yaml", "node-rules")
    assert file.manifest_labels == (("role", "alert-rules"),)
    (alert,) = [rule for rule in file.rules() if rule.name == "NodeCpuBusy"]
    assert alert.labels == (("priority", "P5"), ("squad", "infra"))
    assert alert.annotations[-1] == ("runbook", "https://wiki.lumafreight.example/infra/NodeCpuBusy")
    assert [key for key, _ in alert.annotations] == ["title", "runbook"]


def test_records_carry_no_house_labels() -> None:
    records = [rule for file in files(NORTH) for rule in file.rules() if not rule.is_alert]
    assert {rule.name for rule in records} == RECORDS
    assert all(not rule.labels and not rule.annotations and not rule.for_ for rule in records)
