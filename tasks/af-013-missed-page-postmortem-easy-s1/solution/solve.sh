#!/usr/bin/env bash
# Reference solution of af-013-missed-page-postmortem-easy-s1
# canary f0c43615-43ad-45d5-8990-221068562357
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
# canary f0c43615-43ad-45d5-8990-221068562357

global:
  resolve_timeout: 5m

route:
  receiver: unrouted
  group_by: [alertname, component]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - responsible="line-control"
    receiver: line-control-inbox
    routes:
    - matchers:
      - level="red"
      receiver: line-control-wakeup
  - matchers:
    - responsible="open-data"
    receiver: open-data-inbox
    routes:
    - matchers:
      - level="red"
      receiver: open-data-wakeup
  - matchers:
    - responsible="runtime"
    receiver: runtime-inbox
    routes:
    - matchers:
      - level="red"
      receiver: runtime-wakeup
  - matchers:
    - responsible="identity"
    receiver: identity-inbox
    routes:
    - matchers:
      - level="red"
      receiver: identity-wakeup
  - matchers:
    - responsible="journeys"
    receiver: journeys-inbox
    routes:
    - matchers:
      - level="red"
      receiver: journeys-wakeup

inhibit_rules:
- source_matchers:
  - alertname="NotScraped_HeadwayWatch"
  target_matchers:
  - alertname=~"BudgetBurnHigh_HeadwayWatch|BudgetBurnElevated_HeadwayWatch|SlowShareHigh_HeadwayWatch"
  equal: [component]
- source_matchers:
  - alertname="NotScraped_ProfileApi"
  target_matchers:
  - alertname=~"BudgetBurnHigh_ProfileApi|BudgetBurnElevated_ProfileApi|ResponseTimeHigh_ProfileApi"
  equal: [component]
- source_matchers:
  - alertname="NotScraped_ParkRide"
  target_matchers:
  - alertname=~"BudgetBurnHigh_ParkRide|TrafficTooLow_ParkRide"
  equal: [component]
- source_matchers:
  - alertname="NotScraped_LiveDelays"
  target_matchers:
  - alertname=~"RequestsFailing_LiveDelays|BudgetBurnHigh_LiveDelays|ConsumerLagging_LiveDelays"
  equal: [component]

receivers:
- name: unrouted
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/unrouted
    send_resolved: true
- name: line-control-wakeup
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/line-control-wakeup
    send_resolved: true
- name: line-control-inbox
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/line-control-inbox
    send_resolved: true
- name: open-data-wakeup
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/open-data-wakeup
    send_resolved: true
- name: open-data-inbox
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/open-data-inbox
    send_resolved: true
- name: runtime-wakeup
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/runtime-wakeup
    send_resolved: true
- name: runtime-inbox
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/runtime-inbox
    send_resolved: true
- name: identity-wakeup
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/identity-wakeup
    send_resolved: true
- name: identity-inbox
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/identity-inbox
    send_resolved: true
- name: journeys-wakeup
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/journeys-wakeup
    send_resolved: true
- name: journeys-inbox
  webhook_configs:
  - url: https://notify.metroheron.example/hooks/journeys-inbox
    send_resolved: true
END_OF_FILE

put rules/live-delays.yaml <<'END_OF_FILE'
# canary f0c43615-43ad-45d5-8990-221068562357

groups:
- name: live-delays-health
  rules:
  - alert: NotScraped_LiveDelays
    expr: >-
      sum by(component)(up{component="live-delays"}) == 0
      or
      absent(up{component="live-delays"})
    for: 3m
    labels:
      level: red
      responsible: journeys
      site: hq
    annotations:
      headline: "no target of live-delays is up"
      playbook: "https://ops.metroheron.example/playbooks/not-scraped-live-delays?service=live-delays"
  - alert: TlsExpiry_LiveDelays
    expr: >-
      min by(component)(probe_ssl_earliest_cert_expiry{component="live-delays"})
      - time()
      < 21 * 86400
    for: 30m
    labels:
      level: amber
      responsible: journeys
      site: hq
    annotations:
      headline: "a certificate of live-delays is about to expire"
      playbook: "https://ops.metroheron.example/playbooks/tls-expiry-live-delays?service=live-delays"
  - alert: ConsumerLagging_LiveDelays
    expr: >-
      sum by(component)(kafka_consumergroup_lag{component="live-delays"}) > 10000
      and
      sum by(component)(kafka_consumergroup_lag{component="live-delays"})
      >= sum by(component)(kafka_consumergroup_lag{component="live-delays"} offset 6m)
    for: 15m
    labels:
      level: red
      responsible: journeys
      site: hq
    annotations:
      headline: "live-delays does not keep up with its messages"
      playbook: "https://ops.metroheron.example/playbooks/consumer-lagging-live-delays?service=live-delays"
  - alert: ContainerRestarts_LiveDelays
    expr: >-
      max by(component)(
        increase(
          kube_pod_container_status_restarts_total{component="live-delays"}[20m]
        )
      )
      > 2
    for: 3m
    labels:
      level: red
      responsible: journeys
      site: hq
    annotations:
      headline: "a container of live-delays keeps being restarted"
      playbook: "https://ops.metroheron.example/playbooks/container-restarts-live-delays?service=live-delays"
  - alert: RequestsFailing_LiveDelays
    expr: >-
      sum by(component)(
        rate(rpc_server_requests_total{component="live-delays",status="error"}[10m])
      )
      / sum by(component)(rate(rpc_server_requests_total{component="live-delays"}[10m]))
      > 0.05
      and
      sum by(component)(rate(rpc_server_requests_total{component="live-delays"}[10m]))
      >= 2
    for: 5m
    labels:
      level: red
      responsible: journeys
      site: hq
    annotations:
      headline: "more than 5% of live-delays requests fail"
      playbook: "https://ops.metroheron.example/playbooks/requests-failing-live-delays?service=live-delays"
- name: live-delays-slo
  rules:
  - alert: BudgetBurnHigh_LiveDelays
    expr: >-
      component:failures_per_request:rate2h{component="live-delays"}
      > 18 * (1 - 0.9995)
      and
      component:failures_per_request:rate10m{component="live-delays"}
      > 18 * (1 - 0.9995)
    for: 3m
    labels:
      level: red
      responsible: journeys
      site: hq
    annotations:
      headline: "live-delays is spending its error budget 18 times too fast"
      playbook: "https://ops.metroheron.example/playbooks/budget-burn-high-live-delays?service=live-delays"
END_OF_FILE
