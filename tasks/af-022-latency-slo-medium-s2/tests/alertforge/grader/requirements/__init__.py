# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""One file per kind of requirement: its checks, and how they fold into q."""
