"""When two rules are one definition, which labels an expression is sure to yield, and whom a definition concerns."""

from __future__ import annotations

import pytest

from alertforge.grader.definitions import concerns, definition, distinct_for, index, yielded
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels

CART, MAIL = Labels.of(service="cart"), Labels.of(service="mail")


PLAIN = Group("g")


def form(expr: str, group: Group = PLAIN, **labels: str) -> object:
    return definition(Rule("A", expr, labels=tuple(labels.items())), group)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 1", "1 < x"),
        ("x{a='1',b='2'} > 1", 'x{b="2", a="1"}>1'),
        ("sum by (b, a) (x)", "sum(x) by (a, b)"),
        ("x + y", "y + x"),
        ("x > 14.4 * 0.005", "x > 0.072"),
    ],
)
def test_writing_makes_no_other_definition(one: str, other: str) -> None:
    assert form(one) == form(other)


def test_a_group_label_is_as_good_as_a_rules_own() -> None:
    assert form("x", Group("g", labels=(("a", "1"),))) == form("x", a="1")
    assert form("x", Group("g", labels=(("a", "1"),)), a="2") == form("x", a="2")


def test_a_static_label_that_the_expression_yields_is_no_difference() -> None:
    assert form('up{job="a"} == 0', job="a") == form('up{job="a"} == 0')
    assert form('up{job="a"} == 0', job="b") != form('up{job="a"} == 0')


@pytest.mark.parametrize(
    ("expr", "labels"),
    [
        ('x{a="1", b=~"2", c!="3"}', {"a": "1"}),
        ('sum by (a) (x{a="1", b="2"})', {"a": "1"}),
        ('sum without (a) (x{a="1", b="2"})', {"b": "2"}),
        ('sum(x{a="1"})', {}),
        ('topk(3, x{a="1"})', {"a": "1"}),
        ('count_values("a", x{a="1"})', {}),
        ('count_values by (a, b) ("a", x{a="1", b="2"})', {"b": "2"}),
        ('rate(x{a="1"}[5m]) > 0', {"a": "1"}),
        ('0 < rate(x{a="1"}[5m])', {"a": "1"}),
        ('histogram_quantile(0.9, sum by (le, a) (rate(x{a="1"}[5m])))', {"a": "1"}),
        ('absent(up{job="a"})', {"job": "a"}),
        ('absent(up{job="a"} == 1)', {}),
        ('absent(up{job="a", job=~"a|b", env="x"})', {"env": "x"}),
        ('label_replace(x{a="1"}, "a", "2", "", "")', {}),
        ('x{a="1"} or y{a="1", b="2"}', {"a": "1"}),
        ('x{a="1"} and y{b="2"}', {"a": "1"}),
        ('x{a="1", b="2"} / on (b) y', {"b": "2"}),
        ('x{a="1", b="2"} / ignoring (b) y', {"a": "1"}),
        ('x{a="1", b="2"} * on (b) group_left (a) y', {"b": "2"}),
        ("vector(1)", {}),
        ('max_over_time(x{a="1"}[1h:1m])', {"a": "1"}),
    ],
)
def test_labels_that_are_sure(expr: str, labels: dict[str, str]) -> None:
    assert yielded(promql.parse(expr)) == labels


@pytest.mark.parametrize(
    ("expr", "labels", "cart"),
    [
        ("x > 1", {}, True),
        ('x{service="cart"} > 1', {}, True),
        ('x{service="mail"} > 1', {}, False),
        ('x{service=~"mail|web"} > 1', {}, False),
        ('x{service=~"mail|cart"} > 1', {}, True),
        ('x{service!~"cart"} > 1', {}, False),
        ('x{service=~"m.*"} > 1', {}, True),  # a pattern is never run: it counts
        ('x{service!="cart"} > 1', {}, False),
        ('x{service="mail"} / y > 1', {}, True),
        ("x > 1", {"service": "mail"}, False),
        ('label_replace(x{service="mail"}, "service", "cart", "", "") > 1', {}, True),
        ('x{app="mail"} > 1', {"service": "cart"}, True),
        ("x > 1", {"service": "{{ $labels.app }}"}, True),
    ],
)
def test_whom_a_definition_can_concern(expr: str, labels: dict[str, str], cart: bool) -> None:
    assert concerns(definition(Rule("A", expr, labels=tuple(labels.items())), Group("g")), CART) is cart


def test_definitions_of_other_services_do_not_add_up() -> None:
    rules = [Rule("A", f'x{{service="{name}"}} > 1') for name in ("cart", "mail", "web")]
    definitions = index([RuleFile("a.yml", (Group("g", tuple(rules)),))])[True, "A"]
    assert len(definitions) == 3
    assert distinct_for(definitions, [CART, MAIL]) == 1
    assert distinct_for(definitions, [Labels()]) == 3


@pytest.mark.parametrize(
    ("records", "others"),
    [
        ({"side": 'sum by (service) (x{service="cart"})'}, False),
        ({"side": "step", "step": 'x{service="cart"}'}, False),
        ({"side": "sum by (service) (x)"}, True),
        ({"side": 'sum(x{service="cart"})'}, True),
        ({"side": "side"}, True),
    ],
)
def test_a_definition_is_about_whom_the_records_are_that_it_reads(records: dict[str, str], others: bool) -> None:
    rules = [Rule(name, expr, is_alert=False) for name, expr in records.items()]
    ratio = Rule("ratio", "side / on (service) side", is_alert=False)
    found = index([RuleFile("rules/a.yml", (Group("g", (ratio, *rules)),))])
    (one,) = found[False, "ratio"]
    assert concerns(one, Labels.of(service="cart"))
    assert concerns(one, Labels.of(service="mail")) == others
    assert one == definition(ratio, Group("g"))  # what it reads is no part of what it is


def test_a_record_of_two_services_is_sure_of_neither() -> None:
    sides = [Rule("side", f'x{{service="{name}"}}', is_alert=False) for name in ("cart", "mail")]
    static = Rule("own", "x", is_alert=False, labels=(("service", "cart"),))
    readers = [Rule(f"reads-{name}", f"{name} > 0") for name in ("side", "own")]
    found = index([RuleFile("rules/a.yml", (Group("g", (*sides, static, *readers)),))])
    assert concerns(found[True, "reads-side"][0], Labels.of(service="mail"))
    assert not concerns(found[True, "reads-own"][0], Labels.of(service="mail"))
