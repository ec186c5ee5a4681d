"""Inhibition in Python; the parity tests hold it against the server."""

from __future__ import annotations

from dataclasses import dataclass

from alertforge.alertmanager.config import InhibitRule
from alertforge.alertmanager.inhibition import Inhibition, decide, inhibited
from alertforge.alertmanager.matchers import parse
from tests.hang import ends

PAGE, TICKET, ANY = parse("severity=page"), parse("severity=ticket"), parse('severity!=""')


def test_a_source_mutes_targets_that_agree_on_equal() -> None:
    rule = InhibitRule(PAGE, TICKET, ("service",))
    alerts = [
        {"severity": "page", "service": "a"},
        {"severity": "ticket", "service": "a"},
        {"severity": "ticket", "service": "b"},
        {"severity": "page", "service": "a", "pod": "2"},
    ]
    assert inhibited([rule], alerts) == ((), (Inhibition(0, (0, 3)),), (), ())


def test_a_label_missing_on_both_sides_is_equal_and_on_one_side_is_not() -> None:
    rule = InhibitRule(PAGE, TICKET, ("service",))
    without = [{"severity": "page"}, {"severity": "ticket", "service": ""}]
    assert inhibited([rule], without) == ((), (Inhibition(0, (0,)),))
    assert inhibited([rule], [{"severity": "page"}, {"severity": "ticket", "service": "a"}]) == ((), ())


def test_an_alert_on_both_sides_is_muted_only_by_a_source_that_is_no_target() -> None:
    both = InhibitRule(ANY, parse("severity!=page"), ())
    tickets = [{"severity": "ticket", "n": "1"}, {"severity": "ticket", "n": "2"}]
    assert inhibited([both], tickets) == ((), ())
    assert inhibited([both], [*tickets, {"severity": "page"}]) == (*[(Inhibition(0, (2,)),)] * 2, ())
    assert inhibited([both], [*tickets, {}]) == ((), (), (Inhibition(0, (0, 1)),))


def test_a_muted_source_mutes_all_the_same() -> None:
    chain = [InhibitRule(PAGE, TICKET), InhibitRule(TICKET, parse("severity=info"))]
    alerts = [{"severity": "page"}, {"severity": "ticket"}, {"severity": "info"}]
    assert inhibited(chain, alerts) == ((), (Inhibition(0, (0,)),), (Inhibition(1, (1,)),))


def test_every_rule_that_mutes_an_alert_is_told() -> None:
    rules = [InhibitRule(PAGE, TICKET), InhibitRule(parse("team=x"), TICKET, ("team",))]
    alerts = [{"severity": "page"}, {"severity": "ticket", "team": "x"}, {"team": "x"}]
    assert inhibited(rules, alerts)[1] == (Inhibition(0, (0,)), Inhibition(1, (2,)))


def test_an_empty_rule_mutes_nothing_because_every_alert_is_on_both_sides() -> None:
    assert inhibited([InhibitRule()], [{"a": "1"}, {"b": "2"}]) == ((), ())


@dataclass(frozen=True)
class Given:
    sources: frozenset[int]
    targets: frozenset[int]


def test_the_decision_takes_the_sides_as_given_and_never_runs_a_pattern() -> None:
    unreadable = InhibitRule(parse("a=~("), parse("b=~("))
    sides = [Given(frozenset({0}), frozenset()), Given(frozenset(), frozenset({0}))]
    assert decide([unreadable], [{}, {}], sides) == ((), (Inhibition(0, (0,)),))


def test_many_alerts_under_many_rules_cost_neither_their_square_nor_their_product() -> None:
    rules = [InhibitRule()] * 500
    alerts = [{"n": str(n)} for n in range(20_000)]
    sides = [Given(frozenset({n % 500}), frozenset({(n + 1) % 500})) for n in range(20_000)]
    with ends():
        assert len(decide(rules, alerts, sides)[0][0].sources) == 40
