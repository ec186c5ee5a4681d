#!/usr/bin/env bash
# Reference solution of af-026-team-reorg-migration-easy-s2
# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
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
# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a

global:
  resolve_timeout: 5m

route:
  receiver: noc-mailbox
  group_by: [alertname, app, severity]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - owned_by="integrity"
    receiver: integrity-inbox
    routes:
    - matchers:
      - severity="page"
      receiver: integrity-wakeup
  - matchers:
    - owned_by="foundations"
    receiver: foundations-inbox
    routes:
    - matchers:
      - severity="page"
      receiver: foundations-wakeup
  - matchers:
    - owned_by="game-events"
    receiver: game-events-inbox
    routes:
    - matchers:
      - severity="page"
      receiver: game-events-wakeup
  - matchers:
    - owned_by="presence-team"
    receiver: presence-team-inbox
    routes:
    - matchers:
      - severity="page"
      receiver: presence-team-wakeup

inhibit_rules:
- source_matchers:
  - alertname="ReportSorterUnreachable"
  target_matchers:
  - alertname=~"ReportSorterFastBurn|ReportSorterJobNotCompleting"
  equal: [app]
- source_matchers:
  - alertname="QuestBoardUnreachable"
  target_matchers:
  - alertname=~"QuestBoardFastBurn|QuestBoardSlowRequests"
  equal: [app]
- source_matchers:
  - alertname="FriendGraphUnreachable"
  target_matchers:
  - alertname="FriendGraphRequestsDriedUp"
  equal: [app]

receivers:
- name: noc-mailbox
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/noc-mailbox
    send_resolved: true
- name: integrity-wakeup
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/integrity-wakeup
    send_resolved: true
- name: integrity-inbox
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/integrity-inbox
    send_resolved: true
- name: foundations-wakeup
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/foundations-wakeup
    send_resolved: true
- name: foundations-inbox
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/foundations-inbox
    send_resolved: true
- name: game-events-wakeup
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/game-events-wakeup
    send_resolved: true
- name: game-events-inbox
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/game-events-inbox
    send_resolved: true
- name: presence-team-wakeup
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/presence-team-wakeup
    send_resolved: true
- name: presence-team-inbox
  webhook_configs:
  - url: https://notify.pawnandpetrel.example/hooks/presence-team-inbox
    send_resolved: true
END_OF_FILE

put rules/service-health.yaml <<'END_OF_FILE'
# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a

groups:
- name: friend-graph-service-health
  rules:
  - alert: FriendGraphUnreachable
    expr: sum by (app) (up{app="friend-graph"}) == 0 or absent(up{app="friend-graph"})
    for: 4m
    labels:
      severity: page
      owned_by: presence-team
      region: eu-north
    annotations:
      summary: no target of friend-graph is up
      runbook_link: https://git.pawnandpetrel.example/presence-team/runbooks/blob/main/friend-graph.md#friend-graph-unreachable

  - alert: FriendGraphCrashLooping
    expr: |
      max by (app) (
        increase(kube_pod_container_status_restarts_total{app="friend-graph"}[10m])
      )
      > 4
    for: 2m
    labels:
      severity: page
      owned_by: presence-team
      region: eu-north
    annotations:
      summary: a container of friend-graph keeps being restarted
      runbook_link: https://git.pawnandpetrel.example/presence-team/runbooks/blob/main/friend-graph.md#friend-graph-crash-looping

  - alert: FriendGraphQuotaThrottling
    expr: |
      sum by (app) (
        rate(container_cpu_cfs_throttled_periods_total{app="friend-graph"}[5m])
      )
      / sum by (app) (rate(container_cpu_cfs_periods_total{app="friend-graph"}[5m]))
      > 0.4
    for: 10m
    labels:
      severity: ticket
      owned_by: presence-team
      region: eu-north
    annotations:
      summary: friend-graph is throttled too often
      runbook_link: https://git.pawnandpetrel.example/presence-team/runbooks/blob/main/friend-graph.md#friend-graph-quota-throttling

  - alert: FriendGraphRequestsDriedUp
    expr: |
      sum by (app) (rate(grpc_server_handled_total{app="friend-graph"}[10m])) < 1
      or
      absent(grpc_server_handled_total{app="friend-graph"})
    for: 5m
    labels:
      severity: page
      owned_by: presence-team
      region: eu-north
    annotations:
      summary: friend-graph gets next to no requests
      runbook_link: https://git.pawnandpetrel.example/presence-team/runbooks/blob/main/friend-graph.md#friend-graph-requests-dried-up

- name: report-sorter-service-health
  rules:
  - alert: ReportSorterUnreachable
    expr: sum by (app) (up{app="report-sorter"}) == 0 or absent(up{app="report-sorter"})
    for: 4m
    labels:
      severity: page
      owned_by: integrity
      region: eu-north
    annotations:
      summary: no target of report-sorter is up
      runbook_link: https://git.pawnandpetrel.example/integrity/runbooks/blob/main/report-sorter.md#report-sorter-unreachable

  - alert: ReportSorterJobNotCompleting
    expr: |
      time()
      - max by (app) (batch_last_success_timestamp_seconds{app="report-sorter"})
      > 2 * 3600
    for: 5m
    labels:
      severity: ticket
      owned_by: integrity
      region: eu-north
    annotations:
      summary: the batch job of report-sorter is overdue
      runbook_link: https://git.pawnandpetrel.example/integrity/runbooks/blob/main/report-sorter.md#report-sorter-job-not-completing

  - alert: ReportSorterQuotaThrottling
    expr: |
      sum by (app) (
        rate(container_cpu_cfs_throttled_periods_total{app="report-sorter"}[5m])
      )
      / sum by (app) (rate(container_cpu_cfs_periods_total{app="report-sorter"}[5m]))
      > 0.4
    for: 10m
    labels:
      severity: ticket
      owned_by: integrity
      region: eu-north
    annotations:
      summary: report-sorter is throttled too often
      runbook_link: https://git.pawnandpetrel.example/integrity/runbooks/blob/main/report-sorter.md#report-sorter-quota-throttling

- name: quest-board-service-health
  rules:
  - alert: QuestBoardUnreachable
    expr: sum by (app) (up{app="quest-board"}) == 0 or absent(up{app="quest-board"})
    for: 4m
    labels:
      severity: page
      owned_by: game-events
      region: eu-north
    annotations:
      summary: no target of quest-board is up
      runbook_link: https://git.pawnandpetrel.example/game-events/runbooks/blob/main/quest-board.md#quest-board-unreachable

  - alert: QuestBoardSlowRequests
    expr: |
      histogram_quantile(
        0.99,
        sum by (app, le) (
          rate(grpc_server_handling_seconds_bucket{app="quest-board"}[5m])
        )
      )
      > 0.25
    for: 5m
    labels:
      severity: page
      owned_by: game-events
      region: eu-north
    annotations:
      summary: quest-board takes longer than 0.25 s
      runbook_link: https://git.pawnandpetrel.example/game-events/runbooks/blob/main/quest-board.md#quest-board-slow-requests

  - alert: QuestBoardTlsExpiry
    expr: |
      min by (app) (probe_ssl_earliest_cert_expiry{app="quest-board"}) - time()
      < 21 * 86400
    for: 30m
    labels:
      severity: ticket
      owned_by: game-events
      region: eu-north
    annotations:
      summary: a certificate of quest-board is about to expire
      runbook_link: https://git.pawnandpetrel.example/game-events/runbooks/blob/main/quest-board.md#quest-board-tls-expiry
END_OF_FILE
