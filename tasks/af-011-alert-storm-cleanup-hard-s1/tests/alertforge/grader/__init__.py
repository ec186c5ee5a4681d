# canary d5ff01d7-971d-4cfe-a427-443460d42e31
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
