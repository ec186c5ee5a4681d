# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""One file per kind of requirement: its checks, and how they fold into q."""
