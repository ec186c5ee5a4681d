"""One file per kind of requirement: its checks, and how they fold into q."""
