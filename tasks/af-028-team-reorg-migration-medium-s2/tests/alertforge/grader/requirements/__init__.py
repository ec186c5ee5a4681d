# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""One file per kind of requirement: its checks, and how they fold into q."""
