# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
