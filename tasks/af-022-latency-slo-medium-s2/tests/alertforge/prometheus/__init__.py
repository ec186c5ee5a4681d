# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
