# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
