# canary 096a99de-cd1d-402c-8b45-d9cf0e6b085f
"""Starts the grader where it lies beside this file, in a verifier image: `python3 -I tests/grade.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from alertforge.grader.command import main

    sys.exit(main())
