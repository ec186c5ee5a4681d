# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
