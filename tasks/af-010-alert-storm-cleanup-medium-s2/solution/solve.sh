#!/usr/bin/env bash
# Reference solution of af-010-alert-storm-cleanup-medium-s2
# canary df3559a3-57ad-47e7-a725-65604cf87216
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
# canary df3559a3-57ad-47e7-a725-65604cf87216

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [responsible, service]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - alert_level="red"
    receiver: noc-mirror
    continue: true
  - matchers:
    - responsible="classroom"
    - alert_level="red"
    receiver: team-classroom-urgent
  - matchers:
    - responsible="classroom"
    - alert_level="amber"
    receiver: team-classroom-routine
  - matchers:
    - responsible="infrastructure"
    - alert_level="red"
    receiver: team-infrastructure-urgent
  - matchers:
    - responsible="infrastructure"
    - alert_level="amber"
    receiver: team-infrastructure-routine
  - matchers:
    - responsible="campus"
    - alert_level="red"
    receiver: team-campus-urgent
  - matchers:
    - responsible="campus"
    - alert_level="amber"
    receiver: team-campus-routine
  - matchers:
    - responsible="authoring"
    - alert_level="red"
    receiver: team-authoring-urgent
  - matchers:
    - responsible="authoring"
    - alert_level="amber"
    receiver: team-authoring-routine
  - matchers:
    - responsible="exams"
    - alert_level="red"
    receiver: team-exams-urgent
  - matchers:
    - responsible="exams"
    - alert_level="amber"
    receiver: team-exams-routine

inhibit_rules:
- source_matchers:
  - alertname="timetable-Unreachable"
  target_matchers:
  - alertname=~"timetable-FastBurn|timetable-SlowBurn|timetable-BacklogHigh"
  equal: [service]
- source_matchers:
  - alertname="author-studio-Unreachable"
  target_matchers:
  - alertname=~"author-studio-FastBurn|author-studio-SlowBurn|author-studio-BacklogHigh"
  equal: [service]
- source_matchers:
  - alertname="gradebook-Unreachable"
  target_matchers:
  - alertname=~"gradebook-TooManyErrors|gradebook-SlowBurn|gradebook-EndpointFailing"
  equal: [service]
- source_matchers:
  - alertname="whiteboard-Unreachable"
  target_matchers:
  - alertname=~"whiteboard-TooManySlow|whiteboard-RequestsDriedUp|whiteboard-BatchOverdue"
  equal: [service]

receivers:
- name: fallback
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/fallback
    send_resolved: true
- name: noc-mirror
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/noc-mirror
    send_resolved: true
- name: team-classroom-urgent
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-classroom-urgent
    send_resolved: true
- name: team-classroom-routine
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-classroom-routine
    send_resolved: true
- name: team-infrastructure-urgent
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-infrastructure-urgent
    send_resolved: true
- name: team-infrastructure-routine
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-infrastructure-routine
    send_resolved: true
- name: team-campus-urgent
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-campus-urgent
    send_resolved: true
- name: team-campus-routine
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-campus-routine
    send_resolved: true
- name: team-authoring-urgent
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-authoring-urgent
    send_resolved: true
- name: team-authoring-routine
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-authoring-routine
    send_resolved: true
- name: team-exams-urgent
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-exams-urgent
    send_resolved: true
- name: team-exams-routine
  webhook_configs:
  - url: https://notify.vellumquay.example/hooks/team-exams-routine
    send_resolved: true
END_OF_FILE

put rules/gradebook.yml <<'END_OF_FILE'
# canary df3559a3-57ad-47e7-a725-65604cf87216

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: gradebook
spec:
  groups:
  - name: gradebook-health
    rules:
    - alert: gradebook-CertRenewalOverdue
      expr: min by (service) (probe_ssl_earliest_cert_expiry{service="gradebook"}) - time() < 10 * 86400
      for: 10m
      labels:
        alert_level: amber
        responsible: exams
        managed_by: git
      annotations:
        headline: 'a certificate of gradebook is about to expire'
        runbook_link: 'https://rb.vellumquay.example/gradebook-CertRenewalOverdue'

    - alert: gradebook-TooManyErrors
      expr: sum by (service) (rate(http_server_responses_total{service="gradebook", outcome="SERVER_ERROR"}[10m])) / sum by (service) (rate(http_server_responses_total{service="gradebook"}[10m])) > 0.05 and sum by (service) (rate(http_server_responses_total{service="gradebook"}[10m])) >= 0.5
      for: 5m
      labels:
        alert_level: red
        responsible: exams
        managed_by: git
      annotations:
        headline: 'more than 5% of gradebook requests fail'
        runbook_link: 'https://rb.vellumquay.example/gradebook-TooManyErrors'

    - alert: gradebook-EndpointFailing
      expr: avg by (service) (avg_over_time(probe_success{service="gradebook"}[10m])) < 0.75
      for: 5m
      labels:
        alert_level: red
        responsible: exams
        managed_by: git
      annotations:
        headline: 'gradebook does not answer from outside'
        runbook_link: 'https://rb.vellumquay.example/gradebook-EndpointFailing'

    - alert: gradebook-Unreachable
      expr: sum by (service) (up{service="gradebook"}) == 0 or absent(up{service="gradebook"})
      for: 2m
      labels:
        alert_level: red
        responsible: exams
        managed_by: git
      annotations:
        headline: 'no target of gradebook is up'
        runbook_link: 'https://rb.vellumquay.example/gradebook-Unreachable'

  - name: gradebook-slo
    rules:
    - alert: gradebook-SlowBurn
      expr: service:sli_error:ratio_rate6h{service="gradebook"} > 4.8 * (1 - 0.9995) and service:sli_error:ratio_rate30m{service="gradebook"} > 4.8 * (1 - 0.9995)
      for: 10m
      labels:
        alert_level: amber
        responsible: exams
        managed_by: git
      annotations:
        headline: 'gradebook is spending its error budget 4.8 times too fast'
        runbook_link: 'https://rb.vellumquay.example/gradebook-SlowBurn'
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary df3559a3-57ad-47e7-a725-65604cf87216

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
  - name: sli-grpc
    rules:
    - record: service:sli_error:ratio_rate10m
      expr: sum by (service) (rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[10m])) / sum by (service) (rate(grpc_server_handled_total[10m]))

    - record: service:sli_error:ratio_rate30m
      expr: sum by (service) (rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[30m])) / sum by (service) (rate(grpc_server_handled_total[30m]))

    - record: service:sli_error:ratio_rate2h
      expr: sum by (service) (rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[2h])) / sum by (service) (rate(grpc_server_handled_total[2h]))

    - record: service:sli_error:ratio_rate6h
      expr: sum by (service) (rate(grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[6h])) / sum by (service) (rate(grpc_server_handled_total[6h]))

  - name: sli-http-server
    rules:
    - record: service:sli_error:ratio_rate10m
      expr: sum by (service) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[10m])) / sum by (service) (rate(http_server_responses_total[10m]))

    - record: service:sli_error:ratio_rate30m
      expr: sum by (service) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[30m])) / sum by (service) (rate(http_server_responses_total[30m]))

    - record: service:sli_error:ratio_rate2h
      expr: sum by (service) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[2h])) / sum by (service) (rate(http_server_responses_total[2h]))

    - record: service:sli_error:ratio_rate6h
      expr: sum by (service) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[6h])) / sum by (service) (rate(http_server_responses_total[6h]))
END_OF_FILE

put rules/whiteboard.yml <<'END_OF_FILE'
# canary df3559a3-57ad-47e7-a725-65604cf87216

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: whiteboard
spec:
  groups:
  - name: whiteboard-health
    rules:
    - alert: whiteboard-Unreachable
      expr: sum by (service) (up{service="whiteboard"}) == 0 or absent(up{service="whiteboard"})
      for: 2m
      labels:
        alert_level: red
        responsible: classroom
        managed_by: git
      annotations:
        headline: 'no target of whiteboard is up'
        runbook_link: 'https://rb.vellumquay.example/whiteboard-Unreachable'

    - alert: whiteboard-RequestsDriedUp
      expr: sum by (service) (rate(grpc_server_handled_total{service="whiteboard"}[10m])) < 0.2 or absent(grpc_server_handled_total{service="whiteboard"})
      for: 8m
      labels:
        alert_level: red
        responsible: classroom
        managed_by: git
      annotations:
        headline: 'whiteboard gets next to no requests'
        runbook_link: 'https://rb.vellumquay.example/whiteboard-RequestsDriedUp'

    - alert: whiteboard-TooManySlow
      expr: 1 - sum by (service) (rate(grpc_server_handling_seconds_bucket{service="whiteboard", le="0.15"}[10m])) / sum by (service) (rate(grpc_server_handling_seconds_count{service="whiteboard"}[10m])) > 0.08
      for: 10m
      labels:
        alert_level: red
        responsible: classroom
        managed_by: git
      annotations:
        headline: 'too many requests of whiteboard take longer than 0.15 s'
        runbook_link: 'https://rb.vellumquay.example/whiteboard-TooManySlow'

    - alert: whiteboard-BatchOverdue
      expr: time() - max by (service) (batch_last_success_timestamp_seconds{service="whiteboard"}) > 4 * 3600
      for: 5m
      labels:
        alert_level: amber
        responsible: classroom
        managed_by: git
      annotations:
        headline: 'the batch job of whiteboard is overdue'
        runbook_link: 'https://rb.vellumquay.example/whiteboard-BatchOverdue'

    - alert: whiteboard-QuotaThrottling
      expr: sum by (service) (rate(container_cpu_cfs_throttled_periods_total{service="whiteboard"}[5m])) / sum by (service) (rate(container_cpu_cfs_periods_total{service="whiteboard"}[5m])) > 0.4
      for: 10m
      labels:
        alert_level: amber
        responsible: classroom
        managed_by: git
      annotations:
        headline: 'whiteboard is throttled too often'
        runbook_link: 'https://rb.vellumquay.example/whiteboard-QuotaThrottling'
END_OF_FILE
