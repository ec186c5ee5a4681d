# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""One file per kind of requirement: its checks, and how they fold into q."""
