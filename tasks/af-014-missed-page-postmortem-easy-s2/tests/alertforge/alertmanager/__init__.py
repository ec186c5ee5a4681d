# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
