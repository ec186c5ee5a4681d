#!/usr/bin/env bash
# Half of af-024-latency-slo-hard-s2, and one plausible mistake
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
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
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [alertname, workload]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - action="wake"
    receiver: page-archive
    continue: true
  - matchers:
    - squad="organisers"
    - action="wake"
    receiver: organisers-oncall
  - matchers:
    - squad="organisers"
    - action="queue"
    receiver: organisers-queue
  - matchers:
    - squad="discovery"
    - action="wake"
    receiver: discovery-oncall
  - matchers:
    - squad="discovery"
    - action="queue"
    receiver: discovery-queue
  - matchers:
    - squad="foundations"
    - action="wake"
    receiver: foundations-oncall
  - matchers:
    - squad="foundations"
    - action="queue"
    receiver: foundations-queue
  - matchers:
    - squad="venues"
    - action="wake"
    receiver: venues-oncall
  - matchers:
    - squad="venues"
    - action="queue"
    receiver: venues-queue
  - matchers:
    - squad="messaging"
    - action="wake"
    receiver: messaging-oncall
  - matchers:
    - squad="messaging"
    - action="queue"
    receiver: messaging-queue

inhibit_rules:
- source_matchers:
  - alertname="PosterRenderUnreachable"
  target_matchers:
  - alertname=~"PosterRenderFailureRatio|PosterRenderTailLatency"
  equal: [workload]
- source_matchers:
  - alertname="CrowdCounterUnreachable"
  target_matchers:
  - alertname="CrowdCounterSlowShareHigh"
  equal: [workload]
- source_matchers:
  - alertname="SetlistFeedUnreachable"
  target_matchers:
  - alertname="SetlistFeedSlowShareHigh"
  equal: [workload]
- source_matchers:
  - alertname="GuestListsUnreachable"
  target_matchers:
  - alertname=~"GuestListsLatencyFastBurn|GuestListsTailLatency"
  equal: [workload]

receivers:
- name: monitoring-default
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/monitoring-default
    send_resolved: true
- name: page-archive
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/page-archive
    send_resolved: true
- name: organisers-oncall
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/organisers-oncall
    send_resolved: true
- name: organisers-queue
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/organisers-queue
    send_resolved: true
- name: discovery-oncall
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/discovery-oncall
    send_resolved: true
- name: discovery-queue
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/discovery-queue
    send_resolved: true
- name: foundations-oncall
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/foundations-oncall
    send_resolved: true
- name: foundations-queue
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/foundations-queue
    send_resolved: true
- name: venues-oncall
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/venues-oncall
    send_resolved: true
- name: venues-queue
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/venues-queue
    send_resolved: true
- name: messaging-oncall
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/messaging-oncall
    send_resolved: true
- name: messaging-queue
  webhook_configs:
  - url: https://notify.rowseven.example/hooks/messaging-queue
    send_resolved: true
END_OF_FILE

put rules/poster-render.yaml <<'END_OF_FILE'
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: poster-render
spec:
  groups:
  - name: poster-render-health
    rules:
    - alert: PosterRenderUnreachable
      expr: sum by(workload)(up{workload="poster-render"}) == 0 or absent(up{workload="poster-render"})
      for: 2m
      labels:
        action: wake
        squad: organisers
        site: hq
      annotations:
        summary: "no target of poster-render is up"
        playbook: "https://rb.rowseven.example/PosterRenderUnreachable"
    - alert: PosterRenderDiskFillingUp
      expr: |
        min by(workload)(
          predict_linear(kubelet_volume_stats_available_bytes{workload="poster-render"}[45m], 4 * 3600)
        )
        < 0
      for: 10m
      labels:
        action: queue
        squad: organisers
        site: hq
      annotations:
        summary: "a volume of poster-render is filling up"
        playbook: "https://rb.rowseven.example/PosterRenderDiskFillingUp"
    - alert: PosterRenderFailureRatio
      expr: |
        sum by(workload)(
          rate(consumer_messages_processed_total{workload="poster-render",outcome!="ack"}[5m])
        )
        / sum by(workload)(rate(consumer_messages_processed_total{workload="poster-render"}[5m]))
        > 0.08
        and
        sum by(workload)(rate(consumer_messages_processed_total{workload="poster-render"}[5m])) >= 0.5
      for: 8m
      labels:
        action: wake
        squad: organisers
        site: hq
      annotations:
        summary: "more than 8% of poster-render messages fail"
        playbook: "https://rb.rowseven.example/PosterRenderFailureRatio"
    - alert: PosterRenderTailLatency
      expr: |
        histogram_quantile(
          0.9,
          sum by(workload, le)(
            rate(consumer_processing_duration_seconds_bucket{workload="poster-render"}[10m])
          )
        )
        > 2.5
      for: 10m
      labels:
        action: wake
        squad: organisers
        site: hq
      annotations:
        summary: "poster-render takes longer than 2.5 s"
        playbook: "https://rb.rowseven.example/PosterRenderTailLatency"
  - name: poster-render-slo
    rules:
    - alert: PosterRenderLatencyFastBurn
      expr: |
        slo_latency_miss_ratio_2h{workload="poster-render"} > 18 * (1 - 0.985)
        and
        slo_latency_miss_ratio_10m{workload="poster-render"} > 18 * (1 - 0.985)
      for: 5m
      labels:
        action: wake
        squad: organisers
        site: hq
      annotations:
        summary: "poster-render is spending its latency budget 18 times too fast"
        playbook: "https://rb.rowseven.example/PosterRenderLatencyFastBurn"
END_OF_FILE

put rules/push-relay.yaml <<'END_OF_FILE'
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: push-relay
spec:
  groups:
  - name: push-relay-health
    rules:
    - alert: PushRelayUnreachable
      expr: sum by(workload)(up{workload="push-relay"}) == 0 or absent(up{workload="push-relay"})
      for: 2m
      labels:
        action: wake
        squad: messaging
        site: hq
      annotations:
        summary: "no target of push-relay is up"
        playbook: "https://rb.rowseven.example/PushRelayUnreachable"
    - alert: PushRelayTailLatency
      expr: |
        histogram_quantile(
          0.9,
          sum by(workload, le)(rate(consumer_processing_duration_seconds_bucket[10m]))
        )
        > 1
      for: 10m
      labels:
        action: wake
        squad: messaging
        site: hq
      annotations:
        summary: "push-relay takes longer than 1 s"
        playbook: "https://rb.rowseven.example/PushRelayTailLatency"
    - alert: PushRelaySlowShareHigh
      expr: |
        1
        - (
          sum by(workload)(consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"})
          - sum by(workload)(
            consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"} offset 10m
          )
        )
        / (
          sum by(workload)(consumer_processing_duration_seconds_count{workload="push-relay"})
          - sum by(workload)(consumer_processing_duration_seconds_count{workload="push-relay"} offset 10m)
        )
        > 0.1
      for: 10m
      labels:
        action: wake
        squad: messaging
        site: hq
      annotations:
        summary: "too many messages of push-relay take longer than 1 s"
        playbook: "https://rb.rowseven.example/PushRelaySlowShareHigh"
    - alert: PushRelayRestartLoop
      expr: max by(workload)(increase(kube_pod_container_status_restarts_total{workload="push-relay"}[20m])) > 3
      for: 2m
      labels:
        action: wake
        squad: messaging
        site: hq
      annotations:
        summary: "a container of push-relay keeps being restarted"
        playbook: "https://rb.rowseven.example/PushRelayRestartLoop"
  - name: push-relay-slo
    rules:
    - alert: PushRelayLatencyFastBurn
      expr: |
        slo_latency_miss_ratio_2h{workload="push-relay"} > 18 * (1 - 0.99)
        and
        slo_latency_miss_ratio_10m{workload="push-relay"} > 18 * (1 - 0.99)
      labels:
        action: wake
        squad: messaging
        site: hq
      annotations:
        summary: "push-relay is spending its latency budget 18 times too fast"
        playbook: "https://rb.rowseven.example/PushRelayLatencyFastBurn"
    - alert: PushRelayLatencySlowBurn
      expr: |
        slo_latency_miss_ratio_3h{workload="push-relay"} > 4.8 * (1 - 0.99)
        and
        slo_latency_miss_ratio_15m{workload="push-relay"} > 4.8 * (1 - 0.99)
      for: 15m
      labels:
        action: queue
        squad: messaging
        site: hq
      annotations:
        summary: "push-relay is spending its latency budget 4.8 times too fast"
        playbook: "https://rb.rowseven.example/PushRelayLatencySlowBurn"
END_OF_FILE

put rules/sli-records.yaml <<'END_OF_FILE'
# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
  - name: sli-consumer
    rules:
    - record: slo_error_ratio_10m
      expr: |
        sum by(workload)(rate(consumer_messages_processed_total{outcome!="ack"}[10m]))
        / sum by(workload)(rate(consumer_messages_processed_total[10m]))
    - record: slo_error_ratio_15m
      expr: |
        sum by(workload)(rate(consumer_messages_processed_total{outcome!="ack"}[15m]))
        / sum by(workload)(rate(consumer_messages_processed_total[15m]))
    - record: slo_error_ratio_2h
      expr: |
        sum by(workload)(rate(consumer_messages_processed_total{outcome!="ack"}[2h]))
        / sum by(workload)(rate(consumer_messages_processed_total[2h]))
    - record: slo_error_ratio_3h
      expr: |
        sum by(workload)(rate(consumer_messages_processed_total{outcome!="ack"}[3h]))
        / sum by(workload)(rate(consumer_messages_processed_total[3h]))
    - record: slo_latency_miss_ratio_10m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="poster-render",le="2.5"}[10m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="poster-render"}[10m]))
    - record: slo_latency_miss_ratio_15m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="poster-render",le="2.5"}[15m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="poster-render"}[15m]))
    - record: slo_latency_miss_ratio_2h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="poster-render",le="2.5"}[2h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="poster-render"}[2h]))
    - record: slo_latency_miss_ratio_3h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="poster-render",le="2.5"}[3h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="poster-render"}[3h]))
    - record: slo_latency_miss_ratio_10m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="crowd-counter",le="5.0"}[10m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="crowd-counter"}[10m]))
    - record: slo_latency_miss_ratio_15m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="crowd-counter",le="5.0"}[15m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="crowd-counter"}[15m]))
    - record: slo_latency_miss_ratio_2h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="crowd-counter",le="5.0"}[2h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="crowd-counter"}[2h]))
    - record: slo_latency_miss_ratio_3h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="crowd-counter",le="5.0"}[3h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="crowd-counter"}[3h]))
    - record: slo_latency_miss_ratio_10m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"}[10m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="push-relay"}[10m]))
    - record: slo_latency_miss_ratio_15m
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"}[15m])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="push-relay"}[15m]))
    - record: slo_latency_miss_ratio_2h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"}[2h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="push-relay"}[2h]))
    - record: slo_latency_miss_ratio_3h
      expr: |
        1
        - sum by(workload)(
          rate(consumer_processing_duration_seconds_bucket{workload="push-relay",le="1.0"}[3h])
        )
        / sum by(workload)(rate(consumer_processing_duration_seconds_count{workload="push-relay"}[3h]))
  - name: sli-ingress
    rules:
    - record: slo_error_ratio_10m
      expr: |
        sum by(workload)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[10m]))
        / sum by(workload)(rate(nginx_ingress_controller_requests[10m]))
    - record: slo_error_ratio_15m
      expr: |
        sum by(workload)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[15m]))
        / sum by(workload)(rate(nginx_ingress_controller_requests[15m]))
    - record: slo_error_ratio_2h
      expr: |
        sum by(workload)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[2h]))
        / sum by(workload)(rate(nginx_ingress_controller_requests[2h]))
    - record: slo_error_ratio_3h
      expr: |
        sum by(workload)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[3h]))
        / sum by(workload)(rate(nginx_ingress_controller_requests[3h]))
    - record: slo_latency_miss_ratio_10m
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="setlist-feed",le="0.8"}[10m]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="setlist-feed"}[10m])
        )
    - record: slo_latency_miss_ratio_15m
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="setlist-feed",le="0.8"}[15m]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="setlist-feed"}[15m])
        )
    - record: slo_latency_miss_ratio_2h
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="setlist-feed",le="0.8"}[2h]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="setlist-feed"}[2h])
        )
    - record: slo_latency_miss_ratio_3h
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="setlist-feed",le="0.8"}[3h]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="setlist-feed"}[3h])
        )
    - record: slo_latency_miss_ratio_10m
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="guest-lists",le="0.80"}[10m]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="guest-lists"}[10m])
        )
    - record: slo_latency_miss_ratio_15m
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="guest-lists",le="0.80"}[15m]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="guest-lists"}[15m])
        )
    - record: slo_latency_miss_ratio_2h
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="guest-lists",le="0.80"}[2h]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="guest-lists"}[2h])
        )
    - record: slo_latency_miss_ratio_3h
      expr: |
        1
        - sum by(workload)(
          rate(
            nginx_ingress_controller_request_duration_seconds_bucket{workload="guest-lists",le="0.80"}[3h]
          )
        )
        / sum by(workload)(
          rate(nginx_ingress_controller_request_duration_seconds_count{workload="guest-lists"}[3h])
        )
END_OF_FILE
