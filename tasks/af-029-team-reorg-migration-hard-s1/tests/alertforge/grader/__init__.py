# canary f372e3d7-75b4-48ce-9a8d-8adc58adb675
"""The behavioural grader: load, lint, replay, deliver, judge, score. Runs alone in the verifier image."""
