# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
