# canary b9acb061-399b-42bf-b2bc-7da3e2e224a0
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
