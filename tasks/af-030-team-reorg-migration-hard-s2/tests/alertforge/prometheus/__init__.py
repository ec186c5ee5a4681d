# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
