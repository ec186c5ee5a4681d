from __future__ import annotations

from pathlib import Path

import pytest
from shop import Shop


@pytest.fixture(scope="session")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("answers")


@pytest.fixture()
def shop(tmp_path: Path, answers: Path) -> Shop:
    return Shop(tmp_path, answers)
