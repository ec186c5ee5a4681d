# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
