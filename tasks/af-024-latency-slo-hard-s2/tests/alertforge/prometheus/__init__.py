# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
