#!/usr/bin/env bash
# Reference solution of af-030-team-reorg-migration-hard-s2
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
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
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f

global:
  resolve_timeout: 5m

route:
  receiver: observability-inbox
  group_by: [alertname, service]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - owner="marketplace"
        - alert_level="red"
      receiver: marketplace_high
    - matchers:
        - owner="marketplace"
        - alert_level="amber"
      receiver: marketplace_low
    - matchers:
        - owner="datacentre"
        - alert_level="red"
      receiver: datacentre_high
    - matchers:
        - owner="datacentre"
        - alert_level="amber"
      receiver: datacentre_low
    - matchers:
        - owner="pipelines"
        - alert_level="red"
      receiver: pipelines_high
    - matchers:
        - owner="pipelines"
        - alert_level="amber"
      receiver: pipelines_low
    - matchers:
        - owner="agronomy"
        - alert_level="red"
      receiver: agronomy_high
    - matchers:
        - owner="agronomy"
        - alert_level="amber"
      receiver: agronomy_low
    - matchers:
        - owner="maps"
        - alert_level="red"
      receiver: maps_high
    - matchers:
        - owner="maps"
        - alert_level="amber"
      receiver: maps_low

inhibit_rules:
  - source_matchers:
      - alertname="Unreachable_SceneFetcher"
    target_matchers:
      - alertname="LastRunTooOld_SceneFetcher"
    equal: [service]
  - source_matchers:
      - alertname="Unreachable_ReportRunner"
    target_matchers:
      - alertname="LastRunTooOld_ReportRunner"
    equal: [service]
  - source_matchers:
      - alertname="Unreachable_SiloLevels"
    target_matchers:
      - alertname="ConsumerLagging_SiloLevels"
    equal: [service]
  - source_matchers:
      - alertname="Unreachable_PestAlerts"
    target_matchers:
      - alertname=~"ErrorBudgetSpike_PestAlerts|RequestsTooSlow_PestAlerts|RequestsDriedUp_PestAlerts"
    equal: [service]
  - source_matchers:
      - alertname="Unreachable_TileServer"
    target_matchers:
      - alertname=~"RequestsDriedUp_TileServer|EndpointFailing_TileServer"
    equal: [service]

receivers:
  - name: observability-inbox
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/observability-inbox
        send_resolved: true
  - name: marketplace_high
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/marketplace-high
        send_resolved: true
  - name: marketplace_low
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/marketplace-low
        send_resolved: true
  - name: datacentre_high
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/datacentre-high
        send_resolved: true
  - name: datacentre_low
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/datacentre-low
        send_resolved: true
  - name: pipelines_high
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/pipelines-high
        send_resolved: true
  - name: pipelines_low
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/pipelines-low
        send_resolved: true
  - name: agronomy_high
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/agronomy-high
        send_resolved: true
  - name: agronomy_low
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/agronomy-low
        send_resolved: true
  - name: maps_high
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/maps-high
        send_resolved: true
  - name: maps_low
    webhook_configs:
      - url: https://notify.farrowfield.example/hooks/maps-low
        send_resolved: true
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f

groups:
  - name: sli-traefik
    rules:
      - record: service_traefik:bad_over_total:rate10m
        expr: >-
          sum by (service) (
            rate(traefik_service_requests_total{code=~"5.."}[10m])
          )
          / sum by (service) (rate(traefik_service_requests_total[10m]))

      - record: service_traefik:bad_over_total:rate20m
        expr: >-
          sum by (service) (
            rate(traefik_service_requests_total{code=~"5.."}[20m])
          )
          / sum by (service) (rate(traefik_service_requests_total[20m]))

      - record: service_traefik:bad_over_total:rate2h
        expr: >-
          sum by (service) (rate(traefik_service_requests_total{code=~"5.."}[2h]))
          / sum by (service) (rate(traefik_service_requests_total[2h]))

      - record: service_traefik:bad_over_total:rate4h
        expr: >-
          sum by (service) (rate(traefik_service_requests_total{code=~"5.."}[4h]))
          / sum by (service) (rate(traefik_service_requests_total[4h]))

  - name: sli-thrift
    rules:
      - record: service_thrift:bad_over_total:rate10m
        expr: >-
          sum by (service) (
            rate(thrift_server_calls_total{outcome=~"exception|timeout"}[10m])
          )
          / sum by (service) (rate(thrift_server_calls_total[10m]))

      - record: service_thrift:bad_over_total:rate20m
        expr: >-
          sum by (service) (
            rate(thrift_server_calls_total{outcome=~"exception|timeout"}[20m])
          )
          / sum by (service) (rate(thrift_server_calls_total[20m]))

      - record: service_thrift:bad_over_total:rate2h
        expr: >-
          sum by (service) (
            rate(thrift_server_calls_total{outcome=~"exception|timeout"}[2h])
          )
          / sum by (service) (rate(thrift_server_calls_total[2h]))

      - record: service_thrift:bad_over_total:rate4h
        expr: >-
          sum by (service) (
            rate(thrift_server_calls_total{outcome=~"exception|timeout"}[4h])
          )
          / sum by (service) (rate(thrift_server_calls_total[4h]))

  - name: sli-worker
    rules:
      - record: service_worker:bad_over_total:rate10m
        expr: >-
          sum by (service) (rate(worker_jobs_total{result="error"}[10m]))
          / sum by (service) (rate(worker_jobs_total[10m]))

      - record: service_worker:bad_over_total:rate20m
        expr: >-
          sum by (service) (rate(worker_jobs_total{result="error"}[20m]))
          / sum by (service) (rate(worker_jobs_total[20m]))

      - record: service_worker:bad_over_total:rate2h
        expr: >-
          sum by (service) (rate(worker_jobs_total{result="error"}[2h]))
          / sum by (service) (rate(worker_jobs_total[2h]))

      - record: service_worker:bad_over_total:rate4h
        expr: >-
          sum by (service) (rate(worker_jobs_total{result="error"}[4h]))
          / sum by (service) (rate(worker_jobs_total[4h]))
END_OF_FILE

put rules/team-agronomy.yml <<'END_OF_FILE'
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f

groups:
  - name: pest-alerts-health
    rules:
      - alert: RequestsDriedUp_PestAlerts
        expr: >-
          sum by (service) (rate(worker_jobs_total{service="pest-alerts"}[5m]))
          < 2
          or
          absent(worker_jobs_total{service="pest-alerts"})
        for: 5m
        labels:
          alert_level: red
          owner: agronomy
          env: prod
        annotations:
          summary: pest-alerts gets next to no jobs
          runbook: https://runbooks.farrowfield.example/pest-alerts/requests-dried-up-pest-alerts

      - alert: RequestsTooSlow_PestAlerts
        expr: >-
          1
            -
          sum by (service) (
            rate(
              worker_job_duration_seconds_bucket{service="pest-alerts", le="3.0"}[10m]
            )
          )
            /
          sum by (service) (
            rate(worker_job_duration_seconds_count{service="pest-alerts"}[10m])
          )
          > 0.05
        for: 8m
        labels:
          alert_level: red
          owner: agronomy
          env: prod
        annotations:
          summary: too many jobs of pest-alerts take longer than 3 s
          runbook: https://runbooks.farrowfield.example/pest-alerts/requests-too-slow-pest-alerts

      - alert: Unreachable_PestAlerts
        expr: >-
          sum by (service) (up{service="pest-alerts"}) == 0
          or
          absent(up{service="pest-alerts"})
        for: 5m
        labels:
          alert_level: red
          owner: agronomy
          env: prod
        annotations:
          summary: no target of pest-alerts is up
          runbook: https://runbooks.farrowfield.example/pest-alerts/unreachable-pest-alerts

      - alert: ContainerRestarts_PestAlerts
        expr: >-
          max by (service) (
            increase(
              kube_pod_container_status_restarts_total{service="pest-alerts"}[15m]
            )
          )
          > 2
        for: 5m
        labels:
          alert_level: red
          owner: agronomy
          env: prod
        annotations:
          summary: a container of pest-alerts keeps being restarted
          runbook: https://runbooks.farrowfield.example/pest-alerts/container-restarts-pest-alerts

  - name: pest-alerts-slo
    rules:
      - alert: ErrorBudgetSpike_PestAlerts
        expr: >-
          service_worker:bad_over_total:rate2h{service="pest-alerts"}
          > 16.8 * (1 - 0.99)
          and
          service_worker:bad_over_total:rate10m{service="pest-alerts"}
          > 16.8 * (1 - 0.99)
        for: 4m
        labels:
          alert_level: red
          owner: agronomy
          env: prod
        annotations:
          summary: pest-alerts is spending its error budget 16.8 times too fast
          runbook: https://runbooks.farrowfield.example/pest-alerts/error-budget-spike-pest-alerts
END_OF_FILE

put rules/team-maps.yml <<'END_OF_FILE'
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f

groups:
  - name: tile-server-health
    rules:
      - alert: Unreachable_TileServer
        expr: >-
          sum by (service) (up{service="tile-server"}) == 0
          or
          absent(up{service="tile-server"})
        for: 5m
        labels:
          alert_level: red
          owner: maps
          env: prod
        annotations:
          summary: no target of tile-server is up
          runbook: https://runbooks.farrowfield.example/tile-server/unreachable-tile-server

      - alert: EndpointFailing_TileServer
        expr: >-
          avg by (service) (
            avg_over_time(probe_success{service="tile-server"}[10m])
          )
          < 0.5
        for: 2m
        labels:
          alert_level: red
          owner: maps
          env: prod
        annotations:
          summary: tile-server does not answer from outside
          runbook: https://runbooks.farrowfield.example/tile-server/endpoint-failing-tile-server

      - alert: RequestsDriedUp_TileServer
        expr: >-
          sum by (service) (
            rate(traefik_service_requests_total{service="tile-server"}[5m])
          )
          < 2
          or
          absent(traefik_service_requests_total{service="tile-server"})
        for: 5m
        labels:
          alert_level: red
          owner: maps
          env: prod
        annotations:
          summary: tile-server gets next to no requests
          runbook: https://runbooks.farrowfield.example/tile-server/requests-dried-up-tile-server

      - alert: MemoryNearLimit_TileServer
        expr: >-
          max by (service) (
            container_memory_working_set_bytes{service="tile-server"}
            / on (service, namespace, pod, container) kube_pod_container_resource_limits{service="tile-server", resource="memory"}
          )
          > 0.85
        for: 15m
        labels:
          alert_level: amber
          owner: maps
          env: prod
        annotations:
          summary: a pod of tile-server is close to its memory limit
          runbook: https://runbooks.farrowfield.example/tile-server/memory-near-limit-tile-server

  - name: scene-fetcher-health
    rules:
      - alert: LastRunTooOld_SceneFetcher
        expr: >-
          time()
            -
          max by (service) (
            batch_last_success_timestamp_seconds{service="scene-fetcher"}
          )
          > 4 * 3600
        for: 15m
        labels:
          alert_level: amber
          owner: maps
          env: prod
        annotations:
          summary: the batch job of scene-fetcher is overdue
          runbook: https://runbooks.farrowfield.example/scene-fetcher/last-run-too-old-scene-fetcher

      - alert: ContainerRestarts_SceneFetcher
        expr: >-
          max by (service) (
            increase(
              kube_pod_container_status_restarts_total{service="scene-fetcher"}[15m]
            )
          )
          > 2
        for: 5m
        labels:
          alert_level: red
          owner: maps
          env: prod
        annotations:
          summary: a container of scene-fetcher keeps being restarted
          runbook: https://runbooks.farrowfield.example/scene-fetcher/container-restarts-scene-fetcher

      - alert: Unreachable_SceneFetcher
        expr: >-
          sum by (service) (up{service="scene-fetcher"}) == 0
          or
          absent(up{service="scene-fetcher"})
        for: 5m
        labels:
          alert_level: red
          owner: maps
          env: prod
        annotations:
          summary: no target of scene-fetcher is up
          runbook: https://runbooks.farrowfield.example/scene-fetcher/unreachable-scene-fetcher

      - alert: TlsExpiry_SceneFetcher
        expr: >-
          min by (service) (
            probe_ssl_earliest_cert_expiry{service="scene-fetcher"}
          )
          - time()
          < 7 * 86400
        for: 30m
        labels:
          alert_level: amber
          owner: maps
          env: prod
        annotations:
          summary: a certificate of scene-fetcher is about to expire
          runbook: https://runbooks.farrowfield.example/scene-fetcher/tls-expiry-scene-fetcher
END_OF_FILE

put rules/team-pipelines.yml <<'END_OF_FILE'
# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f

groups:
  - name: report-runner-health
    rules:
      - alert: Unreachable_ReportRunner
        expr: >-
          sum by (service) (up{service="report-runner"}) == 0
          or
          absent(up{service="report-runner"})
        for: 5m
        labels:
          alert_level: red
          owner: pipelines
          env: prod
        annotations:
          summary: no target of report-runner is up
          runbook: https://runbooks.farrowfield.example/report-runner/unreachable-report-runner

      - alert: LastRunTooOld_ReportRunner
        expr: >-
          time()
            -
          max by (service) (
            batch_last_success_timestamp_seconds{service="report-runner"}
          )
          > 4 * 3600
        for: 15m
        labels:
          alert_level: amber
          owner: pipelines
          env: prod
        annotations:
          summary: the batch job of report-runner is overdue
          runbook: https://runbooks.farrowfield.example/report-runner/last-run-too-old-report-runner

      - alert: ReplicaLagging_ReportRunner
        expr: >-
          max by (service) (
            avg_over_time(
              pg_replication_lag_seconds{service="report-runner"}[10m]
            )
          )
          > 60
        for: 10m
        labels:
          alert_level: red
          owner: pipelines
          env: prod
        annotations:
          summary: a database replica of report-runner is behind
          runbook: https://runbooks.farrowfield.example/report-runner/replica-lagging-report-runner
END_OF_FILE
