# canary de76cf0b-3ce6-4e9d-a330-5bbfe72467df
"""Starts the grader where it lies beside this file, in a verifier image: `python3 -I tests/grade.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from alertforge.grader.command import main

    sys.exit(main())
