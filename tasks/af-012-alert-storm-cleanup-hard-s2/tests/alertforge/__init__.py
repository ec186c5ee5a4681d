# canary a1827745-7019-470e-8400-f9dc83c3f37c
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
