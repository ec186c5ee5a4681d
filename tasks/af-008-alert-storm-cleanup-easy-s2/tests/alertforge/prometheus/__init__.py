# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
