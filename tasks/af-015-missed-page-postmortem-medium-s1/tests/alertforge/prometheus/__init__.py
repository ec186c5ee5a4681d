# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
