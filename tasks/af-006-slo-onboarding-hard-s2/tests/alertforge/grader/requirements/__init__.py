# canary 404f575e-8011-4268-9745-9468c6065053
"""One file per kind of requirement: its checks, and how they fold into q."""
