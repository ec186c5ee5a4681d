# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
