"""What is planned as preserved, changed or gone, and shared names on the real tools."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shop import ALERTMANAGER, CART, CART_RULES, SPEC, Shop, failed, write, write_task

from alertforge.grader.preservation import plan
from alertforge.grader.spec import AlertCase, AlertRequirement, InhibitionCase, Preservation, Spec
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.prometheus.series import Labels

TOUCHED = Preservation(touched_alerts=("T",), touched_records=("r",))
NOTHING = Spec(1, "t", (), preservation=TOUCHED)


def file(*rules: Rule, path: str = "rules/a.yml") -> RuleFile:
    return RuleFile(path, (Group("g", rules),))


def record(name: str, expr: str) -> Rule:
    return Rule(name, expr, is_alert=False)


BASE = file(
    Rule("A", "x > 1", for_=60_000, labels=(("a", "1"),)), Rule("T", "t > 1"), record("r", "x"), record("s", "x")
)


def test_what_is_written_the_same_needs_no_replay() -> None:
    found = plan(NOTHING, [BASE], [BASE])
    assert (found.alerts, found.records) == ({"A": "kept"}, {"s": "kept"})
    assert found.old_files == ()
    assert found.asks(SPEC) == []


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ([Rule("A", "1 < x", for_=60_000, labels=(("a", "1"),))], "kept"),
        ([Rule("A", "x>1", for_=60_000, labels=(("a", "1"),))] * 2, "kept"),
        ([Rule("A", "x > 2", for_=60_000, labels=(("a", "1"),))], "changed"),
        ([Rule("A", "x > 1", for_=61_000, labels=(("a", "1"),))], "changed"),
        ([Rule("A", "x > 1", for_=60_000)], "changed"),
        ([Rule("A", "x > 1", for_=60_000, labels=(("a", "1"),), annotations=(("s", "t"),))], "changed"),
        ([Rule("B", "x > 1", for_=60_000, labels=(("a", "1"),))], "gone"),
        ([], "gone"),
    ],
)
def test_verdicts_by_normal_form(rules: list[Rule], verdict: str) -> None:
    assert plan(NOTHING, [file(*rules, record("s", "x"), path="rules/moved.yml")], [BASE]).alerts == {"A": verdict}


def test_a_changed_alert_is_proven_on_the_workspaces_touched_records() -> None:
    changed = file(Rule("A", "x > 2"), Rule("T", "t"), record("r", "y"), record("s", "x"))
    found = plan(NOTHING, [changed], [BASE])
    assert [(rule.name, rule.expr) for one in found.old_files for rule in one.rules() if not rule.is_alert] == [
        ("r", "y"),
        ("s", "x"),
    ]
    assert [rule.expr for one in found.old_files for rule in one.rules() if rule.name == "A"] == ["x > 1"]


def test_other_services_keep_their_definitions_of_a_touched_name() -> None:
    mine, others = Rule("T", 't{service="cart"} > 1'), Rule("T", 't{service="mail"} > 1')
    spec = replace(NOTHING, alerts=(AlertRequirement("A1", "repair", "T", (AlertCase("s", CART),)),))
    better = Rule("T", 't{service="cart"} > 5')
    assert plan(spec, [file(better, others)], [file(mine, others)]).alerts == {"T": "kept"}
    assert plan(spec, [file(better)], [file(mine, others)]).alerts == {"T": "changed"}
    assert plan(spec, [file()], [file(mine, others)]).alerts == {"T": "gone"}
    assert plan(spec, [file(better)], [file(mine)]).alerts == {}


def test_a_broken_alert_that_asks_for_somebody_else_is_owed_to_nobody() -> None:
    """Seen where a defect misspelt the service in the selector: the repaired alert counted as one that was lost."""
    spec = replace(NOTHING, alerts=(AlertRequirement("P1", "repair", "T", (AlertCase("s", CART),)),))
    broken, mended = Rule("T", 't{service="cart-svc"} > 1'), Rule("T", 't{service="cart"} > 1')
    assert plan(spec, [file(mended)], [file(broken)]).alerts == {}


MAIL = """
groups:
  - name: mail
    rules:
      - record: queue:depth:max
        expr: max by (service) (queue_depth{service="mail"})
      - alert: QueueStuck
        expr: queue:depth:max{service="mail"} > 100
        for: 10m
        labels: {severity: page, team: mail}
"""


def test_shared_names_on_the_real_tools(shop: Shop) -> None:
    write(shop.spec_dir / "hidden/baseline", {"rules/mail.yml": MAIL})
    cart = CART_RULES.replace("(queue_depth)", '(queue_depth{service="cart"})')
    kept = shop.grade(shop.workspace({"rules/cart.yml": cart, "rules/mail.yml": MAIL}))
    assert failed(kept) == set()
    # one record for both services shows the same, and so does the alert rewritten without the record
    both = MAIL.replace(
        '      - record: queue:depth:max\n        expr: max by (service) (queue_depth{service="mail"})\n', ""
    )
    both = both.replace("queue:depth:max{", "max by (service) (queue_depth{").replace('"mail"} > 100', '"mail"}) > 100')
    merged = shop.grade(shop.workspace({"rules/cart.yml": CART_RULES, "rules/mail.yml": both}))
    assert failed(merged) == set()
    gone = shop.grade(shop.workspace({"rules/cart.yml": cart}))
    assert {"P.alert.QueueStuck", "P.record.queue:depth:max"} <= failed(gone)


def test_an_inhibition_by_others_of_one_look_is_found_among_many(shop: Shop) -> None:
    slow = Labels.of(alertname="Slow", severity="ticket", service="mail")
    looks = ("tov-mir", "Tovmir", "tov_mir_4", "10.8.1.2:9100", "tovmir")
    downs = tuple(Labels.of(alertname="Down", severity="page", service=look) for look in looks)
    case = InhibitionCase(slow, downs, False)
    write_task(shop.spec_dir, replace(SPEC, preservation=replace(SPEC.preservation, inhibitions=(case,))))
    spares = "[a-z]+-[a-z]+|[A-Z].*|.*_.*|.*:.*|mail|cart"
    more = f"inhibit_rules:\n  - {{source_matchers: ['service!~\"{spares}\"'], target_matchers: [alertname=Slow]}}\n"
    config = ALERTMANAGER.replace("inhibit_rules:\n", more)
    result = shop.grade(shop.workspace({"alertmanager/alertmanager.yml": config}))
    assert "P.inhibition.1" in failed(result)
    told = next(check.expected for check in result.checks if check.id == "P.inhibition.1")
    assert told.endswith('service="tov_mir_4", severity="page"}; 2 more is not inhibited as it was')
    assert "P.inhibition.1" not in failed(shop.grade(shop.workspace()))
