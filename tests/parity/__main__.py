"""All comparisons with the real tools: `python -m tests.parity --cases 20000 --seed 1`, or `--only SECTION`.

Each section is one of the claims of docs/fidelity.md and compares at least as many cases as asked for; the last line
printed is the number of mismatches of all. Exit status 1 if there is one.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from functools import partial

from . import delivery, evaluator, inhibition, matchers, round_trips, routing, state_machine

SECTIONS: Mapping[str, Callable[[int, int], int]] = {
    "evaluator": evaluator.run,
    "state-machine": state_machine.run,
    "round-trips": round_trips.run,
    "matchers": matchers.run,
    "routing": partial(routing.run, direct=False),  # amtool on every original file costs 25 ms a label set
    "inhibition": inhibition.run,
    "delivery": delivery.run,
}


def main() -> int:
    """Run the sections and print a summary."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000, help="cases of each section")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    options = parser.parse_args()
    if options.cases < 1:
        parser.error("--cases must be at least 1")
    found: dict[str, tuple[int, float]] = {}
    for name in [options.only] if options.only else SECTIONS:
        print(f"== {name}", flush=True)
        start = time.monotonic()
        found[name] = (SECTIONS[name](options.cases, options.seed), time.monotonic() - start)
    print(f"== summary: at least {options.cases} cases a section, seed {options.seed}")
    for name, (mismatches, seconds) in found.items():
        print(f"{name:<16}{mismatches:>8} mismatches{seconds:>8.0f} s")
    total = sum(mismatches for mismatches, _ in found.values())
    print(total)
    return 1 if total else 0


if __name__ == "__main__":
    raise SystemExit(main())
