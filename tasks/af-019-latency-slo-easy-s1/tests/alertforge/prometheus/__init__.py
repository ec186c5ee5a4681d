# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
