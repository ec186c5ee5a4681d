"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
