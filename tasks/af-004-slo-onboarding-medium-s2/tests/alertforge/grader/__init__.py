# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
