# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""One file per kind of requirement: its checks, and how they fold into q."""
