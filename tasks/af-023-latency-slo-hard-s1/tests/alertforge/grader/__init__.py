# canary 3a11e2d3-aa95-451a-8fd1-85ed33005f0d
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
