# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
