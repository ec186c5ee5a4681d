# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
