# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
