# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""One file per kind of requirement: its checks, and how they fold into q."""
