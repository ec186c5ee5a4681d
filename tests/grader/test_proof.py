"""What is proven by reading, what is not, and what a check says where nothing is proven."""

from __future__ import annotations

import pytest
from shop import ALERTMANAGER, HOST, Shop, failed, write

from alertforge.alertmanager.config import parse
from alertforge.grader.definitions import Definition, definition, index
from alertforge.grader.proof import Ground, closed_labels, difference, named_by, read_by, same, series_labels
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Pairs, Rule, RuleFile

RECORDS = [
    Rule("job:x:sum", "sum by (job) (x)", is_alert=False),
    Rule("twice", "x", is_alert=False),
    Rule("twice", "y", is_alert=False),
    Rule("labelled", "x", is_alert=False, labels=(("a", "b"),)),
]


def ground(*records: Rule) -> Ground:
    known = index([RuleFile("r.yml", (Group("g", tuple(records or RECORDS)),))])
    return Ground(known, frozenset({"team", "severity"}), frozenset({"pod", "job"}))


def alert(expr: str, labels: Pairs = (), annotations: Pairs = (), for_: int = 0) -> Definition:
    return definition(Rule("A", expr, for_=for_, labels=labels, annotations=annotations), Group("g"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 5", "5 < x"),
        ("x > 5 * 60", "x > 300"),
        ("x > 2 ^ 3", "x > 8"),
        ("rate(x[1h]) > 1", "rate(x[60m]) > 1"),
        ("(((x))) > (1)", "x > 1"),
        ("sum by (a, b) (x)", "sum(x) by (b, a)"),
        ('x{a="1", b="2"}', "x{b='2',a='1',}"),
        ('x{a=~"1"}', 'x{a="1"}'),
        ('x{a!~"1"}', 'x{a!="1"}'),
        ('x{a=~"1|2|3"}', 'x{a=~"3|1|2|1"}'),
        ('{__name__="x"} > 1', "x > 1"),
        ("x + y + z > 1", "z + (y + x) > 1"),
        ("2 * x * y > 1", "y * 2 * x > 1"),
        ("x > 1 and y > 2", "y > 2 and x > 1"),
        ("x > 1 or y > 2 or z > 3", "z > 3 or (x > 1 or y > 2)"),
        ("(x > 1 or y) and z", "z and (y or 1 < x)"),
        ("x > y", "y < x"),
        ("x == y", "y == x"),
        ("(x and y) unless z", "(y and x) unless z"),
        ("job:x:sum > 1", "sum by (job) (x) > 1"),
        ("max(job:x:sum) > 1", "max(sum(x) by (job)) > 1"),
        ("x / on (a) y > 1", "x / on (a) y > 1"),
    ],
)
def test_spellings_that_mean_the_same(one: str, other: str) -> None:
    assert same(alert(one), alert(other), ground(), ground())
    assert same(alert(other), alert(one), ground(), ground())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x > 5", "x >= 5"),
        ("x > 5", "x > 5.0000001"),
        ("x - y > 0", "y - x > 0"),
        ("x unless y", "y unless x"),
        ("x and on (a) y", "y and on (a) x"),
        ("x or on (a) y", "y or on (a) x"),
        ("x > on (a) y", "y < on (a) x"),
        ("x > bool y", "y < bool x"),
        ("sum by (a) (x)", "sum without (a) (x)"),
        ("rate(x[5m]) > 1", "increase(x[5m]) > 1"),
        ("rate(x[5m]) > 1", "rate(x[6m]) > 1"),
        ('x{a=~"1."}', 'x{a="1."}'),
        ('x{a=~"1|2"}', 'x{a!~"1|2"}'),
        ("x offset 5m > 1", "x > 1"),
        ("twice > 1", "x > 1"),
        ("labelled > 1", "x > 1"),
        ("rate(job:x:sum[5m]) > 1", "rate(x[5m]) > 1"),
        ("x and y", "x or y"),
        ("x and y and z", "x and y"),
        ("count(x and y)", "count(y)"),
    ],
)
def test_what_differs_is_not_proven(one: str, other: str) -> None:
    assert not same(alert(one), alert(other), ground(), ground())
    assert difference([alert(one)], [alert(other)], ground(), ground())


def test_where_the_value_is_told_it_matters_whose_it_is() -> None:
    told = (("summary", "it is {{ $value }}"),)
    assert not same(alert("x and y", annotations=told), alert("y and x", annotations=told), ground(), ground())
    assert same(alert("x + y", annotations=told), alert("y + x", annotations=told), ground(), ground())


CERTAIN = 'sum by (svc) (x{svc="cart"}) > 1'


@pytest.mark.parametrize(
    ("expr", "one", "other"),
    [
        (CERTAIN, "cart is slow", "{{ $labels.svc }} is slow"),
        (CERTAIN, "cart is slow", "{{.Labels.svc}} is slow"),
        (CERTAIN, "{{ .Labels.svc }} is slow", "{{ $labels.svc }} is slow"),
        (CERTAIN, "cart/cart {{ $value }}", "{{ $labels.svc }}/{{ .Labels.svc }} {{ $value }}"),
        (CERTAIN, '{{ printf "%v" 1 }}cart', '{{ printf "%v" 1 }}{{ $labels.svc }}'),
        (CERTAIN, "{{ if true }}cart{{ end }}", "{{ if true }}{{ .Labels.svc }}{{ end }}"),
        ('x{svc=~"cart"}', "cart", "{{ $labels.svc }}"),
        ('absent(x{svc="cart"})', "cart", "{{ $labels.svc }}"),
    ],
)
def test_a_label_that_is_certain_may_be_looked_up(expr: str, one: str, other: str) -> None:
    for left, right in ((one, other), (other, one)):
        for kind in ("annotations", "labels"):
            before, after = (alert(expr, **{kind: (("note", text),)}) for text in (left, right))
            assert same(before, after, ground(), ground())


@pytest.mark.parametrize(
    ("expr", "one", "other"),
    [
        (CERTAIN, "mail is slow", "{{ $labels.svc }} is slow"),
        (CERTAIN, "cart", "{{ $labels.pod }}"),  # nothing
        ('sum(x{svc="cart"}) > 1', "cart", "{{ $labels.svc }}"),  # summed away
        ('x{svc!="mail"}', "cart", "{{ $labels.svc }}"),
        ('x{svc=~"cart|mail"}', "cart", "{{ $labels.svc }}"),
        ('x{svc="cart"} or y', "cart", "{{ $labels.svc }}"),
        ('label_replace(x{svc="cart"}, "svc", "mail", "", "")', "cart", "{{ $labels.svc }}"),
        (CERTAIN, "a cart", "a {{- $labels.svc }}"),
        (CERTAIN, '{{ "}}cart" }}', '{{ "}}{{ $labels.svc }}" }}'),
        (CERTAIN, "{{/* }} */}}{{ `cart` }}", "{{/* }} */}}{{ `{{ $labels.svc }}` }}"),
        (CERTAIN, "{{ with 1 }}cart{{ end }}", "{{ with 1 }}{{ .Labels.svc }}{{ end }}"),
        (CERTAIN, "{{ $labels := 1 }}cart", "{{ $labels := 1 }}{{ $labels.svc }}"),
        (CERTAIN, "{{ title `cart` }}", "{{ title $labels.svc }}"),  # may be equal, and is not worked out
        ('x{svc="{{ 1 }}"}', "{{ 1 }}", "{{ $labels.svc }}"),
        ('x{svc=" "}', " ", "{{ $labels.svc }}"),
    ],
)
def test_what_a_lookup_finds_otherwise_is_not_put_in_its_place(expr: str, one: str, other: str) -> None:
    for left, right in ((one, other), (other, one)):
        before, after = (alert(expr, annotations=(("note", text),)) for text in (left, right))
        assert not same(before, after, ground(), ground())


def test_a_template_does_not_see_the_labels_of_its_rule() -> None:
    before = alert("x", labels=(("team", "mail"),), annotations=(("note", "mail"),))
    after = alert("x", labels=(("team", "mail"),), annotations=(("note", "{{ $labels.team }}"),))
    assert not same(before, after, ground(), ground())


def test_a_label_may_be_looked_up_that_the_samples_have_anyway() -> None:
    before, after = alert(CERTAIN), alert(CERTAIN, labels=(("svc", "{{ $labels.svc }}"),))
    assert same(before, after, ground(), ground())
    assert same(after, before, ground(), ground())


def test_a_record_says_for_certain_what_its_series_carry() -> None:
    rules = (
        Rule("cart:depth", 'max by (svc) (x{svc="cart"})', is_alert=False),
        Rule("A", "cart:depth > 1", annotations=(("note", "cart"),)),
        Rule("B", "cart:depth > 1", annotations=(("note", "{{ $labels.svc }}"),)),
    )
    known = index([RuleFile("r.yml", (Group("g", rules),))])
    assert same(known[True, "A"][0], known[True, "B"][0], ground(), ground())


def test_labels_of_records_are_no_templates() -> None:
    before, after = (
        definition(Rule("r", 'x{svc="cart"}', is_alert=False, labels=(("note", text),)), Group("g"))
        for text in ("cart", "{{ $labels.svc }}")
    )
    assert not same(before, after, ground(), ground())


def test_a_record_that_was_changed_as_well_is_not_the_same_record() -> None:
    other = ground(Rule("job:x:sum", "sum by (job) (y)", is_alert=False))
    assert same(alert("job:x:sum > 1"), alert("1 < job:x:sum"), ground(), other)  # the record has a check of its own
    assert not same(alert("job:x:sum > 1"), alert("sum by (job) (x) > 1"), other, other)


@pytest.mark.parametrize(
    ("expr", "label", "good"),
    [
        ("sum by (job) (x) > 1", "note", True),
        ("sum by (job) (x) > 1", "pod", True),  # what is summed has no pod
        ("sum by (job) (x) > 1", "job", False),
        ("sum by (job) (x) > 1", "team", False),  # a route reads it
        ("x > 1", "note", True),
        ("x > 1", "pod", False),  # series may have one
        ("absent(x)", "pod", True),
        ("job:x:sum > 1", "pod", True),
    ],
)
def test_a_label_more(expr: str, label: str, good: bool) -> None:
    assert same(alert(expr), alert(expr, labels=((label, "v"),)), ground(), ground()) is good


def test_annotations_and_durations() -> None:
    a, b = (("summary", "s"),), (("summary", "s"), ("more", "m"))
    assert same(alert("x", annotations=a), alert("x", annotations=b), ground(), ground())
    for new, words in (
        (alert("x"), "annotation summary is gone"),
        (alert("x", annotations=(("summary", "t"),)), "annotation summary was 's', is 't'"),
        (alert("x", annotations=a, for_=60_000), "`for` was 0s, is 1m"),
        (alert("y", annotations=a), "its expression is another one"),
        (alert("x", annotations=a, labels=(("team", "v"),)), "label team is new, and the Alertmanager"),
    ):
        assert difference([alert("x", annotations=a)], [new], ground(), ground()).startswith(words)


@pytest.mark.parametrize(
    ("expr", "labels"),
    [
        ("sum by (a, b) (x)", "a b"),
        ("sum(x)", ""),
        ("sum by (a) (x) > 1 and y", "a"),
        ("1 < sum by (a) (x)", "a"),
        ("sum by (a) (x) or sum by (b) (y)", "a b"),
        ("sum by (a) (x) / on (a) group_left (c) sum by (a, c) (y)", "a c"),
        ("histogram_quantile(0.9, sum by (le) (rate(x[5m]))) > 1", "le"),
        ('absent(x{a="1", b=~"2"})', "a"),
        ("vector(1)", ""),
        ("x", None),
        ("topk(3, x)", None),
        ("sum without (a) (x)", None),
        ('label_replace(sum(x), "a", "b", "", "")', None),
        ('count_values("a", x)', None),
        ("sum by (a) (x) or y", None),
    ],
)
def test_all_labels_that_can_be_there(expr: str, labels: str | None) -> None:
    assert closed_labels(promql.parse(expr)) == (None if labels is None else frozenset(labels.split()))


def test_who_reads_and_names_labels() -> None:
    config = parse(
        "route: {receiver: r, group_by: [g], routes: [{matchers: [m=1], match: {l: x}, group_by: ['...']}]}\n"
        "receivers: [{name: r}]\n"
        "inhibit_rules: [{source_matchers: [s=1], target_match_re: {t: x}, equal: [e]}]"
    )
    assert read_by(config) == {"g", "m", "l", "...", "s", "t", "e"}
    rule = Rule("A", 'sum by (a) (x{b="1"}) / on (c) group_left (d) y')
    assert named_by(index([RuleFile("r.yml", (Group("g", (rule,)),))])) == {"a", "b", "c", "d"}
    assert series_labels(['up{job="a,b=c",pod="p"}', "x"]) >= {"job", "pod"}


QUIET = """
groups:
  - name: quiet
    rules:
      - record: instance:temperature:max
        expr: max by (instance) (temperature_celsius)
      - alert: TooHot
        expr: max by (instance) (temperature_celsius) > 80 and max by (instance) (fan_running) == 0
        for: 5m
        labels: {severity: ticket, team: mail}
        annotations: {summary: "{{ $labels.instance }} is hot"}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("team: mail}", "team: mail, docs: here}", ""),
        ("team: mail}", "team: mail, instance: '{{ $labels.instance }}'}", ""),
        ("team: mail}", "team: mail, instance: '{{ $labels.team }}'}", "label instance is new"),
        ("summary:", "docs: here, summary:", ""),
        ("{{ $labels.instance }} is hot", "{{.Labels.instance}} is hot", ""),
        ("{{ $labels.instance }} is hot", "{{ $labels.room }} is hot", "annotation summary was"),
        ("(temperature_celsius) > 80 and", "(temperature_celsius) > 8 * 10 and", ""),
        ("max by (instance) (temperature_celsius) > 80", "instance:temperature:max > 80", ""),
        ("max by (instance) (fan_running) == 0", "0 == max(fan_running) by (instance)", ""),
        (
            "team: mail}",
            "team: mail, helper: 'yes'}",
            "label helper is new, and the Alertmanager configuration reads it",
        ),
        ("team: mail}", "team: cart}", "label team was 'mail', is 'cart'"),
        ("> 80", "> 81", "its expression is another one"),
        ("for: 5m", "for: 6m", "`for` was 5m, is 6m"),
        ("by (instance) (temperature_celsius)\n", "by (instance, x) (temperature_celsius)\n", "another one"),
    ],
)
def test_what_fires_nowhere_is_read(shop: Shop, old: str, new: str, said: str) -> None:
    config = ALERTMANAGER.replace("  routes:\n", "  routes:\n    - {receiver: cart-chat, matchers: [helper=yes]}\n", 1)
    write(shop.spec_dir / "hidden/baseline", {"rules/quiet.yml": QUIET})
    changed = QUIET.replace(old, new, 1)
    assert changed != QUIET
    files = {"rules/quiet.yml": changed, "alertmanager/alertmanager.yml": config, "rules/host.yml": HOST}
    result = shop.grade(shop.workspace(files))
    found = [
        check.seen for check in result.checks if check.id in ("P.alert.TooHot", "P.record.instance:temperature:max")
    ]
    assert len(found) == 2
    assert (failed(result) == set()) is (said == "")
    assert any(said in text for text in found)


QUIET_ROOM = """
groups:
  - name: quiet
    rules:
      - alert: RoomHot
        expr: max by (room) (temperature_celsius{room="attic"}) > 80
        labels: {severity: ticket, team: mail}
        annotations: {summary: "attic is hot, mail is told"}
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("attic is hot", "{{ $labels.room }} is hot", ""),
        ("attic is hot", "{{ .Labels.room }} is hot", ""),
        ("attic is hot", "{{ $labels.instance }} is hot", "annotation summary was"),
        ("mail is told", "{{ $labels.team }} is told", "annotation summary was"),  # the samples have no team
        ("team: mail}", "team: mail, place: '{{ $labels.room }}'}", ""),
    ],
)
def test_an_annotation_that_names_the_one_subject_by_its_label_is_kept(
    shop: Shop, old: str, new: str, said: str
) -> None:
    write(shop.spec_dir / "hidden/baseline", {"rules/quiet.yml": QUIET_ROOM})
    result = shop.grade(shop.workspace({"rules/quiet.yml": QUIET_ROOM.replace(old, new, 1)}))
    assert not result.problems
    (seen,) = [check.seen for check in result.checks if check.id == "P.alert.RoomHot"]
    assert said in seen
    assert failed(result) == ({"P.alert.RoomHot"} if said else set())
    assert (result.rewards["reward"] == 1.0) is (said == "")
