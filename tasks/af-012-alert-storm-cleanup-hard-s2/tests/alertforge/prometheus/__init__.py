# canary a1827745-7019-470e-8400-f9dc83c3f37c
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
