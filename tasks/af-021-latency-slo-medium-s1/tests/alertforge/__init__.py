# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
