# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
