# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
