# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
