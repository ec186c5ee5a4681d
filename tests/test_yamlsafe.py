"""The hardened YAML reader: what it reads, what it refuses, and that refusing is quick."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from alertforge import yamlsafe
from alertforge.yamlsafe import YamlError, load
from tests.hang import ends

needs_libyaml = pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML without libyaml")


def text(document: str) -> Any:
    return load(document, scalars="text")


@pytest.mark.parametrize(
    ("document", "value"),
    [
        ("", None),
        ("# only a comment\n", None),
        ("---\n---\na: b\n", None),
        ("a: 1\n---\n: : broken [", {"a": "1"}),
        (
            "n: 5\nx: 1.50\ny: yes\nz: 2020-01-01\no: 010\n",
            {"n": "5", "x": "1.50", "y": "yes", "z": "2020-01-01", "o": "010"},
        ),
        ("a:\nb: ~\nc: null\nd: ''\ne: 'null'\nf: !!null x\n", {**dict.fromkeys("abcf"), "d": "", "e": "null"}),
        ("a: !!str 5\nb: !!int '6'\nc: !mine x\nd: !!binary aGk=\n", {"a": "5", "b": "6", "c": "x", "d": "hi"}),
        ("yes: a\n5: b\n'5.0': c\n", {"yes": "a", "5": "b", "5.0": "c"}),
        ("- [a, {b: c}]\n- |\n  d\n  e\n- >-\n  f\n  g\n", [["a", {"b": "c"}], "d\ne\n", "f g"]),
        ("\ufeffa: b\n", {"a": "b"}),
        ("a: &x [1]\nb: *x\n", {"a": ["1"], "b": ["1"]}),
        ("k: &x name\n*x : v\n", {"k": "name", "name": "v"}),
        ("a: &x 1\nb: &x 2\nc: *x\n", {"a": "1", "b": "2", "c": "2"}),
        ("b: &b {x: 1, y: 2}\nc: {y: 3, <<: *b}\n", {"b": {"x": "1", "y": "2"}, "c": {"x": "1", "y": "3"}}),
        (
            "b: &b {x: 1}\nd: &d {x: 2, z: 3}\nc: {<<: [*b, *d]}\n",
            {"b": {"x": "1"}, "d": {"x": "2", "z": "3"}, "c": {"x": "1", "z": "3"}},
        ),
        ("{'<<': 1}", {"<<": "1"}),
    ],
)
def test_text_scalars_stay_what_the_source_says(document: str, value: Any) -> None:
    assert text(document) == value


def test_a_slash_after_an_escaped_backslash_is_fine() -> None:
    assert load("a: \"x\\\\/y\"\nb: 'x\\/y'\nc: x\\/y\n") == {"a": "x\\/y", "b": "x\\/y", "c": "x\\/y"}


def test_typed_scalars_become_numbers_and_booleans_and_keys_stay_text() -> None:
    document = "a: 5\nb: -1.5\nc: true\nd: yes\ne: 1e3\nf: '5'\ng: .5\nh: 0x10\ni: 010\n1: x\ntrue: z\n"
    assert load(document) == {
        **{"a": 5, "b": -1.5, "c": True, "d": "yes", "e": 1000.0, "f": "5", "g": 0.5, "h": "0x10", "i": 10.0},
        **{"1": "x", "true": "z"},
    }


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: duplicate key 'a'"),
        ("x:\n  - {a: 1, 'a': 2}\n", "line 2: duplicate key 'a'"),
        ("a: [1\nb: 2\n", "line 2: did not find expected ',' or ']'"),
        ("a: b: c\n", "line 1: mapping values are not allowed in this context"),
        ("a: *nobody\n", "line 1: alias of an unknown anchor"),
        ("a: &x\n  b: *x\n", "line 2: alias inside the value that it names"),
        ("? [a]\n: b\n", "line 1: a key that is not a scalar"),
        ("~: b\n", "line 1: a null key"),
        ("{a: b?}\n", "line 1: `?` in a list or mapping on one line needs quotes around the text"),
        ("- [x, why? so]\n", "line 1: `?` in a list or mapping on one line needs quotes around the text"),
        ("a: {<<: 5}\n", "line 1: `<<` needs a mapping or a list of mappings"),
        ('a: "é \\\\ x"\nb: "x\\/y"\n', "line 2: found unknown escape character"),
        ("a: !!binary '*'\n", "line 1: !!binary is not base64 of text"),
        ("a: !!binary /w==\n", "line 1: !!binary is not base64 of text"),
        ("a: \udc80\n", "not valid Unicode text"),
        ("a: \x00\n", "control characters are not allowed"),
    ],
)
@needs_libyaml
def test_a_bad_document_is_refused_in_one_line(document: str, message: str) -> None:
    with pytest.raises(YamlError) as caught:
        text(document)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def laughs(width: int, levels: int) -> str:
    lines = ["a0: &a0 [x, x]"]
    for level in range(1, levels + 1):
        lines.append(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * width)}]")
    return "\n".join(lines)


BOMBS = {
    "billion laughs": laughs(10, 12),
    "merge laughs": "a: &a {x: 1}\n"
    + "\n".join(f"b{n}: &a {{<<: [{', '.join(['*a'] * 9)}], k{n}: [*a, *a]}}" for n in range(30)),
    "one long text, many aliases": f"a: &a {'x' * 500_000}\nb: [{', '.join(['*a'] * 50_000)}]",
    "deep flow": "[" * 1_000_000,
    "deep mappings": "{a: " * 200_000,
    "deep dashes": "- " * 500_000,
    "deep question marks": "? " * 500_000,
    "depth by chained aliases": "a0: &a0 [x]\n" + "\n".join(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300)),
    "many nodes": "[" + "[]," * 340_000 + "]",
    "many merges of one big map": "b: &b {" + ", ".join(f"k{n}: 1" for n in range(20_000)) + "}\ns: &s {z: 1}\nc:\n"
    + "  <<: *b\n" + "  <<: *s\n" * 50_000,
    "too large": "a: " + "x" * (1 << 20),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(BOMBS))
@needs_libyaml
def test_a_bomb_is_refused_at_once(name: str) -> None:
    with ends(), pytest.raises(YamlError):
        text(BOMBS[name])


def test_a_large_honest_document_is_read() -> None:
    rules = "".join(f"- alert: A{n}\n  expr: up == {n}\n  labels: {{severity: page}}\n" for n in range(5_000))
    assert len(text(rules)) == 5_000


def test_depth_counts_levels_and_has_a_ceiling() -> None:
    assert load("[" * 128 + "]" * 128, max_depth=128) is not None
    with pytest.raises(YamlError, match="line 1: nested more than 127 levels"):
        load("[" * 128 + "]" * 128, max_depth=127)
    with pytest.raises(ValueError, match="max_depth"):
        load("a", max_depth=10_000)


@needs_libyaml
@pytest.mark.parametrize(
    "document",
    [
        "a: &x {b: [1, 'two', \"thr\\u00e9e\"]}\nc: *x\n---\nz",
        "a: |\n  x\n   y\n\nb: >\n  f\n  g\n# end\n",
        "{a: {b: c}, ? d : e, f: [g, h: i]}",
        "expr: sum(rate(x{a=\"b\"}[5m])) by (job) > 1\nfor: 5m\n",
        "a: !!str 5\n'b': !x y\n",
    ],
)  # fmt: skip
def test_both_parsers_of_pyyaml_read_the_same(document: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = text(document)
    monkeypatch.setattr(yamlsafe, "LOADER", yaml.SafeLoader)
    assert text(document) == fast


def test_marked_scalars_tell_what_stood_without_quotes() -> None:
    value = load("a: true\nb: 'true'\nc: !!str true\nd: ~\ne: &x 5\nf: *x\n", scalars="marked")
    assert value == {"a": "true", "b": "true", "c": "true", "d": None, "e": "5", "f": "5"}
    assert [key for key, item in value.items() if isinstance(item, yamlsafe.Plain)] == ["a", "e", "f"]
    assert all(type(key) is str for key in value)
