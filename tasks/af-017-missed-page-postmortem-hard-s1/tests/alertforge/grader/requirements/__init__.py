# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""One file per kind of requirement: its checks, and how they fold into q."""
