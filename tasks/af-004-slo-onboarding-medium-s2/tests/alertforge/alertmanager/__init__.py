# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
