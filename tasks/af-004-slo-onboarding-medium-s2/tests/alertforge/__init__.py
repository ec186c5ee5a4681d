# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
