# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
