#!/usr/bin/env bash
# Reference solution of af-029-team-reorg-migration-hard-s1
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
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

rm -f -- rules/team-infrastructure.yml

put alertmanager/alertmanager.yml <<'END_OF_FILE'
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675

global:
  resolve_timeout: 5m

route:
  receiver: noc-mailbox
  group_by: [alertname, crew, svc]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - crew="mobility"
    receiver: ticket-mobility
    routes:
    - matchers:
      - response="wake"
      receiver: page-mobility
  - matchers:
    - crew="network-control"
    receiver: ticket-network-control
    routes:
    - matchers:
      - response="wake"
      receiver: page-network-control
  - matchers:
    - crew="infrastructure"
    receiver: ticket-infrastructure
    routes:
    - matchers:
      - response="wake"
      receiver: page-infrastructure
  - matchers:
    - crew="edge"
    receiver: ticket-edge
    routes:
    - matchers:
      - response="wake"
      receiver: page-edge
  - matchers:
    - crew="meter-data"
    receiver: ticket-meter-data
    routes:
    - matchers:
      - response="wake"
      receiver: page-meter-data

inhibit_rules:
- source_matchers:
  - alertname="DownStaticAssets"
  target_matchers:
  - alertname=~"TrafficTooLowStaticAssets|OutsideProbeFailsStaticAssets"
  equal: [svc]
- source_matchers:
  - alertname="DownPlugAuth"
  target_matchers:
  - alertname="OutsideProbeFailsPlugAuth"
  equal: [svc]
- source_matchers:
  - alertname="DownLoadForecast"
  target_matchers:
  - alertname="BatchOverdueLoadForecast"
  equal: [svc]
- source_matchers:
  - alertname="DownRoamingHub"
  target_matchers:
  - alertname="TrafficTooLowRoamingHub"
  equal: [svc]
- source_matchers:
  - alertname="DownFeatureFlags"
  target_matchers:
  - alertname=~"FailureRatioFeatureFlags|TrafficTooLowFeatureFlags"
  equal: [svc]
- source_matchers:
  - alertname="DownMeterIntake"
  target_matchers:
  - alertname=~"FailureRatioMeterIntake|ErrorBudgetBurnSlowMeterIntake|OutsideProbeFailsMeterIntake"
  equal: [svc]

receivers:
- name: noc-mailbox
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/noc-mailbox
    send_resolved: true
- name: page-mobility
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/page-mobility
    send_resolved: true
- name: ticket-mobility
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/ticket-mobility
    send_resolved: true
- name: page-network-control
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/page-network-control
    send_resolved: true
- name: ticket-network-control
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/ticket-network-control
    send_resolved: true
- name: page-infrastructure
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/page-infrastructure
    send_resolved: true
- name: ticket-infrastructure
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/ticket-infrastructure
    send_resolved: true
- name: page-edge
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/page-edge
    send_resolved: true
- name: ticket-edge
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/ticket-edge
    send_resolved: true
- name: page-meter-data
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/page-meter-data
    send_resolved: true
- name: ticket-meter-data
  webhook_configs:
  - url: https://notify.voltarrow.example/hooks/ticket-meter-data
    send_resolved: true
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sli-records
spec:
  groups:
  - name: sli-ingress
    rules:
    - record: slo_error_ratio_10m
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[10m])) / sum by(svc)(rate(nginx_ingress_controller_requests[10m]))
    - record: slo_error_ratio_30m
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[30m])) / sum by(svc)(rate(nginx_ingress_controller_requests[30m]))
    - record: slo_error_ratio_2h
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[2h])) / sum by(svc)(rate(nginx_ingress_controller_requests[2h]))
    - record: slo_error_ratio_6h
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[6h])) / sum by(svc)(rate(nginx_ingress_controller_requests[6h]))
  - name: sli-grpc-server
    rules:
    - record: slo_error_ratio_10m
      expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[10m])) / sum by(svc)(rate(grpc_server_handled_total[10m]))
    - record: slo_error_ratio_30m
      expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[30m])) / sum by(svc)(rate(grpc_server_handled_total[30m]))
    - record: slo_error_ratio_2h
      expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[2h])) / sum by(svc)(rate(grpc_server_handled_total[2h]))
    - record: slo_error_ratio_6h
      expr: sum by(svc)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[6h])) / sum by(svc)(rate(grpc_server_handled_total[6h]))
END_OF_FILE

put rules/team-edge.yml <<'END_OF_FILE'
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-edge
spec:
  groups:
  - name: feature-flags-health
    rules:
    - alert: DownFeatureFlags
      expr: sum by(svc)(up{svc="feature-flags"}) == 0 or absent(up{svc="feature-flags"})
      for: 5m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'no target of feature-flags is up'
        runbook: 'https://docs.voltarrow.example/runbooks/feature-flags#down-feature-flags'
    - alert: KeepsRestartingFeatureFlags
      expr: max by(svc)(increase(kube_pod_container_status_restarts_total{svc="feature-flags"}[20m])) > 4
      for: 5m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'a container of feature-flags keeps being restarted'
        runbook: 'https://docs.voltarrow.example/runbooks/feature-flags#keeps-restarting-feature-flags'
    - alert: TrafficTooLowFeatureFlags
      expr: sum by(svc)(rate(grpc_server_handled_total{svc="feature-flags"}[5m])) < 2 or absent(grpc_server_handled_total{svc="feature-flags"})
      for: 8m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'feature-flags gets next to no requests'
        runbook: 'https://docs.voltarrow.example/runbooks/feature-flags#traffic-too-low-feature-flags'
    - alert: FailureRatioFeatureFlags
      expr: sum by(svc)(rate(grpc_server_handled_total{svc="feature-flags",grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[5m])) / sum by(svc)(rate(grpc_server_handled_total{svc="feature-flags"}[5m])) > 0.08 and sum by(svc)(rate(grpc_server_handled_total{svc="feature-flags"}[5m])) >= 2
      for: 5m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'more than 8% of feature-flags requests fail'
        runbook: 'https://docs.voltarrow.example/runbooks/feature-flags#failure-ratio-feature-flags'
  - name: static-assets-health
    rules:
    - alert: DownStaticAssets
      expr: sum by(svc)(up{svc="static-assets"}) == 0 or absent(up{svc="static-assets"})
      for: 5m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'no target of static-assets is up'
        runbook: 'https://docs.voltarrow.example/runbooks/static-assets#down-static-assets'
    - alert: TrafficTooLowStaticAssets
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{svc="static-assets"}[5m])) < 2 or absent(nginx_ingress_controller_requests{svc="static-assets"})
      for: 8m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'static-assets gets next to no requests'
        runbook: 'https://docs.voltarrow.example/runbooks/static-assets#traffic-too-low-static-assets'
    - alert: OutsideProbeFailsStaticAssets
      expr: avg by(svc)(avg_over_time(probe_success{svc="static-assets"}[10m])) < 0.6
      for: 2m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'static-assets does not answer from outside'
        runbook: 'https://docs.voltarrow.example/runbooks/static-assets#outside-probe-fails-static-assets'
    - alert: SlowRequestsStaticAssets
      expr: histogram_quantile(0.9, sum by(svc, le)(rate(nginx_ingress_controller_request_duration_seconds_bucket{svc="static-assets"}[10m]))) > 0.3
      for: 5m
      labels:
        response: wake
        crew: edge
      annotations:
        headline: 'static-assets takes longer than 0.3 s'
        runbook: 'https://docs.voltarrow.example/runbooks/static-assets#slow-requests-static-assets'
    - alert: CpuStarvedStaticAssets
      expr: sum by(svc)(rate(container_cpu_cfs_throttled_periods_total{svc="static-assets"}[5m])) / sum by(svc)(rate(container_cpu_cfs_periods_total{svc="static-assets"}[5m])) > 0.25
      for: 10m
      labels:
        response: queue
        crew: edge
      annotations:
        headline: 'static-assets is throttled too often'
        runbook: 'https://docs.voltarrow.example/runbooks/static-assets#cpu-starved-static-assets'
END_OF_FILE

put rules/team-meter-data.yml <<'END_OF_FILE'
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-meter-data
spec:
  groups:
  - name: meter-intake-health
    rules:
    - alert: DownMeterIntake
      expr: sum by(svc)(up{svc="meter-intake"}) == 0 or absent(up{svc="meter-intake"})
      for: 5m
      labels:
        response: wake
        crew: meter-data
      annotations:
        headline: 'no target of meter-intake is up'
        runbook: 'https://docs.voltarrow.example/runbooks/meter-intake#down-meter-intake'
    - alert: FailureRatioMeterIntake
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{svc="meter-intake",status=~"5[0-9][0-9]"}[5m])) / sum by(svc)(rate(nginx_ingress_controller_requests{svc="meter-intake"}[5m])) > 0.08 and sum by(svc)(rate(nginx_ingress_controller_requests{svc="meter-intake"}[5m])) >= 2
      for: 5m
      labels:
        response: wake
        crew: meter-data
      annotations:
        headline: 'more than 8% of meter-intake requests fail'
        runbook: 'https://docs.voltarrow.example/runbooks/meter-intake#failure-ratio-meter-intake'
    - alert: OutsideProbeFailsMeterIntake
      expr: avg by(svc)(avg_over_time(probe_success{svc="meter-intake"}[10m])) < 0.6
      for: 2m
      labels:
        response: wake
        crew: meter-data
      annotations:
        headline: 'meter-intake does not answer from outside'
        runbook: 'https://docs.voltarrow.example/runbooks/meter-intake#outside-probe-fails-meter-intake'
    - alert: DiskFullSoonMeterIntake
      expr: min by(svc)(predict_linear(kubelet_volume_stats_available_bytes{svc="meter-intake"}[45m], 6 * 3600)) < 0
      for: 20m
      labels:
        response: queue
        crew: meter-data
      annotations:
        headline: 'a volume of meter-intake is filling up'
        runbook: 'https://docs.voltarrow.example/runbooks/meter-intake#disk-full-soon-meter-intake'
  - name: meter-intake-slo
    rules:
    - alert: ErrorBudgetBurnSlowMeterIntake
      expr: slo_error_ratio_6h{svc="meter-intake"} > 6 * (1 - 0.995) and slo_error_ratio_30m{svc="meter-intake"} > 6 * (1 - 0.995)
      for: 20m
      labels:
        response: queue
        crew: meter-data
      annotations:
        headline: 'meter-intake is spending its error budget 6 times too fast'
        runbook: 'https://docs.voltarrow.example/runbooks/meter-intake#error-budget-burn-slow-meter-intake'
END_OF_FILE

put rules/team-mobility.yml <<'END_OF_FILE'
# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-mobility
spec:
  groups:
  - name: plug-auth-health
    rules:
    - alert: DownPlugAuth
      expr: sum by(svc)(up{svc="plug-auth"}) == 0 or absent(up{svc="plug-auth"})
      for: 5m
      labels:
        response: wake
        crew: mobility
      annotations:
        headline: 'no target of plug-auth is up'
        runbook: 'https://docs.voltarrow.example/runbooks/plug-auth#down-plug-auth'
    - alert: OutsideProbeFailsPlugAuth
      expr: avg by(svc)(avg_over_time(probe_success{svc="plug-auth"}[10m])) < 0.6
      for: 2m
      labels:
        response: wake
        crew: mobility
      annotations:
        headline: 'plug-auth does not answer from outside'
        runbook: 'https://docs.voltarrow.example/runbooks/plug-auth#outside-probe-fails-plug-auth'
    - alert: ReplicaBehindPlugAuth
      expr: max by(svc)(avg_over_time(pg_replication_lag_seconds{svc="plug-auth"}[5m])) > 60
      for: 5m
      labels:
        response: wake
        crew: mobility
      annotations:
        headline: 'a database replica of plug-auth is behind'
        runbook: 'https://docs.voltarrow.example/runbooks/plug-auth#replica-behind-plug-auth'
  - name: roaming-hub-health
    rules:
    - alert: DownRoamingHub
      expr: sum by(svc)(up{svc="roaming-hub"}) == 0 or absent(up{svc="roaming-hub"})
      for: 5m
      labels:
        response: wake
        crew: mobility
      annotations:
        headline: 'no target of roaming-hub is up'
        runbook: 'https://docs.voltarrow.example/runbooks/roaming-hub#down-roaming-hub'
    - alert: TrafficTooLowRoamingHub
      expr: sum by(svc)(rate(nginx_ingress_controller_requests{svc="roaming-hub"}[5m])) < 2 or absent(nginx_ingress_controller_requests{svc="roaming-hub"})
      for: 8m
      labels:
        response: wake
        crew: mobility
      annotations:
        headline: 'roaming-hub gets next to no requests'
        runbook: 'https://docs.voltarrow.example/runbooks/roaming-hub#traffic-too-low-roaming-hub'
    - alert: CertificateExpiringRoamingHub
      expr: min by(svc)(probe_ssl_earliest_cert_expiry{svc="roaming-hub"}) - time() < 7 * 86400
      for: 30m
      labels:
        response: queue
        crew: mobility
      annotations:
        headline: 'a certificate of roaming-hub is about to expire'
        runbook: 'https://docs.voltarrow.example/runbooks/roaming-hub#certificate-expiring-roaming-hub'
END_OF_FILE
