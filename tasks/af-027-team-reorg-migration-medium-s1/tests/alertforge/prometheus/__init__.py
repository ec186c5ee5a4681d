# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
