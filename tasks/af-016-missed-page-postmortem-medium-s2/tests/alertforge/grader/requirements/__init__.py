# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
"""One file per kind of requirement: its checks, and how they fold into q."""
