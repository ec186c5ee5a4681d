# canary 328c83d2-e406-4c13-a3ed-5bdbb18e61cf
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
