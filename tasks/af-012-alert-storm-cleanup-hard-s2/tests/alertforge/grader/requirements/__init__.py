# canary a1827745-7019-470e-8400-f9dc83c3f37c
"""One file per kind of requirement: its checks, and how they fold into q."""
