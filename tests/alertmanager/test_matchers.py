"""Matcher strings are read as Alertmanager 0.28.1 reads them; each case was seen in `amtool config routes show`."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alertforge.alertmanager.matchers import Matcher, MatcherError, matches_all, parse
from tests.hang import ends


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=b", [("a", "=", "b")]),
        (' a  =  "b"  ', [("a", "=", "b")]),
        ('{a=b,c!="d",e=~f|g,h!~"i.*"}', [("a", "=", "b"), ("c", "!=", "d"), ("e", "=~", "f|g"), ("h", "!~", "i.*")]),
        ("a=b,", [("a", "=", "b")]),
        ("", []),
        ("  ", []),
        ("{}", []),
        ("a=", [("a", "=", "")]),
        ('a=""', [("a", "=", "")]),
        ("a=,b=c", [("a", "=", ""), ("b", "=", "c")]),
        ("a:b=c", [("a:b", "=", "c")]),
        ('a="b,c"', [("a", "=", "b,c")]),
        ('a="x\\\\y\\"z\\n"', [("a", "=", 'x\\y"z\n')]),
        # only one parser takes these
        ("{a=b", [("a", "=", "b")]),
        ("a=b}", [("a", "=", "b")]),
        ("a=b,}", [("a", "=", "b")]),
        ("{a=b}x", [("a", "=", "b}x")]),
        ("a='b'", [("a", "=", "'b'")]),
        ("a=b c", [("a", "=", "b c")]),
        ("a=b=c", [("a", "=", "b=c")]),
        ("a==b", [("a", "=", "=b")]),
        ("a=b\\", [("a", "=", "b\\")]),
        ('a="x\ny"', [("a", "=", "x\ny")]),
        ('"a"=b', [("a", "=", "b")]),
        ('"a b"="c"', [("a b", "=", "c")]),
        ('{"a}" = b , }', [("a}", "=", "b")]),
        ('""="x"', [("", "=", "x")]),
        ("é=b", [("é", "=", "b")]),
        ("a.b=c", [("a.b", "=", "c")]),
        ("5=x", [("5", "=", "x")]),
        ('"a"="\\u00e9\\xc3\\xa9\\101\\t"', [("a", "=", "ééA\t")]),
        # both take these and disagree: the classic one wins, unless Go refuses its regular expression
        ('a="b\\tc"', [("a", "=", "b\\tc")]),
        ('a=~"(\\x29"', [("a", "=~", "()")]),
        ('a=~"\\u00e9"', [("a", "=~", "é")]),
        ('a=~"\\x41"', [("a", "=~", "\\x41")]),
        # a comma ends a matcher even after a backslash, and a backslash before a comma still hides the next quote
        ('a=\\,b="y,z"', [("a", "=", "\\"), ("b", "=", "y,z")]),
    ],
)
def test_a_matcher_string_is_read_as_alertmanager_reads_it(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(m.name, m.op, m.value) for m in parse(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        ",a=b", "a=b,,c=d", "a b=c", 'a="b"c', '{a="b"},', "{{a=b}}", "{,}", '"a"="b";', '"a"="\\xff"', '"a"="\\ud800"',
        '"a"="\\q"', '"a"="\\400"', '"a"="x\ny"', 'a="\\', 'a="x\\,",b="y"', "a", "=b", '"a"', '"a"=', '"a"=="b"',
        '{"a"=b', '"a"=b}', '"a"=b,,', "a~b",
    ],
)  # fmt: skip
def test_what_alertmanager_refuses_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(MatcherError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["a=" + " " * 500_000 + "x", " " * 500_000 + "\xa0x", '"a"="b",' * 60_000, 'a="' + "\\" * 999_999, "{" * 1_000_000],
    ids=["inner spaces", "leading spaces", "many matchers", "backslashes", "braces"],
)
def test_long_hostile_strings_cost_linear_time(text: str) -> None:
    with ends(), contextlib.suppress(MatcherError):
        parse(text)


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4) | st.sampled_from(["a", "b_1", "c:d"])
values = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\\",={}\n '), max_size=6)


@given(st.lists(st.builds(Matcher, names, st.sampled_from(["=", "!="]), values), max_size=3))
def test_a_written_matcher_reads_back_as_itself(matchers: list[Matcher]) -> None:
    assert list(parse(",".join(map(str, matchers)))) == matchers
    assert list(parse("{" + ",".join(map(str, matchers)) + "}")) == matchers


def test_regular_expressions_are_anchored_and_missing_labels_are_empty() -> None:
    labels = {"team": "payments", "empty": ""}
    holds = {
        'team="payments"': True, 'team!="payments"': False, 'team=~"pay"': False, 'team=~"pay.*"': True,
        'team=~"x|payments"': True, 'team!~"pay"': True, 'gone=""': True, 'gone!=""': False, 'gone=~".*"': True,
        'gone=~".+"': False, 'gone!="x"': True, 'empty=""': True, 'team=~"payments|"': True, 'gone=~"payments|"': True,
    }  # fmt: skip
    assert {text: matches_all(parse(text), labels) for text in holds} == holds
    assert Matcher("a", "=~", ".").matches({"a": "\n"}) is False
    assert Matcher("a", "=~", r"\d").matches({"a": "٣"}) is False


def test_an_unknown_operator_or_a_pattern_python_cannot_read_is_refused() -> None:
    with pytest.raises(MatcherError, match="operator"):
        Matcher("a", "==", "b")
    with pytest.raises(MatcherError, match="regular expression"):
        Matcher("a", "=~", "(").matches({})
