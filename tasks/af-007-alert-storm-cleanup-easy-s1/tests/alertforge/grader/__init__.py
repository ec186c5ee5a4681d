# canary bee2712d-1b31-4d04-8ce3-c5858d5475aa
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
