# canary 404f575e-8011-4268-9745-9468c6065053
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
