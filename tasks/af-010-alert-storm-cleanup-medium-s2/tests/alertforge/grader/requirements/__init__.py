# canary df3559a3-57ad-47e7-a725-65604cf87216
"""One file per kind of requirement: its checks, and how they fold into q."""
