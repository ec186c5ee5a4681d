# canary 404f575e-8011-4268-9745-9468c6065053
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
