# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
