# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
