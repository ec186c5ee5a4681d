# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
