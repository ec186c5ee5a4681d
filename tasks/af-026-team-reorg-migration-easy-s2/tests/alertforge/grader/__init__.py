# canary 59ff14e6-2f86-4071-be59-fabcfbabf99a
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
