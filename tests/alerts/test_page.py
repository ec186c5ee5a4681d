"""The page that lists the alert kinds says of each of them what its file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.page import page, table

PAGE = Path(__file__).parents[2] / "docs" / "alert-kinds.md"


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_whole_table_and_a_section(kind: str) -> None:
    rows = table(KINDS[kind])
    assert sorted(rows) == ["fires", "means", "numbers", "silent"]
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {kind}\n")[2].partition("\n## ")[0]
    assert all(text in section for text in rows.values())


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m alertforge.alerts.page > docs/alert-kinds.md"
