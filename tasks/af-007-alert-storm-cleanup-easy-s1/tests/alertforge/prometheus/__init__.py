# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
