# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
