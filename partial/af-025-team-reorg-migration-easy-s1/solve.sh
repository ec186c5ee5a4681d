#!/usr/bin/env bash
# Half of af-025-team-reorg-migration-easy-s1, and one plausible mistake
# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
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
# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f

global:
  resolve_timeout: 5m

route:
  receiver: sre-catchall
  group_by: [system]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - level="red"
      routes:
        - matchers:
            - responsible="cluster-ops"
          receiver: cluster-ops-pager
        - matchers:
            - responsible="telematics"
          receiver: telematics-pager
        - matchers:
            - responsible="paperwork"
          receiver: paperwork-pager
        - matchers:
            - responsible="loads"
          receiver: loads-pager
    - matchers:
        - level="amber"
      routes:
        - matchers:
            - responsible="cluster-ops"
          receiver: cluster-ops-tickets
        - matchers:
            - responsible="telematics"
          receiver: telematics-tickets
        - matchers:
            - responsible="paperwork"
          receiver: paperwork-tickets
        - matchers:
            - responsible="loads"
          receiver: loads-tickets

inhibit_rules:
  - source_matchers:
      - alertname="SvcGeofenceDown"
    target_matchers:
      - alertname=~"SvcGeofenceErrorBudgetBurnFast|SvcGeofenceTailLatency"
    equal: [system]
  - source_matchers:
      - alertname="SvcDeclarationApiDown"
    target_matchers:
      - alertname=~"SvcDeclarationApiErrorBudgetBurnFast|SvcDeclarationApiBelowTrafficFloor"
    equal: [system]
  - source_matchers:
      - alertname="SvcDispatchBoardDown"
    target_matchers:
      - alertname=~"SvcDispatchBoardBelowTrafficFloor|SvcDispatchBoardEndpointFailing"
    equal: [alertname, system]

receivers:
  - name: sre-catchall
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/sre-catchall
        send_resolved: true
  - name: cluster-ops-pager
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/cluster-ops-pager
        send_resolved: true
  - name: cluster-ops-tickets
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/cluster-ops-tickets
        send_resolved: true
  - name: telematics-pager
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/telematics-pager
        send_resolved: true
  - name: telematics-tickets
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/telematics-tickets
        send_resolved: true
  - name: paperwork-pager
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/paperwork-pager
        send_resolved: true
  - name: paperwork-tickets
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/paperwork-tickets
        send_resolved: true
  - name: loads-pager
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/loads-pager
        send_resolved: true
  - name: loads-tickets
    webhook_configs:
      - url: https://notify.brennhaul.example/hooks/loads-tickets
        send_resolved: true
END_OF_FILE

put rules/dispatch-board.yml <<'END_OF_FILE'
# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: dispatch-board
spec:
  groups:
    - name: dispatch-board-health
      rules:
        - alert: SvcDispatchBoardDown
          expr: sum by (system) (up{system="dispatch-board"}) == 0 or absent(up{system="dispatch-board"})
          for: 3m
          labels:
            level: red
            responsible: loads
            managed_by: git
          annotations:
            headline: no target of dispatch-board is up
            runbook_url: https://git.brennhaul.example/loads/runbooks/blob/main/dispatch-board.md#svc-dispatch-board-down

        - alert: SvcDispatchBoardTlsExpiry
          expr: min by (system) (probe_ssl_earliest_cert_expiry{system="dispatch-board"}) - time() < 7 * 86400
          labels:
            level: amber
            responsible: loads
            managed_by: git
          annotations:
            headline: a certificate of dispatch-board is about to expire
            runbook_url: https://git.brennhaul.example/loads/runbooks/blob/main/dispatch-board.md#svc-dispatch-board-tls-expiry

        - alert: SvcDispatchBoardEndpointFailing
          expr: avg by (system) (avg_over_time(probe_success{system="dispatch-board"}[10m])) < 0.5
          for: 2m
          labels:
            level: red
            responsible: loads
            managed_by: git
          annotations:
            headline: dispatch-board does not answer from outside
            runbook_url: https://git.brennhaul.example/loads/runbooks/blob/main/dispatch-board.md#svc-dispatch-board-endpoint-failing

        - alert: SvcDispatchBoardBelowTrafficFloor
          expr: sum by (system) (rate(nginx_ingress_controller_requests{system="dispatch-board"}[5m])) < 0.2 or absent(nginx_ingress_controller_requests{system="dispatch-board"})
          for: 8m
          labels:
            level: red
            responsible: cluster-ops
            managed_by: git
          annotations:
            headline: dispatch-board gets next to no requests
            runbook_url: https://git.brennhaul.example/loads/runbooks/blob/main/dispatch-board.md#svc-dispatch-board-below-traffic-floor
END_OF_FILE
