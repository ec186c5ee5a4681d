# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
