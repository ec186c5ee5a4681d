# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
