# canary e12578a9-ede8-4272-9d5f-88c49c7430a3
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
