# canary f0c43615-43ad-45d5-8990-221068562357
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
