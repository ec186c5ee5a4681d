# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""One file per kind of requirement: its checks, and how they fold into q."""
