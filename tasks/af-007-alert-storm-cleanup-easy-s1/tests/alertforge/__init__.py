# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
