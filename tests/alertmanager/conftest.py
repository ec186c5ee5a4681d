"""The real amtool."""

from __future__ import annotations

from pathlib import Path

import pytest

from alertforge.tools import find


@pytest.fixture(scope="session")
def amtool() -> Path:
    return find("amtool")
