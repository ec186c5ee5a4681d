#!/usr/bin/env bash
# Reference solution of af-027-team-reorg-migration-medium-s1
# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
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
# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2

global:
  resolve_timeout: 5m

route:
  receiver: platform-triage
  group_by: [owning_team, system]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - owning_team="screening"
        - severity="emergency"
      receiver: rota-screening
    - matchers:
        - owning_team="screening"
        - severity="minor"
      receiver: board-screening
    - matchers:
        - owning_team="infrastructure"
        - severity="emergency"
      receiver: rota-infrastructure
    - matchers:
        - owning_team="infrastructure"
        - severity="minor"
      receiver: board-infrastructure
    - matchers:
        - owning_team="pipelines"
        - severity="emergency"
      receiver: rota-pipelines
    - matchers:
        - owning_team="pipelines"
        - severity="minor"
      receiver: board-pipelines
    - matchers:
        - owning_team="issuing"
        - severity="emergency"
      receiver: rota-issuing
    - matchers:
        - owning_team="issuing"
        - severity="minor"
      receiver: board-issuing
    - matchers:
        - owning_team="transfers"
        - severity="emergency"
      receiver: rota-transfers
    - matchers:
        - owning_team="transfers"
        - severity="minor"
      receiver: board-transfers

inhibit_rules:
  - source_matchers:
      - alertname="TargetsMissing_CardShipping"
    target_matchers:
      - alertname=~"ErrorBudgetBurnFast_CardShipping|ErrorBudgetBurnSlow_CardShipping|BatchOverdue_CardShipping"
    equal: [system]
  - source_matchers:
      - alertname="TargetsMissing_ExportWorker"
    target_matchers:
      - alertname=~"ErrorBudgetBurnFast_ExportWorker|TailLatency_ExportWorker"
    equal: [system]
  - source_matchers:
      - alertname="TargetsMissing_PayeeCheck"
    target_matchers:
      - alertname="TailLatency_PayeeCheck"
    equal: [system]
  - source_matchers:
      - alertname="TargetsMissing_DeviceTrust"
    target_matchers:
      - alertname=~"TailLatency_DeviceTrust|NoTraffic_DeviceTrust"
    equal: [system]

receivers:
  - name: platform-triage
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/platform-triage
        send_resolved: true
  - name: rota-screening
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/rota-screening
        send_resolved: true
  - name: board-screening
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/board-screening
        send_resolved: true
  - name: rota-infrastructure
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/rota-infrastructure
        send_resolved: true
  - name: board-infrastructure
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/board-infrastructure
        send_resolved: true
  - name: rota-pipelines
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/rota-pipelines
        send_resolved: true
  - name: board-pipelines
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/board-pipelines
        send_resolved: true
  - name: rota-issuing
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/rota-issuing
        send_resolved: true
  - name: board-issuing
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/board-issuing
        send_resolved: true
  - name: rota-transfers
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/rota-transfers
        send_resolved: true
  - name: board-transfers
    webhook_configs:
      - url: https://notify.tallowbank.example/hooks/board-transfers
        send_resolved: true
END_OF_FILE

put rules/service-health.yml <<'END_OF_FILE'
# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2

groups:
  - name: payee-check-service-health
    rules:
      - alert: ContainerRestarts_PayeeCheck
        expr: max by (system) (increase(kube_pod_container_status_restarts_total{system="payee-check"}[20m])) > 4
        for: 5m
        labels:
          severity: emergency
          owning_team: transfers
          environment: production
        annotations:
          headline: a container of payee-check keeps being restarted
          runbook_link: https://handbook.tallowbank.example/transfers/payee-check/container-restarts-payee-check.html

      - alert: TailLatency_PayeeCheck
        expr: histogram_quantile(0.9, sum by (system, le) (rate(thrift_server_call_duration_seconds_bucket{system="payee-check"}[10m]))) > 0.15
        for: 8m
        labels:
          severity: emergency
          owning_team: transfers
          environment: production
        annotations:
          headline: payee-check takes longer than 0.15 s
          runbook_link: https://handbook.tallowbank.example/transfers/payee-check/tail-latency-payee-check.html

      - alert: CertificateExpiring_PayeeCheck
        expr: min by (system) (probe_ssl_earliest_cert_expiry{system="payee-check"}) - time() < 21 * 86400
        for: 30m
        labels:
          severity: minor
          owning_team: transfers
          environment: production
        annotations:
          headline: a certificate of payee-check is about to expire
          runbook_link: https://handbook.tallowbank.example/transfers/payee-check/certificate-expiring-payee-check.html

      - alert: TargetsMissing_PayeeCheck
        expr: sum by (system) (up{system="payee-check"}) == 0 or absent(up{system="payee-check"})
        for: 2m
        labels:
          severity: emergency
          owning_team: transfers
          environment: production
        annotations:
          headline: no target of payee-check is up
          runbook_link: https://handbook.tallowbank.example/transfers/payee-check/targets-missing-payee-check.html

  - name: device-trust-service-health
    rules:
      - alert: TargetsMissing_DeviceTrust
        expr: sum by (system) (up{system="device-trust"}) == 0 or absent(up{system="device-trust"})
        for: 2m
        labels:
          severity: emergency
          owning_team: screening
          environment: production
        annotations:
          headline: no target of device-trust is up
          runbook_link: https://handbook.tallowbank.example/screening/device-trust/targets-missing-device-trust.html

      - alert: MemoryPressure_DeviceTrust
        expr: max by (system) (container_memory_working_set_bytes{system="device-trust"} / on (system, namespace, pod, container) kube_pod_container_resource_limits{system="device-trust", resource="memory"}) > 0.95
        for: 5m
        labels:
          severity: minor
          owning_team: screening
          environment: production
        annotations:
          headline: a pod of device-trust is close to its memory limit
          runbook_link: https://handbook.tallowbank.example/screening/device-trust/memory-pressure-device-trust.html

      - alert: ContainerRestarts_DeviceTrust
        expr: max by (system) (increase(kube_pod_container_status_restarts_total{system="device-trust"}[20m])) > 4
        for: 5m
        labels:
          severity: emergency
          owning_team: screening
          environment: production
        annotations:
          headline: a container of device-trust keeps being restarted
          runbook_link: https://handbook.tallowbank.example/screening/device-trust/container-restarts-device-trust.html

      - alert: TailLatency_DeviceTrust
        expr: histogram_quantile(0.9, sum by (system, le) (rate(thrift_server_call_duration_seconds_bucket{system="device-trust"}[10m]))) > 0.3
        for: 8m
        labels:
          severity: emergency
          owning_team: screening
          environment: production
        annotations:
          headline: device-trust takes longer than 0.3 s
          runbook_link: https://handbook.tallowbank.example/screening/device-trust/tail-latency-device-trust.html

      - alert: NoTraffic_DeviceTrust
        expr: sum by (system) (rate(thrift_server_calls_total{system="device-trust"}[10m])) < 0.2 or absent(thrift_server_calls_total{system="device-trust"})
        for: 8m
        labels:
          severity: emergency
          owning_team: screening
          environment: production
        annotations:
          headline: device-trust gets next to no requests
          runbook_link: https://handbook.tallowbank.example/screening/device-trust/no-traffic-device-trust.html

  - name: card-shipping-service-health
    rules:
      - alert: TargetsMissing_CardShipping
        expr: sum by (system) (up{system="card-shipping"}) == 0 or absent(up{system="card-shipping"})
        for: 2m
        labels:
          severity: emergency
          owning_team: issuing
          environment: production
        annotations:
          headline: no target of card-shipping is up
          runbook_link: https://handbook.tallowbank.example/issuing/card-shipping/targets-missing-card-shipping.html

      - alert: BatchOverdue_CardShipping
        expr: time() - max by (system) (batch_last_success_timestamp_seconds{system="card-shipping"}) > 1.5 * 3600
        for: 5m
        labels:
          severity: minor
          owning_team: issuing
          environment: production
        annotations:
          headline: the batch job of card-shipping is overdue
          runbook_link: https://handbook.tallowbank.example/issuing/card-shipping/batch-overdue-card-shipping.html

      - alert: VolumeFilling_CardShipping
        expr: min by (system) (predict_linear(kubelet_volume_stats_available_bytes{system="card-shipping"}[1h], 8 * 3600)) < 0
        for: 10m
        labels:
          severity: minor
          owning_team: issuing
          environment: production
        annotations:
          headline: a volume of card-shipping is filling up
          runbook_link: https://handbook.tallowbank.example/issuing/card-shipping/volume-filling-card-shipping.html

  - name: export-worker-service-health
    rules:
      - alert: TargetsMissing_ExportWorker
        expr: sum by (system) (up{system="export-worker"}) == 0 or absent(up{system="export-worker"})
        for: 2m
        labels:
          severity: emergency
          owning_team: pipelines
          environment: production
        annotations:
          headline: no target of export-worker is up
          runbook_link: https://handbook.tallowbank.example/pipelines/export-worker/targets-missing-export-worker.html

      - alert: TailLatency_ExportWorker
        expr: histogram_quantile(0.9, sum by (system, le) (rate(task_execution_seconds_bucket{system="export-worker"}[10m]))) > 2.5
        for: 8m
        labels:
          severity: emergency
          owning_team: pipelines
          environment: production
        annotations:
          headline: export-worker takes longer than 2.5 s
          runbook_link: https://handbook.tallowbank.example/pipelines/export-worker/tail-latency-export-worker.html

      - alert: CertificateExpiring_ExportWorker
        expr: min by (system) (probe_ssl_earliest_cert_expiry{system="export-worker"}) - time() < 21 * 86400
        for: 30m
        labels:
          severity: minor
          owning_team: pipelines
          environment: production
        annotations:
          headline: a certificate of export-worker is about to expire
          runbook_link: https://handbook.tallowbank.example/pipelines/export-worker/certificate-expiring-export-worker.html
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2

groups:
  - name: sli-tasks
    rules:
      - record: tasks:unavailability:ratio_10m
        expr: sum by (system) (rate(task_executions_total{state=~"failed|timed_out"}[10m])) / sum by (system) (rate(task_executions_total[10m]))

      - record: tasks:unavailability:ratio_30m
        expr: sum by (system) (rate(task_executions_total{state=~"failed|timed_out"}[30m])) / sum by (system) (rate(task_executions_total[30m]))

      - record: tasks:unavailability:ratio_2h
        expr: sum by (system) (rate(task_executions_total{state=~"failed|timed_out"}[2h])) / sum by (system) (rate(task_executions_total[2h]))

      - record: tasks:unavailability:ratio_6h
        expr: sum by (system) (rate(task_executions_total{state=~"failed|timed_out"}[6h])) / sum by (system) (rate(task_executions_total[6h]))

  - name: sli-thrift
    rules:
      - record: thrift:unavailability:ratio_10m
        expr: sum by (system) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[10m])) / sum by (system) (rate(thrift_server_calls_total[10m]))

      - record: thrift:unavailability:ratio_30m
        expr: sum by (system) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[30m])) / sum by (system) (rate(thrift_server_calls_total[30m]))

      - record: thrift:unavailability:ratio_2h
        expr: sum by (system) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[2h])) / sum by (system) (rate(thrift_server_calls_total[2h]))

      - record: thrift:unavailability:ratio_6h
        expr: sum by (system) (rate(thrift_server_calls_total{outcome=~"exception|timeout"}[6h])) / sum by (system) (rate(thrift_server_calls_total[6h]))
END_OF_FILE
