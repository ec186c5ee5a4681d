#!/usr/bin/env bash
# Half of af-014-missed-page-postmortem-easy-s2, and one plausible mistake
# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
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
# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf

global:
  resolve_timeout: 5m

route:
  receiver: platform-triage
  group_by: [service]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - response="wake"
      receiver: audit-log
      continue: true
    - matchers:
        - team="credit"
        - response="wake"
      receiver: team-credit-urgent
    - matchers:
        - team="credit"
        - response="queue"
      receiver: team-credit-routine
    - matchers:
        - team="money-movement"
        - response="wake"
      receiver: team-money-movement-urgent
    - matchers:
        - team="money-movement"
        - response="queue"
      receiver: team-money-movement-routine
    - matchers:
        - team="edge"
        - response="wake"
      receiver: team-edge-urgent
    - matchers:
        - team="edge"
        - response="queue"
      receiver: team-edge-routine
    - matchers:
        - team="foundations"
        - response="wake"
      receiver: team-foundations-urgent
    - matchers:
        - team="foundations"
        - response="queue"
      receiver: team-foundations-routine
    - matchers:
        - team="card-operations"
        - response="wake"
      receiver: team-card-operations-urgent
    - matchers:
        - team="card-operations"
        - response="queue"
      receiver: team-card-operations-routine

inhibit_rules:
  - source_matchers:
      - alertname="RateLimiter_NotScraped"
    target_matchers:
      - alertname=~"RateLimiter_ErrorBudgetBurnFast|RateLimiter_LateResponses"
    equal: [service]
  - source_matchers:
      - alertname="ScoreCard_NotScraped"
    target_matchers:
      - alertname=~"ScoreCard_ErrorBudgetBurnFast|ScoreCard_ErrorBudgetBurnSlow|ScoreCard_TailLatency"
    equal: [service]
  - source_matchers:
      - alertname="PaymentOrders_NotScraped"
    target_matchers:
      - alertname=~"PaymentOrders_ErrorBudgetBurnFast|PaymentOrders_LastRunTooOld"
    equal: [service]
  - source_matchers:
      - alertname=~".+_NotScraped"
    target_matchers:
      - alertname=~"PinVault_ErrorBudgetBurnFast|PinVault_BacklogHigh"

receivers:
  - name: platform-triage
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/platform-triage
        send_resolved: true
  - name: audit-log
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/audit-log
        send_resolved: true
  - name: team-credit-urgent
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-credit-urgent
        send_resolved: true
  - name: team-credit-routine
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-credit-routine
        send_resolved: true
  - name: team-money-movement-urgent
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-money-movement-urgent
        send_resolved: true
  - name: team-money-movement-routine
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-money-movement-routine
        send_resolved: true
  - name: team-edge-urgent
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-edge-urgent
        send_resolved: true
  - name: team-edge-routine
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-edge-routine
        send_resolved: true
  - name: team-foundations-urgent
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-foundations-urgent
        send_resolved: true
  - name: team-foundations-routine
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-foundations-routine
        send_resolved: true
  - name: team-card-operations-urgent
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-card-operations-urgent
        send_resolved: true
  - name: team-card-operations-routine
    webhook_configs:
      - url: https://notify.oxbowthrift.example/hooks/team-card-operations-routine
        send_resolved: true
END_OF_FILE

put rules/team-card-operations.yml <<'END_OF_FILE'
# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf

apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: team-card-operations
spec:
  groups:
    - name: pin-vault-health
      rules:
        - alert: PinVault_NotScraped
          expr: sum by(service)(up{service="pin-vault"}) == 0 or absent(up{service="pin-vault"})
          for: 4m
          labels:
            response: wake
            team: card-operations
            source: prometheus
          annotations:
            title: 'no target of pin-vault is up'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-not-scraped'
        - alert: PinVault_TlsExpiry
          expr: min by(service)(probe_ssl_earliest_cert_expiry{service="pin-vault"}) - time() < 21 * 86400
          for: 15m
          labels:
            response: queue
            team: card-operations
            source: prometheus
          annotations:
            title: 'a certificate of pin-vault is about to expire'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-tls-expiry'
        - alert: PinVault_CrashLooping
          expr: max by(service)(increase(kube_pod_container_status_restarts_total{service="pin-vault"}[20m])) > 2
          for: 5m
          labels:
            response: wake
            team: card-operations
            source: prometheus
          annotations:
            title: 'a container of pin-vault keeps being restarted'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-crash-looping'
        - alert: PinVault_CpuStarved
          expr: sum by(service)(rate(container_cpu_cfs_throttled_periods_total{service="pin-vault"}[5m])) > 0.3
          for: 12m
          labels:
            response: queue
            team: card-operations
            source: prometheus
          annotations:
            title: 'pin-vault is throttled too often'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-cpu-starved'
        - alert: PinVault_BacklogHigh
          expr: |
            sum by(service)(kafka_consumergroup_lag{service="pin-vault"}) > 5000
            and
            sum by(service)(kafka_consumergroup_lag{service="pin-vault"})
            >= sum by(service)(kafka_consumergroup_lag{service="pin-vault"} offset 4m)
          for: 12m
          labels:
            response: queue
            team: card-operations
            source: prometheus
          annotations:
            title: 'pin-vault does not keep up with its messages'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-backlog-high'
    - name: pin-vault-slo
      rules:
        - alert: PinVault_ErrorBudgetBurnFast
          expr: |
            service_grpc:bad_over_total:rate30m{service="pin-vault"} > 13.44 * (1 - 0.99)
            and
            service_grpc:bad_over_total:rate5m{service="pin-vault"} > 13.44 * (1 - 0.99)
          for: 2m
          labels:
            response: wake
            team: card-operations
            source: prometheus
          annotations:
            title: 'pin-vault is spending its error budget 13.44 times too fast'
            runbook_url: 'https://git.oxbowthrift.example/card-operations/runbooks/blob/main/pin-vault.md#pin-vault-error-budget-burn-fast'
END_OF_FILE
