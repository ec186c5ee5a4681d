# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""One file per kind of requirement: its checks, and how they fold into q."""
