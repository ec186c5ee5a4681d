#!/usr/bin/env bash
# Half of af-008-alert-storm-cleanup-easy-s2, and one plausible mistake
# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
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
# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c

global:
  resolve_timeout: 5m

route:
  receiver: unrouted
  group_by: [alertname, owned_by, system]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - action="pager"
      routes:
        - matchers:
            - owned_by="pipelines"
          receiver: rota-pipelines
        - matchers:
            - owned_by="sales"
          receiver: rota-sales
        - matchers:
            - owned_by="hosting"
          receiver: rota-hosting
        - matchers:
            - owned_by="resale"
          receiver: rota-resale
        - matchers:
            - owned_by="access-control"
          receiver: rota-access-control
    - matchers:
        - action="backlog"
      routes:
        - matchers:
            - owned_by="pipelines"
          receiver: board-pipelines
        - matchers:
            - owned_by="sales"
          receiver: board-sales
        - matchers:
            - owned_by="hosting"
          receiver: board-hosting
        - matchers:
            - owned_by="resale"
          receiver: board-resale
        - matchers:
            - owned_by="access-control"
          receiver: board-access-control

inhibit_rules:
  - source_matchers:
      - alertname="ListingApiAlertUnreachable"
    target_matchers:
      - alertname=~"ListingApiAlertErrorBudgetBurnFast|ListingApiAlertErrorBudgetBurnSlow|ListingApiAlertEndpointFailing"
    equal: [system]
  - source_matchers:
      - alertname="MetricsApiAlertUnreachable"
    target_matchers:
      - alertname=~"MetricsApiAlertErrorBudgetBurnFast|MetricsApiAlertErrorBudgetBurnSlow|MetricsApiAlertBelowTrafficFloor"
    equal: [system]
  - source_matchers:
      - alertname="SeatLocksAlertUnreachable"
    target_matchers:
      - alertname=~"SeatLocksAlertErrorBudgetBurnFast|SeatLocksAlertSlowRequests"
    equal: [system]

receivers:
  - name: unrouted
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/unrouted
        send_resolved: true
  - name: rota-pipelines
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/rota-pipelines
        send_resolved: true
  - name: board-pipelines
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/board-pipelines
        send_resolved: true
  - name: rota-sales
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/rota-sales
        send_resolved: true
  - name: board-sales
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/board-sales
        send_resolved: true
  - name: rota-hosting
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/rota-hosting
        send_resolved: true
  - name: board-hosting
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/board-hosting
        send_resolved: true
  - name: rota-resale
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/rota-resale
        send_resolved: true
  - name: board-resale
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/board-resale
        send_resolved: true
  - name: rota-access-control
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/rota-access-control
        send_resolved: true
  - name: board-access-control
    webhook_configs:
      - url: https://notify.gatewren.example/hooks/board-access-control
        send_resolved: true
END_OF_FILE

put rules/service-health.yml <<'END_OF_FILE'
# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: service-health
spec:
  groups:
    - name: gate-scan-service-health
      rules:
        - alert: GateScanAlertTooManySlow
          expr: 1 - sum by(system)(rate(thrift_server_call_duration_seconds_bucket{system="gate-scan",le="0.1"}[5m])) / sum by(system)(rate(thrift_server_call_duration_seconds_count{system="gate-scan"}[5m])) > 0.15
          for: 8m
          labels:
            action: pager
            owned_by: access-control
            environment: production
          annotations:
            summary: too many requests of gate-scan take longer than 0.1 s
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-too-many-slow
        - alert: GateScanAlertThrottlingHigh
          expr: sum by(system)(rate(container_cpu_cfs_throttled_periods_total{system="gate-scan"}[5m])) / sum by(system)(rate(container_cpu_cfs_periods_total{system="gate-scan"}[5m])) > 0.25
          for: 15m
          labels:
            action: backlog
            owned_by: access-control
            environment: production
          annotations:
            summary: gate-scan is throttled too often
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-throttling-high
        - alert: GateScanAlertBelowTrafficFloor
          expr: sum by(system)(rate(thrift_server_calls_total{system="gate-scan"}[5m])) < 0.2 or absent(thrift_server_calls_total{system="gate-scan"})
          for: 8m
          labels:
            action: pager
            owned_by: access-control
            environment: production
          annotations:
            summary: gate-scan gets next to no requests
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-below-traffic-floor
        - alert: GateScanAlertCrashLooping
          expr: max by(system)(increase(kube_pod_container_status_restarts_total{system="gate-scan"}[10m])) > 0
          for: 2m
          labels:
            action: pager
            owned_by: access-control
            environment: production
          annotations:
            summary: a container of gate-scan keeps being restarted
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-crash-looping
        - alert: GateScanAlertUnreachable
          expr: (sum by(system)(up{system="gate-scan"}) or vector(0)) == 0 or absent(up{system="gate-scan"})
          for: 4m
          labels:
            action: pager
            owned_by: access-control
            environment: production
          annotations:
            summary: no target of gate-scan is up
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-unreachable
    - name: listing-api-service-health
      rules:
        - alert: ListingApiAlertUnreachable
          expr: sum by(system)(up{system="listing-api"}) == 0 or absent(up{system="listing-api"})
          for: 4m
          labels:
            action: pager
            owned_by: resale
            environment: production
          annotations:
            summary: no target of listing-api is up
            runbook_url: https://git.gatewren.example/resale/runbooks/blob/main/listing-api.md#listing-api-alert-unreachable
        - alert: ListingApiAlertEndpointFailing
          expr: avg by(system)(avg_over_time(probe_success{system="listing-api"}[5m])) < 0.75
          for: 2m
          labels:
            action: pager
            owned_by: resale
            environment: production
          annotations:
            summary: listing-api does not answer from outside
            runbook_url: https://git.gatewren.example/resale/runbooks/blob/main/listing-api.md#listing-api-alert-endpoint-failing
        - alert: ListingApiAlertReplicaBehind
          expr: max by(system)(avg_over_time(pg_replication_lag_seconds{system="listing-api"}[5m])) > 20
          for: 10m
          labels:
            action: pager
            owned_by: resale
            environment: production
          annotations:
            summary: a database replica of listing-api is behind
            runbook_url: https://git.gatewren.example/resale/runbooks/blob/main/listing-api.md#listing-api-alert-replica-behind
    - name: metrics-api-service-health
      rules:
        - alert: MetricsApiAlertUnreachable
          expr: sum by(system)(up{system="metrics-api"}) == 0 or absent(up{system="metrics-api"})
          for: 4m
          labels:
            action: pager
            owned_by: pipelines
            environment: production
          annotations:
            summary: no target of metrics-api is up
            runbook_url: https://git.gatewren.example/pipelines/runbooks/blob/main/metrics-api.md#metrics-api-alert-unreachable
        - alert: MetricsApiAlertBelowTrafficFloor
          expr: sum by(system)(rate(http_responses_total{system="metrics-api"}[5m])) < 0.2 or absent(http_responses_total{system="metrics-api"})
          for: 8m
          labels:
            action: pager
            owned_by: pipelines
            environment: production
          annotations:
            summary: metrics-api gets next to no requests
            runbook_url: https://git.gatewren.example/pipelines/runbooks/blob/main/metrics-api.md#metrics-api-alert-below-traffic-floor
        - alert: MetricsApiAlertThrottlingHigh
          expr: sum by(system)(rate(container_cpu_cfs_throttled_periods_total{system="metrics-api"}[5m])) / sum by(system)(rate(container_cpu_cfs_periods_total{system="metrics-api"}[5m])) > 0.25
          for: 15m
          labels:
            action: backlog
            owned_by: pipelines
            environment: production
          annotations:
            summary: metrics-api is throttled too often
            runbook_url: https://git.gatewren.example/pipelines/runbooks/blob/main/metrics-api.md#metrics-api-alert-throttling-high
    - name: seat-locks-service-health
      rules:
        - alert: SeatLocksAlertUnreachable
          expr: sum by(system)(up{system="seat-locks"}) == 0 or absent(up{system="seat-locks"})
          for: 4m
          labels:
            action: pager
            owned_by: sales
            environment: production
          annotations:
            summary: no target of seat-locks is up
            runbook_url: https://git.gatewren.example/sales/runbooks/blob/main/seat-locks.md#seat-locks-alert-unreachable
        - alert: SeatLocksAlertSlowRequests
          expr: histogram_quantile(0.9, sum by(system, le)(rate(thrift_server_call_duration_seconds_bucket{system="seat-locks"}[5m]))) > 0.4
          for: 8m
          labels:
            action: pager
            owned_by: sales
            environment: production
          annotations:
            summary: seat-locks takes longer than 0.4 s
            runbook_url: https://git.gatewren.example/sales/runbooks/blob/main/seat-locks.md#seat-locks-alert-slow-requests
        - alert: SeatLocksAlertThrottlingHigh
          expr: sum by(system)(rate(container_cpu_cfs_throttled_periods_total{system="seat-locks"}[5m])) / sum by(system)(rate(container_cpu_cfs_periods_total{system="seat-locks"}[5m])) > 0.25
          for: 15m
          labels:
            action: backlog
            owned_by: sales
            environment: production
          annotations:
            summary: seat-locks is throttled too often
            runbook_url: https://git.gatewren.example/sales/runbooks/blob/main/seat-locks.md#seat-locks-alert-throttling-high
END_OF_FILE

put rules/slo-alerts.yml <<'END_OF_FILE'
# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: slo-alerts
spec:
  groups:
    - name: listing-api-slo-alerts
      rules:
        - alert: ListingApiAlertErrorBudgetBurnFast
          expr: system:web_errors:ratio_rate1h{system="listing-api"} > 14.4 * (1 - 0.99) and system:web_errors:ratio_rate5m{system="listing-api"} > 14.4 * (1 - 0.99)
          for: 4m
          labels:
            action: pager
            owned_by: resale
            environment: production
          annotations:
            summary: listing-api is spending its error budget 14.4 times too fast
            runbook_url: https://git.gatewren.example/resale/runbooks/blob/main/listing-api.md#listing-api-alert-error-budget-burn-fast
        - alert: ListingApiAlertErrorBudgetBurnSlow
          expr: system:web_errors:ratio_rate3h{system="listing-api"} > 4.8 * (1 - 0.99) and system:web_errors:ratio_rate15m{system="listing-api"} > 4.8 * (1 - 0.99)
          for: 10m
          labels:
            action: backlog
            owned_by: resale
            environment: production
          annotations:
            summary: listing-api is spending its error budget 4.8 times too fast
            runbook_url: https://git.gatewren.example/resale/runbooks/blob/main/listing-api.md#listing-api-alert-error-budget-burn-slow
    - name: metrics-api-slo-alerts
      rules:
        - alert: MetricsApiAlertErrorBudgetBurnFast
          expr: system:web_errors:ratio_rate1h{system="metrics-api"} > 14.4 * (1 - 0.995) and system:web_errors:ratio_rate5m{system="metrics-api"} > 14.4 * (1 - 0.995)
          for: 4m
          labels:
            action: pager
            owned_by: pipelines
            environment: production
          annotations:
            summary: metrics-api is spending its error budget 14.4 times too fast
            runbook_url: https://git.gatewren.example/pipelines/runbooks/blob/main/metrics-api.md#metrics-api-alert-error-budget-burn-fast
        - alert: MetricsApiAlertErrorBudgetBurnSlow
          expr: system:web_errors:ratio_rate3h{system="metrics-api"} > 4.8 * (1 - 0.995) and system:web_errors:ratio_rate15m{system="metrics-api"} > 4.8 * (1 - 0.995)
          for: 10m
          labels:
            action: backlog
            owned_by: pipelines
            environment: production
          annotations:
            summary: metrics-api is spending its error budget 4.8 times too fast
            runbook_url: https://git.gatewren.example/pipelines/runbooks/blob/main/metrics-api.md#metrics-api-alert-error-budget-burn-slow
    - name: seat-locks-slo-alerts
      rules:
        - alert: SeatLocksAlertErrorBudgetBurnFast
          expr: system:thrift_errors:ratio_rate1h{system="seat-locks"} > 14.4 * (1 - 0.99) and system:thrift_errors:ratio_rate5m{system="seat-locks"} > 14.4 * (1 - 0.99)
          for: 4m
          labels:
            action: pager
            owned_by: sales
            environment: production
          annotations:
            summary: seat-locks is spending its error budget 14.4 times too fast
            runbook_url: https://git.gatewren.example/sales/runbooks/blob/main/seat-locks.md#seat-locks-alert-error-budget-burn-fast
    - name: gate-scan-slo-alerts
      rules:
        - alert: GateScanAlertErrorBudgetBurnFast
          expr: system:thrift_errors:ratio_rate1h{system="gate-scan"} > 14.4 * (1 - 0.9995) and system:thrift_errors:ratio_rate5m{system="gate-scan"} > 14.4 * (1 - 0.9995)
          for: 4m
          labels:
            action: pager
            owned_by: access-control
            environment: production
          annotations:
            summary: gate-scan is spending its error budget 14.4 times too fast
            runbook_url: https://git.gatewren.example/access-control/runbooks/blob/main/gate-scan.md#gate-scan-alert-error-budget-burn-fast
END_OF_FILE
