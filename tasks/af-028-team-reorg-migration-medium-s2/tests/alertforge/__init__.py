# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
