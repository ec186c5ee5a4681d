"""How each kind of requirement judges and folds, on timelines made by hand: no process is started."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest

from alertforge.alertmanager.config import Config, Route, RouteNode, parse
from alertforge.grader.definitions import index
from alertforge.grader.delivery import Delivery
from alertforge.grader.observed import Observed
from alertforge.grader.requirements import alert, inhibition, recording, route
from alertforge.grader.result import Judgement
from alertforge.grader.spec import (
    AlertCase,
    AlertRequirement,
    AnnotationRule,
    CardinalityCase,
    ChainCase,
    Grouping,
    InhibitionCase,
    InhibitionRequirement,
    LabelRule,
    Quiet,
    ReceiverRule,
    RecordCase,
    RecordingRequirement,
    RouteCase,
    RouteRequirement,
    Span,
    SuppressionCase,
)
from alertforge.grader.timeline import Firing, Samples, Seen, Timeline
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels

A, B = Labels.of(service="a"), Labels.of(service="b")
PAGE_A = Labels.of(service="a", severity="page")


def firing(minutes: Iterable[int], *labels: Labels, text: str = "") -> dict[tuple[str, int], tuple[Firing, ...]]:
    annotations = (("summary", text),) if text else ()
    return {("X", minute): tuple(Firing(one, annotations) for one in labels) for minute in minutes}


def observed(
    alerts: dict[tuple[str, int], tuple[Firing, ...]] | None = None,
    *rules: Rule,
    records: dict[tuple[str, int], Samples | None] | None = None,
    reference: dict[tuple[str, int], tuple[Firing, ...]] | None = None,
    delivery: Delivery | None = None,
) -> Observed:
    timeline = Timeline({"s": Seen(alerts or {}, records or {})})
    other = timeline if reference is None else Timeline({"s": Seen(reference)})
    files = [RuleFile("a.yml", (Group("g", rules or (Rule("X", "x > 1"),)),))]
    return Observed(timeline, other, delivery or Delivery(None), index(files))


def failed(judgement: Judgement) -> set[str]:
    return {check.id for check in judgement.checks if not check.passed}


# --- alerts ----------------------------------------------------------------------------------------------------------

CASE = AlertCase("s", A, (Span(5, 8),), (Quiet("before", Span(0, 2)), Quiet("after", Span(12, 14))), Span(4, 5))
ALERT = AlertRequirement(
    "A1",
    "alert",
    "X",
    (CASE,),
    labels=(LabelRule("severity", "page"),),
    annotations=(AnnotationRule("summary", "contains", "slow"),),
)


def test_what_fires_as_asked_is_whole() -> None:
    judgement = alert.judge(ALERT, observed(firing(range(4, 10), PAGE_A, text="it is slow")))
    assert failed(judgement) == set()
    assert judgement.q == 1.0


@pytest.mark.parametrize("start", [4, 5])
def test_right_answers_may_differ_between_the_spans(start: int) -> None:
    assert alert.judge(ALERT, observed(firing(range(start, 12), PAGE_A, text="slow"))).q == 1.0


@pytest.mark.parametrize(
    ("minutes", "wrong", "q"),
    [
        (range(3, 10), {"A1.timing.s"}, 2 / 3),
        (range(2, 10), {"A1.timing.s", "A1.silent.s"}, 2 / 3 * 1 / 2),
        (range(6, 10), {"A1.fire.s", "A1.timing.s", "A1.once.s"}, 0.0),
        (range(5, 8), {"A1.fire.s", "A1.once.s"}, 1 / 3),
        (range(5, 13), {"A1.silent.s.2"}, 1 / 2),
    ],
)
def test_minutes_decide(minutes: range, wrong: set[str], q: float) -> None:
    judgement = alert.judge(ALERT, observed(firing(minutes, PAGE_A, text="slow")))
    assert failed(judgement) == wrong
    assert judgement.q == pytest.approx(q)


@pytest.mark.parametrize(
    "text", ["{{ if gt $value 9.0 }}none{{ else }}page{{ end }}", "{{ with .Value }}page{{ end }}"]
)
def test_a_label_that_is_chosen_by_the_moment_is_not_always_there(text: str) -> None:
    rule, seen = Rule("X", "x > 1", labels=(("severity", text),)), firing(range(4, 10), PAGE_A, text="slow")
    assert failed(alert.judge(ALERT, observed(seen, rule))) == {"A1.label.severity"}
    by_value = 'count_values by (service) ("v", x > 1)'
    replaced = Rule("X", by_value, labels=(("v", ""), ("severity", '{{ reReplaceAll "1" "page" $labels.v }}')))
    assert failed(alert.judge(ALERT, observed(seen, replaced))) == {"A1.label.severity"}
    from_record = Rule(
        "h", 'label_replace(count_values by (service) ("v", x), "severity", "page", "v", "1")', is_alert=False
    )
    joined = Rule("X", "(x > 1) * on () group_left (severity) h")
    assert failed(alert.judge(ALERT, observed(seen, joined, from_record))) == {"A1.label.severity"}
    constant = Rule("X", 'label_replace(x > 1, "severity", "page", "", "")')
    assert failed(alert.judge(ALERT, observed(seen, constant))) == set()
    plain = Rule("X", "x > 1", labels=(("severity", "{{ $labels.severity }}"),))
    assert failed(alert.judge(ALERT, observed(seen, plain))) == set()


def test_labels_and_annotations_are_three_tenths() -> None:
    judgement = alert.judge(ALERT, observed(firing(range(4, 10), A, text="fast")))
    assert failed(judgement) == {"A1.label.severity", "A1.annotation.summary"}
    assert judgement.q == pytest.approx(0.7)


def test_one_wrong_minute_is_a_wrong_label() -> None:
    alerts = {**firing(range(4, 9), PAGE_A, text="slow"), **firing([9], A, text="slow")}
    assert failed(alert.judge(ALERT, observed(alerts))) == {"A1.label.severity"}


def test_two_alerts_for_one_subject_are_one_too_many() -> None:
    pods = [PAGE_A.with_(pod=pod) for pod in "ab"]
    assert failed(alert.judge(ALERT, observed(firing(range(4, 10), *pods, text="slow")))) == {"A1.once.s"}


def test_another_subjects_alert_is_nobodys_business() -> None:
    alerts = {**firing([0, 1], B), **firing(range(4, 10), PAGE_A, B, text="slow")}
    assert alert.judge(ALERT, observed(alerts)).q == 1.0


def test_an_alert_about_nobody_breaks_the_silence() -> None:
    alerts = {**firing([1], Labels.of(severity="page")), **firing(range(4, 10), PAGE_A, text="slow")}
    assert failed(alert.judge(ALERT, observed(alerts))) == {"A1.silent.s"}


def test_an_alert_that_does_not_exist_has_no_merit_in_silence() -> None:
    quiet = replace(ALERT, cases=(replace(CASE, fires=(), first=None),), labels=(), annotations=())
    assert alert.judge(quiet, observed()).q == 1.0
    assert alert.judge(quiet, observed({}, Rule("Y", "x"))).q == 0.0


def test_more_definitions_than_expected_cost_a_fifth() -> None:
    two = [Rule("X", "x > 1"), Rule("X", "y > 1")]
    alerts = firing(range(4, 10), PAGE_A, text="slow")
    assert alert.judge(ALERT, observed(alerts, *two)).q == pytest.approx(0.8)
    assert alert.judge(replace(ALERT, definitions=2), observed(alerts, *two)).q == 1.0
    assert alert.judge(ALERT, observed(alerts, Rule("X", "x > 1"), Rule("X", 'y{service="b"} > 1'))).q == 1.0


def test_a_burn_alert_is_the_mean_of_both_halves() -> None:
    good = firing(range(4, 10), PAGE_A, text="slow")
    judgement = alert.judge(replace(ALERT, burn=True), observed(good, reference={}))
    assert judgement.q == pytest.approx(0.5)
    assert all(name.startswith("A1.ref.") for name in failed(judgement))


@pytest.mark.parametrize(
    ("mode", "value", "text", "good"),
    [
        ("present", "", "x", True),
        ("present", "", "  ", False),
        ("contains", "slow", "too slow", True),
        ("equals", "slow", " slow ", True),
        ("equals", "slow", "too slow", False),
    ],
)
def test_annotation_modes(mode: str, value: str, text: str, good: bool) -> None:
    requirement = replace(ALERT, annotations=(AnnotationRule("summary", mode, value),))  # type: ignore[arg-type]
    wrong = failed(alert.judge(requirement, observed(firing(range(4, 10), PAGE_A, text=text))))
    assert wrong == (set() if good else {"A1.annotation.summary"})


# --- records ---------------------------------------------------------------------------------------------------------

RECORDS = RecordingRequirement(
    "C1",
    ("r",),
    (RecordCase("s", 5, "r", A, 2.0), RecordCase("s", 1, "r", A, None)),
    (CardinalityCase("s", 5, "r", 2),),
)
RECORD = Rule("r", "x", is_alert=False)


def test_records_by_value_and_number() -> None:
    samples: dict[tuple[str, int], Samples | None] = {("r", 5): ((A, 2.0 + 1e-7), (B, 9.0)), ("r", 1): ()}
    assert recording.judge(RECORDS, observed(None, RECORD, records=samples)).q == 1.0
    samples[("r", 5)] = ((A, 2.1),)
    assert recording.judge(RECORDS, observed(None, RECORD, records=samples)).q == pytest.approx(1 / 3)
    samples[("r", 5)] = ((A.with_(pod="1"), 2.0), (A.with_(pod="2"), 2.0))
    assert failed(recording.judge(RECORDS, observed(None, RECORD, records=samples))) == {"C1.value.1"}
    samples[("r", 5)] = None
    assert recording.judge(RECORDS, observed(None, RECORD, records=samples)).q == pytest.approx(1 / 3)


def test_series_of_others_do_not_count_where_they_are_another_requests() -> None:
    mine = replace(RECORDS, values=(), cardinality=(CardinalityCase("s", 5, "r", 1, (B,)),))
    theirs = [(B.with_(pod=pod), 9.0) for pod in "123"]
    nobody, stranger = (Labels(), 0.0), (Labels.of(service="z"), 0.0)
    right = [(A, 2.0)]
    for own, good in (
        (right, True),
        ([(A.with_(pod=pod), 2.0) for pod in "12"], False),
        ([], False),
        ([*right, nobody], False),
        ([*right, stranger], False),
    ):
        found = observed(None, RECORD, records={("r", 5): (*own, *theirs)})
        assert (failed(recording.judge(mine, found)) == set()) == good
    lenient = replace(mine, cardinality=(CardinalityCase("s", 5, "r", 1, (B, Labels())),))
    scattered = (Labels.of(instance="1"), 0.0)  # about nobody, but no rule that lost its labels gives that
    for more, good in ((nobody, True), (stranger, False), (scattered, False)):
        found = observed(None, RECORD, records={("r", 5): (*right, more, *theirs)})
        assert (failed(recording.judge(lenient, found)) == set()) == good


def test_a_record_that_does_not_exist_meets_nothing() -> None:
    assert recording.judge(RECORDS, observed(None, Rule("X", "x"), records={("r", 1): ()})).q == 0.0


def test_a_second_definition_of_a_record_costs_a_fifth() -> None:
    samples: dict[tuple[str, int], Samples | None] = {("r", 5): ((A, 2.0), (B, 9.0)), ("r", 1): ()}
    second = Rule("r", "y", is_alert=False)
    assert recording.judge(RECORDS, observed(None, RECORD, second, records=samples)).q == pytest.approx(0.8)
    both = observed(None, RECORD, second, records=samples)
    assert recording.judge(replace(RECORDS, definitions=2), both).q == 1.0


@pytest.mark.parametrize(
    ("seen", "expected", "good"),
    [
        (0.0, 0.0, True),
        (1e-9, 0.0, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 0.0, False),
        (float("inf"), float("inf"), True),
        (float("inf"), 1e308, False),
        (1.0000005, 1.0, True),
        (1.00001, 1.0, False),
    ],
)
def test_values_that_are_close(seen: float, expected: float, good: bool) -> None:
    assert recording.close(seen, expected, 1e-6) is good


# --- routes and inhibition -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """What amtool would say of a label set."""

    nodes: tuple[RouteNode, ...] = ()
    sources: frozenset[int] = frozenset()
    targets: frozenset[int] = frozenset()


@dataclass
class Known:
    """A delivery made by hand."""

    config: Config = field(
        default_factory=lambda: parse(
            "route: {receiver: d}\n"
            "receivers: [{name: d}, {name: p, webhook_configs: [{url: 'http://p.example'}]}]\n"
            "inhibit_rules: [{source_matchers: [a=b], target_matchers: [c=d], equal: [service]}]"
        )
    )
    matches: dict[Labels, Said] = field(default_factory=dict)

    def add(self, labels: Labels, *receivers: str, source: bool = False, target: bool = False) -> Known:
        nodes = tuple(RouteNode((n,), Route(), receiver) for n, receiver in enumerate(receivers))
        self.matches[labels] = Said(nodes, frozenset([0] if source else []), frozenset([0] if target else []))
        return self

    def delivery(self) -> Delivery:
        return Delivery(self.config, self.matches)


def test_routes_are_jaccard_times_no_forbidden_one() -> None:
    requirement = RouteRequirement(
        "R1", (RouteCase(A, ("p", "q")), RouteCase(B, ("p",)), RouteCase(PAGE_A, None, ("q",), "not theirs"))
    )
    known = Known().add(A, "p").add(B, "p").add(PAGE_A, "p")
    judgement = route.judge(requirement, observed(delivery=known.delivery()))
    assert judgement.q == pytest.approx((1 / 2 + 1) / 2)
    assert failed(judgement) == {"R1.route-positive.1"}
    known.add(PAGE_A, "p", "q")
    assert route.judge(requirement, observed(delivery=known.delivery())).q == 0.0
    assert route.judge(requirement, observed(delivery=Delivery(None))).q == 0.0


def test_a_receiver_that_is_told_twice_is_not_what_was_asked() -> None:
    requirement = RouteRequirement("R1", (RouteCase(A, ("p",)), RouteCase(B, ("p", "q"))))
    judgement = route.judge(requirement, observed(delivery=Known().add(A, "p", "p").add(B, "p", "q").delivery()))
    assert failed(judgement) == {"R1.route-positive.1"}
    assert "p is told 2 times" in judgement.checks[0].seen


HOUSE = Grouping(("alertname", "team"), 30_000, 300_000, 14_400_000)


@pytest.mark.parametrize(
    ("node", "good"),
    [
        (RouteNode((0,), Route(), "p", ("team", "alertname")), True),
        (RouteNode((0,), Route(), "p", ("alertname",)), False),
        (RouteNode((0,), Route(), "p", ("...",)), False),
        (RouteNode((0,), Route(), "p", ("alertname", "team"), group_wait=0), False),
        (RouteNode((0,), Route(), "p", ("alertname", "team"), group_interval=301_000), False),
        (RouteNode((0,), Route(), "p", ("alertname", "team"), repeat_interval=86_400_000), False),
    ],
)
def test_a_page_is_grouped_by_the_rule_of_the_house(node: RouteNode, good: bool) -> None:
    known = Known()
    known.matches[A] = Said((node,))
    rules = (ReceiverRule("p", HOUSE),)
    alerts = {("X", 5): (Firing(PAGE_A),)}
    known.matches[PAGE_A.with_(alertname="X")] = Said((node,))
    case = RouteRequirement("R1", (RouteCase(A, ("p",)),), (ChainCase("s", 5, "X", A, ("p",)),), receivers=rules)
    assert route.judge(case, observed(alerts, delivery=known.delivery())).q == float(good)
    forbidden = replace(case, cases=(RouteCase(A, None, ("q",)),), chain=())
    assert route.judge(forbidden, observed(delivery=known.delivery())).q == 1.0


@pytest.mark.parametrize(
    ("body", "good"),
    [
        ("webhook_configs: [{url: 'http://p.example'}]", True),  # `send_resolved` is true where nothing is said
        ("webhook_configs: [{url: 'http://p.example', send_resolved: yes, max_alerts: 0}]", True),
        ("webhook_configs: [{send_resolved: true, url: 'http://p.example'}], slack_configs: []", True),
        ("webhook_configs: [{url: 'http://p.example', send_resolved: false}]", False),
        ("webhook_configs: [{url: 'http://q.example'}]", False),
        ("webhook_configs: [{url: 'http://p.example'}, {url: 'http://q.example'}]", False),
        ("webhook_configs: [{url: 'http://p.example'}], email_configs: [{to: a@b.example}]", False),
        ("webhook_configs: [{url: 'http://p.example', max_alerts: 1}]", False),
        ("slack_configs: [{api_url: 'http://p.example', channel: c}]", False),
    ],
)
def test_a_receiver_is_what_it_posts_to(body: str, good: bool) -> None:
    config = parse(f"route: {{receiver: p}}\nreceivers: [{{name: p, {body}}}]")
    rules = (ReceiverRule("p", None, ('["webhook_configs", {"url": "http://p.example"}]',)),)
    requirement = RouteRequirement("R1", (RouteCase(A, ("p",)),), receivers=rules)
    assert route.judge(requirement, observed(delivery=Known(config).add(A, "p").delivery())).q == float(good)


@pytest.mark.parametrize(("expected", "resolved", "share"), [("", "", 1), ("a", "", 0), ("ab", "bc", 1 / 3)])
def test_jaccard(expected: str, resolved: str, share: float) -> None:
    assert route.jaccard(expected, resolved) == pytest.approx(share)


def test_a_page_starts_from_what_fires_and_is_not_inhibited() -> None:
    requirement = RouteRequirement("R1", (), (ChainCase("s", 5, "X", A, ("p",)),))
    target, source = PAGE_A.with_(alertname="X"), A.with_(alertname="Y")
    alerts = {("X", 5): (Firing(PAGE_A),)}
    known = Known().add(target, "p", target=True).add(source, "q", source=True)
    assert route.judge(requirement, observed(alerts, delivery=known.delivery())).q == 1.0
    assert route.judge(requirement, observed({}, delivery=known.delivery())).q == 0.0
    both = {**alerts, ("Y", 5): (Firing(A),)}
    assert route.judge(requirement, observed(both, delivery=known.delivery())).q == 0.0
    nobody = replace(requirement, chain=(ChainCase("s", 5, "X", A, ()),))
    assert route.judge(nobody, observed(both, delivery=known.delivery())).q == 1.0
    assert route.judge(nobody, observed({}, delivery=known.delivery())).q == 0.0


def test_inhibition_multiplies_both_sides() -> None:
    requirement = InhibitionRequirement(
        "I1", (InhibitionCase(A, (PAGE_A,), True), InhibitionCase(B, (PAGE_A,), False), InhibitionCase(B, (), False))
    )
    known = Known().add(A, target=True).add(B, target=True).add(PAGE_A, source=True)
    assert inhibition.judge(requirement, observed(delivery=known.delivery())).q == 1.0
    known.config = replace(known.config, inhibit_rules=(replace(known.config.inhibit_rules[0], equal=()),))
    judgement = inhibition.judge(requirement, observed(delivery=known.delivery()))
    assert failed(judgement) == {"I1.not-suppressed.2"}
    assert judgement.q == pytest.approx(0.5)
    assert inhibition.judge(requirement, observed(delivery=Delivery(None))).q == 0.0


@pytest.mark.parametrize("suppressed", [True, False])
def test_an_alert_that_does_not_fire_is_neither(suppressed: bool) -> None:
    requirement = InhibitionRequirement("I1", (), (SuppressionCase("s", 5, "X", A, suppressed),))
    assert inhibition.judge(requirement, observed({}, delivery=Known().delivery())).q == 0.0
