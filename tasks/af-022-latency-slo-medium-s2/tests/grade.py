# canary a8152be6-6b07-45dc-901e-6a55ef691fa1
"""Starts the grader where it lies beside this file, in a verifier image: `python3 -I tests/grade.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

if __name__ == "__main__":
    from alertforge.grader.command import main

    sys.exit(main())
