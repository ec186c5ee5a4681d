#!/usr/bin/env bash
# Half of af-012-alert-storm-cleanup-hard-s2, and one plausible mistake
# canary a1827745-7019-470e-8400-f9dc83c3f37c
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
# canary a1827745-7019-470e-8400-f9dc83c3f37c

global:
  resolve_timeout: 5m

route:
  receiver: lost-and-found
  group_by: [system, alert_level]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - alert_level="critical"
      routes:
        - matchers:
            - team="operations"
          receiver: page-operations
        - matchers:
            - team="settlement"
          receiver: page-settlement
        - matchers:
            - team="quotes"
          receiver: page-quotes
        - matchers:
            - team="telematics"
          receiver: page-telematics
        - matchers:
            - team="cluster-ops"
          receiver: page-cluster-ops
        - matchers:
            - team="paperwork"
          receiver: ticket-paperwork
    - matchers:
        - alert_level="warning"
      routes:
        - matchers:
            - team="operations"
          receiver: ticket-operations
        - matchers:
            - team="settlement"
          receiver: ticket-settlement
        - matchers:
            - team="quotes"
          receiver: ticket-quotes
        - matchers:
            - team="telematics"
          receiver: ticket-telematics
        - matchers:
            - team="cluster-ops"
          receiver: ticket-cluster-ops
        - matchers:
            - team="paperwork"
          receiver: page-paperwork

inhibit_rules:
  - source_matchers:
      - alertname="Down_LoadMatcher"
    target_matchers:
      - alertname="RequestsTooSlow_LoadMatcher"
    equal: [system]
  - source_matchers:
      - alertname="Down_LaneSearch"
    target_matchers:
      - alertname="FailureRatio_LaneSearch"
    equal: [system]
  - source_matchers:
      - alertname="Down_WaybillPrinter"
    target_matchers:
      - alertname=~"BacklogHigh_WaybillPrinter|JobNotCompleting_WaybillPrinter"
    equal: [system]
  - source_matchers:
      - alertname="Down_TrackingPage"
    target_matchers:
      - alertname=~"AvailabilityBurnPage_TrackingPage|AvailabilityBurnTicket_TrackingPage|ResponseTimeHigh_TrackingPage|TrafficTooLow_TrackingPage|JobNotCompleting_TrackingPage"
    equal: [alertname, system]
  - source_matchers:
      - alertname="Down_ClaimsDesk"
    target_matchers:
      - alertname=~"ResponseTimeHigh_ClaimsDesk|JobNotCompleting_ClaimsDesk"
    equal: [system]

receivers:
  - name: lost-and-found
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/lost-and-found
        send_resolved: true
  - name: page-operations
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-operations
        send_resolved: true
  - name: ticket-operations
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-operations
        send_resolved: true
  - name: page-settlement
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-settlement
        send_resolved: true
  - name: ticket-settlement
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-settlement
        send_resolved: true
  - name: page-quotes
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-quotes
        send_resolved: true
  - name: ticket-quotes
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-quotes
        send_resolved: true
  - name: page-telematics
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-telematics
        send_resolved: true
  - name: ticket-telematics
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-telematics
        send_resolved: true
  - name: page-cluster-ops
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-cluster-ops
        send_resolved: true
  - name: ticket-cluster-ops
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-cluster-ops
        send_resolved: true
  - name: page-paperwork
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/page-paperwork
        send_resolved: true
  - name: ticket-paperwork
    webhook_configs:
      - url: https://notify.cargowick.example/hooks/ticket-paperwork
        send_resolved: true
END_OF_FILE

put rules/claims-desk.yml <<'END_OF_FILE'
# canary a1827745-7019-470e-8400-f9dc83c3f37c

groups:
  - name: claims-desk-health
    rules:
      - alert: Down_ClaimsDesk
        expr: sum by(system)(up{system="claims-desk"}) == 0 or absent(up{system="claims-desk"})
        for: 4m
        labels:
          alert_level: critical
          team: settlement
          site: hq
        annotations:
          headline: "no target of claims-desk is up"
          runbook: "https://docs.cargowick.example/runbooks/claims-desk#down-claims-desk"
      - alert: JobNotCompleting_ClaimsDesk
        expr: time() - max by(system)(batch_last_success_timestamp_seconds{system="claims-desk"}) > 2 * 3600
        for: 5m
        labels:
          alert_level: warning
          team: settlement
          site: hq
        annotations:
          headline: "the batch job of claims-desk is overdue"
          runbook: "https://docs.cargowick.example/runbooks/claims-desk#job-not-completing-claims-desk"
      - alert: CertRenewalOverdue_ClaimsDesk
        expr: min by(system)(probe_ssl_earliest_cert_expiry{system="claims-desk"}) - time() < 10 * 86400
        for: 15m
        labels:
          alert_level: warning
          team: settlement
          site: hq
        annotations:
          headline: "a certificate of claims-desk is about to expire"
          runbook: "https://docs.cargowick.example/runbooks/claims-desk#cert-renewal-overdue-claims-desk"
      - alert: OutOfSpaceSoon_ClaimsDesk
        expr: min by(system)(predict_linear(kubelet_volume_stats_available_bytes{system="claims-desk"}[1h], 8 * 3600)) < 0
        for: 20m
        labels:
          alert_level: warning
          team: settlement
          site: hq
        annotations:
          headline: "a volume of claims-desk is filling up"
          runbook: "https://docs.cargowick.example/runbooks/claims-desk#out-of-space-soon-claims-desk"
      - alert: ResponseTimeHigh_ClaimsDesk
        expr: histogram_quantile(0.9, sum by(system, le)(rate(nginx_ingress_controller_request_duration_seconds_bucket{system="claims-desk"}[10m]))) > 0.6
        for: 8m
        labels:
          alert_level: critical
          team: settlement
          site: hq
        annotations:
          headline: "claims-desk takes longer than 0.6 s"
          runbook: "https://docs.cargowick.example/runbooks/claims-desk#response-time-high-claims-desk"
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary a1827745-7019-470e-8400-f9dc83c3f37c

groups:
  - name: sli-grpc-server
    rules:
      - record: system_grpc_server:bad_over_total:rate10m
        expr: sum by(system)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[10m])) / sum by(system)(rate(grpc_server_handled_total[10m]))
      - record: system_grpc_server:bad_over_total:rate25m
        expr: sum by(system)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[25m])) / sum by(system)(rate(grpc_server_handled_total[25m]))
      - record: system_grpc_server:bad_over_total:rate2h
        expr: sum by(system)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[2h])) / sum by(system)(rate(grpc_server_handled_total[2h]))
      - record: system_grpc_server:bad_over_total:rate5h
        expr: sum by(system)(rate(grpc_server_handled_total{grpc_code!~"OK|NotFound|AlreadyExists|InvalidArgument|Canceled"}[5h])) / sum by(system)(rate(grpc_server_handled_total[5h]))
  - name: sli-worker
    rules:
      - record: system_worker:bad_over_total:rate10m
        expr: sum by(system)(rate(worker_jobs_total{result!="error"}[10m])) / sum by(system)(rate(worker_jobs_total[10m]))
      - record: system_worker:bad_over_total:rate25m
        expr: sum by(system)(rate(worker_jobs_total{result!="error"}[25m])) / sum by(system)(rate(worker_jobs_total[25m]))
      - record: system_worker:bad_over_total:rate2h
        expr: sum by(system)(rate(worker_jobs_total{result!="error"}[2h])) / sum by(system)(rate(worker_jobs_total[2h]))
      - record: system_worker:bad_over_total:rate5h
        expr: sum by(system)(rate(worker_jobs_total{result!="error"}[5h])) / sum by(system)(rate(worker_jobs_total[5h]))
  - name: sli-ingress
    rules:
      - record: system_ingress:bad_over_total:rate10m
        expr: sum by(system)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[10m])) / sum by(system)(rate(nginx_ingress_controller_requests[10m]))
      - record: system_ingress:bad_over_total:rate25m
        expr: sum by(system)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[25m])) / sum by(system)(rate(nginx_ingress_controller_requests[25m]))
      - record: system_ingress:bad_over_total:rate2h
        expr: sum by(system)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[2h])) / sum by(system)(rate(nginx_ingress_controller_requests[2h]))
      - record: system_ingress:bad_over_total:rate5h
        expr: sum by(system)(rate(nginx_ingress_controller_requests{status=~"5[0-9][0-9]"}[5h])) / sum by(system)(rate(nginx_ingress_controller_requests[5h]))
END_OF_FILE

put rules/tracking-page.yml <<'END_OF_FILE'
# canary a1827745-7019-470e-8400-f9dc83c3f37c

groups:
  - name: tracking-page-health
    rules:
      - alert: Down_TrackingPage
        expr: sum by(system)(up{system="tracking-page"}) == 0 or absent(up{system="tracking-page"})
        for: 4m
        labels:
          alert_level: critical
          team: telematics
          site: hq
        annotations:
          headline: "no target of tracking-page is up"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#down-tracking-page"
      - alert: ResponseTimeHigh_TrackingPage
        expr: histogram_quantile(0.9, sum by(system, le)(rate(nginx_ingress_controller_request_duration_seconds_bucket{system="tracking-page"}[10m]))) > 0.6
        for: 8m
        labels:
          alert_level: critical
          team: telematics
          site: hq
        annotations:
          headline: "tracking-page takes longer than 0.6 s"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#response-time-high-tracking-page"
      - alert: TrafficTooLow_TrackingPage
        expr: sum by(system)(rate(nginx_ingress_controller_requests{system="tracking-page"}[5m])) < 2 or absent(nginx_ingress_controller_requests{system="tracking-page"})
        for: 10m
        labels:
          alert_level: critical
          team: telematics
          site: hq
        annotations:
          headline: "tracking-page gets next to no requests"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#traffic-too-low-tracking-page"
      - alert: JobNotCompleting_TrackingPage
        expr: absent(batch_last_success_timestamp_seconds{system="tracking-page"})
        for: 5m
        labels:
          alert_level: warning
          team: telematics
          site: hq
        annotations:
          headline: "the batch job of tracking-page is overdue"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#job-not-completing-tracking-page"
      - alert: OutOfSpaceSoon_TrackingPage
        expr: min by(system)(predict_linear(kubelet_volume_stats_available_bytes{system="tracking-page"}[1h], 8 * 3600)) < 0
        labels:
          alert_level: warning
          team: telematics
          site: hq
        annotations:
          headline: "a volume of tracking-page is filling up"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#out-of-space-soon-tracking-page"
  - name: tracking-page-slo
    rules:
      - alert: AvailabilityBurnTicket_TrackingPage
        expr: system_ingress:bad_over_total:rate25m{system="tracking-page"} > 7.2 * (1 - 0.99)
        for: 10m
        labels:
          alert_level: warning
          team: telematics
          site: hq
        annotations:
          headline: "tracking-page is spending its error budget 7.2 times too fast"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#availability-burn-ticket-tracking-page"
      - alert: AvailabilityBurnPage_TrackingPage
        expr: system_ingress:bad_over_total:rate2h{system="tracking-page"} > 18 * (1 - 0.99) and system_ingress:bad_over_total:rate10m{system="tracking-page"} > 18 * (1 - 0.99)
        for: 5m
        labels:
          alert_level: critical
          team: telematics
          site: hq
        annotations:
          headline: "tracking-page is spending its error budget 18 times too fast"
          runbook: "https://docs.cargowick.example/runbooks/tracking-page#availability-burn-page-tracking-page"
END_OF_FILE

put rules/waybill-printer.yml <<'END_OF_FILE'
# canary a1827745-7019-470e-8400-f9dc83c3f37c

groups:
  - name: waybill-printer-health
    rules:
      - alert: JobNotCompleting_WaybillPrinter
        expr: time() - max by(system)(batch_last_success_timestamp_seconds{system="waybill-printer"}) > 2 * 3600
        for: 5m
        labels:
          alert_level: warning
          team: paperwork
          site: hq
        annotations:
          headline: "the batch job of waybill-printer is overdue"
          runbook: "https://docs.cargowick.example/runbooks/waybill-printer#job-not-completing-waybill-printer"
      - alert: Down_WaybillPrinter
        expr: min by(system)(up{system="waybill-printer"}) == 0 or absent(up{system="waybill-printer"})
        for: 4m
        labels:
          alert_level: critical
          team: paperwork
          site: hq
        annotations:
          headline: "no target of waybill-printer is up"
          runbook: "https://docs.cargowick.example/runbooks/waybill-printer#down-waybill-printer"
      - alert: BacklogHigh_WaybillPrinter
        expr: sum by(system)(kafka_consumergroup_lag{system="waybill-printer"}) > 10000 and sum by(system)(kafka_consumergroup_lag{system="waybill-printer"}) >= sum by(system)(kafka_consumergroup_lag{system="waybill-printer"} offset 5m)
        for: 15m
        labels:
          alert_level: critical
          team: paperwork
          site: hq
        annotations:
          headline: "waybill-printer does not keep up with its messages"
          runbook: "https://docs.cargowick.example/runbooks/waybill-printer#backlog-high-waybill-printer"
      - alert: OutOfSpaceSoon_WaybillPrinter
        expr: min by(system)(predict_linear(kubelet_volume_stats_available_bytes{system="waybill-printer"}[1h], 8 * 3600)) < 0
        for: 20m
        labels:
          alert_level: warning
          team: paperwork
          site: hq
        annotations:
          headline: "a volume of waybill-printer is filling up"
          runbook: "https://docs.cargowick.example/runbooks/waybill-printer#out-of-space-soon-waybill-printer"
END_OF_FILE
