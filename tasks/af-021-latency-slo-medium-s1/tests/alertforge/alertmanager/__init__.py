# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
