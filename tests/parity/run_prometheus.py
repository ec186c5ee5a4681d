"""The whole parity check of the Prometheus side: evaluator and state machine with one number of cases each.

`python -m tests.parity.run_prometheus --cases 20000 --seed 1`; the last line is the number of mismatches of both.
"""

from __future__ import annotations

import argparse

from . import evaluator, state_machine


def main() -> int:
    """Run both checks; exit status 1 if there is a mismatch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mismatches = evaluator.run(options.cases, options.seed) + state_machine.run(options.cases, options.seed)
    print(mismatches)
    return 1 if mismatches else 0


if __name__ == "__main__":
    raise SystemExit(main())
