#!/usr/bin/env bash
# Reference solution of af-007-alert-storm-cleanup-easy-s1
# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
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
# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa

global:
  resolve_timeout: 5m

route:
  receiver: noc-mailbox
  group_by: [system]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - urgency="page"
    receiver: audit-log
    continue: true
  - matchers:
    - owned_by="visits"
    - urgency="page"
    receiver: visits-wakeup
  - matchers:
    - owned_by="visits"
    - urgency="ticket"
    receiver: visits-inbox
  - matchers:
    - owned_by="booking-desk"
    - urgency="page"
    receiver: booking-desk-wakeup
  - matchers:
    - owned_by="booking-desk"
    - urgency="ticket"
    receiver: booking-desk-inbox
  - matchers:
    - owned_by="infrastructure"
    - urgency="page"
    receiver: infrastructure-wakeup
  - matchers:
    - owned_by="infrastructure"
    - urgency="ticket"
    receiver: infrastructure-inbox
  - matchers:
    - owned_by="coverage"
    - urgency="page"
    receiver: coverage-wakeup
  - matchers:
    - owned_by="coverage"
    - urgency="ticket"
    receiver: coverage-inbox

inhibit_rules:
- source_matchers:
  - alertname="NoShowModel_Unreachable"
  target_matchers:
  - alertname=~"NoShowModel_AvailabilityBurnPage|NoShowModel_AvailabilityBurnTicket|NoShowModel_BatchMissedRun"
  equal: [system]
- source_matchers:
  - alertname="WaitingRoom_Unreachable"
  target_matchers:
  - alertname=~"WaitingRoom_AvailabilityBurnPage|WaitingRoom_BatchMissedRun"
  equal: [system]
- source_matchers:
  - alertname="ReminderWorker_Unreachable"
  target_matchers:
  - alertname=~"ReminderWorker_AvailabilityBurnPage|ReminderWorker_AvailabilityBurnTicket|ReminderWorker_BatchMissedRun"
  equal: [system]
- source_matchers:
  - alertname="Remittance_Unreachable"
  target_matchers:
  - alertname=~"Remittance_AvailabilityBurnPage|Remittance_SlowShareHigh|Remittance_NoTraffic|Remittance_BatchMissedRun"
  equal: [system]

receivers:
- name: noc-mailbox
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/noc-mailbox
    send_resolved: true
- name: audit-log
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/audit-log
    send_resolved: true
- name: visits-wakeup
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/visits-wakeup
    send_resolved: true
- name: visits-inbox
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/visits-inbox
    send_resolved: true
- name: booking-desk-wakeup
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/booking-desk-wakeup
    send_resolved: true
- name: booking-desk-inbox
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/booking-desk-inbox
    send_resolved: true
- name: infrastructure-wakeup
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/infrastructure-wakeup
    send_resolved: true
- name: infrastructure-inbox
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/infrastructure-inbox
    send_resolved: true
- name: coverage-wakeup
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/coverage-wakeup
    send_resolved: true
- name: coverage-inbox
  webhook_configs:
  - url: https://notify.carewhistle.example/hooks/coverage-inbox
    send_resolved: true
END_OF_FILE

put rules/remittance.yaml <<'END_OF_FILE'
# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa

groups:
- name: remittance-health
  rules:
  - alert: Remittance_Unreachable
    expr: sum by (system) (up{system="remittance"}) == 0 or absent(up{system="remittance"})
    for: 3m
    labels:
      urgency: page
      owned_by: coverage
    annotations:
      title: no target of remittance is up
      playbook: https://rb.carewhistle.example/Remittance_Unreachable

  - alert: Remittance_SlowShareHigh
    expr: >-
      1
        -
      sum by (system) (rate(task_execution_seconds_bucket{system="remittance", le="1.0"}[10m]))
      / sum by (system) (rate(task_execution_seconds_count{system="remittance"}[10m]))
      > 0.15
    for: 10m
    labels:
      urgency: page
      owned_by: coverage
    annotations:
      title: too many tasks of remittance take longer than 1 s
      playbook: https://rb.carewhistle.example/Remittance_SlowShareHigh

  - alert: Remittance_NoTraffic
    expr: >-
      sum by (system) (rate(task_executions_total{system="remittance"}[5m])) < 0.2
      or
      absent(task_executions_total{system="remittance"})
    for: 5m
    labels:
      urgency: page
      owned_by: coverage
    annotations:
      title: remittance gets next to no tasks
      playbook: https://rb.carewhistle.example/Remittance_NoTraffic

  - alert: Remittance_BatchMissedRun
    expr: time() - max by (system) (batch_last_success_timestamp_seconds{system="remittance"}) > 1.5 * 3600
    for: 10m
    labels:
      urgency: ticket
      owned_by: coverage
    annotations:
      title: the batch job of remittance is overdue
      playbook: https://rb.carewhistle.example/Remittance_BatchMissedRun

  - alert: Remittance_RestartLoop
    expr: max by (system) (increase(kube_pod_container_status_restarts_total{system="remittance"}[15m])) > 2
    for: 3m
    labels:
      urgency: page
      owned_by: coverage
    annotations:
      title: a container of remittance keeps being restarted
      playbook: https://rb.carewhistle.example/Remittance_RestartLoop

- name: remittance-slo
  rules:
  - alert: Remittance_AvailabilityBurnPage
    expr: >-
      slo_error_ratio_1h{system="remittance"} > 14.4 * (1 - 0.985)
      and
      slo_error_ratio_5m{system="remittance"} > 14.4 * (1 - 0.985)
    for: 3m
    labels:
      urgency: page
      owned_by: coverage
    annotations:
      title: remittance is spending its error budget 14.4 times too fast
      playbook: https://rb.carewhistle.example/Remittance_AvailabilityBurnPage
END_OF_FILE
