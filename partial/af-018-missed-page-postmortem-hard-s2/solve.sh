#!/usr/bin/env bash
# Half of af-018-missed-page-postmortem-hard-s2, and one plausible mistake
# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
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
# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [responsible, component]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
  - matchers:
    - responsible="outreach"
    receiver: backlog.outreach
    routes:
    - matchers:
      - response="wake"
      receiver: oncall.outreach
  - matchers:
    - responsible="fares"
    receiver: backlog.fares
    routes:
    - matchers:
      - response="wake"
      receiver: oncall.fares
  - matchers:
    - responsible="members"
    receiver: backlog.members
    routes:
    - matchers:
      - response="wake"
      receiver: oncall.members
  - matchers:
    - responsible="cluster-ops"
    receiver: backlog.cluster-ops
    routes:
    - matchers:
      - response="wake"
      receiver: oncall.cluster-ops
  - matchers:
    - responsible="supply"
    receiver: backlog.supply
    routes:
    - matchers:
      - response="wake"
      receiver: oncall.supply

inhibit_rules:
- source_matchers:
  - alertname="TargetsMissingMemberCard"
  target_matchers:
  - alertname="TooManyErrorsMemberCard"
  equal: [component]
- source_matchers:
  - alertname="TargetsMissingFareCache"
  target_matchers:
  - alertname="TrafficTooLowFareCache"
  equal: [component]
- source_matchers:
  - alertname="TargetsMissingAllotments"
  target_matchers:
  - alertname="RequestsTooSlowAllotments"
  equal: [component]
- source_matchers:
  - alertname="TargetsMissingRebookBot"
  target_matchers:
  - alertname=~"AvailabilityBurnTicketRebookBot|RequestsTooSlowRebookBot"
  equal: [alertname, component]
- source_matchers:
  - alertname="TargetsMissingMailSender"
  target_matchers:
  - alertname=~"TooManyErrorsMailSender|AvailabilityBurnPageMailSender"
  equal: [component]

receivers:
- name: fallback
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/fallback
    send_resolved: true
- name: oncall.outreach
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/oncall-outreach
    send_resolved: true
- name: backlog.outreach
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/backlog-outreach
    send_resolved: true
- name: oncall.fares
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/oncall-fares
    send_resolved: true
- name: backlog.fares
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/backlog-fares
    send_resolved: true
- name: oncall.members
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/oncall-members
    send_resolved: true
- name: backlog.members
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/backlog-members
    send_resolved: true
- name: oncall.cluster-ops
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/oncall-cluster-ops
    send_resolved: true
- name: backlog.cluster-ops
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/backlog-cluster-ops
    send_resolved: true
- name: oncall.supply
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/oncall-supply
    send_resolved: true
- name: backlog.supply
  webhook_configs:
  - url: https://notify.roomlark.example/hooks/backlog-supply
    send_resolved: true
END_OF_FILE

put rules/service-health.yaml <<'END_OF_FILE'
# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0

groups:
- name: allotments-service-health
  rules:
  - alert: TargetsMissingAllotments
    expr: |
      sum by(component)(up{component="allotments"}) == 0
      or
      absent(up{component="allotments"})
    for: 3m
    labels:
      response: wake
      responsible: supply
      env: prod
    annotations:
      title: "no target of allotments is up"
      playbook: "https://wiki.roomlark.example/oncall/supply/targets-missing-allotments"
  - alert: QuotaThrottlingAllotments
    expr: |
      sum by(component)(
        rate(container_cpu_cfs_throttled_periods_total{component="allotments"}[5m])
      )
      / sum by(component)(
        rate(container_cpu_cfs_periods_total{component="allotments"}[5m])
      )
      > 0.25
    for: 10m
    labels:
      response: queue
      responsible: supply
      env: prod
    annotations:
      title: "allotments is throttled too often"
      playbook: "https://wiki.roomlark.example/oncall/supply/quota-throttling-allotments"
  - alert: CertExpiresSoonAllotments
    expr: |
      min by(component)(probe_ssl_earliest_cert_expiry{component="allotments"})
      - time()
      < 10
    for: 30m
    labels:
      response: queue
      responsible: supply
      env: prod
    annotations:
      title: "a certificate of allotments is about to expire"
      playbook: "https://wiki.roomlark.example/oncall/supply/cert-expires-soon-allotments"
  - alert: StandbyLagAllotments
    expr: |
      max by(component)(
        avg_over_time(pg_replication_lag_seconds{component="allotments"}[10m])
      )
      > 120
    for: 10m
    labels:
      response: wake
      responsible: supply
      env: prod
    annotations:
      title: "a database replica of allotments is behind"
      playbook: "https://wiki.roomlark.example/oncall/supply/standby-lag-allotments"
  - alert: RequestsTooSlowAllotments
    expr: |
      1
      - sum by(component)(
        rate(
          traefik_service_request_duration_seconds_bucket{component="allotments",le="0.5"}[10m]
        )
      )
      / sum by(component)(
        rate(
          traefik_service_request_duration_seconds_count{component="allotments"}[10m]
        )
      )
      > 0.08
    for: 8m
    labels:
      response: wake
      responsible: supply
      env: prod
    annotations:
      title: "too many requests of allotments take longer than 0.5 s"
      playbook: "https://wiki.roomlark.example/oncall/supply/requests-too-slow-allotments"
- name: rebook-bot-service-health
  rules:
  - alert: TargetsMissingRebookBot
    expr: |
      sum by(component)(up{component="rebook-bot"}) == 0
      or
      absent(up{component="rebook-bot"})
    for: 3m
    labels:
      response: wake
      responsible: disruption
      env: prod
    annotations:
      title: "no target of rebook-bot is up"
      playbook: "https://wiki.roomlark.example/oncall/disruption/targets-missing-rebook-bot"
  - alert: MemoryPressureRebookBot
    expr: |
      max by(component)(
        container_memory_working_set_bytes{component="rebook-bot"}
        / on(component, namespace, pod, container) kube_pod_container_resource_limits{component="rebook-bot",resource="memory"}
      )
      > 0.95
    for: 5m
    labels:
      response: queue
      responsible: disruption
      env: prod
    annotations:
      title: "a pod of rebook-bot is close to its memory limit"
      playbook: "https://wiki.roomlark.example/oncall/disruption/memory-pressure-rebook-bot"
  - alert: RestartLoopRebookBot
    expr: |
      max by(component)(
        increase(
          kube_pod_container_status_restarts_total{component="rebook-bot"}[15m]
        )
      )
      > 4
    for: 5m
    labels:
      response: wake
      responsible: supply
      env: prod
    annotations:
      title: "a container of rebook-bot keeps being restarted"
      playbook: "https://wiki.roomlark.example/oncall/disruption/restart-loop-rebook-bot"
  - alert: RequestsTooSlowRebookBot
    expr: |
      1
      - sum by(component)(
        rate(
          grpc_server_handling_seconds_bucket{component="rebook-bot",le="0.3"}[10m]
        )
      )
      / sum by(component)(
        rate(grpc_server_handling_seconds_count{component="rebook-bot"}[10m])
      )
      > 0.08
    for: 8m
    labels:
      response: wake
      responsible: disruption
      env: prod
    annotations:
      title: "too many requests of rebook-bot take longer than 0.3 s"
      playbook: "https://wiki.roomlark.example/oncall/disruption/requests-too-slow-rebook-bot"
- name: mail-sender-service-health
  rules:
  - alert: TooManyErrorsMailSender
    expr: |
      sum by(component)(
        rate(
          consumer_messages_processed_total{component="mail-sender",outcome!="ack"}[5m]
        )
      )
      / sum by(component)(
        rate(consumer_messages_processed_total{component="mail-sender"}[5m])
      )
      > 0.08
      and
      sum by(component)(
        rate(consumer_messages_processed_total{component="mail-sender"}[5m])
      )
      >= 0.5
    for: 3m
    labels:
      response: wake
      responsible: outreach
      env: prod
    annotations:
      title: "more than 8% of mail-sender messages fail"
      playbook: "https://wiki.roomlark.example/oncall/outreach/too-many-errors-mail-sender"
  - alert: CertExpiresSoonMailSender
    expr: |
      min by(component)(probe_ssl_earliest_cert_expiry{component="mail-sender"})
      - time()
      < 10 * 86400
    for: 30m
    labels:
      response: queue
      responsible: outreach
      env: prod
    annotations:
      title: "a certificate of mail-sender is about to expire"
      playbook: "https://wiki.roomlark.example/oncall/outreach/cert-expires-soon-mail-sender"
  - alert: QuotaThrottlingMailSender
    expr: |
      sum by(component)(
        rate(container_cpu_cfs_throttled_periods_total{component="mail-sender"}[5m])
      )
      / sum by(component)(
        rate(container_cpu_cfs_periods_total{component="mail-sender"}[5m])
      )
      > 0.25
    for: 10m
    labels:
      response: queue
      responsible: outreach
      env: prod
    annotations:
      title: "mail-sender is throttled too often"
      playbook: "https://wiki.roomlark.example/oncall/outreach/quota-throttling-mail-sender"
  - alert: TargetsMissingMailSender
    expr: sum by(component)(up{component="mail-sender"}) == 0
    for: 3m
    labels:
      response: wake
      responsible: outreach
      env: prod
    annotations:
      title: "no target of mail-sender is up"
      playbook: "https://wiki.roomlark.example/oncall/outreach/targets-missing-mail-sender"
- name: member-card-service-health
  rules:
  - alert: TargetsMissingMemberCard
    expr: |
      sum by(component)(up{component="member-card"}) == 0
      or
      absent(up{component="member-card"})
    for: 3m
    labels:
      response: wake
      responsible: members
      env: prod
    annotations:
      title: "no target of member-card is up"
      playbook: "https://wiki.roomlark.example/oncall/members/targets-missing-member-card"
  - alert: TooManyErrorsMemberCard
    expr: |
      sum by(component)(
        rate(traefik_service_requests_total{component="member-card",code=~"5.."}[5m])
      )
      / sum by(component)(
        rate(traefik_service_requests_total{component="member-card"}[5m])
      )
      > 0.08
      and
      sum by(component)(
        rate(traefik_service_requests_total{component="member-card"}[5m])
      )
      >= 0.5
    for: 3m
    labels:
      response: wake
      responsible: members
      env: prod
    annotations:
      title: "more than 8% of member-card requests fail"
      playbook: "https://wiki.roomlark.example/oncall/members/too-many-errors-member-card"
  - alert: MemoryPressureMemberCard
    expr: |
      max by(component)(
        container_memory_working_set_bytes{component="member-card"}
        / on(component, namespace, pod, container) kube_pod_container_resource_limits{component="member-card",resource="memory"}
      )
      > 0.95
    for: 5m
    labels:
      response: queue
      responsible: members
      env: prod
    annotations:
      title: "a pod of member-card is close to its memory limit"
      playbook: "https://wiki.roomlark.example/oncall/members/memory-pressure-member-card"
- name: fare-cache-service-health
  rules:
  - alert: TargetsMissingFareCache
    expr: |
      sum by(component)(up{component="fare-cache"}) == 0
      or
      absent(up{component="fare-cache"})
    for: 3m
    labels:
      response: wake
      responsible: fares
      env: prod
    annotations:
      title: "no target of fare-cache is up"
      playbook: "https://wiki.roomlark.example/oncall/fares/targets-missing-fare-cache"
  - alert: TrafficTooLowFareCache
    expr: |
      sum by(component)(rate(grpc_server_handled_total{component="fare-cache"}[5m]))
      < 1
      or
      absent(grpc_server_handled_total{component="fare-cache"})
    for: 8m
    labels:
      response: wake
      responsible: fares
      env: prod
    annotations:
      title: "fare-cache gets next to no requests"
      playbook: "https://wiki.roomlark.example/oncall/fares/traffic-too-low-fare-cache"
  - alert: CertExpiresSoonFareCache
    expr: |
      min by(component)(probe_ssl_earliest_cert_expiry{component="fare-cache"})
      - time()
      < 10 * 86400
    for: 30m
    labels:
      response: queue
      responsible: fares
      env: prod
    annotations:
      title: "a certificate of fare-cache is about to expire"
      playbook: "https://wiki.roomlark.example/oncall/fares/cert-expires-soon-fare-cache"
END_OF_FILE

put rules/slo-alerts.yaml <<'END_OF_FILE'
# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0

groups:
- name: rebook-bot-slo-alerts
  rules:
  - alert: AvailabilityBurnTicketRebookBot
    expr: |
      grpc_server:unavailability:ratio_3h{component="rebook-bot"} > 6.72 * (1 - 0.985)
      and
      grpc_server:unavailability:ratio_15m{component="rebook-bot"}
      > 6.72 * (1 - 0.985)
    for: 5m
    labels:
      response: queue
      responsible: disruption
      env: prod
    annotations:
      title: "rebook-bot is spending its error budget 6.72 times too fast"
      playbook: "https://wiki.roomlark.example/oncall/disruption/availability-burn-ticket-rebook-bot"
- name: mail-sender-slo-alerts
  rules:
  - alert: AvailabilityBurnPageMailSender
    expr: |
      consumer:unavailability:ratio_2h{component="mail-sender"} > 16.8 * (1 - 0.9995)
      and
      consumer:unavailability:ratio_10m{component="mail-sender"} > 16.8 * (1 - 0.9995)
    for: 1h
    labels:
      response: wake
      responsible: outreach
      env: prod
    annotations:
      title: "mail-sender is spending its error budget 16.8 times too fast"
      playbook: "https://wiki.roomlark.example/oncall/outreach/availability-burn-page-mail-sender"
END_OF_FILE
