# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
