#!/usr/bin/env bash
# Half of af-019-latency-slo-easy-s1, and one plausible mistake
# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
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
# canary e12578a9-ede8-4272-9d5f-88c49c7430a3

global:
  resolve_timeout: 5m

route:
  receiver: platform-triage
  group_by: [alertname, system]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - severity="major"
    receiver: page-archive
    continue: true
  - matchers:
    - owned_by="partners"
    - severity="major"
    receiver: partners-pager
  - matchers:
    - owned_by="partners"
    - severity="moderate"
    receiver: partners-tickets
  - matchers:
    - owned_by="control"
    - severity="major"
    receiver: control-pager
  - matchers:
    - owned_by="control"
    - severity="moderate"
    receiver: control-tickets
  - matchers:
    - owned_by="infrastructure"
    - severity="major"
    receiver: infrastructure-pager
  - matchers:
    - owned_by="infrastructure"
    - severity="moderate"
    receiver: infrastructure-tickets
  - matchers:
    - owned_by="passenger-info"
    - severity="major"
    receiver: passenger-info-pager
  - matchers:
    - owned_by="passenger-info"
    - severity="moderate"
    receiver: passenger-info-tickets
  - matchers:
    - owned_by="fares"
    - severity="major"
    receiver: fares-pager
  - matchers:
    - owned_by="fares"
    - severity="moderate"
    receiver: fares-tickets

inhibit_rules:
- source_matchers:
  - alertname="ProdParkRideUnreachable"
  target_matchers:
  - alertname=~"ProdParkRideLatencySloAcute|ProdParkRideLatencySloChronic|ProdParkRideTooManySlow"
  equal: [system]
- source_matchers:
  - alertname="ProdLiveDelaysUnreachable"
  target_matchers:
  - alertname=~"ProdLiveDelaysFastBurn|ProdLiveDelaysLatencySloAcute|ProdLiveDelaysConsumerLagging"
  equal: [system]
- source_matchers:
  - alertname="ProdAlarmDeskUnreachable"
  target_matchers:
  - alertname=~"ProdAlarmDeskLatencySloAcute|ProdAlarmDeskLatencyHigh"
  equal: [system]

receivers:
- name: platform-triage
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/platform-triage
    send_resolved: true
- name: page-archive
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/page-archive
    send_resolved: true
- name: partners-pager
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/partners-pager
    send_resolved: true
- name: partners-tickets
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/partners-tickets
    send_resolved: true
- name: control-pager
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/control-pager
    send_resolved: true
- name: control-tickets
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/control-tickets
    send_resolved: true
- name: infrastructure-pager
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/infrastructure-pager
    send_resolved: true
- name: infrastructure-tickets
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/infrastructure-tickets
    send_resolved: true
- name: passenger-info-pager
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/passenger-info-pager
    send_resolved: true
- name: passenger-info-tickets
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/passenger-info-tickets
    send_resolved: true
- name: fares-pager
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/fares-pager
    send_resolved: true
- name: fares-tickets
  webhook_configs:
  - url: https://notify.tramwick.example/hooks/fares-tickets
    send_resolved: true
END_OF_FILE

put rules/tap-intake.yml <<'END_OF_FILE'
# canary e12578a9-ede8-4272-9d5f-88c49c7430a3

groups:
- name: tap-intake-health
  rules:
  - alert: ProdTapIntakeUnreachable
    expr: >-
      sum by(system)(up{system="tap-intake"}) == 0
      or
      absent(up{system="tap-intake"})
    for: 2m
    labels: {severity: major, owned_by: fares, source: prometheus}
    annotations:
      title: "no target of tap-intake is up"
      runbook_url: "https://handbook.tramwick.example/fares/tap-intake/prod-tap-intake-unreachable.html"
  - alert: ProdTapIntakeDiskFillingUp
    expr: >-
      min by(system)(
        predict_linear(
          kubelet_volume_stats_available_bytes{system="tap-intake"}[30m],
          6 * 3600
        )
      )
      < 0
    for: 20m
    labels: {severity: moderate, owned_by: fares, source: prometheus}
    annotations:
      title: "a volume of tap-intake is filling up"
      runbook_url: "https://handbook.tramwick.example/fares/tap-intake/prod-tap-intake-disk-filling-up.html"
  - alert: ProdTapIntakeTlsExpiry
    expr: >-
      min by(system)(probe_ssl_earliest_cert_expiry{system="tap-intake"})
      - time()
      < 10 * 86400
    for: 10m
    labels: {severity: moderate, owned_by: fares, source: prometheus}
    annotations:
      title: "a certificate of tap-intake is about to expire"
      runbook_url: "https://handbook.tramwick.example/fares/tap-intake/prod-tap-intake-tls-expiry.html"
  - alert: ProdTapIntakeLatencyHigh
    expr: >-
      histogram_quantile(
        0.9,
        sum by(system, le)(
          rate(
            flask_http_request_duration_seconds_bucket{system="tap-intake"}[10m]
          )
        )
      )
      > 0.25
    for: 8m
    labels: {severity: major, owned_by: fares, source: prometheus}
    annotations:
      title: "tap-intake takes longer than 0.25 s"
      runbook_url: "https://handbook.tramwick.example/fares/tap-intake/prod-tap-intake-latency-high.html"
- name: tap-intake-slo
  rules:
  - alert: ProdTapIntakeLatencySloAcute
    expr: >-
      slo_latency_miss_ratio_1h{system="tap-intake"} > 14.4 * 0.99
      and
      slo_latency_miss_ratio_5m{system="tap-intake"} > 14.4 * 0.99
    for: 4m
    labels: {severity: major, owned_by: fares, source: prometheus}
    annotations:
      title: "tap-intake is spending its latency budget 14.4 times too fast"
      runbook_url: "https://handbook.tramwick.example/fares/tap-intake/prod-tap-intake-latency-slo-acute.html"
END_OF_FILE
