# canary 404f575e-8011-4268-9745-9468c6065053
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
