# canary c6af9ef4-d964-4c28-98e1-65d91c40c3a1
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
