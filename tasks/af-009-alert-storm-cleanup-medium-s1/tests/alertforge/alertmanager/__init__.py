# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
