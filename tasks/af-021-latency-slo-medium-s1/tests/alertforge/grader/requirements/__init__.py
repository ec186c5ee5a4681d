# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""One file per kind of requirement: its checks, and how they fold into q."""
