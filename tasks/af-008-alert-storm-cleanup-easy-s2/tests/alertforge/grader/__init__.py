# canary 11061407-5ba3-47ee-b9c7-3ba33ecc472c
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
