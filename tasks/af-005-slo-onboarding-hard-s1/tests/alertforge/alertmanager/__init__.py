# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
