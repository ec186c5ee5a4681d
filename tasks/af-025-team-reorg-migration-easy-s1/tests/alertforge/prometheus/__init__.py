# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
