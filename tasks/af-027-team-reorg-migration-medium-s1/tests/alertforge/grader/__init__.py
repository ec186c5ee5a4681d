# canary 35cd2a0e-aafd-4891-8002-0beaa980dcb2
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
