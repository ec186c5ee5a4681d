# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
