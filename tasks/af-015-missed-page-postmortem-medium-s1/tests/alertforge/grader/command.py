# canary c5030c3d-6897-402a-801d-f5ce30b45a5f
"""The command that a task's verifier runs."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from alertforge.grader import score
from alertforge.grader.grade import TOTAL_SECONDS, TimeUpError, grade, told
from alertforge.grader.result import Result

ALARM_SECONDS: Final = 30.0  # more than the sum of what may still run when the time of a grade is up


def main(arguments: Sequence[str] | None = None) -> int:
    """Grade and write `reward.json` and `details.json`. Returns 0, or 1 where the grader itself failed.

    Whatever happens a reward is written: a failure of the grader is a 0 with a note in the details.
    """
    parser = argparse.ArgumentParser(description="Grade a monitoring workspace against a task's hidden contract.")
    parser.add_argument("--spec", type=Path, required=True, help="directory of spec.json and hidden/")
    parser.add_argument("--workspace", type=Path, required=True, help="the monitoring directory to grade")
    parser.add_argument("--reward", type=Path, required=True, help="where the rewards go, as JSON")
    parser.add_argument("--details", type=Path, help="where every check goes, as JSON")
    parser.add_argument("--promtool", type=Path, default=_tool("promtool"))
    parser.add_argument("--amtool", type=Path, default=_tool("amtool"))
    parser.add_argument("--workers", type=int, default=2, help="promtool processes at a time")
    parser.add_argument("--cache", type=Path, help="directory for what tools answered; none by default")
    options = parser.parse_args(arguments)
    result = _guarded(options)
    plain = result.to_plain()
    _write(options.reward, plain["rewards"])
    if options.details is not None:
        _write(options.details, plain)
    print(f"reward {plain['rewards']['reward']:.4f}")
    if result.grader_error:
        print(f"the grader failed: {result.grader_error}", file=sys.stderr)
    return 1 if result.grader_error else 0


def _tool(name: str) -> Path:
    return Path(os.environ.get(f"AF_{name.upper()}") or shutil.which(name) or f"/bin/{name}")


def _guarded(options: argparse.Namespace) -> Result:
    """The grade, or zeros: an error in here must not look like a missing verifier."""
    try:
        with _alarm(TOTAL_SECONDS + ALARM_SECONDS):
            return grade(
                options.spec,
                options.workspace,
                promtool=options.promtool,
                amtool=options.amtool,
                workers=options.workers,
                cache=options.cache,
            )
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        return Result(score.nothing(), grader_error=told(error))


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Interrupt what takes longer than every limit inside should allow."""

    def ring(signum: int, frame: object) -> None:
        raise TimeUpError(f"grading took more than {seconds:.0f} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _write(path: Path, document: Mapping[str, Any]) -> None:
    """Write JSON whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file, ensure_ascii=False, indent=1)
        file.write("\n")
    Path(temporary).chmod(0o644)
    Path(temporary).replace(path)


if __name__ == "__main__":
    sys.exit(main())
