#!/usr/bin/env bash
# Reference solution of af-020-latency-slo-easy-s2
# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
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
# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [alertname, responsible, svc]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - severity="sev1"
      receiver: page-archive
      continue: true
    - matchers:
        - responsible="hosting"
        - severity="sev1"
      receiver: hosting_high
    - matchers:
        - responsible="hosting"
        - severity="sev3"
      receiver: hosting_low
    - matchers:
        - responsible="deals"
        - severity="sev1"
      receiver: deals_high
    - matchers:
        - responsible="deals"
        - severity="sev3"
      receiver: deals_low
    - matchers:
        - responsible="moderation"
        - severity="sev1"
      receiver: moderation_high
    - matchers:
        - responsible="moderation"
        - severity="sev3"
      receiver: moderation_low
    - matchers:
        - responsible="buyers"
        - severity="sev1"
      receiver: buyers_high
    - matchers:
        - responsible="buyers"
        - severity="sev3"
      receiver: buyers_low
    - matchers:
        - responsible="listings"
        - severity="sev1"
      receiver: listings_high
    - matchers:
        - responsible="listings"
        - severity="sev3"
      receiver: listings_low

inhibit_rules:
  - source_matchers:
      - alertname="BanList_Unreachable"
    target_matchers:
      - alertname=~"BanList_LatencySloAcute|BanList_TailLatency"
    equal: [svc]
  - source_matchers:
      - alertname="SavedSearches_Unreachable"
    target_matchers:
      - alertname=~"SavedSearches_LatencySloAcute|SavedSearches_LatencySloChronic|SavedSearches_SlowShareHigh"
    equal: [svc]
  - source_matchers:
      - alertname="BidApi_Unreachable"
    target_matchers:
      - alertname=~"BidApi_FastBurn|BidApi_LatencySloAcute|BidApi_LatencySloChronic|BidApi_ConsumerBehind"
    equal: [svc]
  - source_matchers:
      - alertname="PriceHint_Unreachable"
    target_matchers:
      - alertname=~"PriceHint_LatencySloChronic|PriceHint_TailLatency"
    equal: [svc]

receivers:
  - name: fallback
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/fallback
        send_resolved: true
  - name: page-archive
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/page-archive
        send_resolved: true
  - name: hosting_high
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/hosting-high
        send_resolved: true
  - name: hosting_low
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/hosting-low
        send_resolved: true
  - name: deals_high
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/deals-high
        send_resolved: true
  - name: deals_low
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/deals-low
        send_resolved: true
  - name: moderation_high
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/moderation-high
        send_resolved: true
  - name: moderation_low
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/moderation-low
        send_resolved: true
  - name: buyers_high
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/buyers-high
        send_resolved: true
  - name: buyers_low
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/buyers-low
        send_resolved: true
  - name: listings_high
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/listings-high
        send_resolved: true
  - name: listings_low
    webhook_configs:
      - url: https://notify.loftbarrow.example/hooks/listings-low
        send_resolved: true
END_OF_FILE

put rules/price-hint.yml <<'END_OF_FILE'
# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: price-hint
spec:
  groups:
    - name: price-hint-health
      rules:
        - alert: PriceHint_Unreachable
          expr: sum by(svc)(up{svc="price-hint"}) == 0 or absent(up{svc="price-hint"})
          for: 5m
          labels:
            severity: sev1
            responsible: listings
            managed_by: git
          annotations:
            summary: 'no target of price-hint is up'
            runbook_url: 'https://kb.loftbarrow.example/a/price-hint/PriceHint_Unreachable'
        - alert: PriceHint_CpuThrottled
          expr: sum by(svc)(rate(container_cpu_cfs_throttled_periods_total{svc="price-hint"}[5m])) / sum by(svc)(rate(container_cpu_cfs_periods_total{svc="price-hint"}[5m])) > 0.3
          for: 12m
          labels:
            severity: sev3
            responsible: listings
            managed_by: git
          annotations:
            summary: 'price-hint is throttled too often'
            runbook_url: 'https://kb.loftbarrow.example/a/price-hint/PriceHint_CpuThrottled'
        - alert: PriceHint_RestartLoop
          expr: max by(svc)(increase(kube_pod_container_status_restarts_total{svc="price-hint"}[15m])) > 4
          for: 3m
          labels:
            severity: sev1
            responsible: listings
            managed_by: git
          annotations:
            summary: 'a container of price-hint keeps being restarted'
            runbook_url: 'https://kb.loftbarrow.example/a/price-hint/PriceHint_RestartLoop'
        - alert: PriceHint_TailLatency
          expr: histogram_quantile(0.9, sum by(svc, le)(rate(grpc_server_handling_seconds_bucket{svc="price-hint"}[10m]))) > 0.4
          for: 10m
          labels:
            severity: sev1
            responsible: listings
            managed_by: git
          annotations:
            summary: 'price-hint takes longer than 0.4 s'
            runbook_url: 'https://kb.loftbarrow.example/a/price-hint/PriceHint_TailLatency'
    - name: price-hint-slo
      rules:
        - alert: PriceHint_LatencySloChronic
          expr: svc:sli_slow:ratio_rate3h{svc="price-hint"} > 6.72 * (1 - 0.97) and svc:sli_slow:ratio_rate15m{svc="price-hint"} > 6.72 * (1 - 0.97)
          for: 20m
          labels:
            severity: sev3
            responsible: listings
            managed_by: git
          annotations:
            summary: 'price-hint is spending its latency budget 6.72 times too fast'
            runbook_url: 'https://kb.loftbarrow.example/a/price-hint/PriceHint_LatencySloChronic'
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
    - name: sli-grpc
      rules:
        - record: svc:sli_error:ratio_rate5m
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[5m])) / sum by(svc)(rate(grpc_server_handled_total[5m]))
        - record: svc:sli_error:ratio_rate15m
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[15m])) / sum by(svc)(rate(grpc_server_handled_total[15m]))
        - record: svc:sli_error:ratio_rate30m
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[30m])) / sum by(svc)(rate(grpc_server_handled_total[30m]))
        - record: svc:sli_error:ratio_rate3h
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[3h])) / sum by(svc)(rate(grpc_server_handled_total[3h]))
        - record: svc:sli_slow:ratio_rate5m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="ban-list",le="0.2"}[5m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="ban-list"}[5m]))
        - record: svc:sli_slow:ratio_rate15m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="ban-list",le="0.2"}[15m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="ban-list"}[15m]))
        - record: svc:sli_slow:ratio_rate30m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="ban-list",le="0.2"}[30m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="ban-list"}[30m]))
        - record: svc:sli_slow:ratio_rate3h
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="ban-list",le="0.2"}[3h])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="ban-list"}[3h]))
        - record: svc:sli_slow:ratio_rate5m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="price-hint",le="0.4"}[5m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="price-hint"}[5m]))
        - record: svc:sli_slow:ratio_rate15m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="price-hint",le="0.4"}[15m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="price-hint"}[15m]))
        - record: svc:sli_slow:ratio_rate30m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="price-hint",le="0.4"}[30m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="price-hint"}[30m]))
        - record: svc:sli_slow:ratio_rate3h
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="price-hint",le="0.4"}[3h])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="price-hint"}[3h]))
    - name: sli-worker
      rules:
        - record: svc:sli_error:ratio_rate5m
          expr: sum by(svc)(rate(worker_jobs_total{result="error"}[5m])) / sum by(svc)(rate(worker_jobs_total[5m]))
        - record: svc:sli_error:ratio_rate15m
          expr: sum by(svc)(rate(worker_jobs_total{result="error"}[15m])) / sum by(svc)(rate(worker_jobs_total[15m]))
        - record: svc:sli_error:ratio_rate30m
          expr: sum by(svc)(rate(worker_jobs_total{result="error"}[30m])) / sum by(svc)(rate(worker_jobs_total[30m]))
        - record: svc:sli_error:ratio_rate3h
          expr: sum by(svc)(rate(worker_jobs_total{result="error"}[3h])) / sum by(svc)(rate(worker_jobs_total[3h]))
        - record: svc:sli_slow:ratio_rate5m
          expr: 1 - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="saved-searches",le="1.0"}[5m])) / sum by(svc)(rate(worker_job_duration_seconds_count{svc="saved-searches"}[5m]))
        - record: svc:sli_slow:ratio_rate15m
          expr: 1 - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="saved-searches",le="1.0"}[15m])) / sum by(svc)(rate(worker_job_duration_seconds_count{svc="saved-searches"}[15m]))
        - record: svc:sli_slow:ratio_rate30m
          expr: 1 - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="saved-searches",le="1.0"}[30m])) / sum by(svc)(rate(worker_job_duration_seconds_count{svc="saved-searches"}[30m]))
        - record: svc:sli_slow:ratio_rate3h
          expr: 1 - sum by(svc)(rate(worker_job_duration_seconds_bucket{svc="saved-searches",le="1.0"}[3h])) / sum by(svc)(rate(worker_job_duration_seconds_count{svc="saved-searches"}[3h]))
    - name: sli-http-server
      rules:
        - record: svc:sli_error:ratio_rate5m
          expr: sum by(svc)(rate(http_server_responses_total{outcome="SERVER_ERROR"}[5m])) / sum by(svc)(rate(http_server_responses_total[5m]))
        - record: svc:sli_error:ratio_rate15m
          expr: sum by(svc)(rate(http_server_responses_total{outcome="SERVER_ERROR"}[15m])) / sum by(svc)(rate(http_server_responses_total[15m]))
        - record: svc:sli_error:ratio_rate30m
          expr: sum by(svc)(rate(http_server_responses_total{outcome="SERVER_ERROR"}[30m])) / sum by(svc)(rate(http_server_responses_total[30m]))
        - record: svc:sli_error:ratio_rate3h
          expr: sum by(svc)(rate(http_server_responses_total{outcome="SERVER_ERROR"}[3h])) / sum by(svc)(rate(http_server_responses_total[3h]))
        - record: svc:sli_slow:ratio_rate5m
          expr: 1 - sum by(svc)(rate(http_server_response_seconds_bucket{svc="bid-api",le="0.6"}[5m])) / sum by(svc)(rate(http_server_response_seconds_count{svc="bid-api"}[5m]))
        - record: svc:sli_slow:ratio_rate15m
          expr: 1 - sum by(svc)(rate(http_server_response_seconds_bucket{svc="bid-api",le="0.6"}[15m])) / sum by(svc)(rate(http_server_response_seconds_count{svc="bid-api"}[15m]))
        - record: svc:sli_slow:ratio_rate30m
          expr: 1 - sum by(svc)(rate(http_server_response_seconds_bucket{svc="bid-api",le="0.6"}[30m])) / sum by(svc)(rate(http_server_response_seconds_count{svc="bid-api"}[30m]))
        - record: svc:sli_slow:ratio_rate3h
          expr: 1 - sum by(svc)(rate(http_server_response_seconds_bucket{svc="bid-api",le="0.6"}[3h])) / sum by(svc)(rate(http_server_response_seconds_count{svc="bid-api"}[3h]))
END_OF_FILE
