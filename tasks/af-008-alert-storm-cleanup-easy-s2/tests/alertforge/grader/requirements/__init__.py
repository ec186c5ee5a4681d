# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
"""One file per kind of requirement: its checks, and how they fold into q."""
