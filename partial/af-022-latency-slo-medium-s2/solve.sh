#!/usr/bin/env bash
# Half of af-022-latency-slo-medium-s2, and one plausible mistake
# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
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
# canary a8152be6-6b07-45dc-901e-6a55ef691fa1

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [alertname, team, svc]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - alert_level="red"
      routes:
        - matchers:
            - team="loans"
          receiver: loans-pager
        - matchers:
            - team="datacentre"
          receiver: datacentre-pager
        - matchers:
            - team="payments"
          receiver: payments-pager
        - matchers:
            - team="balances"
          receiver: balances-pager
    - matchers:
        - alert_level="amber"
      routes:
        - matchers:
            - team="loans"
          receiver: loans-tickets
        - matchers:
            - team="datacentre"
          receiver: datacentre-tickets
        - matchers:
            - team="payments"
          receiver: payments-tickets
        - matchers:
            - team="balances"
          receiver: balances-tickets

inhibit_rules:
  - source_matchers:
      - alertname="PaymentOrders_TargetsMissing"
    target_matchers:
      - alertname=~"PaymentOrders_ErrorBudgetBurnSlow|PaymentOrders_SlownessBudgetHigh|PaymentOrders_SlownessBudgetElevated|PaymentOrders_ProbeFailing"
    equal: [svc]
  - source_matchers:
      - alertname="DirectDebit_TargetsMissing"
    target_matchers:
      - alertname=~"DirectDebit_SlownessBudgetHigh|DirectDebit_RequestsDriedUp"
    equal: [svc]
  - source_matchers:
      - alertname="ScoreCard_TargetsMissing"
    target_matchers:
      - alertname=~"ScoreCard_SlownessBudgetElevated|ScoreCard_SlowRequests"
    equal: [svc]

receivers:
  - name: monitoring-default
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/monitoring-default
        send_resolved: true
  - name: loans-pager
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/loans-pager
        send_resolved: true
  - name: loans-tickets
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/loans-tickets
        send_resolved: true
  - name: datacentre-pager
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/datacentre-pager
        send_resolved: true
  - name: datacentre-tickets
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/datacentre-tickets
        send_resolved: true
  - name: payments-pager
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/payments-pager
        send_resolved: true
  - name: payments-tickets
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/payments-tickets
        send_resolved: true
  - name: balances-pager
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/balances-pager
        send_resolved: true
  - name: balances-tickets
    webhook_configs:
      - url: https://notify.fjordskilling.example/hooks/balances-tickets
        send_resolved: true
END_OF_FILE

put rules/hold-manager.yml <<'END_OF_FILE'
# canary a8152be6-6b07-45dc-901e-6a55ef691fa1

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: hold-manager
spec:
  groups:
    - name: hold-manager-health
      rules:
        - alert: HoldManager_TargetsMissing
          expr: sum by(svc)(up{svc="hold-manager"}) == 0 or absent(up{svc="hold-manager"})
          for: 4m
          labels: {alert_level: red, team: balances, managed_by: git}
          annotations:
            headline: no target of hold-manager is up
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-targets-missing
        - alert: HoldManager_ThrottlingHigh
          expr: sum by(svc)(rate(container_cpu_cfs_throttled_periods_total{svc="hold-manager"}[10m])) / sum by(svc)(rate(container_cpu_cfs_periods_total{svc="hold-manager"}[10m])) > 0.25
          for: 10m
          labels: {alert_level: amber, team: balances, managed_by: git}
          annotations:
            headline: hold-manager is throttled too often
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-throttling-high
        - alert: HoldManager_TooManyErrors
          expr: sum by(svc)(rate(grpc_server_handled_total{svc="hold-manager",grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[5m])) / sum by(svc)(rate(grpc_server_handled_total{svc="hold-manager"}[5m])) > 0.03 and sum by(svc)(rate(grpc_server_handled_total{svc="hold-manager"}[5m])) >= 2
          for: 5m
          labels: {alert_level: red, team: balances, managed_by: git}
          annotations:
            headline: more than 3% of hold-manager requests fail
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-too-many-errors
        - alert: HoldManager_SlowRequests
          expr: histogram_quantile(0.99, sum by(svc, le)(rate(grpc_server_handling_seconds_bucket{svc="hold-manager"}[5m]))) > 0.1
          for: 5m
          labels: {alert_level: red, team: balances, managed_by: git}
          annotations:
            headline: hold-manager takes longer than 0.1 s
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-slow-requests
    - name: hold-manager-slo
      rules:
        - alert: HoldManager_SlownessBudgetHigh
          expr: svc_grpc:slow_over_total:rate2h{svc="hold-manager"} > 13.44 * (1 - 0.99)
          for: 2m
          labels: {alert_level: red, team: balances, managed_by: git}
          annotations:
            headline: hold-manager is spending its latency budget 13.44 times too fast
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-slowness-budget-high
        - alert: HoldManager_SlownessBudgetElevated
          expr: svc_grpc:slow_over_total:rate4h{svc="hold-manager"} > 6.72 * (1 - 0.99) and svc_grpc:slow_over_total:rate20m{svc="hold-manager"} > 6.72 * (1 - 0.99)
          for: 5m
          labels: {alert_level: amber, team: balances, managed_by: git}
          annotations:
            headline: hold-manager is spending its latency budget 6.72 times too fast
            runbook_link: https://runbooks.fjordskilling.example/hold-manager/hold-manager-slowness-budget-elevated
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary a8152be6-6b07-45dc-901e-6a55ef691fa1

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
    - name: sli-grpc
      rules:
        - record: svc_grpc:bad_over_total:rate10m
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[10m])) / sum by(svc)(rate(grpc_server_handled_total[10m]))
        - record: svc_grpc:bad_over_total:rate20m
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[20m])) / sum by(svc)(rate(grpc_server_handled_total[20m]))
        - record: svc_grpc:bad_over_total:rate2h
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[2h])) / sum by(svc)(rate(grpc_server_handled_total[2h]))
        - record: svc_grpc:bad_over_total:rate4h
          expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[4h])) / sum by(svc)(rate(grpc_server_handled_total[4h]))
        - record: svc_grpc:slow_over_total:rate10m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="hold-manager",le="0.1"}[10m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="hold-manager"}[10m]))
        - record: svc_grpc:slow_over_total:rate20m
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="hold-manager",le="0.1"}[20m])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="hold-manager"}[20m]))
        - record: svc_grpc:slow_over_total:rate2h
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="hold-manager",le="0.1"}[2h])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="hold-manager"}[2h]))
        - record: svc_grpc:slow_over_total:rate4h
          expr: 1 - sum by(svc)(rate(grpc_server_handling_seconds_bucket{svc="hold-manager",le="0.1"}[4h])) / sum by(svc)(rate(grpc_server_handling_seconds_count{svc="hold-manager"}[4h]))
        - record: svc_grpc:slow_over_total:rate10m
          expr: 1 - sum by(svc, pod)(rate(grpc_server_handling_seconds_bucket{svc="score-card",le="0.5"}[10m])) / sum by(svc, pod)(rate(grpc_server_handling_seconds_count{svc="score-card"}[10m]))
        - record: svc_grpc:slow_over_total:rate20m
          expr: 1 - sum by(svc, pod)(rate(grpc_server_handling_seconds_bucket{svc="score-card",le="0.5"}[20m])) / sum by(svc, pod)(rate(grpc_server_handling_seconds_count{svc="score-card"}[20m]))
        - record: svc_grpc:slow_over_total:rate2h
          expr: 1 - sum by(svc, pod)(rate(grpc_server_handling_seconds_bucket{svc="score-card",le="0.5"}[2h])) / sum by(svc, pod)(rate(grpc_server_handling_seconds_count{svc="score-card"}[2h]))
        - record: svc_grpc:slow_over_total:rate4h
          expr: 1 - sum by(svc, pod)(rate(grpc_server_handling_seconds_bucket{svc="score-card",le="0.5"}[4h])) / sum by(svc, pod)(rate(grpc_server_handling_seconds_count{svc="score-card"}[4h]))
    - name: sli-flask
      rules:
        - record: svc_flask:bad_over_total:rate10m
          expr: sum by(svc)(rate(flask_http_request_total{status=~"50[0-9]"}[10m])) / sum by(svc)(rate(flask_http_request_total[10m]))
        - record: svc_flask:bad_over_total:rate20m
          expr: sum by(svc)(rate(flask_http_request_total{status=~"50[0-9]"}[20m])) / sum by(svc)(rate(flask_http_request_total[20m]))
        - record: svc_flask:bad_over_total:rate2h
          expr: sum by(svc)(rate(flask_http_request_total{status=~"50[0-9]"}[2h])) / sum by(svc)(rate(flask_http_request_total[2h]))
        - record: svc_flask:bad_over_total:rate4h
          expr: sum by(svc)(rate(flask_http_request_total{status=~"50[0-9]"}[4h])) / sum by(svc)(rate(flask_http_request_total[4h]))
        - record: svc_flask:slow_over_total:rate10m
          expr: 1 - sum by(svc)(rate(flask_http_request_duration_seconds_bucket{svc="payment-orders",le="0.3"}[10m])) / sum by(svc)(rate(flask_http_request_duration_seconds_count{svc="payment-orders"}[10m]))
        - record: svc_flask:slow_over_total:rate20m
          expr: 1 - sum by(svc)(rate(flask_http_request_duration_seconds_bucket{svc="payment-orders",le="0.3"}[20m])) / sum by(svc)(rate(flask_http_request_duration_seconds_count{svc="payment-orders"}[20m]))
        - record: svc_flask:slow_over_total:rate2h
          expr: 1 - sum by(svc)(rate(flask_http_request_duration_seconds_bucket{svc="payment-orders",le="0.3"}[2h])) / sum by(svc)(rate(flask_http_request_duration_seconds_count{svc="payment-orders"}[2h]))
        - record: svc_flask:slow_over_total:rate4h
          expr: 1 - sum by(svc)(rate(flask_http_request_duration_seconds_bucket{svc="payment-orders",le="0.3"}[4h])) / sum by(svc)(rate(flask_http_request_duration_seconds_count{svc="payment-orders"}[4h]))
    - name: sli-tasks
      rules:
        - record: svc_tasks:bad_over_total:rate10m
          expr: sum by(svc)(rate(task_executions_total{state=~"failed|timed_out"}[10m])) / sum by(svc)(rate(task_executions_total[10m]))
        - record: svc_tasks:bad_over_total:rate20m
          expr: sum by(svc)(rate(task_executions_total{state=~"failed|timed_out"}[20m])) / sum by(svc)(rate(task_executions_total[20m]))
        - record: svc_tasks:bad_over_total:rate2h
          expr: sum by(svc)(rate(task_executions_total{state=~"failed|timed_out"}[2h])) / sum by(svc)(rate(task_executions_total[2h]))
        - record: svc_tasks:bad_over_total:rate4h
          expr: sum by(svc)(rate(task_executions_total{state=~"failed|timed_out"}[4h])) / sum by(svc)(rate(task_executions_total[4h]))
        - record: svc_tasks:slow_over_total:rate10m
          expr: 1 - sum by(svc)(rate(task_execution_seconds_bucket{svc="direct-debit",le="4.0"}[10m])) / sum by(svc)(rate(task_execution_seconds_count{svc="direct-debit"}[10m]))
        - record: svc_tasks:slow_over_total:rate20m
          expr: 1 - sum by(svc)(rate(task_execution_seconds_bucket{svc="direct-debit",le="4.0"}[20m])) / sum by(svc)(rate(task_execution_seconds_count{svc="direct-debit"}[20m]))
        - record: svc_tasks:slow_over_total:rate2h
          expr: 1 - sum by(svc)(rate(task_execution_seconds_bucket{svc="direct-debit",le="4.0"}[2h])) / sum by(svc)(rate(task_execution_seconds_count{svc="direct-debit"}[2h]))
        - record: svc_tasks:slow_over_total:rate4h
          expr: 1 - sum by(svc)(rate(task_execution_seconds_bucket{svc="direct-debit",le="4.0"}[4h])) / sum by(svc)(rate(task_execution_seconds_count{svc="direct-debit"}[4h]))
END_OF_FILE
