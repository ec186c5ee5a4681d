# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
