#!/usr/bin/env bash
# Half of af-011-alert-storm-cleanup-hard-s1, and one plausible mistake
# canary d5ff01d7-971d-4cfe-a427-443460d42e31
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
# canary d5ff01d7-971d-4cfe-a427-443460d42e31

global:
  resolve_timeout: 5m

route:
  receiver: monitoring-default
  group_by: [service]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - severity="emergency"
      receiver: page-archive
      continue: true
    - matchers:
        - severity="emergency"
      routes:
        - matchers:
            - owning_team="deals"
          receiver: deals_high
          routes:
            - matchers:
                - owning_team="integrity"
              receiver: integrity_high
        - matchers:
            - owning_team="buyers"
          receiver: buyers_high
        - matchers:
            - owning_team="delivery"
          receiver: delivery_high
        - matchers:
            - owning_team="cluster-ops"
          receiver: cluster-ops_high
    - matchers:
        - severity="minor"
      routes:
        - matchers:
            - owning_team="deals"
          receiver: deals_low
        - matchers:
            - owning_team="buyers"
          receiver: buyers_low
        - matchers:
            - owning_team="delivery"
          receiver: delivery_low
        - matchers:
            - owning_team="cluster-ops"
          receiver: cluster-ops_low
        - matchers:
            - owning_team="integrity"
          receiver: integrity_low

inhibit_rules:
  - source_matchers:
      - alertname="NotScrapedParcelEvents"
    target_matchers:
      - alertname="BatchMissedRunParcelEvents"
    equal: [service]
  - source_matchers:
      - alertname="NotScrapedLabelMaker"
    target_matchers:
      - alertname="RequestsDriedUpLabelMaker"
    equal: [service]
  - source_matchers:
      - alertname="NotScrapedImageReview"
    target_matchers:
      - alertname=~"SloBurnChronicImageReview|BatchMissedRunImageReview"
    equal: [service]
  - source_matchers:
      - alertname="NotScrapedPayoutWorker"
    target_matchers:
      - alertname=~"TailLatencyPayoutWorker|ConsumerBehindPayoutWorker|BatchMissedRunPayoutWorker"
    equal: [service]

receivers:
  - name: monitoring-default
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/monitoring-default
        send_resolved: true
  - name: page-archive
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/page-archive
        send_resolved: true
  - name: deals_high
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/deals-high
        send_resolved: true
  - name: deals_low
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/deals-low
        send_resolved: true
  - name: buyers_high
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/buyers-high
        send_resolved: true
  - name: buyers_low
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/buyers-low
        send_resolved: true
  - name: delivery_high
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/delivery-high
        send_resolved: true
  - name: delivery_low
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/delivery-low
        send_resolved: true
  - name: cluster-ops_high
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/cluster-ops-high
        send_resolved: true
  - name: cluster-ops_low
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/cluster-ops-low
        send_resolved: true
  - name: integrity_high
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/integrity-high
        send_resolved: true
  - name: integrity_low
    webhook_configs:
      - url: https://notify.twicewell.example/hooks/integrity-low
        send_resolved: true
END_OF_FILE

put rules/sli-records.yaml <<'END_OF_FILE'
# canary d5ff01d7-971d-4cfe-a427-443460d42e31

groups:
  - name: sli-tasks
    rules:
      - record: sli:availability_miss:rate10m
        expr: sum by (service) (rate(task_executions_total{state=~"failed|timed_out"}[20m])) / sum by (service) (rate(task_executions_total[10m]))

      - record: sli:availability_miss:rate20m
        expr: sum by (service) (rate(task_executions_total{state=~"failed|timed_out"}[10m])) / sum by (service) (rate(task_executions_total[20m]))

      - record: sli:availability_miss:rate2h
        expr: sum by (service) (rate(task_executions_total{state=~"failed|timed_out"}[20m])) / sum by (service) (rate(task_executions_total[2h]))

      - record: sli:availability_miss:rate4h
        expr: sum by (service) (rate(task_executions_total{state=~"failed|timed_out"}[2h])) / sum by (service) (rate(task_executions_total[4h]))

  - name: sli-http
    rules:
      - record: sli:availability_miss:rate10m
        expr: sum by (service) (rate(http_requests_total{code=~"5.."}[10m])) / sum by (service) (rate(http_requests_total[10m]))

      - record: sli:availability_miss:rate20m
        expr: sum by (service) (rate(http_requests_total{code=~"5.."}[20m])) / sum by (service) (rate(http_requests_total[20m]))

      - record: sli:availability_miss:rate2h
        expr: sum by (service) (rate(http_requests_total{code=~"5.."}[2h])) / sum by (service) (rate(http_requests_total[2h]))

      - record: sli:availability_miss:rate4h
        expr: sum by (service) (rate(http_requests_total{code=~"5.."}[4h])) / sum by (service) (rate(http_requests_total[4h]))
END_OF_FILE

put rules/team-buyers.yaml <<'END_OF_FILE'
# canary d5ff01d7-971d-4cfe-a427-443460d42e31

groups:
  - name: item-search-health
    rules:
      - alert: NotScrapedItemSearch
        expr: sum by (service) (up{service="item-search"}) == 0 or absent(up{service="item-search"})
        for: 2m
        labels:
          severity: emergency
          owning_team: buyers
          managed_by: git
        annotations:
          headline: no target of item-search is up
          playbook: https://portal.twicewell.example/services/item-search/runbooks/not-scraped-item-search

      - alert: MemoryNearLimitItemSearch
        expr: max by (service) (container_memory_working_set_bytes{service="item-search"} / on (service, namespace, pod, container) kube_pod_container_resource_limits{service="item-search", resource="memory"}) > 0.95
        for: 10m
        labels:
          severity: minor
          owning_team: buyers
          managed_by: git
        annotations:
          headline: a pod of item-search is close to its memory limit
          playbook: https://portal.twicewell.example/services/item-search/runbooks/memory-near-limit-item-search

      - alert: SlowShareHighItemSearch
        expr: 1 - sum by (service) (rate(http_request_duration_seconds_bucket{service="item-search", le="0.2"}[10m])) / sum by (service) (rate(http_request_duration_seconds_count{service="item-search"}[10m])) > 0.05
        for: 10m
        labels:
          severity: emergency
          owning_team: buyers
          managed_by: git
        annotations:
          headline: too many requests of item-search take longer than 0.2 s
          playbook: https://portal.twicewell.example/services/item-search/runbooks/slow-share-high-item-search

      - alert: DiskFillingUpItemSearch
        expr: min by (service) (predict_linear(kubelet_volume_stats_available_bytes{service="item-search"}[3m], 8 * 3600)) < 0
        for: 15m
        labels:
          severity: minor
          owning_team: buyers
          managed_by: git
        annotations:
          headline: a volume of item-search is filling up
          playbook: https://portal.twicewell.example/services/item-search/runbooks/disk-filling-up-item-search

      - alert: RequestsDriedUpItemSearch
        expr: sum by (service) (rate(http_requests_total{service="item-search"}[5m])) < 4 or absent(http_requests_total{service="item-search"})
        for: 8m
        labels:
          severity: emergency
          owning_team: buyers
          managed_by: git
        annotations:
          headline: item-search gets next to no requests
          playbook: https://portal.twicewell.example/services/item-search/runbooks/requests-dried-up-item-search

  - name: item-search-slo
    rules:
      - alert: SloBurnAcuteItemSearch
        expr: sli:availability_miss:rate2h{service="item-search"} > 13.44 * (1 - 0.9995)
        for: 5m
        labels:
          severity: emergency
          owning_team: buyers
          managed_by: git
        annotations:
          headline: item-search is spending its error budget 13.44 times too fast
          playbook: https://portal.twicewell.example/services/item-search/runbooks/slo-burn-acute-item-search
END_OF_FILE

put rules/team-deals.yaml <<'END_OF_FILE'
# canary d5ff01d7-971d-4cfe-a427-443460d42e31

groups:
  - name: payout-worker-health
    rules:
      - alert: NotScrapedPayoutWorker
        expr: sum by (service) (up{service="payout-worker"}) == 0 or absent(up{service="payout-worker"})
        for: 2m
        labels:
          severity: emergency
          owning_team: deals
          managed_by: git
        annotations:
          headline: no target of payout-worker is up
          playbook: https://portal.twicewell.example/services/payout-worker/runbooks/not-scraped-payout-worker

      - alert: ConsumerBehindPayoutWorker
        expr: sum by (service) (kafka_consumergroup_lag{service="payout-worker"}) > 5000 and sum by (service) (kafka_consumergroup_lag{service="payout-worker"}) >= sum by (service) (kafka_consumergroup_lag{service="payout-worker"} offset 4m)
        for: 10m
        labels:
          severity: emergency
          owning_team: deals
          managed_by: git
        annotations:
          headline: payout-worker does not keep up with its messages
          playbook: https://portal.twicewell.example/services/payout-worker/runbooks/consumer-behind-payout-worker

      - alert: DiskFillingUpPayoutWorker
        expr: min by (service) (predict_linear(kubelet_volume_stats_available_bytes{service="payout-worker"}[30m], 8 * 3600)) < 0
        for: 15m
        labels:
          severity: minor
          owning_team: deals
          managed_by: git
        annotations:
          headline: a volume of payout-worker is filling up
          playbook: https://portal.twicewell.example/services/payout-worker/runbooks/disk-filling-up-payout-worker

      - alert: TailLatencyPayoutWorker
        expr: histogram_quantile(0.99, sum by (service, le) (rate(task_execution_seconds_bucket{service="payout-worker"}[5m]))) > 4
        for: 10m
        labels:
          severity: emergency
          owning_team: deals
          managed_by: git
        annotations:
          headline: payout-worker takes longer than 4 s
          playbook: https://portal.twicewell.example/services/payout-worker/runbooks/tail-latency-payout-worker

      - alert: BatchMissedRunPayoutWorker
        expr: time() - max by (service) (batch_last_success_timestamp_seconds{service="payout-worker"}) > 4 * 3600
        for: 15m
        labels:
          severity: minor
          owning_team: deals
          managed_by: git
        annotations:
          headline: the batch job of payout-worker is overdue
          playbook: https://portal.twicewell.example/services/payout-worker/runbooks/batch-missed-run-payout-worker
END_OF_FILE

put rules/team-integrity.yaml <<'END_OF_FILE'
# canary d5ff01d7-971d-4cfe-a427-443460d42e31

groups:
  - name: image-review-health
    rules:
      - alert: NotScrapedImageReview
        expr: sum by (service) (up{service="image-review"}) == 0 or absent(up{service="image-review"})
        for: 2m
        labels:
          severity: emergency
          owning_team: integrity
          managed_by: git
        annotations:
          headline: no target of image-review is up
          playbook: https://portal.twicewell.example/services/image-review/runbooks/not-scraped-image-review

      - alert: RestartLoopImageReview
        expr: max by (service) (increase(kube_pod_container_status_restarts_total{service="image-review"}[20m])) > 2
        for: 3m
        labels:
          severity: notice
          owning_team: integrity
          managed_by: git
        annotations:
          headline: a container of image-review keeps being restarted
          playbook: https://portal.twicewell.example/services/image-review/runbooks/restart-loop-image-review

      - alert: BatchMissedRunImageReview
        expr: time() - max by (service) (batch_last_success_timestamp_seconds{service="image-review"}) > 4 * 3600
        for: 15m
        labels:
          severity: minor
          owning_team: integrity
          managed_by: git
        annotations:
          headline: the batch job of image-review is overdue
          playbook: https://portal.twicewell.example/services/image-review/runbooks/batch-missed-run-image-review

      - alert: DiskFillingUpImageReview
        expr: min by (service) (predict_linear(kubelet_volume_stats_available_bytes{service="image-review"}[30m], 8 * 3600)) < 0
        for: 15m
        labels:
          severity: minor
          owning_team: integrity
          managed_by: git
        annotations:
          headline: a volume of image-review is filling up
          playbook: https://portal.twicewell.example/services/image-review/runbooks/disk-filling-up-image-review

  - name: image-review-slo
    rules:
      - alert: SloBurnChronicImageReview
        expr: sli:availability_miss:rate4h{service="image-review"} > 5.04 * (1 - 0.995) and sli:availability_miss:rate20m{service="image-review"} > 5.04 * (1 - 0.995)
        for: 15m
        labels:
          severity: minor
          owning_team: integrity
          managed_by: git
        annotations:
          headline: image-review is spending its error budget 5.04 times too fast
          playbook: https://portal.twicewell.example/services/image-review/runbooks/slo-burn-chronic-image-review
END_OF_FILE
