# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
