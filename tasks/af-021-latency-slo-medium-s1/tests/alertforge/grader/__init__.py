# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
