# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""Prometheus itself: series, PromQL, rule files, functions, alert states, promtool. Nothing about benchmarks."""
