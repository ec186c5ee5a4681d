# canary 5a4a4c39-63ea-4f16-acd4-9289be5e285f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
