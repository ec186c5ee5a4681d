"""Parity: what the package computes, compared with what the real tools compute, on random cases.

`python -m tests.parity.evaluator --cases 20000` and `python -m tests.parity.state_machine --cases 20000` print a
summary; the last line is the number of mismatches. The quick form of both runs with the test suite.
"""
