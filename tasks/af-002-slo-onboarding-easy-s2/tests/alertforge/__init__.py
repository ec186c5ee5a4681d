# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
