# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
