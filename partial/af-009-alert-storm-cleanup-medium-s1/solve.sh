#!/usr/bin/env bash
# Half of af-009-alert-storm-cleanup-medium-s1, and one plausible mistake
# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
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
# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d

global:
  resolve_timeout: 5m

route:
  receiver: sre-catchall
  group_by: [alertname, squad]
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
  routes:
    - matchers:
        - response="wake"
      receiver: noc-mirror
      continue: true
    - matchers:
        - squad="data-platform"
        - response="wake"
      receiver: data-platform-wakeup
    - matchers:
        - squad="data-platform"
        - response="queue"
      receiver: data-platform-inbox
    - matchers:
        - squad="cluster-ops"
        - response="wake"
      receiver: cluster-ops-wakeup
    - matchers:
        - squad="cluster-ops"
        - response="queue"
      receiver: cluster-ops-inbox
    - matchers:
        - squad="depot"
        - response="wake"
      receiver: depot-wakeup
    - matchers:
        - squad="depot"
        - response="queue"
      receiver: depot-inbox
    - matchers:
        - squad="control"
        - response="wake"
      receiver: control-wakeup
    - matchers:
        - squad="control"
        - response="queue"
      receiver: control-inbox
    - matchers:
        - squad="fares"
        - response="wake"
      receiver: fares-wakeup
    - matchers:
        - squad="fares"
        - response="queue"
      receiver: fares-inbox

inhibit_rules:
  - source_matchers:
      - alertname="SvcWarehouseLoaderUnreachable"
    target_matchers:
      - alertname=~"SvcWarehouseLoaderSloBurnAcute|SvcWarehouseLoaderSloBurnChronic|SvcWarehouseLoaderLateResponses"
    equal: [workload]
  - source_matchers:
      - alertname="SvcDetourEditorUnreachable"
    target_matchers:
      - alertname=~"SvcDetourEditorSloBurnAcute|SvcDetourEditorSloBurnChronic|SvcDetourEditorLateResponses"
    equal: [workload]
  - source_matchers:
      - alertname="SvcDefectBookUnreachable"
    target_matchers:
      - alertname=~"SvcDefectBookFailureRatio|SvcDefectBookSloBurnChronic|SvcDefectBookBlackboxFailing|SvcDefectBookConsumerBehind"
    equal: [workload]

receivers:
  - name: sre-catchall
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/sre-catchall
        send_resolved: true
  - name: noc-mirror
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/noc-mirror
        send_resolved: true
  - name: data-platform-wakeup
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/data-platform-wakeup
        send_resolved: true
  - name: data-platform-inbox
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/data-platform-inbox
        send_resolved: true
  - name: cluster-ops-wakeup
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/cluster-ops-wakeup
        send_resolved: true
  - name: cluster-ops-inbox
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/cluster-ops-inbox
        send_resolved: true
  - name: depot-wakeup
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/depot-wakeup
        send_resolved: true
  - name: depot-inbox
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/depot-inbox
        send_resolved: true
  - name: control-wakeup
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/control-wakeup
        send_resolved: true
  - name: control-inbox
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/control-inbox
        send_resolved: true
  - name: fares-wakeup
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/fares-wakeup
        send_resolved: true
  - name: fares-inbox
    webhook_configs:
      - url: https://notify.lindenbus.example/hooks/fares-inbox
        send_resolved: true
END_OF_FILE

put rules/defect-book.yml <<'END_OF_FILE'
# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d

groups:
  - name: defect-book-health
    rules:
      - alert: SvcDefectBookUnreachable
        expr: sum by (workload) (up{workload="defect-book"}) == 0 or absent(up{workload="defect-book"})
        for: 2m
        labels:
          response: wake
          squad: depot
          region: eu-north
        annotations:
          title: 'no target of defect-book is up'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-unreachable.html'

      - alert: SvcDefectBookConsumerBehind
        expr: sum by (workload) (kafka_consumergroup_lag{workload="defect-book"}) > 2500 and sum by (workload) (kafka_consumergroup_lag{workload="defect-book"}) >= sum by (workload) (kafka_consumergroup_lag{workload="defect-book"} offset 6m)
        for: 12m
        labels:
          response: wake
          squad: depot
          region: eu-north
        annotations:
          title: 'defect-book does not keep up with its messages'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-consumer-behind.html'

      - alert: SvcDefectBookBlackboxFailing
        expr: avg by (workload) (avg_over_time(probe_success{workload="defect-book"}[10m])) < 0.75
        for: 3m
        labels:
          response: wake
          squad: depot
          region: eu-north
        annotations:
          title: 'defect-book does not answer from outside'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-blackbox-failing.html'

      - alert: SvcDefectBookFailureRatio
        expr: sum by (workload) (rate(http_responses_total{workload="defect-book", status_class="5xx"}[5m])) / sum by (workload) (rate(http_responses_total{workload="defect-book"}[5m])) > 0.02 < 0.95 and sum by (workload) (rate(http_responses_total{workload="defect-book"}[5m])) >= 0.5
        for: 10m
        labels:
          response: wake
          squad: depot
          region: eu-north
        annotations:
          title: 'more than 2% of defect-book requests fail'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-failure-ratio.html'

      - alert: SvcDefectBookCertExpiresSoon
        expr: min by (workload) (probe_ssl_earliest_cert_expiry{workload="defect-book"}) - time() < 7 * 86400
        for: 10m
        labels:
          response: queue
          squad: depot
          region: eu-north
        annotations:
          title: 'a certificate of defect-book is about to expire'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-cert-expires-soon.html'

  - name: defect-book-slo
    rules:
      - alert: SvcDefectBookSloBurnChronic
        expr: sli:web_error_ratio:rate4h{workload="defect-book"} > 6.72 * (1 - 0.998) and sli:web_error_ratio:rate20m{workload="defect-book"} > 6.72 * (1 - 0.998)
        for: 20m
        labels:
          response: queue
          squad: depot
          region: eu-north
        annotations:
          title: 'defect-book is spending its error budget 6.72 times too fast'
          runbook_link: 'https://handbook.lindenbus.example/depot/defect-book/svc-defect-book-slo-burn-chronic.html'
END_OF_FILE

put rules/fare-capper.yml <<'END_OF_FILE'
# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d

groups:
  - name: fare-capper-health
    rules:
      - alert: SvcFareCapperUnreachable
        expr: sum by (workload) (up{workload="fare-capper"}) == 0 or absent(up{workload="fare-capper"})
        for: 2m
        labels:
          response: wake
          squad: fares
          region: eu-north
        annotations:
          title: 'no target of fare-capper is up'
          runbook_link: 'https://handbook.lindenbus.example/fares/fare-capper/svc-fare-capper-unreachable.html'

      - alert: SvcFareCapperTrafficTooLow
        expr: (sum by (workload) (rate(consumer_messages_processed_total{workload="fare-capper"}[10m])) or vector(0)) < 1 or absent(consumer_messages_processed_total{workload="fare-capper"})
        for: 5m
        labels:
          response: wake
          squad: fares
          region: eu-north
        annotations:
          title: 'fare-capper gets next to no messages'
          runbook_link: 'https://handbook.lindenbus.example/fares/fare-capper/svc-fare-capper-traffic-too-low.html'

      - alert: SvcFareCapperBatchOverdue
        expr: time() - max by (workload) (batch_last_success_timestamp_seconds{workload="fare-capper"}) > 1.5 * 3600
        for: 15m
        keep_firing_for: 1h
        labels:
          response: queue
          squad: fares
          region: eu-north
        annotations:
          title: 'the batch job of fare-capper is overdue'
          runbook_link: 'https://handbook.lindenbus.example/fares/fare-capper/svc-fare-capper-batch-overdue.html'

      - alert: SvcFareCapperKeepsRestarting
        expr: max by (workload) (increase(kube_pod_container_status_restarts_total{workload="fare-capper"}[20m])) > 3
        for: 2m
        labels:
          response: wake
          squad: fares
          region: eu-north
        annotations:
          title: 'a container of fare-capper keeps being restarted'
          runbook_link: 'https://handbook.lindenbus.example/fares/fare-capper/svc-fare-capper-keeps-restarting.html'
END_OF_FILE
