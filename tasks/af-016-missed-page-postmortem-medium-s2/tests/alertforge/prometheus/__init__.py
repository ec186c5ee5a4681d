# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
