# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""One file per kind of requirement: its checks, and how they fold into q."""
