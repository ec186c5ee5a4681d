# canary ba6bf7be-d21c-4698-80b1-92715ea5b0f0
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
