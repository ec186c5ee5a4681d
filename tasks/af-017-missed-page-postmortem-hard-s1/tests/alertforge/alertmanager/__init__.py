# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
