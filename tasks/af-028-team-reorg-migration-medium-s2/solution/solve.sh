#!/usr/bin/env bash
# Reference solution of af-028-team-reorg-migration-medium-s2
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
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

rm -f -- rules/team-runtime.yml

put alertmanager/alertmanager.yml <<'END_OF_FILE'
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [alertname, owner]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - severity="high"
    routes:
    - matchers:
      - owner="money-flow"
      receiver: rota-money-flow
    - matchers:
      - owner="runtime"
      receiver: rota-runtime
    - matchers:
      - owner="comms"
      receiver: rota-comms
    - matchers:
      - owner="quality"
      receiver: rota-quality
  - matchers:
    - severity="low"
    routes:
    - matchers:
      - owner="money-flow"
      receiver: board-money-flow
    - matchers:
      - owner="runtime"
      receiver: board-runtime
    - matchers:
      - owner="comms"
      receiver: board-comms
    - matchers:
      - owner="quality"
      receiver: board-quality

inhibit_rules:
- source_matchers:
  - alertname="MailSender_TargetsMissing"
  target_matchers:
  - alertname=~"MailSender_FailureRatio|MailSender_BudgetBurnHigh|MailSender_BudgetBurnElevated"
  equal: [system]
- source_matchers:
  - alertname="TemplateStore_TargetsMissing"
  target_matchers:
  - alertname=~"TemplateStore_FailureRatio|TemplateStore_BudgetBurnHigh|TemplateStore_BudgetBurnElevated"
  equal: [system]
- source_matchers:
  - alertname="RatingApi_TargetsMissing"
  target_matchers:
  - alertname=~"RatingApi_RequestsTooSlow|RatingApi_BlackboxFailing"
  equal: [system]
- source_matchers:
  - alertname="TaxReceipts_TargetsMissing"
  target_matchers:
  - alertname=~"TaxReceipts_ResponseTimeHigh|TaxReceipts_BatchMissedRun"
  equal: [system]

receivers:
- name: monitoring-default
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/monitoring-default
    send_resolved: true
- name: rota-money-flow
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/rota-money-flow
    send_resolved: true
- name: board-money-flow
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/board-money-flow
    send_resolved: true
- name: rota-runtime
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/rota-runtime
    send_resolved: true
- name: board-runtime
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/board-runtime
    send_resolved: true
- name: rota-comms
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/rota-comms
    send_resolved: true
- name: board-comms
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/board-comms
    send_resolved: true
- name: rota-quality
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/rota-quality
    send_resolved: true
- name: board-quality
  webhook_configs:
  - url: https://notify.plattervan.example/hooks/board-quality
    send_resolved: true
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0

groups:
- name: sli-consumer
  rules:
  - record: system:sli_error:ratio_rate10m
    expr: |
      sum by (system) (rate(consumer_messages_processed_total{outcome!="ack"}[10m]))
      / sum by (system) (rate(consumer_messages_processed_total[10m]))

  - record: system:sli_error:ratio_rate25m
    expr: |
      sum by (system) (rate(consumer_messages_processed_total{outcome!="ack"}[25m]))
      / sum by (system) (rate(consumer_messages_processed_total[25m]))

  - record: system:sli_error:ratio_rate2h
    expr: |
      sum by (system) (rate(consumer_messages_processed_total{outcome!="ack"}[2h]))
      / sum by (system) (rate(consumer_messages_processed_total[2h]))

  - record: system:sli_error:ratio_rate5h
    expr: |
      sum by (system) (rate(consumer_messages_processed_total{outcome!="ack"}[5h]))
      / sum by (system) (rate(consumer_messages_processed_total[5h]))

- name: sli-grpc
  rules:
  - record: system:sli_error:ratio_rate10m
    expr: |
      sum by (system) (
        rate(
          grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[10m]
        )
      )
      / sum by (system) (rate(grpc_server_handled_total[10m]))

  - record: system:sli_error:ratio_rate25m
    expr: |
      sum by (system) (
        rate(
          grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[25m]
        )
      )
      / sum by (system) (rate(grpc_server_handled_total[25m]))

  - record: system:sli_error:ratio_rate2h
    expr: |
      sum by (system) (
        rate(
          grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[2h]
        )
      )
      / sum by (system) (rate(grpc_server_handled_total[2h]))

  - record: system:sli_error:ratio_rate5h
    expr: |
      sum by (system) (
        rate(
          grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[5h]
        )
      )
      / sum by (system) (rate(grpc_server_handled_total[5h]))

- name: sli-traefik
  rules:
  - record: system:sli_error:ratio_rate10m
    expr: |
      sum by (system) (rate(traefik_service_requests_total{code=~"5.."}[10m]))
      / sum by (system) (rate(traefik_service_requests_total[10m]))

  - record: system:sli_error:ratio_rate25m
    expr: |
      sum by (system) (rate(traefik_service_requests_total{code=~"5.."}[25m]))
      / sum by (system) (rate(traefik_service_requests_total[25m]))

  - record: system:sli_error:ratio_rate2h
    expr: |
      sum by (system) (rate(traefik_service_requests_total{code=~"5.."}[2h]))
      / sum by (system) (rate(traefik_service_requests_total[2h]))

  - record: system:sli_error:ratio_rate5h
    expr: |
      sum by (system) (rate(traefik_service_requests_total{code=~"5.."}[5h]))
      / sum by (system) (rate(traefik_service_requests_total[5h]))
END_OF_FILE

put rules/team-money-flow.yml <<'END_OF_FILE'
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0

groups:
- name: tax-receipts-health
  rules:
  - alert: TaxReceipts_TargetsMissing
    expr: sum by (system) (up{system="tax-receipts"}) == 0 or absent(up{system="tax-receipts"})
    for: 5m
    labels:
      severity: high
      owner: money-flow
      source: prometheus
    annotations:
      headline: "no target of tax-receipts is up"
      runbook: "https://rb.plattervan.example/TaxReceipts_TargetsMissing"

  - alert: TaxReceipts_ResponseTimeHigh
    expr: |
      histogram_quantile(
        0.9,
        sum by (system, le) (
          rate(consumer_processing_duration_seconds_bucket{system="tax-receipts"}[10m])
        )
      )
      > 3
    for: 8m
    labels:
      severity: high
      owner: money-flow
      source: prometheus
    annotations:
      headline: "tax-receipts takes longer than 3 s"
      runbook: "https://rb.plattervan.example/TaxReceipts_ResponseTimeHigh"

  - alert: TaxReceipts_BatchMissedRun
    expr: |
      time() - max by (system) (batch_last_success_timestamp_seconds{system="tax-receipts"})
      > 1.5 * 3600
    for: 5m
    labels:
      severity: low
      owner: money-flow
      source: prometheus
    annotations:
      headline: "the batch job of tax-receipts is overdue"
      runbook: "https://rb.plattervan.example/TaxReceipts_BatchMissedRun"

  - alert: TaxReceipts_QuotaThrottling
    expr: |
      sum by (system) (
        rate(container_cpu_cfs_throttled_periods_total{system="tax-receipts"}[10m])
      )
      / sum by (system) (rate(container_cpu_cfs_periods_total{system="tax-receipts"}[10m]))
      > 0.4
    for: 10m
    labels:
      severity: low
      owner: money-flow
      source: prometheus
    annotations:
      headline: "tax-receipts is throttled too often"
      runbook: "https://rb.plattervan.example/TaxReceipts_QuotaThrottling"

  - alert: TaxReceipts_MemoryNearLimit
    expr: |
      max by (system) (
        container_memory_working_set_bytes{system="tax-receipts"}
        / on (system, namespace, pod, container) kube_pod_container_resource_limits{system="tax-receipts", resource="memory"}
      )
      > 0.85
    for: 15m
    labels:
      severity: low
      owner: money-flow
      source: prometheus
    annotations:
      headline: "a pod of tax-receipts is close to its memory limit"
      runbook: "https://rb.plattervan.example/TaxReceipts_MemoryNearLimit"
END_OF_FILE

put rules/team-quality.yml <<'END_OF_FILE'
# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0

groups:
- name: rating-api-health
  rules:
  - alert: RatingApi_TargetsMissing
    expr: sum by (system) (up{system="rating-api"}) == 0 or absent(up{system="rating-api"})
    for: 5m
    labels:
      severity: high
      owner: quality
      source: prometheus
    annotations:
      headline: "no target of rating-api is up"
      runbook: "https://rb.plattervan.example/RatingApi_TargetsMissing"

  - alert: RatingApi_MemoryNearLimit
    expr: |
      max by (system) (
        container_memory_working_set_bytes{system="rating-api"}
        / on (system, namespace, pod, container) kube_pod_container_resource_limits{system="rating-api", resource="memory"}
      )
      > 0.85
    for: 15m
    labels:
      severity: low
      owner: quality
      source: prometheus
    annotations:
      headline: "a pod of rating-api is close to its memory limit"
      runbook: "https://rb.plattervan.example/RatingApi_MemoryNearLimit"

  - alert: RatingApi_BlackboxFailing
    expr: avg by (system) (avg_over_time(probe_success{system="rating-api"}[10m])) < 0.4
    for: 2m
    labels:
      severity: high
      owner: quality
      source: prometheus
    annotations:
      headline: "rating-api does not answer from outside"
      runbook: "https://rb.plattervan.example/RatingApi_BlackboxFailing"

  - alert: RatingApi_RequestsTooSlow
    expr: |
      1
        -
      sum by (system) (
        rate(
          traefik_service_request_duration_seconds_bucket{system="rating-api", le="0.5"}[10m]
        )
      )
        /
      sum by (system) (
        rate(traefik_service_request_duration_seconds_count{system="rating-api"}[10m])
      )
      > 0.08
    for: 8m
    labels:
      severity: high
      owner: quality
      source: prometheus
    annotations:
      headline: "too many requests of rating-api take longer than 0.5 s"
      runbook: "https://rb.plattervan.example/RatingApi_RequestsTooSlow"
END_OF_FILE
