# canary a1827745-7019-470e-8400-f9dc83c3f37c
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
