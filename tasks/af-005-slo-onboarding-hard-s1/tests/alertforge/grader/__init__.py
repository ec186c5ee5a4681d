# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
