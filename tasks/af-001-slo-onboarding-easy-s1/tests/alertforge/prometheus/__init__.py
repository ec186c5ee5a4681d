# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
