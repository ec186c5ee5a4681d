# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
