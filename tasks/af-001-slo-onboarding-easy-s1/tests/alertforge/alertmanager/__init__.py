# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
