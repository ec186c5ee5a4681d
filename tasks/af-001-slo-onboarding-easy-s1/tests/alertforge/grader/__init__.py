# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
