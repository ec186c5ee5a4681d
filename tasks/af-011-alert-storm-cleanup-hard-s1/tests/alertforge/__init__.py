# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
