# canary df3559a3-57ad-47e7-a725-65604cf87216
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
