"""The base of every error that a user is expected to meet: the command line prints one line, no traceback."""

from __future__ import annotations


class AlertForgeError(Exception):
    """Something the user can act on: `str(error)` is one clear line, `exit_code` what the process returns.

    Exit code 2 means bad usage or bad input (a missing tool, a file that is not a task), 1 a gate that did not pass.
    """

    exit_code = 2
