# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
