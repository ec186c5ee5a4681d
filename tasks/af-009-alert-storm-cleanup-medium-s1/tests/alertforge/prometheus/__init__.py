# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
