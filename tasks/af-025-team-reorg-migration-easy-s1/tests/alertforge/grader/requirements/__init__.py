# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""One file per kind of requirement: its checks, and how they fold into q."""
