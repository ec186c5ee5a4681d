# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
