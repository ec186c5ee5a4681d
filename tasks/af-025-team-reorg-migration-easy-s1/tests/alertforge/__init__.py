# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
