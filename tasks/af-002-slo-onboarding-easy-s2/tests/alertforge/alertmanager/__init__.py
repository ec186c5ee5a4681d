# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
