# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
