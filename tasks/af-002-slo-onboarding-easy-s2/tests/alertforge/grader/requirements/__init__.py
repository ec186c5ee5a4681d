# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""One file per kind of requirement: its checks, and how they fold into q."""
