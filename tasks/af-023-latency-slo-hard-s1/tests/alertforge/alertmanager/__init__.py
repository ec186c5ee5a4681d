# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
