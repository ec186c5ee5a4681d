# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""One file per kind of requirement: its checks, and how they fold into q."""
