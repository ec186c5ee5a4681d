# canary f0c43615-43ad-45d5-8990-221068562357
"""Starts the grader where it lies beside this file, in a verifier image: `python3 -I tests/grade.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from alertforge.grader.command import main

    sys.exit(main())
