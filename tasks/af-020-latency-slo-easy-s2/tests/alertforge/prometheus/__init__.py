# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
