# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
