#!/usr/bin/env bash
# Half of af-005-slo-onboarding-hard-s1, and one plausible mistake
# canary ca0a1599-b9af-4582-99ef-fde373d599e6
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
# canary ca0a1599-b9af-4582-99ef-fde373d599e6

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [workload]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - crew="runtime"
    - response="wake"
    receiver: oncall.runtime
  - matchers:
    - crew="runtime"
    - response="queue"
    receiver: backlog.runtime
  - matchers:
    - crew="comms"
    - response="wake"
    receiver: oncall.comms
  - matchers:
    - crew="comms"
    - response="queue"
    receiver: backlog.comms
  - matchers:
    - crew="revenue-cycle"
    - response="wake"
    receiver: oncall.revenue-cycle
  - matchers:
    - crew="revenue-cycle"
    - response="queue"
    receiver: backlog.revenue-cycle
  - matchers:
    - crew="medication"
    - response="wake"
    receiver: oncall.medication
  - matchers:
    - crew="medication"
    - response="queue"
    receiver: backlog.medication
  - matchers:
    - crew="scheduling"
    - response="wake"
    receiver: oncall.scheduling
  - matchers:
    - crew="scheduling"
    - response="queue"
    receiver: backlog.scheduling

inhibit_rules:
- source_matchers:
  - alertname="SvcInboxApiUnreachable"
  target_matchers:
  - alertname="SvcInboxApiProbeFailing"
  equal: [workload]
- source_matchers:
  - alertname="SvcCodeAssistUnreachable"
  target_matchers:
  - alertname="SvcCodeAssistNoTraffic"
  equal: [workload]
- source_matchers:
  - alertname="SvcEligibilityUnreachable"
  target_matchers:
  - alertname="SvcEligibilityLatencyHigh"
  equal: [workload]
- source_matchers:
  - alertname="SvcDosageLookupUnreachable"
  target_matchers:
  - alertname=~"SvcDosageLookupErrorBudgetLeak|SvcDosageLookupLatencyHigh|SvcDosageLookupTooManySlow"
  equal: [workload]

receivers:
- name: fallback
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/fallback
    send_resolved: true
- name: oncall.runtime
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/oncall-runtime
    send_resolved: true
- name: backlog.runtime
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/backlog-runtime
    send_resolved: true
- name: oncall.comms
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/oncall-comms
    send_resolved: true
- name: backlog.comms
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/backlog-comms
    send_resolved: true
- name: oncall.revenue-cycle
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/oncall-revenue-cycle
    send_resolved: true
- name: backlog.revenue-cycle
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/backlog-revenue-cycle
    send_resolved: true
- name: oncall.medication
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/oncall-medication
    send_resolved: true
- name: backlog.medication
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/backlog-medication
    send_resolved: true
- name: oncall.scheduling
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/oncall-scheduling
    send_resolved: true
- name: backlog.scheduling
  webhook_configs:
  - url: https://notify.mendsparrow.example/hooks/backlog-scheduling
    send_resolved: true
END_OF_FILE

put rules/sli-records.yaml <<'END_OF_FILE'
# canary ca0a1599-b9af-4582-99ef-fde373d599e6

groups:
- name: sli-traefik
  rules:
  - record: sli:availability_miss:rate5m
    expr: |
      sum by(workload)(rate(traefik_service_requests_total{code=~"5.."}[5m]))
      / sum by(workload)(rate(traefik_service_requests_total[5m]))
  - record: sli:availability_miss:rate15m
    expr: |
      sum by(workload)(rate(traefik_service_requests_total{code=~"5.."}[15m]))
      / sum by(workload)(rate(traefik_service_requests_total[15m]))
  - record: sli:availability_miss:rate1h
    expr: |
      sum by(workload)(rate(traefik_service_requests_total{code=~"5.."}[1h]))
      / sum by(workload)(rate(traefik_service_requests_total[1h]))
  - record: sli:availability_miss:rate3h
    expr: |
      sum by(workload)(rate(traefik_service_requests_total{code=~"5.."}[3h]))
      / sum by(workload)(rate(traefik_service_requests_total[3h]))
- name: sli-tasks
  rules:
  - record: sli:availability_miss:rate5m
    expr: |
      sum by(workload)(rate(task_executions_total{state=~"failed|timed_out"}[5m]))
      / sum by(workload)(rate(task_executions_total[5m]))
  - record: sli:availability_miss:rate15m
    expr: |
      sum by(workload)(rate(task_executions_total{state=~"failed|timed_out"}[15m]))
      / sum by(workload)(rate(task_executions_total[15m]))
  - record: sli:availability_miss:rate1h
    expr: |
      sum by(workload)(rate(task_executions_total{state=~"failed|timed_out"}[1h]))
      / sum by(workload)(rate(task_executions_total[1h]))
  - record: sli:availability_miss:rate3h
    expr: |
      sum by(workload)(rate(task_executions_total{state=~"failed|timed_out"}[3h]))
      / sum by(workload)(rate(task_executions_total[3h]))
- name: sli-grpc-server
  rules:
  - record: sli:availability_miss:rate5m
    expr: |
      sum(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[5m]
        )
      )
      / sum(rate(grpc_server_handled_total[5m]))
  - record: sli:availability_miss:rate15m
    expr: |
      sum(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[15m]
        )
      )
      / sum(rate(grpc_server_handled_total[15m]))
  - record: sli:availability_miss:rate1h
    expr: |
      sum(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[1h]
        )
      )
      / sum(rate(grpc_server_handled_total[1h]))
  - record: sli:availability_miss:rate3h
    expr: |
      sum(
        rate(
          grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[3h]
        )
      )
      / sum(rate(grpc_server_handled_total[3h]))
END_OF_FILE

put rules/team-comms.yaml <<'END_OF_FILE'
# canary ca0a1599-b9af-4582-99ef-fde373d599e6

groups:
- name: inbox-api-health
  rules:
  - alert: SvcInboxApiUnreachable
    expr: |
      sum by(workload)(up{workload="inbox-api"}) == 0
      or
      absent(up{workload="inbox-api"})
    for: 2m
    labels:
      response: wake
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'no target of inbox-api is up'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-unreachable'
  - alert: SvcInboxApiCrashLooping
    expr: |
      max by(workload)(
        increase(kube_pod_container_status_restarts_total{workload="inbox-api"}[10m])
      )
      > 4
    for: 5m
    labels:
      response: wake
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'a container of inbox-api keeps being restarted'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-crash-looping'
  - alert: SvcInboxApiOutOfSpaceSoon
    expr: |
      min by(workload)(
        predict_linear(
          kubelet_volume_stats_available_bytes{workload="inbox-api"}[1h],
          12 * 3600
        )
      )
      < 0
    for: 15m
    labels:
      response: queue
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'a volume of inbox-api is filling up'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-out-of-space-soon'
  - alert: SvcInboxApiBatchMissedRun
    expr: |
      time()
      - max by(workload)(batch_last_success_timestamp_seconds{workload="inbox-api"})
      > 1.5 * 3600
    for: 5m
    labels:
      response: queue
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'the batch job of inbox-api is overdue'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-batch-missed-run'
  - alert: SvcInboxApiProbeFailing
    expr: avg by(workload)(avg_over_time(probe_success{app="inbox-api"}[5m])) < 0.75
    for: 3m
    labels:
      response: wake
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'inbox-api does not answer from outside'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-probe-failing'
- name: inbox-api-slo
  rules:
  - alert: SvcInboxApiErrorBudgetSpike
    expr: |
      sli:availability_miss:rate1h{workload="inbox-api"} > 13.44 * (1 - 0.998)
      or
      sli:availability_miss:rate5m{workload="inbox-api"} > 13.44 * (1 - 0.998)
    for: 5m
    labels:
      response: wake
      crew: comms
      env: live
      source: rules
    annotations:
      title: 'inbox-api is spending its error budget 13.44 times too fast'
      playbook: 'https://runbooks.mendsparrow.example/inbox-api/svc-inbox-api-error-budget-spike'
END_OF_FILE

put rules/team-medication.yaml <<'END_OF_FILE'
# canary ca0a1599-b9af-4582-99ef-fde373d599e6

groups:
- name: dosage-lookup-health
  rules:
  - alert: SvcDosageLookupQuotaThrottling
    expr: |
      sum by(workload)(
        rate(container_cpu_cfs_throttled_periods_total{workload="dosage-lookup"}[5m])
      )
      / sum by(workload)(
        rate(container_cpu_cfs_periods_total{workload="dosage-lookup"}[5m])
      )
      > 0.4
    for: 15m
    labels:
      response: queue
      crew: medication
      env: live
      source: rules
    annotations:
      title: 'dosage-lookup is throttled too often'
      playbook: 'https://runbooks.mendsparrow.example/dosage-lookup/svc-dosage-lookup-quota-throttling'
  - alert: SvcDosageLookupTooManySlow
    expr: |
      1
      - sum by(workload)(
        rate(
          grpc_server_handling_seconds_bucket{workload="dosage-lookup",le="0.1"}[5m]
        )
      )
      / sum by(workload)(
        rate(grpc_server_handling_seconds_count{workload="dosage-lookup"}[5m])
      )
      > 0.1
    for: 8m
    labels:
      response: wake
      crew: medication
      env: live
      source: rules
    annotations:
      title: 'too many requests of dosage-lookup take longer than 0.1 s'
      playbook: 'https://runbooks.mendsparrow.example/dosage-lookup/svc-dosage-lookup-too-many-slow'
  - alert: SvcDosageLookupLatencyHigh
    expr: |
      histogram_quantile(
        0.99,
        sum by(workload, le)(
          rate(grpc_server_handling_seconds_bucket{workload="dosage-lookup"}[5m])
        )
      )
      > 2.5
    for: 5m
    labels:
      response: wake
      crew: medication
      env: live
      source: rules
    annotations:
      title: 'dosage-lookup takes longer than 0.1 s'
      playbook: 'https://runbooks.mendsparrow.example/dosage-lookup/svc-dosage-lookup-latency-high'
  - alert: SvcDosageLookupUnreachable
    expr: |
      sum by(workload)(up{workload="dosage-lookup"}) == 0
      or
      absent(up{workload="dosage-lookup"})
    for: 2m
    labels:
      response: wake
      crew: medication
      env: live
      source: rules
    annotations:
      title: 'no target of dosage-lookup is up'
      playbook: 'https://runbooks.mendsparrow.example/dosage-lookup/svc-dosage-lookup-unreachable'
END_OF_FILE

put rules/team-scheduling.yaml <<'END_OF_FILE'
# canary ca0a1599-b9af-4582-99ef-fde373d599e6

groups:
- name: reminder-worker-health
  rules:
  - alert: SvcReminderWorkerUnreachable
    expr: |
      sum by(workload)(up{workload="reminder-worker"}) == 0
      or
      absent(up{workload="reminder-worker"})
    for: 2m
    labels:
      response: wake
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'no target of reminder-worker is up'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-unreachable'
  - alert: SvcReminderWorkerBatchMissedRun
    expr: |
      time()
      - max by(workload)(
        batch_last_success_timestamp_seconds{workload="reminder-worker"}
      )
      > 1.5 * 3600
    for: 5m
    labels:
      response: queue
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'the batch job of reminder-worker is overdue'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-batch-missed-run'
  - alert: SvcReminderWorkerOutOfSpaceSoon
    expr: |
      min by(workload)(
        predict_linear(
          kubelet_volume_stats_available_bytes{workload="reminder-worker"}[1h],
          12 * 3600
        )
      )
      < 0
    for: 15m
    labels:
      response: queue
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'a volume of reminder-worker is filling up'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-out-of-space-soon'
  - alert: SvcReminderWorkerQuotaThrottling
    expr: |
      sum by(workload)(
        rate(
          container_cpu_cfs_throttled_periods_total{workload="reminder-worker"}[5m]
        )
      )
      / sum by(workload)(
        rate(container_cpu_cfs_periods_total{workload="reminder-worker"}[5m])
      )
      > 0.4
    for: 15m
    labels:
      response: queue
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'reminder-worker is throttled too often'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-quota-throttling'
- name: reminder-worker-slo
  rules:
  - alert: SvcReminderWorkerErrorBudgetSpike
    expr: |
      sli:availability_miss:rate1h{workload="reminder-worker"} > 13.44 * (1 - 0.99)
      and
      sli:availability_miss:rate5m{workload="reminder-worker"} > 13.44 * (1 - 0.99)
    labels:
      response: wake
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'reminder-worker is spending its error budget 13.44 times too fast'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-error-budget-spike'
  - alert: SvcReminderWorkerErrorBudgetLeak
    expr: |
      sli:availability_miss:rate3h{workload="reminder-worker"} > 6.72 * (1 - 0.99)
      and
      sli:availability_miss:rate15m{workload="reminder-worker"} > 6.72 * (1 - 0.99)
    for: 10m
    labels:
      response: queue
      crew: scheduling
      env: live
      source: rules
    annotations:
      title: 'reminder-worker is spending its error budget 6.72 times too fast'
      playbook: 'https://runbooks.mendsparrow.example/reminder-worker/svc-reminder-worker-error-budget-leak'
END_OF_FILE
