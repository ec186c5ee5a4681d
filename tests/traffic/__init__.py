"""Traffic and what exporters say about it."""
