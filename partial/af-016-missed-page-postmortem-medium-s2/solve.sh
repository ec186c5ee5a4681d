#!/usr/bin/env bash
# Half of af-016-missed-page-postmortem-medium-s2, and one plausible mistake
# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
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
# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9

global:
  resolve_timeout: 5m

route:
  receiver: sre-catchall
  group_by: [owner, application]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - urgency="wake"
      receiver: incident-feed
      continue: true
    - matchers:
        - owner="payments"
        - urgency="wake"
      receiver: oncall.payments
    - matchers:
        - owner="payments"
        - urgency="queue"
      receiver: backlog.payments
    - matchers:
        - owner="cluster-ops"
        - urgency="wake"
      receiver: oncall.cluster-ops
    - matchers:
        - owner="cluster-ops"
        - urgency="queue"
      receiver: backlog.cluster-ops
    - matchers:
        - owner="edge"
        - urgency="wake"
      receiver: oncall.edge
    - matchers:
        - owner="edge"
        - urgency="queue"
      receiver: backlog.edge
    - matchers:
        - owner="partners"
        - urgency="wake"
      receiver: oncall.partners
    - matchers:
        - owner="partners"
        - urgency="queue"
      receiver: backlog.partners
    - matchers:
        - owner="placing"
        - urgency="wake"
      receiver: oncall.placing
    - matchers:
        - owner="placing"
        - urgency="queue"
      receiver: backlog.placing
    - matchers:
        - owner="riders"
        - urgency="wake"
      receiver: oncall.riders
    - matchers:
        - owner="riders"
        - urgency="queue"
      receiver: backlog.riders

inhibit_rules:
  - source_matchers:
      - alertname="RefundWorkerAlertNotScraped"
    target_matchers:
      - alertname=~"RefundWorkerAlertSloBurnAcute|RefundWorkerAlertSloBurnChronic|RefundWorkerAlertConsumerBehind"
    equal: [application]
  - source_matchers:
      - alertname="KitchenTabletAlertNotScraped"
    target_matchers:
      - alertname=~"KitchenTabletAlertSloBurnAcute|KitchenTabletAlertTrafficTooLow"
    equal: [application]
  - source_matchers:
      - alertname="BasketAlertNotScraped"
    target_matchers:
      - alertname=~"BasketAlertSloBurnAcute|BasketAlertSlowShareHigh"
    equal: [application]
  - source_matchers:
      - alertname=~".+AlertNotScraped"
    target_matchers:
      - alertname=~"RoutePlannerAlertSloBurnAcute|RoutePlannerAlertSlowShareHigh"
    equal: [instance]
  - source_matchers:
      - alertname="FeatureFlagsAlertNotScraped"
    target_matchers:
      - alertname=~"FeatureFlagsAlertSloBurnChronic|FeatureFlagsAlertTrafficTooLow"
    equal: [application]

receivers:
  - name: sre-catchall
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/sre-catchall
        send_resolved: true
  - name: incident-feed
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/incident-feed
        send_resolved: true
  - name: oncall.payments
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-payments
        send_resolved: true
  - name: backlog.payments
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-payments
        send_resolved: true
  - name: oncall.cluster-ops
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-cluster-ops
        send_resolved: true
  - name: backlog.cluster-ops
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-cluster-ops
        send_resolved: true
  - name: oncall.edge
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-edge
        send_resolved: true
  - name: backlog.edge
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-edge
        send_resolved: true
  - name: oncall.partners
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-partners
        send_resolved: true
  - name: backlog.partners
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-partners
        send_resolved: true
  - name: oncall.placing
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-placing
        send_resolved: true
  - name: backlog.placing
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-placing
        send_resolved: true
  - name: oncall.riders
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/oncall-riders
        send_resolved: true
  - name: backlog.riders
    webhook_configs:
      - url: https://notify.ladlewise.example/hooks/backlog-riders
        send_resolved: true
END_OF_FILE

put rules/team-edge.yaml <<'END_OF_FILE'
# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9

groups:
  - name: feature-flags-health
    rules:
      - alert: FeatureFlagsAlertNotScraped
        expr: |
          sum by(application)(up{application="feature-flags"}) == 0
          or
          absent(up{application="feature-flags"})
        for: 3m
        labels: {urgency: wake, owner: edge, source: prometheus}
        annotations:
          headline: "no target of feature-flags is up"
          runbook: "https://wiki.ladlewise.example/oncall/edge/feature-flags-alert-not-scraped"
      - alert: FeatureFlagsAlertTrafficTooLow
        expr: |
          sum by(application)(
            rate(grpc_server_handled_total{application="feature-flags"}[10m])
          )
          < 0.5
          or
          absent(grpc_server_handled_total{application="feature-flags"})
        for: 10m
        labels: {urgency: wake, owner: edge, source: prometheus}
        annotations:
          headline: "feature-flags gets next to no requests"
          runbook: "https://wiki.ladlewise.example/oncall/edge/feature-flags-alert-traffic-too-low"
      - alert: FeatureFlagsAlertCrashLooping
        expr: |
          max by(application)(
            increase(
              kube_pod_container_status_restarts_total{application="feature-flags"}[10m]
            )
          )
          > 3
        for: 2m
        labels: {urgency: wake, owner: edge, source: prometheus}
        annotations:
          headline: "a container of feature-flags keeps being restarted"
          runbook: "https://wiki.ladlewise.example/oncall/edge/feature-flags-alert-crash-looping"
      - alert: FeatureFlagsAlertWorkingSetHigh
        expr: |
          max by(application)(
            container_memory_working_set_bytes{application="feature-flags"}
            / on(application, namespace, pod, container) kube_pod_container_resource_limits{application="feature-flags",resource="memory"}
          )
          > 0.92
        for: 10m
        labels: {urgency: queue, owner: edge, source: prometheus}
        annotations:
          headline: "a pod of feature-flags is close to its memory limit"
          runbook: "https://wiki.ladlewise.example/oncall/edge/feature-flags-alert-working-set-high"
  - name: feature-flags-slo
    rules:
      - alert: FeatureFlagsAlertSloBurnChronic
        expr: |
          sli:grpc_server_error_ratio:rate3h{application="feature-flags"}
          > 7.2 * (1 - 0.995)
          and
          sli:grpc_server_error_ratio:rate15m{application="feature-flags"}
          > 7.2 * (1 - 0.995)
        for: 15m
        labels: {urgency: queue, owner: edge, source: prometheus}
        annotations:
          headline: "feature-flags is spending its error budget 7.2 times too fast"
          runbook: "https://wiki.ladlewise.example/oncall/edge/feature-flags-alert-slo-burn-chronic"
END_OF_FILE

put rules/team-riders.yaml <<'END_OF_FILE'
# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9

groups:
  - name: route-planner-health
    rules:
      - alert: RoutePlannerAlertNotScraped
        expr: |
          sum by(application)(up{application="route-planner"}) == 0
          or
          absent(up{application="route-planner"})
        for: 3m
        labels: {urgency: wake, owner: riders, source: prometheus}
        annotations:
          headline: "no target of route-planner is up"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-not-scraped"
      - alert: RoutePlannerAlertSlowShareHigh
        expr: |
          1
          - sum by(application)(
            rate(
              grpc_server_handling_seconds_bucket{application="route-planner",le="0.1"}[5m]
            )
          )
          / sum by(application)(
            rate(grpc_server_handling_seconds_count{application="route-planner"}[5m])
          )
          > 0.05
        for: 5m
        labels: {urgency: wake, owner: riders, source: prometheus}
        annotations:
          headline: "too many requests of route-planner take longer than 0.1 s"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-slow-share-high"
      - alert: RoutePlannerAlertWorkingSetHigh
        expr: |
          max by(application)(
            container_memory_working_set_bytes{application="route-planner"}
            / on(application, namespace, pod, container) kube_pod_container_resource_limits{application="route-planner",resource="memory"}
          )
          > 0.92
          < 0.995
        for: 10m
        labels: {urgency: queue, owner: riders, source: prometheus}
        annotations:
          headline: "a pod of route-planner is close to its memory limit"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-working-set-high"
      - alert: RoutePlannerAlertDiskFillingUp
        expr: |
          min by(application)(
            predict_linear(
              kubelet_volume_stats_available_bytes{application="route-planner"}[1h],
              4 * 3600
            )
          )
          < 0
        for: 15m
        labels: {urgency: queue, owner: riders, source: prometheus}
        annotations:
          headline: "a volume of route-planner is filling up"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-disk-filling-up"
      - alert: RoutePlannerAlertCrashLooping
        expr: |
          max by(application)(
            increase(
              kube_pod_container_status_restarts_total{application="route-planner"}[10m]
            )
          )
          > 3
        for: 2m
        labels: {urgency: wake, owner: placing, source: prometheus}
        annotations:
          headline: "a container of route-planner keeps being restarted"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-crash-looping"
  - name: route-planner-slo
    rules:
      - alert: RoutePlannerAlertSloBurnAcute
        expr: |
          sli:grpc_server_error_ratio:rate2h{application="route-planner"}
          > 18 * (1 - 0.99)
          and
          sli:grpc_server_error_ratio:rate10m{application="route-planner"}
          > 18 * (1 - 0.99)
        for: 4m
        labels: {urgency: wake, owner: riders, source: prometheus, value: "{{ $value }}"}
        annotations:
          headline: "route-planner is spending its error budget 18 times too fast"
          runbook: "https://wiki.ladlewise.example/oncall/riders/route-planner-alert-slo-burn-acute"
END_OF_FILE
