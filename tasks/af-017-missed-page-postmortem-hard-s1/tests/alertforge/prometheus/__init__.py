# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
