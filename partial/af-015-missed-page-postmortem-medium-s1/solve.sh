#!/usr/bin/env bash
# Half of af-015-missed-page-postmortem-medium-s1, and one plausible mistake
# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
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
# canary c5030c3d-6897-402a-801d-f5ce30b45a5f

global:
  resolve_timeout: 5m

route:
  receiver: observability-inbox
  group_by: [alertname, owned_by]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - alert_level="critical"
    routes:
    - matchers:
      - owned_by="remote-sensing"
      receiver: rota-remote-sensing
    - matchers:
      - owned_by="marketplace"
      receiver: rota-marketplace
    - matchers:
      - owned_by="edge"
      receiver: rota-edge
    - matchers:
      - owned_by="infrastructure"
      receiver: rota-infrastructure
    - matchers:
      - owned_by="devices"
      receiver: rota-devices
  - matchers:
    - alert_level="warning"
    routes:
    - matchers:
      - owned_by="remote-sensing"
      receiver: board-remote-sensing
    - matchers:
      - owned_by="marketplace"
      receiver: board-marketplace
    - matchers:
      - owned_by="edge"
      receiver: board-edge
    - matchers:
      - owned_by="infrastructure"
      receiver: board-infrastructure
    - matchers:
      - owned_by="devices"
      receiver: board-devices

inhibit_rules:
- source_matchers:
  - alertname="static-assets-Down"
  target_matchers:
  - alertname=~"static-assets-FastBurn|static-assets-SlowBurn|static-assets-TooManySlow"
  equal: [application]
- source_matchers:
  - alertname="scene-fetcher-Down"
  target_matchers:
  - alertname=~"scene-fetcher-FastBurn|scene-fetcher-SlowBurn|scene-fetcher-TrafficTooLow"
  equal: [application]
- source_matchers:
  - alertname="feature-flags-Down"
  target_matchers:
  - alertname=~"feature-flags-FastBurn|feature-flags-BatchMissedRun"
  equal: [application]
- source_matchers:
  - alertname=~".+\\-Down"
  target_matchers:
  - alertname=~"frame-decoder-ErrorRateHigh|frame-decoder-SlowBurn|frame-decoder-TrafficTooLow"
  equal: [instance]
- source_matchers:
  - alertname="member-statements-Down"
  target_matchers:
  - alertname=~"member-statements-FastBurn|member-statements-TailLatency"
  equal: [application]

receivers:
- name: observability-inbox
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/observability-inbox
    send_resolved: true
- name: rota-remote-sensing
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/rota-remote-sensing
    send_resolved: true
- name: board-remote-sensing
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/board-remote-sensing
    send_resolved: true
- name: rota-marketplace
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/rota-marketplace
    send_resolved: true
- name: board-marketplace
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/board-marketplace
    send_resolved: true
- name: rota-edge
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/rota-edge
    send_resolved: true
- name: board-edge
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/board-edge
    send_resolved: true
- name: rota-infrastructure
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/rota-infrastructure
    send_resolved: true
- name: board-infrastructure
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/board-infrastructure
    send_resolved: true
- name: rota-devices
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/rota-devices
    send_resolved: true
- name: board-devices
  webhook_configs:
  - url: https://notify.barleymast.example/hooks/board-devices
    send_resolved: true
END_OF_FILE

put rules/frame-decoder.yaml <<'END_OF_FILE'
# canary c5030c3d-6897-402a-801d-f5ce30b45a5f

groups:
- name: frame-decoder-health
  rules:
  - alert: frame-decoder-Down
    expr: |
      sum by (application) (up{application="frame-decoder"}) == 0
      or
      absent(up{application="frame-decoder"})
    for: 2m
    labels: {alert_level: critical, owned_by: devices, source: prometheus}
    annotations:
      summary: no target of frame-decoder is up
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-down.html

  - alert: frame-decoder-TlsExpiry
    expr: |
      min by (application) (probe_ssl_earliest_cert_expiry{application="frame-decoder"})
      - time()
      < 7 * 86400
    for: 15m
    labels: {alert_level: warning, owned_by: devices, source: prometheus}
    annotations:
      summary: a certificate of frame-decoder is about to expire
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-tls-expiry.html

  - alert: frame-decoder-CpuThrottled
    expr: |
      sum by (application) (
        rate(container_cpu_cfs_throttled_periods_total{application="frame-decoder"}[10m])
      )
        /
      sum by (application) (
        rate(container_cpu_cfs_periods_total{application="frame-decoder"}[10m])
      )
      > 0.5
    labels: {alert_level: warning, owned_by: devices, source: prometheus}
    annotations:
      summary: frame-decoder is throttled too often
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-cpu-throttled.html

  - alert: frame-decoder-ErrorRateHigh
    expr: |
      sum by (application) (
        rate(worker_jobs_total{application="frame-decoder", result="error"}[10m])
      )
      / sum by (application) (rate(worker_jobs_total{application="frame-decoder"}[10m]))
      > 0.02
      and
      sum by (application) (rate(worker_jobs_total{application="frame-decoder"}[10m])) >= 1
    for: 5m
    labels: {alert_level: critical, owned_by: devices, source: prometheus}
    annotations:
      summary: more than 2% of frame-decoder jobs fail
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-error-rate-high.html

  - alert: frame-decoder-TrafficTooLow
    expr: |
      sum by (application) (rate(worker_jobs_total{application="frame-decoder"}[10m])) < 0.2
      or
      absent(worker_jobs_total{application="frame-decoder"})
    for: 10m
    labels: {alert_level: critical, owned_by: devices, source: prometheus}
    annotations:
      summary: frame-decoder gets next to no jobs
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-traffic-too-low.html

- name: frame-decoder-slo
  rules:
  - alert: frame-decoder-SlowBurn
    expr: |
      application:sli_error:ratio_rate240m{application="frame-decoder"} > 5.04 * (1 - 0.9975)
      and
      application:sli_error:ratio_rate1200s{application="frame-decoder"} > 5.04 * (1 - 0.9975)
    for: 10m
    labels: {alert_level: warning, owned_by: devices, source: prometheus}
    annotations:
      summary: frame-decoder is spending its error budget 5.04 times too fast
      runbook: https://handbook.barleymast.example/devices/frame-decoder/frame-decoder-slow-burn.html
END_OF_FILE

put rules/member-statements.yaml <<'END_OF_FILE'
# canary c5030c3d-6897-402a-801d-f5ce30b45a5f

groups:
- name: member-statements-health
  rules:
  - alert: member-statements-Down
    expr: |
      sum by (application) (up{application="member-statements"}) == 0
      or
      absent(up{application="member-statements"})
    for: 2m
    labels: {alert_level: critical, owned_by: marketplace, source: prometheus}
    annotations:
      summary: no target of member-statements is up
      runbook: https://handbook.barleymast.example/marketplace/member-statements/member-statements-down.html

  - alert: member-statements-TailLatency
    expr: |
      histogram_quantile(
        0.95,
        sum by (application, le) (
          rate(worker_job_duration_seconds_bucket{application="member-statements"}[5m])
        )
      )
      > 1
    for: 5m
    labels: {alert_level: critical, owned_by: marketplace, source: prometheus}
    annotations:
      summary: member-statements takes longer than 1 s
      runbook: https://handbook.barleymast.example/marketplace/member-statements/member-statements-tail-latency.html

  - alert: member-statements-TlsExpiry
    expr: |
      min by (application) (probe_ssl_earliest_cert_expiry{application="member-statements"})
      - time()
      < 7 * 86400
    for: 15m
    labels: {alert_level: warning, owned_by: marketplace, source: prometheus}
    annotations:
      summary: a certificate of member-statements is about to expire
      runbook: https://handbook.barleymast.example/marketplace/member-statements/member-statements-tls-expiry.html

  - alert: member-statements-KeepsRestarting
    expr: |
      max by (application) (
        increase(
          kube_pod_container_status_restarts_total{application="member-statements"}[15m]
        )
      )
      > 2
    for: 5m
    labels: {alert_level: critical, owned_by: marketplace, source: prometheus, value: "{{ $value }}"}
    annotations:
      summary: a container of member-statements keeps being restarted
      runbook: https://handbook.barleymast.example/marketplace/member-statements/member-statements-keeps-restarting.html

- name: member-statements-slo
  rules:
  - alert: member-statements-FastBurn
    expr: |
      application:sli_error:ratio_rate2h{application="member-statements"}
      > 13.44 * (1 - 0.985)
      and
      application:sli_error:ratio_rate10m{application="member-statements"}
      > 13.44 * (1 - 0.985)
    for: 3m
    labels: {alert_level: critical, owned_by: marketplace, source: prometheus}
    annotations:
      summary: member-statements is spending its error budget 13.44 times too fast
      runbook: https://handbook.barleymast.example/marketplace/member-statements/member-statements-fast-burn.html
END_OF_FILE
