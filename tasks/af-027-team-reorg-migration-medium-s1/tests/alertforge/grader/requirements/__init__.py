# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
"""One file per kind of requirement: its checks, and how they fold into q."""
