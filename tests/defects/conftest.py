"""A company whose rules are broken."""

from __future__ import annotations

import pytest

from alertforge.alerts.base import Subject
from alertforge.world.create import create

from .hosts import SEED


@pytest.fixture(scope="session")
def subject() -> Subject:
    """A service of a drawn company."""
    world = create(SEED.child("world"), services=2)
    return Subject(world, world.services[0])
