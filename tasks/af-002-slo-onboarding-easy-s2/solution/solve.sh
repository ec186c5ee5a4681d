#!/usr/bin/env bash
# Reference solution of af-002-slo-onboarding-easy-s2
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
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
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [alertname, service]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - priority="high"
    receiver: page-archive
    continue: true
  - matchers:
    - priority="high"
    routes:
    - matchers:
      - responsible="sysops"
      receiver: sysops/page
    - matchers:
      - responsible="schools"
      receiver: schools/page
    - matchers:
      - responsible="authoring"
      receiver: authoring/page
    - matchers:
      - responsible="exams"
      receiver: exams/page
  - matchers:
    - priority="low"
    routes:
    - matchers:
      - responsible="sysops"
      receiver: sysops/ticket
    - matchers:
      - responsible="schools"
      receiver: schools/ticket
    - matchers:
      - responsible="authoring"
      receiver: authoring/ticket
    - matchers:
      - responsible="exams"
      receiver: exams/ticket

inhibit_rules:
- source_matchers:
  - alertname="AuthorStudioAlertTargetsMissing"
  target_matchers:
  - alertname="AuthorStudioAlertConsumerLagging"
  equal: [service]
- source_matchers:
  - alertname="ParentPortalAlertTargetsMissing"
  target_matchers:
  - alertname="ParentPortalAlertConsumerLagging"
  equal: [service]
- source_matchers:
  - alertname="MediaEncoderAlertTargetsMissing"
  target_matchers:
  - alertname=~"MediaEncoderAlertFastBurn|MediaEncoderAlertJobNotCompleting"
  equal: [service]
- source_matchers:
  - alertname="GradebookAlertTargetsMissing"
  target_matchers:
  - alertname=~"GradebookAlertFailureRatio|GradebookAlertSlowBurn"
  equal: [service]

receivers:
- name: fallback
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/fallback
    send_resolved: true
- name: page-archive
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/page-archive
    send_resolved: true
- name: sysops/page
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/sysops-page
    send_resolved: true
- name: sysops/ticket
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/sysops-ticket
    send_resolved: true
- name: schools/page
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/schools-page
    send_resolved: true
- name: schools/ticket
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/schools-ticket
    send_resolved: true
- name: authoring/page
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/authoring-page
    send_resolved: true
- name: authoring/ticket
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/authoring-ticket
    send_resolved: true
- name: exams/page
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/exams-page
    send_resolved: true
- name: exams/ticket
  webhook_configs:
  - url: https://notify.chalkmeadow.example/hooks/exams-ticket
    send_resolved: true
END_OF_FILE

put rules/service-health.yml <<'END_OF_FILE'
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: service-health
spec:
  groups:
  - name: gradebook-service-health
    rules:
    - alert: GradebookAlertTargetsMissing
      expr: sum by (service) (up{service="gradebook"}) == 0 or absent(up{service="gradebook"})
      for: 4m
      labels:
        priority: high
        responsible: exams
        source: prometheus
      annotations:
        headline: no target of gradebook is up
        playbook: https://ops.chalkmeadow.example/playbooks/gradebook-alert-targets-missing?service=gradebook

    - alert: GradebookAlertStandbyLag
      expr: |
        max by (service) (avg_over_time(pg_replication_lag_seconds{service="gradebook"}[5m]))
        > 60
      for: 10m
      labels:
        priority: high
        responsible: exams
        source: prometheus
      annotations:
        headline: a database replica of gradebook is behind
        playbook: https://ops.chalkmeadow.example/playbooks/gradebook-alert-standby-lag?service=gradebook

    - alert: GradebookAlertCrashLooping
      expr: |
        max by (service) (
          increase(kube_pod_container_status_restarts_total{service="gradebook"}[15m])
        )
        > 3
      for: 3m
      labels:
        priority: high
        responsible: exams
        source: prometheus
      annotations:
        headline: a container of gradebook keeps being restarted
        playbook: https://ops.chalkmeadow.example/playbooks/gradebook-alert-crash-looping?service=gradebook

    - alert: GradebookAlertFailureRatio
      expr: |
        sum by (service) (
          rate(http_responses_total{service="gradebook", status_class="5xx"}[5m])
        )
        / sum by (service) (rate(http_responses_total{service="gradebook"}[5m]))
        > 0.03
        and
        sum by (service) (rate(http_responses_total{service="gradebook"}[5m])) >= 0.5
      for: 3m
      labels:
        priority: high
        responsible: exams
        source: prometheus
      annotations:
        headline: more than 3% of gradebook requests fail
        playbook: https://ops.chalkmeadow.example/playbooks/gradebook-alert-failure-ratio?service=gradebook

  - name: author-studio-service-health
    rules:
    - alert: AuthorStudioAlertTargetsMissing
      expr: |
        sum by (service) (up{service="author-studio"}) == 0
        or
        absent(up{service="author-studio"})
      for: 4m
      labels:
        priority: high
        responsible: authoring
        source: prometheus
      annotations:
        headline: no target of author-studio is up
        playbook: https://ops.chalkmeadow.example/playbooks/author-studio-alert-targets-missing?service=author-studio

    - alert: AuthorStudioAlertConsumerLagging
      expr: |
        sum by (service) (kafka_consumergroup_lag{service="author-studio"}) > 10000
        and
        sum by (service) (kafka_consumergroup_lag{service="author-studio"})
        >= sum by (service) (kafka_consumergroup_lag{service="author-studio"} offset 5m)
      for: 15m
      labels:
        priority: high
        responsible: authoring
        source: prometheus
      annotations:
        headline: author-studio does not keep up with its messages
        playbook: https://ops.chalkmeadow.example/playbooks/author-studio-alert-consumer-lagging?service=author-studio

    - alert: AuthorStudioAlertCpuStarved
      expr: |
        sum by (service) (
          rate(container_cpu_cfs_throttled_periods_total{service="author-studio"}[5m])
        )
        / sum by (service) (rate(container_cpu_cfs_periods_total{service="author-studio"}[5m]))
        > 0.5
      for: 12m
      labels:
        priority: low
        responsible: authoring
        source: prometheus
      annotations:
        headline: author-studio is throttled too often
        playbook: https://ops.chalkmeadow.example/playbooks/author-studio-alert-cpu-starved?service=author-studio

  - name: parent-portal-service-health
    rules:
    - alert: ParentPortalAlertTargetsMissing
      expr: |
        sum by (service) (up{service="parent-portal"}) == 0
        or
        absent(up{service="parent-portal"})
      for: 4m
      labels:
        priority: high
        responsible: schools
        source: prometheus
      annotations:
        headline: no target of parent-portal is up
        playbook: https://ops.chalkmeadow.example/playbooks/parent-portal-alert-targets-missing?service=parent-portal

    - alert: ParentPortalAlertConsumerLagging
      expr: |
        sum by (service) (kafka_consumergroup_lag{service="parent-portal"}) > 10000
        and
        sum by (service) (kafka_consumergroup_lag{service="parent-portal"})
        >= sum by (service) (kafka_consumergroup_lag{service="parent-portal"} offset 5m)
      for: 15m
      labels:
        priority: high
        responsible: schools
        source: prometheus
      annotations:
        headline: parent-portal does not keep up with its messages
        playbook: https://ops.chalkmeadow.example/playbooks/parent-portal-alert-consumer-lagging?service=parent-portal

    - alert: ParentPortalAlertCpuStarved
      expr: |
        sum by (service) (
          rate(container_cpu_cfs_throttled_periods_total{service="parent-portal"}[5m])
        )
        / sum by (service) (rate(container_cpu_cfs_periods_total{service="parent-portal"}[5m]))
        > 0.5
      for: 12m
      labels:
        priority: low
        responsible: schools
        source: prometheus
      annotations:
        headline: parent-portal is throttled too often
        playbook: https://ops.chalkmeadow.example/playbooks/parent-portal-alert-cpu-starved?service=parent-portal

  - name: media-encoder-service-health
    rules:
    - alert: MediaEncoderAlertTargetsMissing
      expr: |
        sum by (service) (up{service="media-encoder"}) == 0
        or
        absent(up{service="media-encoder"})
      for: 4m
      labels:
        priority: high
        responsible: authoring
        source: prometheus
      annotations:
        headline: no target of media-encoder is up
        playbook: https://ops.chalkmeadow.example/playbooks/media-encoder-alert-targets-missing?service=media-encoder

    - alert: MediaEncoderAlertJobNotCompleting
      expr: |
        time()
        - max by (service) (batch_last_success_timestamp_seconds{service="media-encoder"})
        > 2 * 3600
      for: 10m
      labels:
        priority: low
        responsible: authoring
        source: prometheus
      annotations:
        headline: the batch job of media-encoder is overdue
        playbook: https://ops.chalkmeadow.example/playbooks/media-encoder-alert-job-not-completing?service=media-encoder

    - alert: MediaEncoderAlertDiskFullSoon
      expr: |
        min by (service) (
          predict_linear(
            kubelet_volume_stats_available_bytes{service="media-encoder"}[30m],
            12 * 3600
          )
        )
        < 0
      for: 20m
      labels:
        priority: low
        responsible: authoring
        source: prometheus
      annotations:
        headline: a volume of media-encoder is filling up
        playbook: https://ops.chalkmeadow.example/playbooks/media-encoder-alert-disk-full-soon?service=media-encoder
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
  - name: sli-consumer
    rules:
    - record: consumer:unavailability:ratio_10m
      expr: |
        sum by (service) (rate(consumer_messages_processed_total{outcome!="ack"}[10m]))
        / sum by (service) (rate(consumer_messages_processed_total[10m]))

    - record: consumer:unavailability:ratio_30m
      expr: |
        sum by (service) (rate(consumer_messages_processed_total{outcome!="ack"}[30m]))
        / sum by (service) (rate(consumer_messages_processed_total[30m]))

    - record: consumer:unavailability:ratio_2h
      expr: |
        sum by (service) (rate(consumer_messages_processed_total{outcome!="ack"}[2h]))
        / sum by (service) (rate(consumer_messages_processed_total[2h]))

    - record: consumer:unavailability:ratio_6h
      expr: |
        sum by (service) (rate(consumer_messages_processed_total{outcome!="ack"}[6h]))
        / sum by (service) (rate(consumer_messages_processed_total[6h]))

  - name: sli-web
    rules:
    - record: web:unavailability:ratio_10m
      expr: |
        sum by (service) (rate(http_responses_total{status_class="5xx"}[10m]))
        / sum by (service) (rate(http_responses_total[10m]))

    - record: web:unavailability:ratio_30m
      expr: |
        sum by (service) (rate(http_responses_total{status_class="5xx"}[30m]))
        / sum by (service) (rate(http_responses_total[30m]))

    - record: web:unavailability:ratio_2h
      expr: |
        sum by (service) (rate(http_responses_total{status_class="5xx"}[2h]))
        / sum by (service) (rate(http_responses_total[2h]))

    - record: web:unavailability:ratio_6h
      expr: |
        sum by (service) (rate(http_responses_total{status_class="5xx"}[6h]))
        / sum by (service) (rate(http_responses_total[6h]))
END_OF_FILE

put rules/slo-alerts.yml <<'END_OF_FILE'
# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: slo-alerts
spec:
  groups:
  - name: media-encoder-slo-alerts
    rules:
    - alert: MediaEncoderAlertFastBurn
      expr: |
        consumer:unavailability:ratio_2h{service="media-encoder"} > 18 * (1 - 0.999)
        and
        consumer:unavailability:ratio_10m{service="media-encoder"} > 18 * (1 - 0.999)
      for: 4m
      labels:
        priority: high
        responsible: authoring
        source: prometheus
      annotations:
        headline: media-encoder is spending its error budget 18 times too fast
        playbook: https://ops.chalkmeadow.example/playbooks/media-encoder-alert-fast-burn?service=media-encoder

  - name: gradebook-slo-alerts
    rules:
    - alert: GradebookAlertSlowBurn
      expr: |
        web:unavailability:ratio_6h{service="gradebook"} > 6 * (1 - 0.999)
        and
        web:unavailability:ratio_30m{service="gradebook"} > 6 * (1 - 0.999)
      for: 10m
      labels:
        priority: low
        responsible: exams
        source: prometheus
      annotations:
        headline: gradebook is spending its error budget 6 times too fast
        playbook: https://ops.chalkmeadow.example/playbooks/gradebook-alert-slow-burn?service=gradebook
END_OF_FILE
