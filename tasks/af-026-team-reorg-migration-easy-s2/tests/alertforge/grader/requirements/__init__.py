# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""One file per kind of requirement: its checks, and how they fold into q."""
