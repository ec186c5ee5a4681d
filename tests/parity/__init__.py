"""Parity: what the package computes, compared with what the real tools do, on random cases.

`python -m tests.parity --cases 20000` runs every section; the last line is the number of mismatches. The quick form of
each runs with the test suite.
"""
