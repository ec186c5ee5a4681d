# canary f0c43615-43ad-45d5-8990-221068562357
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
