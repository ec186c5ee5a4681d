# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""One file per kind of requirement: its checks, and how they fold into q."""
