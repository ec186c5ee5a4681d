# canary f0c43615-43ad-45d5-8990-221068562357
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
