# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""One file per kind of requirement: its checks, and how they fold into q."""
