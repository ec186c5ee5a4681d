# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
