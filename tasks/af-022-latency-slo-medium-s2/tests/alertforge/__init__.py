# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
