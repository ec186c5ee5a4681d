"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
