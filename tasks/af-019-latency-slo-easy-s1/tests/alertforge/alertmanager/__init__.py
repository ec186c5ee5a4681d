# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
