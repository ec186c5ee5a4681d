# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
