# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
