# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""Starts the grader where it lies beside this file, in a verifier image: `python3 -I tests/grade.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from alertforge.grader.command import main

    sys.exit(main())
