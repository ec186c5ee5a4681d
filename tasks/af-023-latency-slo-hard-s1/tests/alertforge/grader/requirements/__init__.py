# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
"""One file per kind of requirement: its checks, and how they fold into q."""
