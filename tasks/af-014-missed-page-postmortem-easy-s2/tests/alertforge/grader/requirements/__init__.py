# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
"""One file per kind of requirement: its checks, and how they fold into q."""
