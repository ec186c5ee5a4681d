# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
