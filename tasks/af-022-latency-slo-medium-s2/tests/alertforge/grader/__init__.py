# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
