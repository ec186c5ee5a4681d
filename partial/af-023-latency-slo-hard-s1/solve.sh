#!/usr/bin/env bash
# Half of af-023-latency-slo-hard-s1, and one plausible mistake
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
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
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [responsible, application]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - responsible="transactions"
        - action="wake"
      receiver: transactions-oncall
    - matchers:
        - responsible="transactions"
        - action="queue"
      receiver: transactions-queue
    - matchers:
        - responsible="search"
        - action="wake"
      receiver: search-oncall
    - matchers:
        - responsible="search"
        - action="queue"
      receiver: search-queue
    - matchers:
        - responsible="sellers"
        - action="wake"
      receiver: sellers-oncall
    - matchers:
        - responsible="sellers"
        - action="queue"
      receiver: sellers-queue
    - matchers:
        - responsible="infrastructure"
        - action="wake"
      receiver: infrastructure-oncall
    - matchers:
        - responsible="infrastructure"
        - action="queue"
      receiver: infrastructure-queue
    - matchers:
        - responsible="parcels"
        - action="wake"
      receiver: parcels-oncall
    - matchers:
        - responsible="parcels"
        - action="queue"
      receiver: parcels-queue

inhibit_rules:
  - source_matchers:
      - alertname="ProdItemPageDown"
    target_matchers:
      - alertname=~"ProdItemPageLatencyHigh|ProdItemPageLagGrowing"
    equal: [application]
  - source_matchers:
      - alertname="ProdPriceHintDown"
    target_matchers:
      - alertname="ProdPriceHintLagGrowing"
    equal: [application]
  - source_matchers:
      - alertname="ProdPhotoResizeDown"
    target_matchers:
      - alertname="ProdPhotoResizeLatencyHigh"
    equal: [application]
  - source_matchers:
      - alertname="ProdPayoutWorkerDown"
    target_matchers:
      - alertname=~"ProdPayoutWorkerLatencyBurnPage|ProdPayoutWorkerLatencyHigh"
    equal: [application]

receivers:
  - name: monitoring-default
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/monitoring-default
        send_resolved: true
  - name: transactions-oncall
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/transactions-oncall
        send_resolved: true
  - name: transactions-queue
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/transactions-queue
        send_resolved: true
  - name: search-oncall
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/search-oncall
        send_resolved: true
  - name: search-queue
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/search-queue
        send_resolved: true
  - name: sellers-oncall
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/sellers-oncall
        send_resolved: true
  - name: sellers-queue
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/sellers-queue
        send_resolved: true
  - name: infrastructure-oncall
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/infrastructure-oncall
        send_resolved: true
  - name: infrastructure-queue
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/infrastructure-queue
        send_resolved: true
  - name: parcels-oncall
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/parcels-oncall
        send_resolved: true
  - name: parcels-queue
    webhook_configs:
      - url: https://notify.attictrove.example/hooks/parcels-queue
        send_resolved: true
END_OF_FILE

put rules/item-page.yaml <<'END_OF_FILE'
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: item-page
spec:
  groups:
    - name: item-page-health
      rules:
        - alert: ProdItemPageDown
          expr: |
            sum by (application) (up{application="item-page"}) == 0
            or
            absent(up{application="item-page"})
          for: 4m
          labels:
            action: wake
            responsible: search
            site: hq
          annotations:
            title: no target of item-page is up
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageDown

        - alert: ProdItemPageLatencyHigh
          expr: |
            histogram_quantile(
              0.95,
              sum by (application, le) (
                rate(http_response_time_seconds_bucket{application="item-page"}[5m])
              )
            )
            > 1
          for: 5m
          labels:
            action: wake
            responsible: search
            site: hq
          annotations:
            title: item-page takes longer than 1 s
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageLatencyHigh

        - alert: ProdItemPageDiskFullSoon
          expr: |
            min by (application) (
              predict_linear(
                kubelet_volume_stats_available_bytes{application="item-page"}[45m],
                6 * 3600
              )
            )
            < 0
          for: 20m
          labels:
            action: queue
            responsible: search
            site: hq
          annotations:
            title: a volume of item-page is filling up
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageDiskFullSoon

        - alert: ProdItemPageLagGrowing
          expr: |
            sum by (application) (kafka_consumergroup_lag{application="item-page"}) > 5000
            and
            sum by (application) (kafka_consumergroup_lag{application="item-page"})
            >= sum by (application) (kafka_consumergroup_lag{application="item-page"} offset 5m)
          for: 12m
          labels:
            action: wake
            responsible: search
            site: hq
          annotations:
            title: item-page does not keep up with its messages
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageLagGrowing

        - alert: ProdItemPageReplicaLagging
          expr: |
            max by (application) (
              avg_over_time(pg_replication_lag_seconds{application="item-page"}[10m])
            )
            > 30
          for: 3m
          labels:
            action: wake
            responsible: search
            site: hq
          annotations:
            title: a database replica of item-page is behind
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageReplicaLagging

    - name: item-page-slo
      rules:
        - alert: ProdItemPageLatencyBurnTicket
          expr: |
            application:web_slow:ratio_rate3h{application="item-page"} > 6.72 * (1 - 0.99)
            and
            application:web_slow:ratio_rate15m{application="item-page"} > 6.72 * (1 - 0.99)
          for: 20m
          labels:
            action: queue
            responsible: search
            site: hq
          annotations:
            title: item-page is spending its latency budget 6.72 times too fast
            runbook_link: https://kb.attictrove.example/a/item-page/ProdItemPageLatencyBurnTicket
END_OF_FILE

put rules/label-maker.yaml <<'END_OF_FILE'
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: label-maker
spec:
  groups:
    - name: label-maker-health
      rules:
        - alert: ProdLabelMakerDown
          expr: |
            sum by (application) (up{application="label-maker"}) == 0
            or
            absent(up{application="label-maker"})
          for: 4m
          labels:
            action: wake
            responsible: parcels
            site: hq
          annotations:
            title: no target of label-maker is up
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerDown

        - alert: ProdLabelMakerLatencyHigh
          expr: |
            histogram_quantile(
              0.95,
              sum by (le) (rate(http_response_time_seconds_bucket{application="label-maker"}[5m]))
            )
            > 0.25
          for: 5m
          labels:
            action: wake
            responsible: parcels
            site: hq
          annotations:
            title: label-maker takes longer than 0.25 s
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerLatencyHigh

        - alert: ProdLabelMakerMemoryNearLimit
          expr: |
            max by (application) (
              container_memory_working_set_bytes{application="label-maker"}
              / on (application, namespace, pod, container) kube_pod_container_resource_limits{application="label-maker", resource="memory"}
            )
            > 0.85
          for: 15m
          labels:
            action: queue
            responsible: parcels
            site: hq
          annotations:
            title: a pod of label-maker is close to its memory limit
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerMemoryNearLimit

        - alert: ProdLabelMakerBelowTrafficFloor
          expr: |
            sum by (application) (rate(http_responses_total{application="label-maker"}[5m])) < 0.5
            or
            absent(http_responses_total{application="label-maker"})
          for: 5m
          labels:
            action: queue
            responsible: parcels
            site: hq
          annotations:
            title: label-maker gets next to no requests
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerBelowTrafficFloor

    - name: label-maker-slo
      rules:
        - alert: ProdLabelMakerLatencyBurnPage
          expr: application:web_slow:ratio_rate30m{application="label-maker"} > 13.44 * (1 - 0.97)
          for: 4m
          labels:
            action: wake
            responsible: parcels
            site: hq
          annotations:
            title: label-maker is spending its latency budget 13.44 times too fast
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerLatencyBurnPage

        - alert: ProdLabelMakerLatencyBurnTicket
          expr: |
            application:web_slow:ratio_rate3h{application="label-maker"} > 6.72 * (1 - 0.97)
            and
            application:web_slow:ratio_rate15m{application="label-maker"} > 6.72 * (1 - 0.97)
          for: 20m
          labels:
            action: queue
            responsible: parcels
            site: hq
          annotations:
            title: label-maker is spending its latency budget 6.72 times too fast
            runbook_link: https://kb.attictrove.example/a/label-maker/ProdLabelMakerLatencyBurnTicket
END_OF_FILE

put rules/sli-records.yaml <<'END_OF_FILE'
# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
    - name: sli-web
      rules:
        - record: application:web_errors:ratio_rate5m
          expr: |
            sum by (application) (rate(http_responses_total{status_class="5xx"}[5m]))
            / sum by (application) (rate(http_responses_total[5m]))

        - record: application:web_errors:ratio_rate15m
          expr: |
            sum by (application) (rate(http_responses_total{status_class="5xx"}[15m]))
            / sum by (application) (rate(http_responses_total[15m]))

        - record: application:web_errors:ratio_rate30m
          expr: |
            sum by (application) (rate(http_responses_total{status_class="5xx"}[30m]))
            / sum by (application) (rate(http_responses_total[30m]))

        - record: application:web_errors:ratio_rate3h
          expr: |
            sum by (application) (rate(http_responses_total{status_class="5xx"}[3h]))
            / sum by (application) (rate(http_responses_total[3h]))

        - record: application:web_slow:ratio_rate5m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="item-page", le="1.0"}[5m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="item-page"}[5m])
            )

        - record: application:web_slow:ratio_rate15m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="item-page", le="1.0"}[15m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="item-page"}[15m])
            )

        - record: application:web_slow:ratio_rate30m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="item-page", le="1.0"}[30m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="item-page"}[30m])
            )

        - record: application:web_slow:ratio_rate3h
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="item-page", le="1.0"}[3h])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="item-page"}[3h])
            )

        - record: application:web_slow:ratio_rate5m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="label-maker", le="0.25"}[5m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="label-maker"}[5m])
            )

        - record: application:web_slow:ratio_rate15m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="label-maker", le="0.25"}[15m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="label-maker"}[15m])
            )

        - record: application:web_slow:ratio_rate30m
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="label-maker", le="0.25"}[30m])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="label-maker"}[30m])
            )

        - record: application:web_slow:ratio_rate3h
          expr: |
            1
              -
            sum by (application) (
              rate(http_response_time_seconds_bucket{application="label-maker", le="0.25"}[3h])
            )
              /
            sum by (application) (
              rate(http_response_time_seconds_count{application="label-maker"}[3h])
            )

    - name: sli-tasks
      rules:
        - record: application:tasks_errors:ratio_rate5m
          expr: |
            sum by (application) (rate(task_executions_total{state=~"failed|timed_out"}[5m]))
            / sum by (application) (rate(task_executions_total[5m]))

        - record: application:tasks_errors:ratio_rate15m
          expr: |
            sum by (application) (rate(task_executions_total{state=~"failed|timed_out"}[15m]))
            / sum by (application) (rate(task_executions_total[15m]))

        - record: application:tasks_errors:ratio_rate30m
          expr: |
            sum by (application) (rate(task_executions_total{state=~"failed|timed_out"}[30m]))
            / sum by (application) (rate(task_executions_total[30m]))

        - record: application:tasks_errors:ratio_rate3h
          expr: |
            sum by (application) (rate(task_executions_total{state=~"failed|timed_out"}[3h]))
            / sum by (application) (rate(task_executions_total[3h]))

        - record: application:tasks_slow:ratio_rate5m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="photo-resize", le="2.0"}[5m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="photo-resize"}[5m])
            )

        - record: application:tasks_slow:ratio_rate15m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="photo-resize", le="2.0"}[15m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="photo-resize"}[15m])
            )

        - record: application:tasks_slow:ratio_rate30m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="photo-resize", le="2.0"}[30m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="photo-resize"}[30m])
            )

        - record: application:tasks_slow:ratio_rate3h
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="photo-resize", le="2.0"}[3h])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="photo-resize"}[3h])
            )

        - record: application:tasks_slow:ratio_rate5m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="payout-worker", le="2.0"}[15m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="payout-worker"}[15m])
            )

        - record: application:tasks_slow:ratio_rate15m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="payout-worker", le="2.0"}[5m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="payout-worker"}[5m])
            )

        - record: application:tasks_slow:ratio_rate30m
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="payout-worker", le="2.0"}[15m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="payout-worker"}[15m])
            )

        - record: application:tasks_slow:ratio_rate3h
          expr: |
            1
              -
            sum by (application) (
              rate(task_execution_seconds_bucket{application="payout-worker", le="2.0"}[30m])
            )
              /
            sum by (application) (
              rate(task_execution_seconds_count{application="payout-worker"}[30m])
            )

    - name: sli-thrift
      rules:
        - record: application:thrift_errors:ratio_rate5m
          expr: |
            sum by (application) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[5m]))
            / sum by (application) (rate(thrift_server_calls_total[5m]))

        - record: application:thrift_errors:ratio_rate15m
          expr: |
            sum by (application) (
              rate(thrift_server_calls_total{outcome=~"exception|timeout"}[15m])
            )
            / sum by (application) (rate(thrift_server_calls_total[15m]))

        - record: application:thrift_errors:ratio_rate30m
          expr: |
            sum by (application) (
              rate(thrift_server_calls_total{outcome=~"exception|timeout"}[30m])
            )
            / sum by (application) (rate(thrift_server_calls_total[30m]))

        - record: application:thrift_errors:ratio_rate3h
          expr: |
            sum by (application) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[3h]))
            / sum by (application) (rate(thrift_server_calls_total[3h]))

        - record: application:thrift_slow:ratio_rate5m
          expr: |
            1
              -
            sum by (application) (
              rate(
                thrift_server_call_duration_seconds_bucket{application="price-hint", le="0.15"}[5m]
              )
            )
              /
            sum by (application) (
              rate(thrift_server_call_duration_seconds_count{application="price-hint"}[5m])
            )

        - record: application:thrift_slow:ratio_rate15m
          expr: |
            1
              -
            sum by (application) (
              rate(
                thrift_server_call_duration_seconds_bucket{application="price-hint", le="0.15"}[15m]
              )
            )
              /
            sum by (application) (
              rate(thrift_server_call_duration_seconds_count{application="price-hint"}[15m])
            )

        - record: application:thrift_slow:ratio_rate30m
          expr: |
            1
              -
            sum by (application) (
              rate(
                thrift_server_call_duration_seconds_bucket{application="price-hint", le="0.15"}[30m]
              )
            )
              /
            sum by (application) (
              rate(thrift_server_call_duration_seconds_count{application="price-hint"}[30m])
            )

        - record: application:thrift_slow:ratio_rate3h
          expr: |
            1
              -
            sum by (application) (
              rate(
                thrift_server_call_duration_seconds_bucket{application="price-hint", le="0.15"}[3h]
              )
            )
              /
            sum by (application) (
              rate(thrift_server_call_duration_seconds_count{application="price-hint"}[3h])
            )
END_OF_FILE
