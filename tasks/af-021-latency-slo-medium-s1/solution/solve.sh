#!/usr/bin/env bash
# Reference solution of af-021-latency-slo-medium-s1
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
#
# Edits the repo in $AF_WORKSPACE, by default /workspace/monitoring. Each file is written whole.
set -euo pipefail
cd -- "${AF_WORKSPACE:-/workspace/monitoring}"

# put PATH: the text on standard input becomes the file
put() {
  mkdir -p -- "$(dirname -- "$1")"
  cat > "$1"
}

# put_bare PATH: the same for a file that does not end with a line break
put_bare() {
  mkdir -p -- "$(dirname -- "$1")"
  printf '%s' "$(cat)" > "$1"
}

put alertmanager/alertmanager.yml <<'END_OF_FILE'
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [alertname, squad]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - severity="emergency"
    routes:
    - matchers:
      - squad="dispatch"
      receiver: dispatch-oncall
    - matchers:
      - squad="tracking"
      receiver: tracking-oncall
    - matchers:
      - squad="datacentre"
      receiver: datacentre-oncall
    - matchers:
      - squad="edge"
      receiver: edge-oncall
  - matchers:
    - severity="minor"
    routes:
    - matchers:
      - squad="dispatch"
      receiver: dispatch-queue
    - matchers:
      - squad="tracking"
      receiver: tracking-queue
    - matchers:
      - squad="datacentre"
      receiver: datacentre-queue
    - matchers:
      - squad="edge"
      receiver: edge-queue

inhibit_rules:
- source_matchers:
  - alertname="UnreachablePositionIngest"
  target_matchers:
  - alertname=~"LatencySloAcutePositionIngest|LatencySloChronicPositionIngest|LastRunTooOldPositionIngest"
  equal: [svc]
- source_matchers:
  - alertname="UnreachableTelemetryDecoder"
  target_matchers:
  - alertname=~"AvailabilityBurnPageTelemetryDecoder|AvailabilityBurnTicketTelemetryDecoder|LatencySloAcuteTelemetryDecoder|LastRunTooOldTelemetryDecoder"
  equal: [svc]
- source_matchers:
  - alertname="UnreachableEtaEngine"
  target_matchers:
  - alertname=~"AvailabilityBurnTicketEtaEngine|LatencySloAcuteEtaEngine|NoTrafficEtaEngine"
  equal: [svc]
- source_matchers:
  - alertname="UnreachableStaticAssets"
  target_matchers:
  - alertname=~"LatencySloAcuteStaticAssets|LatencySloChronicStaticAssets|SlowRequestsStaticAssets"
  equal: [svc]
- source_matchers:
  - alertname="UnreachableLoadMatcher"
  target_matchers:
  - alertname=~"LatencySloChronicLoadMatcher|SlowRequestsLoadMatcher|LastRunTooOldLoadMatcher"
  equal: [svc]

receivers:
- name: monitoring-default
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/monitoring-default
    send_resolved: true
- name: dispatch-oncall
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/dispatch-oncall
    send_resolved: true
- name: dispatch-queue
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/dispatch-queue
    send_resolved: true
- name: tracking-oncall
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/tracking-oncall
    send_resolved: true
- name: tracking-queue
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/tracking-queue
    send_resolved: true
- name: datacentre-oncall
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/datacentre-oncall
    send_resolved: true
- name: datacentre-queue
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/datacentre-queue
    send_resolved: true
- name: edge-oncall
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/edge-oncall
    send_resolved: true
- name: edge-queue
  webhook_configs:
  - url: https://notify.ostervanelines.example/hooks/edge-queue
    send_resolved: true
END_OF_FILE

put rules/service-health.yaml <<'END_OF_FILE'
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c

groups:
- name: static-assets-service-health
  rules:
  - alert: UnreachableStaticAssets
    expr: sum by(svc)(up{svc="static-assets"}) == 0 or absent(up{svc="static-assets"})
    for: 5m
    labels:
      severity: emergency
      squad: edge
    annotations:
      headline: no target of static-assets is up
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/unreachable-static-assets
  - alert: VolumeFillingStaticAssets
    expr: >-
      min by(svc)(
        predict_linear(kubelet_volume_stats_available_bytes{svc="static-assets"}[30m], 8 * 3600)
      )
      < 0
    for: 10m
    labels:
      severity: minor
      squad: edge
    annotations:
      headline: a volume of static-assets is filling up
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/volume-filling-static-assets
  - alert: RestartLoopStaticAssets
    expr: max by(svc)(increase(kube_pod_container_status_restarts_total{svc="static-assets"}[10m])) > 3
    for: 2m
    labels:
      severity: emergency
      squad: edge
    annotations:
      headline: a container of static-assets keeps being restarted
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/restart-loop-static-assets
  - alert: SlowRequestsStaticAssets
    expr: >-
      histogram_quantile(
        0.9,
        sum by(svc, le)(rate(http_request_duration_seconds_bucket{svc="static-assets"}[10m]))
      )
      > 0.25
    for: 10m
    labels:
      severity: emergency
      squad: edge
    annotations:
      headline: static-assets takes longer than 0.25 s
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/slow-requests-static-assets
- name: load-matcher-service-health
  rules:
  - alert: UnreachableLoadMatcher
    expr: sum by(svc)(up{svc="load-matcher"}) == 0 or absent(up{svc="load-matcher"})
    for: 5m
    labels:
      severity: emergency
      squad: dispatch
    annotations:
      headline: no target of load-matcher is up
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/unreachable-load-matcher
  - alert: SlowRequestsLoadMatcher
    expr: >-
      histogram_quantile(
        0.9,
        sum by(svc, le)(rate(grpc_server_handling_seconds_bucket{svc="load-matcher"}[10m]))
      )
      > 0.25
    for: 10m
    labels:
      severity: emergency
      squad: dispatch
    annotations:
      headline: load-matcher takes longer than 0.25 s
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/slow-requests-load-matcher
  - alert: QuotaThrottlingLoadMatcher
    expr: >-
      sum by(svc)(rate(container_cpu_cfs_throttled_periods_total{svc="load-matcher"}[10m]))
      / sum by(svc)(rate(container_cpu_cfs_periods_total{svc="load-matcher"}[10m]))
      > 0.25
    for: 10m
    labels:
      severity: minor
      squad: dispatch
    annotations:
      headline: load-matcher is throttled too often
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/quota-throttling-load-matcher
  - alert: LastRunTooOldLoadMatcher
    expr: time() - max by(svc)(batch_last_success_timestamp_seconds{svc="load-matcher"}) > 4 * 3600
    for: 15m
    labels:
      severity: minor
      squad: dispatch
    annotations:
      headline: the batch job of load-matcher is overdue
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/last-run-too-old-load-matcher
  - alert: PoolNearLimitLoadMatcher
    expr: >-
      sum by(svc)(go_sql_stats_connections_in_use{svc="load-matcher"})
      / sum by(svc)(go_sql_stats_connections_max_open{svc="load-matcher"})
      > 0.85
    for: 10m
    labels:
      severity: emergency
      squad: dispatch
    annotations:
      headline: load-matcher is running out of database connections
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/pool-near-limit-load-matcher
- name: position-ingest-service-health
  rules:
  - alert: UnreachablePositionIngest
    expr: sum by(svc)(up{svc="position-ingest"}) == 0 or absent(up{svc="position-ingest"})
    for: 5m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: no target of position-ingest is up
      runbook_link: https://portal.ostervanelines.example/services/position-ingest/runbooks/unreachable-position-ingest
  - alert: LastRunTooOldPositionIngest
    expr: time() - max by(svc)(batch_last_success_timestamp_seconds{svc="position-ingest"}) > 4 * 3600
    for: 15m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: the batch job of position-ingest is overdue
      runbook_link: https://portal.ostervanelines.example/services/position-ingest/runbooks/last-run-too-old-position-ingest
  - alert: QuotaThrottlingPositionIngest
    expr: >-
      sum by(svc)(rate(container_cpu_cfs_throttled_periods_total{svc="position-ingest"}[10m]))
      / sum by(svc)(rate(container_cpu_cfs_periods_total{svc="position-ingest"}[10m]))
      > 0.25
    for: 10m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: position-ingest is throttled too often
      runbook_link: https://portal.ostervanelines.example/services/position-ingest/runbooks/quota-throttling-position-ingest
- name: telemetry-decoder-service-health
  rules:
  - alert: UnreachableTelemetryDecoder
    expr: sum by(svc)(up{svc="telemetry-decoder"}) == 0 or absent(up{svc="telemetry-decoder"})
    for: 5m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: no target of telemetry-decoder is up
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/unreachable-telemetry-decoder
  - alert: LastRunTooOldTelemetryDecoder
    expr: time() - max by(svc)(batch_last_success_timestamp_seconds{svc="telemetry-decoder"}) > 4 * 3600
    for: 15m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: the batch job of telemetry-decoder is overdue
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/last-run-too-old-telemetry-decoder
  - alert: TlsExpiryTelemetryDecoder
    expr: min by(svc)(probe_ssl_earliest_cert_expiry{svc="telemetry-decoder"}) - time() < 10 * 86400
    for: 10m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: a certificate of telemetry-decoder is about to expire
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/tls-expiry-telemetry-decoder
- name: eta-engine-service-health
  rules:
  - alert: UnreachableEtaEngine
    expr: sum by(svc)(up{svc="eta-engine"}) == 0 or absent(up{svc="eta-engine"})
    for: 5m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: no target of eta-engine is up
      runbook_link: https://portal.ostervanelines.example/services/eta-engine/runbooks/unreachable-eta-engine
  - alert: NoTrafficEtaEngine
    expr: >-
      sum by(svc)(rate(grpc_server_handled_total{svc="eta-engine"}[5m])) < 0.2
      or
      absent(grpc_server_handled_total{svc="eta-engine"})
    for: 8m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: eta-engine gets next to no requests
      runbook_link: https://portal.ostervanelines.example/services/eta-engine/runbooks/no-traffic-eta-engine
  - alert: VolumeFillingEtaEngine
    expr: >-
      min by(svc)(predict_linear(kubelet_volume_stats_available_bytes{svc="eta-engine"}[30m], 8 * 3600))
      < 0
    for: 10m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: a volume of eta-engine is filling up
      runbook_link: https://portal.ostervanelines.example/services/eta-engine/runbooks/volume-filling-eta-engine
END_OF_FILE

put rules/sli-records.yaml <<'END_OF_FILE'
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c

groups:
- name: sli-http
  rules:
  - record: svc_http:bad_over_total:rate10m
    expr: >-
      sum by(svc)(rate(http_requests_total{code=~"5.."}[10m]))
      / sum by(svc)(rate(http_requests_total[10m]))
  - record: svc_http:bad_over_total:rate15m
    expr: >-
      sum by(svc)(rate(http_requests_total{code=~"5.."}[15m]))
      / sum by(svc)(rate(http_requests_total[15m]))
  - record: svc_http:bad_over_total:rate2h
    expr: sum by(svc)(rate(http_requests_total{code=~"5.."}[2h])) / sum by(svc)(rate(http_requests_total[2h]))
  - record: svc_http:bad_over_total:rate3h
    expr: sum by(svc)(rate(http_requests_total{code=~"5.."}[3h])) / sum by(svc)(rate(http_requests_total[3h]))
  - record: svc_http:slow_over_total:rate10m
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="position-ingest",le="0.5"}[10m]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="position-ingest"}[10m]))
  - record: svc_http:slow_over_total:rate15m
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="position-ingest",le="0.5"}[15m]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="position-ingest"}[15m]))
  - record: svc_http:slow_over_total:rate2h
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="position-ingest",le="0.5"}[2h]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="position-ingest"}[2h]))
  - record: svc_http:slow_over_total:rate3h
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="position-ingest",le="0.5"}[3h]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="position-ingest"}[3h]))
  - record: svc_http:slow_over_total:rate10m
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="static-assets",le="0.25"}[10m]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="static-assets"}[10m]))
  - record: svc_http:slow_over_total:rate15m
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="static-assets",le="0.25"}[15m]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="static-assets"}[15m]))
  - record: svc_http:slow_over_total:rate2h
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="static-assets",le="0.25"}[2h]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="static-assets"}[2h]))
  - record: svc_http:slow_over_total:rate3h
    expr: >-
      1
      - sum by(svc)(rate(http_request_duration_seconds_bucket{svc="static-assets",le="0.25"}[3h]))
      / sum by(svc)(rate(http_request_duration_seconds_count{svc="static-assets"}[3h]))
- name: sli-grpc-server
  rules:
  - record: svc_grpc_server:bad_over_total:rate10m
    expr: >-
      sum by(svc)(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[10m]
        )
      )
      / sum by(svc)(rate(grpc_server_handled_total[10m]))
  - record: svc_grpc_server:bad_over_total:rate15m
    expr: >-
      sum by(svc)(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[15m]
        )
      )
      / sum by(svc)(rate(grpc_server_handled_total[15m]))
  - record: svc_grpc_server:bad_over_total:rate2h
    expr: >-
      sum by(svc)(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[2h]
        )
      )
      / sum by(svc)(rate(grpc_server_handled_total[2h]))
  - record: svc_grpc_server:bad_over_total:rate3h
    expr: >-
      sum by(svc)(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[3h]
        )
      )
      / sum by(svc)(rate(grpc_server_handled_total[3h]))
  - record: svc_grpc_server:slow_over_total:rate10m
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="eta-engine",le="0.5"}[10m]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="eta-engine"}[10m]))
  - record: svc_grpc_server:slow_over_total:rate15m
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="eta-engine",le="0.5"}[15m]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="eta-engine"}[15m]))
  - record: svc_grpc_server:slow_over_total:rate2h
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="eta-engine",le="0.5"}[2h]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="eta-engine"}[2h]))
  - record: svc_grpc_server:slow_over_total:rate3h
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="eta-engine",le="0.5"}[3h]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="eta-engine"}[3h]))
  - record: svc_grpc_server:slow_over_total:rate10m
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="load-matcher",le="0.25"}[10m]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="load-matcher"}[10m]))
  - record: svc_grpc_server:slow_over_total:rate15m
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="load-matcher",le="0.25"}[15m]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="load-matcher"}[15m]))
  - record: svc_grpc_server:slow_over_total:rate2h
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="load-matcher",le="0.25"}[2h]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="load-matcher"}[2h]))
  - record: svc_grpc_server:slow_over_total:rate3h
    expr: >-
      1
      - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="load-matcher",le="0.25"}[3h]))
      / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="load-matcher"}[3h]))
- name: sli-worker
  rules:
  - record: svc_worker:bad_over_total:rate10m
    expr: >-
      sum by(svc)(rate(worker_jobs_total{result="error"}[10m]))
      / sum by(svc)(rate(worker_jobs_total[10m]))
  - record: svc_worker:bad_over_total:rate15m
    expr: >-
      sum by(svc)(rate(worker_jobs_total{result="error"}[15m]))
      / sum by(svc)(rate(worker_jobs_total[15m]))
  - record: svc_worker:bad_over_total:rate2h
    expr: sum by(svc)(rate(worker_jobs_total{result="error"}[2h])) / sum by(svc)(rate(worker_jobs_total[2h]))
  - record: svc_worker:bad_over_total:rate3h
    expr: sum by(svc)(rate(worker_jobs_total{result="error"}[3h])) / sum by(svc)(rate(worker_jobs_total[3h]))
  - record: svc_worker:slow_over_total:rate10m
    expr: >-
      1
      - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="telemetry-decoder",le="1.0"}[10m]))
      / sum by(svc)(rate(worker_job_duration_seconds_count{svc="telemetry-decoder"}[10m]))
  - record: svc_worker:slow_over_total:rate15m
    expr: >-
      1
      - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="telemetry-decoder",le="1.0"}[15m]))
      / sum by(svc)(rate(worker_job_duration_seconds_count{svc="telemetry-decoder"}[15m]))
  - record: svc_worker:slow_over_total:rate2h
    expr: >-
      1
      - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="telemetry-decoder",le="1.0"}[2h]))
      / sum by(svc)(rate(worker_job_duration_seconds_count{svc="telemetry-decoder"}[2h]))
  - record: svc_worker:slow_over_total:rate3h
    expr: >-
      1
      - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="telemetry-decoder",le="1.0"}[3h]))
      / sum by(svc)(rate(worker_job_duration_seconds_count{svc="telemetry-decoder"}[3h]))
END_OF_FILE

put rules/slo-alerts.yaml <<'END_OF_FILE'
# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c

groups:
- name: position-ingest-slo-alerts
  rules:
  - alert: LatencySloAcutePositionIngest
    expr: >-
      svc_http:slow_over_total:rate2h{svc="position-ingest"} > 13.44 * (1 - 0.98)
      and
      svc_http:slow_over_total:rate10m{svc="position-ingest"} > 13.44 * (1 - 0.98)
    for: 2m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: position-ingest is spending its latency budget 13.44 times too fast
      runbook_link: https://portal.ostervanelines.example/services/position-ingest/runbooks/latency-slo-acute-position-ingest
  - alert: LatencySloChronicPositionIngest
    expr: >-
      svc_http:slow_over_total:rate3h{svc="position-ingest"} > 6.72 * (1 - 0.98)
      and
      svc_http:slow_over_total:rate15m{svc="position-ingest"} > 6.72 * (1 - 0.98)
    for: 5m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: position-ingest is spending its latency budget 6.72 times too fast
      runbook_link: https://portal.ostervanelines.example/services/position-ingest/runbooks/latency-slo-chronic-position-ingest
- name: telemetry-decoder-slo-alerts
  rules:
  - alert: LatencySloAcuteTelemetryDecoder
    expr: >-
      svc_worker:slow_over_total:rate2h{svc="telemetry-decoder"} > 13.44 * (1 - 0.98)
      and
      svc_worker:slow_over_total:rate10m{svc="telemetry-decoder"} > 13.44 * (1 - 0.98)
    for: 2m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: telemetry-decoder is spending its latency budget 13.44 times too fast
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/latency-slo-acute-telemetry-decoder
  - alert: AvailabilityBurnPageTelemetryDecoder
    expr: >-
      svc_worker:bad_over_total:rate2h{svc="telemetry-decoder"} > 13.44 * (1 - 0.9975)
      and
      svc_worker:bad_over_total:rate10m{svc="telemetry-decoder"} > 13.44 * (1 - 0.9975)
    for: 2m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: telemetry-decoder is spending its error budget 13.44 times too fast
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/availability-burn-page-telemetry-decoder
  - alert: AvailabilityBurnTicketTelemetryDecoder
    expr: >-
      svc_worker:bad_over_total:rate3h{svc="telemetry-decoder"} > 6.72 * (1 - 0.9975)
      and
      svc_worker:bad_over_total:rate15m{svc="telemetry-decoder"} > 6.72 * (1 - 0.9975)
    for: 5m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: telemetry-decoder is spending its error budget 6.72 times too fast
      runbook_link: https://portal.ostervanelines.example/services/telemetry-decoder/runbooks/availability-burn-ticket-telemetry-decoder
- name: eta-engine-slo-alerts
  rules:
  - alert: LatencySloAcuteEtaEngine
    expr: >-
      svc_grpc_server:slow_over_total:rate2h{svc="eta-engine"} > 13.44 * (1 - 0.99)
      and
      svc_grpc_server:slow_over_total:rate10m{svc="eta-engine"} > 13.44 * (1 - 0.99)
    for: 2m
    labels:
      severity: emergency
      squad: tracking
    annotations:
      headline: eta-engine is spending its latency budget 13.44 times too fast
      runbook_link: https://portal.ostervanelines.example/services/eta-engine/runbooks/latency-slo-acute-eta-engine
  - alert: AvailabilityBurnTicketEtaEngine
    expr: >-
      svc_grpc_server:bad_over_total:rate3h{svc="eta-engine"} > 6.72 * (1 - 0.9975)
      and
      svc_grpc_server:bad_over_total:rate15m{svc="eta-engine"} > 6.72 * (1 - 0.9975)
    for: 5m
    labels:
      severity: minor
      squad: tracking
    annotations:
      headline: eta-engine is spending its error budget 6.72 times too fast
      runbook_link: https://portal.ostervanelines.example/services/eta-engine/runbooks/availability-burn-ticket-eta-engine
- name: static-assets-slo-alerts
  rules:
  - alert: LatencySloAcuteStaticAssets
    expr: >-
      svc_http:slow_over_total:rate2h{svc="static-assets"} > 13.44 * (1 - 0.97)
      and
      svc_http:slow_over_total:rate10m{svc="static-assets"} > 13.44 * (1 - 0.97)
    for: 2m
    labels:
      severity: emergency
      squad: edge
    annotations:
      headline: static-assets is spending its latency budget 13.44 times too fast
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/latency-slo-acute-static-assets
  - alert: LatencySloChronicStaticAssets
    expr: >-
      svc_http:slow_over_total:rate3h{svc="static-assets"} > 6.72 * (1 - 0.97)
      and
      svc_http:slow_over_total:rate15m{svc="static-assets"} > 6.72 * (1 - 0.97)
    for: 5m
    labels:
      severity: minor
      squad: edge
    annotations:
      headline: static-assets is spending its latency budget 6.72 times too fast
      runbook_link: https://portal.ostervanelines.example/services/static-assets/runbooks/latency-slo-chronic-static-assets
- name: load-matcher-slo-alerts
  rules:
  - alert: LatencySloChronicLoadMatcher
    expr: >-
      svc_grpc_server:slow_over_total:rate3h{svc="load-matcher"} > 6.72 * (1 - 0.985)
      and
      svc_grpc_server:slow_over_total:rate15m{svc="load-matcher"} > 6.72 * (1 - 0.985)
    for: 5m
    labels:
      severity: minor
      squad: dispatch
    annotations:
      headline: load-matcher is spending its latency budget 6.72 times too fast
      runbook_link: https://portal.ostervanelines.example/services/load-matcher/runbooks/latency-slo-chronic-load-matcher
END_OF_FILE
