# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
