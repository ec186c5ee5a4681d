#!/usr/bin/env bash
# Half of af-004-slo-onboarding-medium-s2, and one plausible mistake
# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
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
# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [workload, alert_level]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - alert_level="critical"
    routes:
    - matchers:
      - crew="datacentre"
      receiver: page-datacentre
    - matchers:
      - crew="virtual-care"
      receiver: page-virtual-care
    - matchers:
      - crew="revenue-cycle"
      receiver: page-revenue-cycle
    - matchers:
      - crew="pharmacy"
      receiver: page-pharmacy
  - matchers:
    - alert_level="warning"
    routes:
    - matchers:
      - crew="datacentre"
      receiver: ticket-datacentre
    - matchers:
      - crew="virtual-care"
      receiver: ticket-virtual-care
    - matchers:
      - crew="revenue-cycle"
      receiver: ticket-revenue-cycle
    - matchers:
      - crew="pharmacy"
      receiver: ticket-pharmacy

inhibit_rules:
- source_matchers:
  - alertname="QueueEstimator_Down"
  target_matchers:
  - alertname="QueueEstimator_RequestsFailing"
  equal: [workload]
- source_matchers:
  - alertname="WaitingRoom_Down"
  target_matchers:
  - alertname=~"WaitingRoom_BudgetBurnHigh|WaitingRoom_BudgetBurnElevated|WaitingRoom_SlowShareHigh"
  equal: [workload]
- source_matchers:
  - alertname="ClaimFiler_Down"
  target_matchers:
  - alertname=~"ClaimFiler_BudgetBurnElevated|ClaimFiler_SlowShareHigh|ClaimFiler_ConsumerLagging"
  equal: [workload]

receivers:
- name: fallback
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/fallback
    send_resolved: true
- name: page-datacentre
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/page-datacentre
    send_resolved: true
- name: ticket-datacentre
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/ticket-datacentre
    send_resolved: true
- name: page-virtual-care
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/page-virtual-care
    send_resolved: true
- name: ticket-virtual-care
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/ticket-virtual-care
    send_resolved: true
- name: page-revenue-cycle
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/page-revenue-cycle
    send_resolved: true
- name: ticket-revenue-cycle
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/ticket-revenue-cycle
    send_resolved: true
- name: page-pharmacy
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/page-pharmacy
    send_resolved: true
- name: ticket-pharmacy
  webhook_configs:
  - url: https://notify.klinivonord.example/hooks/ticket-pharmacy
    send_resolved: true
END_OF_FILE

put rules/service-health.yml <<'END_OF_FILE'
# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4

groups:
- name: interaction-check-service-health
  rules:
  - alert: InteractionCheck_VolumeFilling
    expr: |
      min by (workload) (
        predict_linear(
          kubelet_volume_stats_available_bytes{workload="interaction-check"}[1h],
          8 * 3600
        )
      )
      < 0
    for: 15m
    labels: {alert_level: warning, crew: pharmacy, source: prometheus}
    annotations:
      title: 'a volume of interaction-check is filling up'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-volume-filling.html'

  - alert: InteractionCheck_SlowRequests
    expr: |
      histogram_quantile(
        0.99,
        sum by (workload, le) (
          rate(
            rpc_server_request_duration_seconds_bucket{workload="interaction-check"}[10m]
          )
        )
      )
      > 0.2
    for: 8m
    labels: {alert_level: critical, crew: pharmacy, source: prometheus}
    annotations:
      title: 'interaction-check takes longer than 0.2 s'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-slow-requests.html'

  - alert: InteractionCheck_Down
    expr: |
      sum by (workload) (up{workload="interaction-check"}) == 0
      or
      absent(sum(up{workload="interaction-check"}) or vector(0))
    for: 4m
    labels: {alert_level: critical, crew: pharmacy, source: prometheus}
    annotations:
      title: 'no target of interaction-check is up'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-down.html'

  - alert: InteractionCheck_BelowTrafficFloor
    expr: |
      sum by (workload) (
        rate(rpc_server_requests_total{workload="interaction-check"}[10m])
      )
      < 0.2
      or
      absent(rpc_server_requests_total{workload="interaction-check"})
    for: 10m
    labels: {alert_level: critical, crew: pharmacy, source: prometheus}
    annotations:
      title: 'interaction-check gets next to no requests'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-below-traffic-floor.html'

- name: claim-filer-service-health
  rules:
  - alert: ClaimFiler_Down
    expr: |
      sum by (workload) (up{workload="claim-filer"}) == 0
      or
      absent(up{workload="claim-filer"})
    for: 4m
    labels: {alert_level: critical, crew: revenue-cycle, source: prometheus}
    annotations:
      title: 'no target of claim-filer is up'
      runbook_url: 'https://handbook.klinivonord.example/revenue-cycle/claim-filer/claim-filer-down.html'

  - alert: ClaimFiler_ConsumerLagging
    expr: |
      sum by (workload) (kafka_consumergroup_lag{workload="claim-filer"})
      > 1000
      and
      sum by (workload) (kafka_consumergroup_lag{workload="claim-filer"})
        >=
      sum by (workload) (
        kafka_consumergroup_lag{workload="claim-filer"} offset 6m
      )
    for: 10m
    labels: {alert_level: critical, crew: revenue-cycle, source: prometheus}
    annotations:
      title: 'claim-filer does not keep up with its messages'
      runbook_url: 'https://handbook.klinivonord.example/revenue-cycle/claim-filer/claim-filer-consumer-lagging.html'

  - alert: ClaimFiler_QuotaThrottling
    expr: |
      sum by (workload) (
        rate(
          container_cpu_cfs_throttled_periods_total{workload="claim-filer"}[5m]
        )
      )
        /
      sum by (workload) (
        rate(container_cpu_cfs_periods_total{workload="claim-filer"}[5m])
      )
      > 0.25
    for: 12m
    labels: {alert_level: warning, crew: revenue-cycle, source: prometheus}
    annotations:
      title: 'claim-filer is throttled too often'
      runbook_url: 'https://handbook.klinivonord.example/revenue-cycle/claim-filer/claim-filer-quota-throttling.html'

  - alert: ClaimFiler_SlowShareHigh
    expr: |
      1
        -
      sum by (workload) (
        rate(
          worker_job_duration_seconds_bucket{workload="claim-filer", le="1.0"}[10m]
        )
      )
        /
      sum by (workload) (
        rate(worker_job_duration_seconds_count{workload="claim-filer"}[10m])
      )
      > 0.05
    for: 8m
    labels: {alert_level: critical, crew: revenue-cycle, source: prometheus}
    annotations:
      title: 'too many jobs of claim-filer take longer than 1 s'
      runbook_url: 'https://handbook.klinivonord.example/revenue-cycle/claim-filer/claim-filer-slow-share-high.html'

- name: queue-estimator-service-health
  rules:
  - alert: QueueEstimator_Down
    expr: |
      sum by (workload) (up{workload="queue-estimator"}) == 0
      or
      absent(up{workload="queue-estimator"})
    for: 4m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'no target of queue-estimator is up'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/queue-estimator/queue-estimator-down.html'

  - alert: QueueEstimator_RequestsFailing
    expr: |
      sum by (workload) (
        rate(
          rpc_server_requests_total{workload="queue-estimator", status="error"}[10m]
        )
      )
        /
      sum by (workload) (
        rate(rpc_server_requests_total{workload="queue-estimator"}[10m])
      )
      > 0.08
      and
      sum by (workload) (
        rate(rpc_server_requests_total{workload="queue-estimator"}[10m])
      )
      >= 0.5
    for: 3m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'more than 8% of queue-estimator requests fail'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/queue-estimator/queue-estimator-requests-failing.html'

  - alert: QueueEstimator_QuotaThrottling
    expr: |
      sum by (workload) (
        rate(
          container_cpu_cfs_throttled_periods_total{workload="queue-estimator"}[5m]
        )
      )
        /
      sum by (workload) (
        rate(container_cpu_cfs_periods_total{workload="queue-estimator"}[5m])
      )
      > 0.25
    for: 12m
    labels: {alert_level: warning, crew: virtual-care, source: prometheus}
    annotations:
      title: 'queue-estimator is throttled too often'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/queue-estimator/queue-estimator-quota-throttling.html'

- name: waiting-room-service-health
  rules:
  - alert: WaitingRoom_Down
    expr: |
      sum by (workload) (up{workload="waiting-room"}) == 0
      or
      absent(up{workload="waiting-room"})
    for: 4m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'no target of waiting-room is up'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/waiting-room/waiting-room-down.html'

  - alert: WaitingRoom_SlowShareHigh
    expr: |
      1
        -
      sum by (workload) (
        rate(
          http_server_response_seconds_bucket{workload="waiting-room", le="0.5"}[10m]
        )
      )
        /
      sum by (workload) (
        rate(http_server_response_seconds_count{workload="waiting-room"}[10m])
      )
      > 0.05
    for: 8m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'too many requests of waiting-room take longer than 0.5 s'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/waiting-room/waiting-room-slow-share-high.html'

  - alert: WaitingRoom_ContainerRestarts
    expr: |
      max by (workload) (
        increase(
          kube_pod_container_status_restarts_total{workload="waiting-room"}[15m]
        )
      )
      > 2
    for: 5m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'a container of waiting-room keeps being restarted'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/waiting-room/waiting-room-container-restarts.html'
END_OF_FILE

put rules/slo-alerts.yml <<'END_OF_FILE'
# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4

groups:
- name: waiting-room-slo-alerts
  rules:
  - alert: WaitingRoom_BudgetBurnHigh
    expr: |
      sli:http_server_error_ratio:rate1h{workload="waiting-room"}
      > 14.4 * (1 - 0.995)
      and
      sli:http_server_error_ratio:rate5m{workload="waiting-room"}
      > 14.4 * (1 - 0.995)
    for: 4m
    labels: {alert_level: critical, crew: virtual-care, source: prometheus}
    annotations:
      title: 'waiting-room is spending its error budget 14.4 times too fast'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/waiting-room/waiting-room-budget-burn-high.html'

  - alert: WaitingRoom_BudgetBurnElevated
    expr: |
      sli:http_server_error_ratio:rate6h{workload="waiting-room"}
      > 6 * (1 - 0.995)
      and
      sli:http_server_error_ratio:rate30m{workload="waiting-room"}
      > 6 * (1 - 0.995)
    for: 20m
    labels: {alert_level: warning, crew: virtual-care, source: prometheus}
    annotations:
      title: 'waiting-room is spending its error budget 6 times too fast'
      runbook_url: 'https://handbook.klinivonord.example/virtual-care/waiting-room/waiting-room-budget-burn-elevated.html'

- name: interaction-check-slo-alerts
  rules:
  - alert: InteractionCheck_BudgetBurnHigh
    expr: |
      sli:rpc_error_ratio:rate1h{workload="interaction-check"}
      > 14.4 * (1 - 0.9975)
      or
      sli:rpc_error_ratio:rate5m{workload="interaction-check"}
      > 14.4 * (1 - 0.9975)
    for: 4m
    labels: {alert_level: critical, crew: pharmacy, source: prometheus}
    annotations:
      title: 'interaction-check is spending its error budget 14.4 times too fast'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-budget-burn-high.html'

  - alert: InteractionCheck_BudgetBurnElevated
    expr: |
      sli:rpc_error_ratio:rate6h{workload="interaction-check"}
      > 6 * (1 - 0.9975)
      and
      sli:rpc_error_ratio:rate30m{workload="interaction-check"}
      > 6 * (1 - 0.9975)
    for: 20m
    labels: {alert_level: warning, crew: pharmacy, source: prometheus}
    annotations:
      title: 'interaction-check is spending its error budget 6 times too fast'
      runbook_url: 'https://handbook.klinivonord.example/pharmacy/interaction-check/interaction-check-budget-burn-elevated.html'

- name: claim-filer-slo-alerts
  rules:
  - alert: ClaimFiler_BudgetBurnElevated
    expr: |
      sli:worker_error_ratio:rate6h{workload="claim-filer"} > 6 * (1 - 0.995)
      and
      sli:worker_error_ratio:rate30m{workload="claim-filer"} > 6 * (1 - 0.995)
    for: 20m
    labels: {alert_level: warning, crew: revenue-cycle, source: prometheus}
    annotations:
      title: 'claim-filer is spending its error budget 6 times too fast'
      runbook_url: 'https://handbook.klinivonord.example/revenue-cycle/claim-filer/claim-filer-budget-burn-elevated.html'
END_OF_FILE
