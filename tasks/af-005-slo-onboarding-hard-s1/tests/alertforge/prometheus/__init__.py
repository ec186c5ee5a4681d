# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
