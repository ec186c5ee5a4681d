from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

import tiny

from alertforge import harbor
from alertforge.task import Task
from alertforge.tools import find


@pytest.fixture(scope="session")
def task() -> Task:
    return tiny.task()


@pytest.fixture(scope="session")
def folder(task: Task, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The task's directory; tests only read it."""
    return harbor.write(task, tmp_path_factory.mktemp("tasks"), promtool=find("promtool"), amtool=find("amtool"))
