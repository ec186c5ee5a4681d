# canary eb0ed15e-1956-4b92-b6f3-14d956bcafc9
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
