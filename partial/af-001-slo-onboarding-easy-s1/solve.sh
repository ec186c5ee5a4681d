#!/usr/bin/env bash
# Half of af-001-slo-onboarding-easy-s1, and one plausible mistake
# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
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
# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [alertname, workload, action]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - action="pager"
      receiver: page-archive
      continue: true
    - matchers:
        - action="pager"
      routes:
        - matchers:
            - squad="compute"
          receiver: page-compute
        - matchers:
            - squad="last-mile"
          receiver: page-last-mile
        - matchers:
            - squad="ordering"
          receiver: page-ordering
        - matchers:
            - squad="data-platform"
          receiver: page-data-platform
    - matchers:
        - action="backlog"
      routes:
        - matchers:
            - squad="compute"
          receiver: ticket-compute
        - matchers:
            - squad="last-mile"
          receiver: ticket-last-mile
        - matchers:
            - squad="ordering"
          receiver: ticket-ordering
        - matchers:
            - squad="data-platform"
          receiver: ticket-data-platform

inhibit_rules:
  - source_matchers:
      - alertname="HeatMapUnreachable"
    target_matchers:
      - alertname="HeatMapOutsideProbeFails"
    equal: [workload]
  - source_matchers:
      - alertname="PromoEngineUnreachable"
    target_matchers:
      - alertname=~"PromoEngineErrorRateHigh|PromoEngineAvailabilityBurnPage|PromoEngineAvailabilityBurnTicket"
    equal: [workload]
  - source_matchers:
      - alertname="ShiftPlannerUnreachable"
    target_matchers:
      - alertname="ShiftPlannerErrorRateHigh"
    equal: [workload]

receivers:
  - name: monitoring-default
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/monitoring-default
        send_resolved: true
  - name: page-archive
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/page-archive
        send_resolved: true
  - name: page-compute
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/page-compute
        send_resolved: true
  - name: ticket-compute
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/ticket-compute
        send_resolved: true
  - name: page-last-mile
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/page-last-mile
        send_resolved: true
  - name: ticket-last-mile
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/ticket-last-mile
        send_resolved: true
  - name: page-ordering
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/page-ordering
        send_resolved: true
  - name: ticket-ordering
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/ticket-ordering
        send_resolved: true
  - name: page-data-platform
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/page-data-platform
        send_resolved: true
  - name: ticket-data-platform
    webhook_configs:
      - url: https://notify.tiffinroute.example/hooks/ticket-data-platform
        send_resolved: true
END_OF_FILE

put rules/team-data-platform.yml <<'END_OF_FILE'
# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f

groups:
  - name: event-ingest-health
    rules:
      - alert: EventIngestUnreachable
        expr: >-
          sum by(workload)(up{workload="event-ingest"}) == 0
          or
          absent(up{workload="event-ingest"})
        for: 2m
        labels:
          action: pager
          squad: data-platform
          site: hq
        annotations:
          summary: 'no target of event-ingest is up'
          runbook_url: 'https://wiki.tiffinroute.example/oncall/data-platform/event-ingest-unreachable'
      - alert: EventIngestRestartLoop
        expr: >-
          max by(workload)(
            increase(
              kube_pod_container_status_restarts_total{workload="event-ingest"}[20m]
            )
          )
          > 2
        for: 5m
        labels:
          action: pager
          squad: data-platform
          site: hq
        annotations:
          summary: 'a container of event-ingest keeps being restarted'
          runbook_url: 'https://wiki.tiffinroute.example/oncall/data-platform/event-ingest-restart-loop'
      - alert: EventIngestSlowShareHigh
        expr: >-
          1
          - sum by(workload)(
            rate(
              nginx_ingress_controller_request_duration_seconds_bucket{workload="event-ingest",le="0.8"}[5m]
            )
          )
          / sum by(workload)(
            rate(
              nginx_ingress_controller_request_duration_seconds_count{workload="event-ingest"}[5m]
            )
          )
          > 0.1
        for: 5m
        labels:
          action: pager
          squad: data-platform
          site: hq
        annotations:
          summary: 'too many requests of event-ingest take longer than 0.8 s'
          runbook_url: 'https://wiki.tiffinroute.example/oncall/data-platform/event-ingest-slow-share-high'
      - alert: EventIngestConsumerBehind
        expr: >-
          sum by(workload)(kafka_consumergroup_lag{workload="event-ingest"})
          > 10000
          and
          sum by(workload)(kafka_consumergroup_lag{workload="event-ingest"})
          >= sum by(workload)(
            kafka_consumergroup_lag{workload="event-ingest"} offset 5m
          )
        for: 10m
        labels:
          action: pager
          squad: data-platform
          site: hq
        annotations:
          summary: 'event-ingest does not keep up with its messages'
          runbook_url: 'https://wiki.tiffinroute.example/oncall/data-platform/event-ingest-consumer-behind'
  - name: event-ingest-slo
    rules:
      - alert: EventIngestAvailabilityBurnTicket
        expr: >-
          workload:ingress_errors:ratio_rate3h{workload="event-ingest"}
          > 6.72 * 0.999
          and
          workload:ingress_errors:ratio_rate15m{workload="event-ingest"}
          > 6.72 * 0.999
        for: 5m
        labels:
          action: backlog
          squad: data-platform
          site: hq
        annotations:
          summary: 'event-ingest is spending its error budget 6.72 times too fast'
          runbook_url: 'https://wiki.tiffinroute.example/oncall/data-platform/event-ingest-availability-burn-ticket'
END_OF_FILE
