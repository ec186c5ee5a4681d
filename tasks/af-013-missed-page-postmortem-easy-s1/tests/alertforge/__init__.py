# canary f0c43615-43ad-45d5-8990-221068562357
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
