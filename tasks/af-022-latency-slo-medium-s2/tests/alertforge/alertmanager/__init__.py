# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
