# canary a1827745-7019-470e-8400-f9dc83c3f37c
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
