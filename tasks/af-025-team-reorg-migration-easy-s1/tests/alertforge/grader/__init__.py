# canary eaa0919b-98e3-4726-a0a0-1bb6c7eb8e2f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
