# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""One file per kind of requirement: its checks, and how they fold into q."""
