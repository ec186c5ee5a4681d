# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
