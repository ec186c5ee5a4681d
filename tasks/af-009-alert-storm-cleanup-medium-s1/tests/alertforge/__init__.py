# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
