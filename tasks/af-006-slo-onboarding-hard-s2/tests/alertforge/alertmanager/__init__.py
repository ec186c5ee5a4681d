# canary 404f575e-8011-4268-9745-9468c6065053
"""Alertmanager itself: configuration, matchers, routing, inhibition, amtool. Nothing about benchmarks."""
