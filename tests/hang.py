"""A bound for what must end: no measurement, a hang turned into a failure."""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

PATIENCE = 90  # seconds: far more than a healthy run takes on a busy machine


@contextlib.contextmanager
def ends(seconds: int = PATIENCE) -> Iterator[None]:
    """Fail where the block does not end."""

    def hung(_signal: int, _frame: FrameType | None) -> None:
        raise AssertionError(f"still running after {seconds} s")

    before = signal.signal(signal.SIGALRM, hung)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
