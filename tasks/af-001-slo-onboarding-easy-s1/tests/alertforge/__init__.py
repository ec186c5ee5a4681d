# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
