# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
