# canary df3559a3-57ad-47e7-a725-65604cf87216
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
