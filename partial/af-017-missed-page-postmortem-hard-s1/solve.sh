#!/usr/bin/env bash
# Half of af-017-missed-page-postmortem-hard-s1, and one plausible mistake
# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
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
# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f

global:
  resolve_timeout: 5m

route:
  receiver: lost-and-found
  group_by: [alertname, component, urgency]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - urgency="immediate"
      receiver: noc-mirror
      continue: true
    - matchers:
        - oncall="sales"
      receiver: backlog.sales
      routes:
        - matchers:
            - urgency="immediate"
          receiver: oncall.sales
    - matchers:
        - oncall="promoters"
      receiver: backlog.promoters
      routes:
        - matchers:
            - urgency="immediate"
          receiver: oncall.promoters
    - matchers:
        - oncall="engagement"
      receiver: backlog.engagement
      routes:
        - matchers:
            - urgency="immediate"
          receiver: oncall.engagement
    - matchers:
        - oncall="foundations"
      receiver: backlog.foundations
      routes:
        - matchers:
            - urgency="immediate"
          receiver: oncall.foundations
    - matchers:
        - oncall="access-control"
      receiver: backlog.access-control
      routes:
        - matchers:
            - urgency="immediate"
          receiver: oncall.access-control

inhibit_rules:
  - source_matchers:
      - alertname="Down_SeatMap"
    target_matchers:
      - alertname="BacklogHigh_SeatMap"
    equal: [component]
  - source_matchers:
      - alertname="Down_EventSearch"
    target_matchers:
      - alertname="OutsideProbeFails_EventSearch"
    equal: [component]
  - source_matchers:
      - alertname="Down_PosterRender"
    target_matchers:
      - alertname="TailLatency_PosterRender"
    equal: [component]
  - source_matchers:
      - alertname="Down_StaffPasses"
    target_matchers:
      - alertname=~"TailLatency_StaffPasses|NoTraffic_StaffPasses"
    equal: [component]
  - source_matchers:
      - alertname=~"TooManyErrors_OwnershipLedger|ErrorBudgetBurnFast_OwnershipLedger|TooManySlow_OwnershipLedger"
    target_matchers:
      - alertname="Down_OwnershipLedger"
    equal: [component]
  - source_matchers:
      - alertname="Down_ListingApi"
    target_matchers:
      - alertname=~"ErrorBudgetBurnFast_ListingApi|TooManySlow_ListingApi"
    equal: [component]

receivers:
  - name: lost-and-found
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/lost-and-found
        send_resolved: true
  - name: noc-mirror
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/noc-mirror
        send_resolved: true
  - name: oncall.sales
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/oncall-sales
        send_resolved: true
  - name: backlog.sales
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/backlog-sales
        send_resolved: true
  - name: oncall.promoters
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/oncall-promoters
        send_resolved: true
  - name: backlog.promoters
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/backlog-promoters
        send_resolved: true
  - name: oncall.engagement
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/oncall-engagement
        send_resolved: true
  - name: backlog.engagement
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/backlog-engagement
        send_resolved: true
  - name: oncall.foundations
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/oncall-foundations
        send_resolved: true
  - name: backlog.foundations
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/backlog-foundations
        send_resolved: true
  - name: oncall.access-control
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/oncall-access-control
        send_resolved: true
  - name: backlog.access-control
    webhook_configs:
      - url: https://notify.encorewick.example/hooks/backlog-access-control
        send_resolved: true
END_OF_FILE

put rules/team-access-control.yml <<'END_OF_FILE'
# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-access-control
spec:
  groups:
    - name: staff-passes-health
      rules:
        - alert: ThrottlingHigh_StaffPasses
          expr: |
            sum by (component) (rate(container_cpu_cfs_throttled_periods_total{component="staff-passes"}[10m]))
            / sum by (component) (rate(container_cpu_cfs_periods_total{component="staff-passes"}[10m]))
            > 0.25
          for: 10m
          labels:
            urgency: business-hours
            oncall: access-control
            environment: production
          annotations:
            title: 'staff-passes is throttled too often'
            runbook: 'https://kb.encorewick.example/a/staff-passes/ThrottlingHigh_StaffPasses'

        - alert: VolumeFilling_StaffPasses
          expr: |
            min by (component) (
              predict_linear(kubelet_volume_stats_available_bytes{component="staff-passes"}[3m], 6 * 3600)
            )
            < 0
          for: 20m
          labels:
            urgency: business-hours
            oncall: access-control
            environment: production
          annotations:
            title: 'a volume of staff-passes is filling up'
            runbook: 'https://kb.encorewick.example/a/staff-passes/VolumeFilling_StaffPasses'

        - alert: Down_StaffPasses
          expr: |
            sum by (component) (up{component="staff-passes"}) == 0
            or
            absent(up{component=~"staff-passes|ownership-ledger"})
          for: 5m
          labels:
            urgency: immediate
            oncall: access-control
            environment: production
          annotations:
            title: 'no target of staff-passes is up'
            runbook: 'https://kb.encorewick.example/a/staff-passes/Down_StaffPasses'

        - alert: NoTraffic_StaffPasses
          expr: |
            sum by (component) (flask_http_request_total{component="staff-passes"}) < 1
            or
            absent(flask_http_request_total{component="staff-passes"})
          for: 8m
          labels:
            urgency: immediate
            oncall: access-control
            environment: production
          annotations:
            title: 'staff-passes gets next to no requests'
            runbook: 'https://kb.encorewick.example/a/staff-passes/NoTraffic_StaffPasses'

        - alert: TailLatency_StaffPasses
          expr: |
            histogram_quantile(
              0.99,
              sum by (component, le) (
                rate(flask_http_request_duration_seconds_bucket{component="staff-passes"}[10m])
              )
            )
            > 0.6
          for: 5m
          labels:
            urgency: immediate
            oncall: access-control
            environment: production
          annotations:
            title: 'staff-passes takes longer than 0.6 s'
            runbook: 'https://kb.encorewick.example/a/staff-passes/TailLatency_StaffPasses'
END_OF_FILE

put rules/team-exchange.yml <<'END_OF_FILE'
# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-exchange
spec:
  groups:
    - name: ownership-ledger-health
      rules:
        - alert: ThrottlingHigh_OwnershipLedger
          expr: |
            sum by (component) (
              rate(container_cpu_cfs_throttled_periods_total{component="ownership-ledger"}[10m])
            )
            / sum by (component) (rate(container_cpu_cfs_periods_total{component="ownership-ledger"}[10m]))
            > 0.25
          for: 10m
          labels:
            urgency: business-hours
            oncall: exchange
            environment: production
          annotations:
            title: 'ownership-ledger is throttled too often'
            runbook: 'https://kb.encorewick.example/a/ownership-ledger/ThrottlingHigh_OwnershipLedger'

        - alert: TooManySlow_OwnershipLedger
          expr: |
            1
              -
            sum by (component) (
              rate(rpc_server_request_duration_seconds_bucket{component="ownership-ledger", le="0.5"}[10m])
            )
              /
            sum by (component) (
              rate(rpc_server_request_duration_seconds_count{component="ownership-ledger"}[10m])
            )
            > 0.15
          for: 5m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'too many requests of ownership-ledger take longer than 0.5 s'
            runbook: 'https://kb.encorewick.example/a/ownership-ledger/TooManySlow_OwnershipLedger'

        - alert: Down_OwnershipLedger
          expr: |
            sum by (component) (up{component="ownership-ledger"}) == 0
            or
            absent(up{component="ownership-ledger"})
          for: 5m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'no target of ownership-ledger is up'
            runbook: 'https://kb.encorewick.example/a/ownership-ledger/Down_OwnershipLedger'

        - alert: TooManyErrors_OwnershipLedger
          expr: |
            sum by (component) (
              rate(rpc_server_requests_total{component="ownership-ledger", status="error"}[5m])
            )
            / sum by (component) (rate(rpc_server_requests_total{component="ownership-ledger"}[5m]))
            > 0.05
            and
            sum by (component) (rate(rpc_server_requests_total{component="ownership-ledger"}[5m])) >= 0.5
          for: 5m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'more than 5% of ownership-ledger requests fail'
            runbook: 'https://kb.encorewick.example/a/ownership-ledger/TooManyErrors_OwnershipLedger'

    - name: listing-api-health
      rules:
        - alert: Down_ListingApi
          expr: sum by (component) (up{component="listing-api"}) == 0 or absent(up{component="listing-api"})
          for: 5m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'no target of listing-api is up'
            runbook: 'https://kb.encorewick.example/a/listing-api/Down_ListingApi'

        - alert: TooManySlow_ListingApi
          expr: |
            1
              -
            sum by (component) (
              rate(flask_http_request_duration_seconds_bucket{component="listing-api", le="0.6"}[10m])
            )
            / sum by (component) (rate(flask_http_request_duration_seconds_count{component="listing-api"}[10m]))
            > 0.15
          for: 5m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'too many requests of listing-api take longer than 0.6 s'
            runbook: 'https://kb.encorewick.example/a/listing-api/TooManySlow_ListingApi'

        - alert: WorkingSetHigh_ListingApi
          expr: |
            max by (component) (
              container_memory_working_set_bytes{component="listing-api"}
              / on (component, namespace, pod, container) kube_pod_container_resource_limits{component="listing-api", resource="memory"}
            )
            > 0.9
          for: 15m
          labels:
            urgency: business-hours
            oncall: exchange
            environment: production
          annotations:
            title: 'a pod of listing-api is close to its memory limit'
            runbook: 'https://kb.encorewick.example/a/listing-api/WorkingSetHigh_ListingApi'

        - alert: ThrottlingHigh_ListingApi
          expr: |
            sum by (component) (rate(container_cpu_cfs_throttled_periods_total{component="listing-api"}[10m]))
            / sum by (component) (rate(container_cpu_cfs_periods_total{component="listing-api"}[10m]))
            > 0.25
          for: 10m
          labels:
            urgency: business-hours
            oncall: exchange
            environment: production
          annotations:
            title: 'listing-api is throttled too often'
            runbook: 'https://kb.encorewick.example/a/listing-api/ThrottlingHigh_ListingApi'

    - name: ownership-ledger-slo
      rules:
        - alert: ErrorBudgetBurnFast_OwnershipLedger
          expr: |
            component:sli_error:ratio_rate2h{component="ownership-ledger"} > 14.4 * (1 - 0.985)
            and
            component:sli_error:ratio_rate10m{component="ownership-ledger"} > 14.4 * (1 - 0.985)
          for: 2m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'ownership-ledger is spending its error budget 14.4 times too fast'
            runbook: 'https://kb.encorewick.example/a/ownership-ledger/ErrorBudgetBurnFast_OwnershipLedger'

    - name: listing-api-slo
      rules:
        - alert: ErrorBudgetBurnFast_ListingApi
          expr: |
            component:sli_error:ratio_rate2h{component="listing-api"} > 14.4 * (1 - 0.99)
            and
            component:sli_error:ratio_rate10m{component="listing-api"} < 14.4 * (1 - 0.99)
          for: 2m
          labels:
            urgency: immediate
            oncall: exchange
            environment: production
          annotations:
            title: 'listing-api is spending its error budget 14.4 times too fast'
            runbook: 'https://kb.encorewick.example/a/listing-api/ErrorBudgetBurnFast_ListingApi'
END_OF_FILE
