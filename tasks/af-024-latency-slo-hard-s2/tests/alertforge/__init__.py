# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
