# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
