"""The whole parity check of the Alertmanager side: matcher strings, routing, inhibition with one number of cases each.

`python -m tests.parity.run_alertmanager --cases 20000 --seed 1`; the last line is the number of differences of all.
"""

from __future__ import annotations

import argparse

from . import inhibition, matchers, routing


def main() -> int:
    """Run all checks; exit status 1 if there is a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--no-direct", action="store_true", help="leave out amtool on the original files (25 ms a case)"
    )
    options = parser.parse_args()
    differences = matchers.run(options.cases, options.seed)
    differences += routing.run(options.cases, options.seed, direct=not options.no_direct)
    differences += inhibition.run(options.cases, options.seed)
    print(differences)
    return 1 if differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
