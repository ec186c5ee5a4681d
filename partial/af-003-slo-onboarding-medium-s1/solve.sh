#!/usr/bin/env bash
# Half of af-003-slo-onboarding-medium-s1, and one plausible mistake
# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
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
# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f

global:
  resolve_timeout: 5m

route:
  receiver: noc-mailbox
  group_by: [svc, severity]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - severity="p1"
    routes:
    - matchers:
      - crew="authoring"
      receiver: oncall.authoring
    - matchers:
      - crew="assessment"
      receiver: oncall.assessment
    - matchers:
      - crew="cluster-ops"
      receiver: oncall.cluster-ops
    - matchers:
      - crew="insights"
      receiver: oncall.insights
    - matchers:
      - crew="enrolment"
      receiver: oncall.enrolment
  - matchers:
    - severity="p3"
    routes:
    - matchers:
      - crew="authoring"
      receiver: backlog.authoring
    - matchers:
      - crew="assessment"
      receiver: backlog.assessment
    - matchers:
      - crew="cluster-ops"
      receiver: backlog.cluster-ops
    - matchers:
      - crew="insights"
      receiver: backlog.insights
    - matchers:
      - crew="enrolment"
      receiver: backlog.enrolment

inhibit_rules:
- source_matchers:
  - alertname="Unreachable_CourseSearch"
  target_matchers:
  - alertname=~"RequestsFailing_CourseSearch|ErrorBudgetBurnFast_CourseSearch"
  equal: [svc]
- source_matchers:
  - alertname="Unreachable_ProctorStream"
  target_matchers:
  - alertname=~"ErrorBudgetBurnFast_ProctorStream|ErrorBudgetBurnSlow_ProctorStream|EndpointFailing_ProctorStream"
  equal: [svc]
- source_matchers:
  - alertname="Unreachable_EventIngest"
  target_matchers:
  - alertname=~"ErrorBudgetBurnFast_EventIngest|BelowTrafficFloor_EventIngest|EndpointFailing_EventIngest"
  equal: [svc]

receivers:
- name: noc-mailbox
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/noc-mailbox
    send_resolved: true
- name: oncall.authoring
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/oncall-authoring
    send_resolved: true
- name: backlog.authoring
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/backlog-authoring
    send_resolved: true
- name: oncall.assessment
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/oncall-assessment
    send_resolved: true
- name: backlog.assessment
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/backlog-assessment
    send_resolved: true
- name: oncall.cluster-ops
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/oncall-cluster-ops
    send_resolved: true
- name: backlog.cluster-ops
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/backlog-cluster-ops
    send_resolved: true
- name: oncall.insights
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/oncall-insights
    send_resolved: true
- name: backlog.insights
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/backlog-insights
    send_resolved: true
- name: oncall.enrolment
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/oncall-enrolment
    send_resolved: true
- name: backlog.enrolment
  webhook_configs:
  - url: https://notify.lernquay.example/hooks/backlog-enrolment
    send_resolved: true
END_OF_FILE

put rules/team-enrolment.yaml <<'END_OF_FILE'
# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f

groups:
- name: roster-sync-health
  rules:
  - alert: Unreachable_RosterSync
    expr: sum by (svc) (up{svc="roster-sync"}) == 0 or absent(up{svc="roster-sync"})
    for: 4m
    labels:
      severity: p1
      crew: enrolment
    annotations:
      headline: no target of roster-sync is up
      runbook_link: https://kb.lernquay.example/a/roster-sync/Unreachable_RosterSync

  - alert: RequestsFailing_RosterSync
    expr: sum by (svc) (rate(task_executions_total{svc="roster-sync", state=~"failed|timed_out"}[10m])) / sum by (svc) (rate(task_executions_total{svc="roster-sync"}[10m])) > 0.03 and sum by (svc) (rate(task_executions_total{svc="roster-sync"}[10m])) >= 0.5
    for: 8m
    labels:
      severity: p1
      crew: enrolment
    annotations:
      headline: more than 3% of roster-sync tasks fail
      runbook_link: https://kb.lernquay.example/a/roster-sync/RequestsFailing_RosterSync

  - alert: VolumeFilling_RosterSync
    expr: min by (svc) (predict_linear(kubelet_volume_stats_available_bytes{svc="roster-sync"}[30m], 4 * 3600)) < 0
    for: 15m
    labels:
      severity: p3
      crew: enrolment
    annotations:
      headline: a volume of roster-sync is filling up
      runbook_link: https://kb.lernquay.example/a/roster-sync/VolumeFilling_RosterSync

  - alert: TailLatency_RosterSync
    expr: histogram_quantile(0.9, sum by (svc, le) (rate(task_execution_seconds_bucket{svc="roster-sync"}[5m]))) > 2.5
    for: 5m
    labels:
      severity: p1
      crew: enrolment
    annotations:
      headline: roster-sync takes longer than 2.5 s
      runbook_link: https://kb.lernquay.example/a/roster-sync/TailLatency_RosterSync

- name: roster-sync-slo
  rules:
  - alert: ErrorBudgetBurnFast_RosterSync
    expr: sli:availability_miss:rate2h{svc="roster-sync"} > 16.8 * (1 - 0.999) and sli:availability_miss:rate10m{svc="roster-sync"} > 16.8 * (1 - 0.999)
    labels:
      severity: p1
      crew: enrolment
    annotations:
      headline: roster-sync is spending its error budget 16.8 times too fast
      runbook_link: https://kb.lernquay.example/a/roster-sync/ErrorBudgetBurnFast_RosterSync

  - alert: ErrorBudgetBurnSlow_RosterSync
    expr: sli:availability_miss:rate4h{svc="roster-sync"} > 5.04 * (1 - 0.999) and sli:availability_miss:rate20m{svc="roster-sync"} > 5.04 * (1 - 0.999)
    for: 5m
    labels:
      severity: p3
      crew: enrolment
    annotations:
      headline: roster-sync is spending its error budget 5.04 times too fast
      runbook_link: https://kb.lernquay.example/a/roster-sync/ErrorBudgetBurnSlow_RosterSync
END_OF_FILE

put rules/team-insights.yaml <<'END_OF_FILE'
# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f

groups:
- name: event-ingest-health
  rules:
  - alert: Unreachable_EventIngest
    expr: sum by (svc) (up{svc="event-ingest"}) == 0 or absent(up{svc="event-ingest"})
    for: 4m
    labels:
      severity: p1
      crew: insights
    annotations:
      headline: no target of event-ingest is up
      runbook_link: https://kb.lernquay.example/a/event-ingest/Unreachable_EventIngest

  - alert: VolumeFilling_EventIngest
    expr: min by (svc) (predict_linear(kubelet_volume_stats_available_bytes{svc="event-ingest"}[30m], 4 * 3600)) < 0
    for: 15m
    labels:
      severity: p3
      crew: insights
    annotations:
      headline: a volume of event-ingest is filling up
      runbook_link: https://kb.lernquay.example/a/event-ingest/VolumeFilling_EventIngest

  - alert: EndpointFailing_EventIngest
    expr: avg by (svc) (avg_over_time(probe_success{svc=~"$svc"}[5m])) < 0.75
    for: 5m
    labels:
      severity: p1
      crew: insights
    annotations:
      headline: event-ingest does not answer from outside
      runbook_link: https://kb.lernquay.example/a/event-ingest/EndpointFailing_EventIngest

  - alert: CertificateExpiring_EventIngest
    expr: min by (svc) (probe_ssl_earliest_cert_expiry{svc="event-ingest"}) - time() < 10 * 86400
    for: 10m
    labels:
      severity: p3
      crew: insights
    annotations:
      headline: a certificate of event-ingest is about to expire
      runbook_link: https://kb.lernquay.example/a/event-ingest/CertificateExpiring_EventIngest

- name: event-ingest-slo
  rules:
  - alert: ErrorBudgetBurnFast_EventIngest
    expr: sli:availability_miss:rate2h{svc="event-ingest"} > 16.8 * (1 - 0.999) and sli:availability_miss:rate10m{svc="event-ingest"} > 16.8 * (1 - 0.999)
    for: 5m
    labels:
      severity: p1
      crew: insights
    annotations:
      headline: event-ingest is spending its error budget 16.8 times too fast
      runbook_link: https://kb.lernquay.example/a/event-ingest/ErrorBudgetBurnFast_EventIngest
END_OF_FILE
