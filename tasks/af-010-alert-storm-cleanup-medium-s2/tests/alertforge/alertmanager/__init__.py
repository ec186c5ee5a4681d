# canary df3559a3-57ad-47e7-a725-65604cf87216
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
