# canary df3559a3-57ad-47e7-a725-65604cf87216
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
