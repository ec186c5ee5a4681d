# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
