# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""AlertForge: generator and behavioural grader of tasks about Prometheus alerting as code."""

__version__ = "0.1.0"
