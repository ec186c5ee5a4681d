# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""One file per kind of requirement: its checks, and how they fold into q."""
