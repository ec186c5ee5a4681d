# canary f0c43615-43ad-45d5-8990-221068562357
"""One file per kind of requirement: its checks, and how they fold into q."""
