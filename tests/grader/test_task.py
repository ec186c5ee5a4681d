"""The hidden side of a task is read once for each of its states."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from shop import SPEC, Shop

from alertforge.grader.task import load_task


def test_a_task_is_read_again_once_a_byte_of_it_changed(shop: Shop) -> None:
    before = load_task(shop.spec_dir)
    assert load_task(shop.spec_dir) is before
    _edit_in_place(shop.spec_dir / "hidden" / "reference.yml", "[5m]", "[6m]")
    _edit_in_place(shop.spec_dir / "spec.json", f'"task": "{SPEC.task}"', f'"task": "{SPEC.task[::-1]}"')
    after = load_task(shop.spec_dir)
    assert after.reference is not None
    assert all("[6m]" in rule.expr for rule in after.reference.rules())
    assert after.spec == replace(SPEC, task=SPEC.task[::-1])


def _edit_in_place(path: Path, old: str, new: str) -> None:
    """Change a file but not its size or time."""
    status, text = path.stat(), path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
