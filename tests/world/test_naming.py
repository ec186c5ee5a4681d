from __future__ import annotations

import pytest

from alertforge.world.naming import slug, window_text


@pytest.mark.parametrize(
    ("alert", "address"),
    [
        ("ChatGwDown", "chat-gw-down"),
        ("Chat-Gw_SLOBurn", "chat-gw-s-l-o-burn"),
        ("chat-gw-Down", "chat-gw-down"),
        ("Down_ChatGw", "down-chat-gw"),
    ],
)
def test_a_slug_is_lower_case_with_a_dash_before_every_capital(alert: str, address: str) -> None:
    assert slug(alert) == address


@pytest.mark.parametrize(("minutes", "text"), [(5, "5m"), (60, "1h"), (90, "90m"), (360, "6h")])
def test_whole_hours_are_written_as_hours(minutes: int, text: str) -> None:
    assert window_text(minutes) == text
