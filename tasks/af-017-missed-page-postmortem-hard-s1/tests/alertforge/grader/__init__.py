# canary 1630c2e0-b26b-4ac9-9ddc-46125bb8633f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
