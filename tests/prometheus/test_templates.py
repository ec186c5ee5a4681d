"""Reading Go templates."""

from __future__ import annotations

import pytest

from alertforge.prometheus import templates
from tests.hang import ends


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
        ("{{/* ' */ -}}{{ if query `up` }}a{{ end }}{{- /* ' */ -}}", ["if query `up`", "end"]),
        ("{{-\t/* ' */\n-}}{{ 1 }}{{-\n2 -}}{{/* '", ["1", "2"]),
        ("{{ cut off", []),
        ('{{ "cut off }}', []),
        ("{{}}", []),
    ],
)
def test_actions_end_where_they_end_in_go(text: str, found: list[str]) -> None:
    assert list(templates.actions(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "{{" * 8000,
        "{{ /*" * 3000,
        '{{ "' * 4000,
        "{{ `" * 4000 + "}}",
        "{{/*" * 4000,
        "{{/* */ }}" * 1500,
    ],
)
def test_what_has_no_end_is_looked_at_once(text: str) -> None:
    with ends(seconds=2):
        for _ in range(100):
            assert len(list(templates.actions(text))) <= 1


def test_rewriting_leaves_what_it_does_not_change() -> None:
    text = 'a {{ $labels.b }} {{- "}}" }} {{/* c */}} {{ cut'
    assert templates.rewrite(text, lambda action: None) == text
    assert templates.rewrite(text, lambda action: "B" if action == " $labels.b " else None) == text.replace(
        "{{ $labels.b }}", "B"
    )


def test_literals_are_no_words() -> None:
    action = """printf "%s of query" ($x.ExternalURL) 'q' `raw` | len"""
    assert templates.words(action) == ["printf", "''", "$x.ExternalURL", "''", "''", "len"]
    assert templates.literals(action) == ['"%s of query"', "'q'", "`raw`"]


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("{{if.Labels.x}}a{{else}}b{{end}}", True),
        ("{{if(eq 1 1)}}a{{end}}", True),
        ("{{ with $labels.x }}a{{ end }}", True),
        ("{{ $value }}", True),
        ('{{ .Value | printf "%.0f" }}', True),
        ("{{ $labels.x }}", False),
        ("plain if with range", False),
        ("{{ () }}", False),
    ],
)
def test_what_chooses_is_seen_however_it_is_written(text: str, chosen: bool) -> None:
    assert templates.chooses(text) == chosen
