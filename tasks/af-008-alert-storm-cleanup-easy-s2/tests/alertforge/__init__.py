# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
