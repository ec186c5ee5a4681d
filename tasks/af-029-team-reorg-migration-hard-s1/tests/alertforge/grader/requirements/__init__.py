# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""One file per kind of requirement: its checks, and how they fold into q."""
