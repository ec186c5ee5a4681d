#!/usr/bin/env python3
"""Build the dataset from a master seed: `python generator/generate.py --master-seed S --out DIR`.

The same as `alertforge build` with the same options, for whoever has a checkout and the packages that `pyproject.toml`
names, but has not installed AlertForge.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from alertforge.cli import main

if __name__ == "__main__":
    main(["build", *sys.argv[1:]], prog_name="generate.py")
