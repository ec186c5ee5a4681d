# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
