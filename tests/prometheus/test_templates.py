"""Reading Go templates."""

from __future__ import annotations

import pytest

from alertforge.prometheus import templates


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("no action", []),
        ("{{ $labels.a }} and {{- .Value -}}", ["$labels.a", ".Value"]),
        ('{{ "}}" | len }}', ['"}}" | len']),
        ("{{ `}}` }}", ["`}}`"]),
        ("{{ eq '\"' 34 }} {{ eq '}' 1 }}", ["eq '\"' 34", "eq '}' 1"]),
        ('{{ "a\\"}}" }}', ['"a\\"}}"']),
        ("{{/* }} */}}{{ 1 }}", ["1"]),
        ("{{ if\n$x }}y{{ end }}", ["if\n$x", "end"]),
        ("{{ cut off", []),
        ('{{ "cut off }}', []),
        ("{{}}", []),
    ],
)
def test_actions_end_where_they_end_in_go(text: str, found: list[str]) -> None:
    assert list(templates.actions(text)) == found


def test_literals_are_no_words() -> None:
    action = """printf "%s of query" ($x.ExternalURL) 'q' `raw` | len"""
    assert templates.words(action) == ["printf", "''", "$x.ExternalURL", "''", "''", "len"]
    assert templates.literals(action) == ['"%s of query"', "'q'", "`raw`"]
