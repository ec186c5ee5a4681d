# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
