# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
