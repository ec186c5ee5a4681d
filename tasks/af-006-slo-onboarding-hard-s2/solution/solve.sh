#!/usr/bin/env bash
# Reference solution of af-006-slo-onboarding-hard-s2
# canary 404f575e-8011-4268-9745-9468c6065053
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
# canary 404f575e-8011-4268-9745-9468c6065053

global:
  resolve_timeout: 5m

route:
  receiver: fallback
  group_by: [alertname, svc]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - crew="subscriptions"
        - urgency="immediate"
      receiver: page-subscriptions
    - matchers:
        - crew="subscriptions"
        - urgency="business-hours"
      receiver: ticket-subscriptions
    - matchers:
        - crew="playback"
        - urgency="immediate"
      receiver: page-playback
    - matchers:
        - crew="playback"
        - urgency="business-hours"
      receiver: ticket-playback
    - matchers:
        - crew="runtime"
        - urgency="immediate"
      receiver: page-runtime
    - matchers:
        - crew="runtime"
        - urgency="business-hours"
      receiver: ticket-runtime
    - matchers:
        - crew="artist-services"
        - urgency="immediate"
      receiver: page-artist-services
    - matchers:
        - crew="artist-services"
        - urgency="business-hours"
      receiver: ticket-artist-services
    - matchers:
        - crew="discovery"
        - urgency="immediate"
      receiver: page-discovery
    - matchers:
        - crew="discovery"
        - urgency="business-hours"
      receiver: ticket-discovery

inhibit_rules:
  - source_matchers:
      - alertname="LicenceKeysAlertUnreachable"
    target_matchers:
      - alertname=~"LicenceKeysAlertTooManyErrors|LicenceKeysAlertTailLatency"
    equal: [svc]
  - source_matchers:
      - alertname="GiftCodesAlertUnreachable"
    target_matchers:
      - alertname="GiftCodesAlertBacklogHigh"
    equal: [svc]
  - source_matchers:
      - alertname="TrialGuardAlertUnreachable"
    target_matchers:
      - alertname="TrialGuardAlertNoTraffic"
    equal: [svc]
  - source_matchers:
      - alertname="SkipModelAlertUnreachable"
    target_matchers:
      - alertname=~"SkipModelAlertBudgetBurnHigh|SkipModelAlertBudgetBurnElevated|SkipModelAlertNoTraffic"
    equal: [svc]
  - source_matchers:
      - alertname="ArtistPortalAlertUnreachable"
    target_matchers:
      - alertname=~"ArtistPortalAlertTooManyErrors|ArtistPortalAlertBudgetBurnHigh|ArtistPortalAlertLateResponses"
    equal: [svc]

receivers:
  - name: fallback
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/fallback
        send_resolved: true
  - name: page-subscriptions
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/page-subscriptions
        send_resolved: true
  - name: ticket-subscriptions
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/ticket-subscriptions
        send_resolved: true
  - name: page-playback
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/page-playback
        send_resolved: true
  - name: ticket-playback
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/ticket-playback
        send_resolved: true
  - name: page-runtime
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/page-runtime
        send_resolved: true
  - name: ticket-runtime
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/ticket-runtime
        send_resolved: true
  - name: page-artist-services
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/page-artist-services
        send_resolved: true
  - name: ticket-artist-services
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/ticket-artist-services
        send_resolved: true
  - name: page-discovery
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/page-discovery
        send_resolved: true
  - name: ticket-discovery
    webhook_configs:
      - url: https://notify.balladrycloud.example/hooks/ticket-discovery
        send_resolved: true
END_OF_FILE

put rules/service-health.yml <<'END_OF_FILE'
# canary 404f575e-8011-4268-9745-9468c6065053

groups:
  - name: skip-model-service-health
    rules:
      - alert: SkipModelAlertUnreachable
        expr: sum by (svc) (up{svc="skip-model"}) == 0 or absent(up{svc="skip-model"})
        for: 5m
        labels: {urgency: immediate, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'no target of skip-model is up'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-unreachable?service=skip-model'

      - alert: SkipModelAlertMemoryPressure
        expr: |
          max by (svc) (
            container_memory_working_set_bytes{svc="skip-model"}
            / on (svc, namespace, pod, container) kube_pod_container_resource_limits{svc="skip-model", resource="memory"}
          )
          > 0.95
        for: 15m
        labels: {urgency: business-hours, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'a pod of skip-model is close to its memory limit'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-memory-pressure?service=skip-model'

      - alert: SkipModelAlertRestartLoop
        expr: max by (svc) (increase(kube_pod_container_status_restarts_total{svc="skip-model"}[20m])) > 2
        for: 5m
        labels: {urgency: immediate, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'a container of skip-model keeps being restarted'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-restart-loop?service=skip-model'

      - alert: SkipModelAlertNoTraffic
        expr: |
          sum by (svc) (rate(task_executions_total{svc="skip-model"}[5m])) < 2
          or
          absent(task_executions_total{svc="skip-model"})
        for: 8m
        labels: {urgency: immediate, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'skip-model gets next to no tasks'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-no-traffic?service=skip-model'

  - name: artist-portal-service-health
    rules:
      - alert: ArtistPortalAlertUnreachable
        expr: sum by (svc) (up{svc="artist-portal"}) == 0 or absent(up{svc="artist-portal"})
        for: 5m
        labels: {urgency: immediate, crew: artist-services, env: live, source: rules}
        annotations:
          headline: 'no target of artist-portal is up'
          playbook: 'https://ops.balladrycloud.example/playbooks/artist-portal-alert-unreachable?service=artist-portal'

      - alert: ArtistPortalAlertRestartLoop
        expr: max by (svc) (increase(kube_pod_container_status_restarts_total{svc="artist-portal"}[20m])) > 2
        for: 5m
        labels: {urgency: immediate, crew: artist-services, env: live, source: rules}
        annotations:
          headline: 'a container of artist-portal keeps being restarted'
          playbook: 'https://ops.balladrycloud.example/playbooks/artist-portal-alert-restart-loop?service=artist-portal'

      - alert: ArtistPortalAlertTooManyErrors
        expr: |
          sum by (svc) (rate(http_server_responses_total{svc="artist-portal", outcome="SERVER_ERROR"}[10m]))
          / sum by (svc) (rate(http_server_responses_total{svc="artist-portal"}[10m]))
          > 0.08
          and
          sum by (svc) (rate(http_server_responses_total{svc="artist-portal"}[10m])) >= 2
        for: 3m
        labels: {urgency: immediate, crew: artist-services, env: live, source: rules}
        annotations:
          headline: 'more than 8% of artist-portal requests fail'
          playbook: 'https://ops.balladrycloud.example/playbooks/artist-portal-alert-too-many-errors?service=artist-portal'

      - alert: ArtistPortalAlertLateResponses
        expr: |
          1
            -
          sum by (svc) (rate(http_server_response_seconds_bucket{svc="artist-portal", le="0.25"}[10m]))
          / sum by (svc) (rate(http_server_response_seconds_count{svc="artist-portal"}[10m]))
          > 0.08
        for: 5m
        labels: {urgency: immediate, crew: artist-services, env: live, source: rules}
        annotations:
          headline: 'too many requests of artist-portal take longer than 0.25 s'
          playbook: 'https://ops.balladrycloud.example/playbooks/artist-portal-alert-late-responses?service=artist-portal'

  - name: licence-keys-service-health
    rules:
      - alert: LicenceKeysAlertUnreachable
        expr: sum by (svc) (up{svc="licence-keys"}) == 0 or absent(up{svc="licence-keys"})
        for: 5m
        labels: {urgency: immediate, crew: playback, env: live, source: rules}
        annotations:
          headline: 'no target of licence-keys is up'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-unreachable?service=licence-keys'

      - alert: LicenceKeysAlertTailLatency
        expr: |
          histogram_quantile(
            0.95,
            sum by (svc, le) (rate(grpc_server_handling_seconds_bucket{svc="licence-keys"}[5m]))
          )
          > 0.25
        for: 8m
        labels: {urgency: immediate, crew: playback, env: live, source: rules}
        annotations:
          headline: 'licence-keys takes longer than 0.25 s'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-tail-latency?service=licence-keys'

      - alert: LicenceKeysAlertThrottlingHigh
        expr: |
          sum by (svc) (rate(container_cpu_cfs_throttled_periods_total{svc="licence-keys"}[10m]))
          / sum by (svc) (rate(container_cpu_cfs_periods_total{svc="licence-keys"}[10m]))
          > 0.4
        for: 15m
        labels: {urgency: business-hours, crew: playback, env: live, source: rules}
        annotations:
          headline: 'licence-keys is throttled too often'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-throttling-high?service=licence-keys'

      - alert: LicenceKeysAlertTooManyErrors
        expr: |
          sum by (svc) (
            rate(
              grpc_server_handled_total{svc="licence-keys", grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[10m]
            )
          )
          / sum by (svc) (rate(grpc_server_handled_total{svc="licence-keys"}[10m]))
          > 0.08
          and
          sum by (svc) (rate(grpc_server_handled_total{svc="licence-keys"}[10m])) >= 2
        for: 3m
        labels: {urgency: immediate, crew: playback, env: live, source: rules}
        annotations:
          headline: 'more than 8% of licence-keys requests fail'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-too-many-errors?service=licence-keys'

      - alert: LicenceKeysAlertProbeFailing
        expr: avg by (svc) (avg_over_time(probe_success{svc="licence-keys"}[10m])) < 0.75
        for: 5m
        labels: {urgency: immediate, crew: playback, env: live, source: rules}
        annotations:
          headline: 'licence-keys does not answer from outside'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-probe-failing?service=licence-keys'

  - name: gift-codes-service-health
    rules:
      - alert: GiftCodesAlertUnreachable
        expr: sum by (svc) (up{svc="gift-codes"}) == 0 or absent(up{svc="gift-codes"})
        for: 5m
        labels: {urgency: immediate, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'no target of gift-codes is up'
          playbook: 'https://ops.balladrycloud.example/playbooks/gift-codes-alert-unreachable?service=gift-codes'

      - alert: GiftCodesAlertBacklogHigh
        expr: |
          sum by (svc) (kafka_consumergroup_lag{svc="gift-codes"}) > 5000
          and
          sum by (svc) (kafka_consumergroup_lag{svc="gift-codes"})
          >= sum by (svc) (kafka_consumergroup_lag{svc="gift-codes"} offset 4m)
        for: 12m
        labels: {urgency: immediate, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'gift-codes does not keep up with its messages'
          playbook: 'https://ops.balladrycloud.example/playbooks/gift-codes-alert-backlog-high?service=gift-codes'

      - alert: GiftCodesAlertMemoryPressure
        expr: |
          max by (svc) (
            container_memory_working_set_bytes{svc="gift-codes"}
            / on (svc, namespace, pod, container) kube_pod_container_resource_limits{svc="gift-codes", resource="memory"}
          )
          > 0.95
        for: 15m
        labels: {urgency: business-hours, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'a pod of gift-codes is close to its memory limit'
          playbook: 'https://ops.balladrycloud.example/playbooks/gift-codes-alert-memory-pressure?service=gift-codes'

  - name: trial-guard-service-health
    rules:
      - alert: TrialGuardAlertUnreachable
        expr: sum by (svc) (up{svc="trial-guard"}) == 0 or absent(up{svc="trial-guard"})
        for: 5m
        labels: {urgency: immediate, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'no target of trial-guard is up'
          playbook: 'https://ops.balladrycloud.example/playbooks/trial-guard-alert-unreachable?service=trial-guard'

      - alert: TrialGuardAlertNoTraffic
        expr: |
          sum by (svc) (rate(grpc_server_handled_total{svc="trial-guard"}[5m])) < 2
          or
          absent(grpc_server_handled_total{svc="trial-guard"})
        for: 8m
        labels: {urgency: immediate, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'trial-guard gets next to no requests'
          playbook: 'https://ops.balladrycloud.example/playbooks/trial-guard-alert-no-traffic?service=trial-guard'

      - alert: TrialGuardAlertCertificateExpiring
        expr: min by (svc) (probe_ssl_earliest_cert_expiry{svc="trial-guard"}) - time() < 21 * 86400
        for: 15m
        labels: {urgency: business-hours, crew: subscriptions, env: live, source: rules}
        annotations:
          headline: 'a certificate of trial-guard is about to expire'
          playbook: 'https://ops.balladrycloud.example/playbooks/trial-guard-alert-certificate-expiring?service=trial-guard'
END_OF_FILE

put rules/sli-records.yml <<'END_OF_FILE'
# canary 404f575e-8011-4268-9745-9468c6065053

groups:
  - name: sli-grpc
    rules:
      - record: sli:grpc_error_ratio:rate10m
        expr: |
          sum by (svc) (
            rate(
              grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[10m]
            )
          )
          / sum by (svc) (rate(grpc_server_handled_total[10m]))

      - record: sli:grpc_error_ratio:rate30m
        expr: |
          sum by (svc) (
            rate(
              grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[30m]
            )
          )
          / sum by (svc) (rate(grpc_server_handled_total[30m]))

      - record: sli:grpc_error_ratio:rate2h
        expr: |
          sum by (svc) (
            rate(
              grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[2h]
            )
          )
          / sum by (svc) (rate(grpc_server_handled_total[2h]))

      - record: sli:grpc_error_ratio:rate6h
        expr: |
          sum by (svc) (
            rate(
              grpc_server_handled_total{grpc_code=~"Internal|Unavailable|Unknown|DeadlineExceeded|DataLoss"}[6h]
            )
          )
          / sum by (svc) (rate(grpc_server_handled_total[6h]))

  - name: sli-tasks
    rules:
      - record: sli:tasks_error_ratio:rate10m
        expr: |
          sum by (svc) (rate(task_executions_total{state=~"failed|timed_out"}[10m]))
          / sum by (svc) (rate(task_executions_total[10m]))

      - record: sli:tasks_error_ratio:rate30m
        expr: |
          sum by (svc) (rate(task_executions_total{state=~"failed|timed_out"}[30m]))
          / sum by (svc) (rate(task_executions_total[30m]))

      - record: sli:tasks_error_ratio:rate2h
        expr: |
          sum by (svc) (rate(task_executions_total{state=~"failed|timed_out"}[2h]))
          / sum by (svc) (rate(task_executions_total[2h]))

      - record: sli:tasks_error_ratio:rate6h
        expr: |
          sum by (svc) (rate(task_executions_total{state=~"failed|timed_out"}[6h]))
          / sum by (svc) (rate(task_executions_total[6h]))

  - name: sli-http-server
    rules:
      - record: sli:http_server_error_ratio:rate10m
        expr: |
          sum by (svc) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[10m]))
          / sum by (svc) (rate(http_server_responses_total[10m]))

      - record: sli:http_server_error_ratio:rate30m
        expr: |
          sum by (svc) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[30m]))
          / sum by (svc) (rate(http_server_responses_total[30m]))

      - record: sli:http_server_error_ratio:rate2h
        expr: |
          sum by (svc) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[2h]))
          / sum by (svc) (rate(http_server_responses_total[2h]))

      - record: sli:http_server_error_ratio:rate6h
        expr: |
          sum by (svc) (rate(http_server_responses_total{outcome="SERVER_ERROR"}[6h]))
          / sum by (svc) (rate(http_server_responses_total[6h]))
END_OF_FILE

put rules/slo-alerts.yml <<'END_OF_FILE'
# canary 404f575e-8011-4268-9745-9468c6065053

groups:
  - name: skip-model-slo-alerts
    rules:
      - alert: SkipModelAlertBudgetBurnHigh
        expr: |
          sli:tasks_error_ratio:rate2h{svc="skip-model"} > 10.8 * (1 - 0.985)
          and
          sli:tasks_error_ratio:rate10m{svc="skip-model"} > 10.8 * (1 - 0.985)
        for: 4m
        labels: {urgency: immediate, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'skip-model is spending its error budget 10.8 times too fast'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-budget-burn-high?service=skip-model'

      - alert: SkipModelAlertBudgetBurnElevated
        expr: |
          sli:tasks_error_ratio:rate6h{svc="skip-model"} > 6 * (1 - 0.985)
          and
          sli:tasks_error_ratio:rate30m{svc="skip-model"} > 6 * (1 - 0.985)
        for: 10m
        labels: {urgency: business-hours, crew: discovery, env: live, source: rules}
        annotations:
          headline: 'skip-model is spending its error budget 6 times too fast'
          playbook: 'https://ops.balladrycloud.example/playbooks/skip-model-alert-budget-burn-elevated?service=skip-model'

  - name: artist-portal-slo-alerts
    rules:
      - alert: ArtistPortalAlertBudgetBurnHigh
        expr: |
          sli:http_server_error_ratio:rate2h{svc="artist-portal"} > 10.8 * (1 - 0.99)
          and
          sli:http_server_error_ratio:rate10m{svc="artist-portal"} > 10.8 * (1 - 0.99)
        for: 4m
        labels: {urgency: immediate, crew: artist-services, env: live, source: rules}
        annotations:
          headline: 'artist-portal is spending its error budget 10.8 times too fast'
          playbook: 'https://ops.balladrycloud.example/playbooks/artist-portal-alert-budget-burn-high?service=artist-portal'

  - name: licence-keys-slo-alerts
    rules:
      - alert: LicenceKeysAlertBudgetBurnElevated
        expr: |
          sli:grpc_error_ratio:rate6h{svc="licence-keys"} > 6 * (1 - 0.9975)
          and
          sli:grpc_error_ratio:rate30m{svc="licence-keys"} > 6 * (1 - 0.9975)
        for: 10m
        labels: {urgency: business-hours, crew: playback, env: live, source: rules}
        annotations:
          headline: 'licence-keys is spending its error budget 6 times too fast'
          playbook: 'https://ops.balladrycloud.example/playbooks/licence-keys-alert-budget-burn-elevated?service=licence-keys'
END_OF_FILE
