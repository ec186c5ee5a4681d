# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
