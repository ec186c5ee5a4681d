"""What nobody asked for, on the real tools: alerts that page, inhibitions that hold back, routes that lead away."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from shop import ALERTMANAGER, CART_RULES, HOST, NODE, NODE_START, SOLVED, SPEC, START, Shop, failed, scores, write_task

from alertforge.grader import unasked
from alertforge.grader.spec import (
    AlertCase,
    AlertRequirement,
    InputSeries,
    Quiet,
    RouteProbe,
    Scenario,
    Span,
    Spec,
    Suppression,
)
from alertforge.prometheus.series import Labels

CONFIG = "alertmanager/alertmanager.yml"


def alert(name: str, team: str, severity: str, **more: str) -> Labels:
    return Labels.of(alertname=name, team=team, severity=severity, **more)


STUCK, LAG = alert("QueueStuck", "cart", "page", service="cart"), alert("QueueLag", "cart", "ticket", service="cart")
BURN, DISK = alert("CartBurn", "cart", "page", service="cart"), alert("DiskFull", "mail", "page", instance="some")
NODE_DOWN = Labels.of(alertname="NodeDown", severity="page", instance="some")
KNOWN = (
    RouteProbe(STUCK, ("cart-pager",)),
    RouteProbe(LAG, ("cart-chat",)),
    RouteProbe(BURN, ("cart-pager",)),
    RouteProbe(DISK, ("mail-pager",)),
    RouteProbe(NODE_DOWN, ("default",)),
    RouteProbe(alert("MailDown", "mail", "page", service="mail"), ("mail-pager",)),
)
LEFT_ALONE = AlertCase("burn", Labels.of(service="mail"), quiet=(Quiet("another service", Span(0, 29)),))
MAIL_REQUESTS = Scenario(
    "post", "the mail is busy", 9, (InputSeries('requests_total{service="mail",code="200"}', "0+100x9"),)
)
WATCHFUL = replace(
    SPEC,
    scenarios=(*SPEC.scenarios, MAIL_REQUESTS),
    alerts=tuple(
        replace(one, own_name=True, cases=(*one.cases, LEFT_ALONE)) if one.id == "A2" else one for one in SPEC.alerts
    ),
    preservation=replace(
        SPEC.preservation, alerts=KNOWN, suppressions=(Suppression(STUCK, LAG), Suppression(BURN, LAG))
    ),
)


@pytest.fixture()
def watchful(shop: Shop) -> Shop:
    write_task(shop.spec_dir, WATCHFUL)
    return shop


def rules(text: str) -> str:
    return f"groups:\n  - name: more\n    rules:\n{text}"


def test_right_and_untouched_repos_have_nothing_unasked(watchful: Shop) -> None:
    assert failed(watchful.grade(watchful.workspace())) == set()
    assert watchful.grade(watchful.workspace(base=START)).rewards["preservation"] == 1.0


# --- alerts ----------------------------------------------------------------------------------------------------------

PAGES = rules(
    "      - alert: Always\n        expr: vector(1)\n        labels: {severity: page, team: mail}\n"
)  # fires in every scenario and goes to the pager of another team


@pytest.mark.parametrize(
    "text",
    [
        PAGES,
        PAGES.replace("vector(1)", 'queue_depth{service="cart", pod="b"} > 300'),
        PAGES.replace("        labels: {severity: page, team: mail}\n", ""),  # to the catch-all
        PAGES.replace("team: mail", "team: '{{ with 1 }}mail{{ end }}'"),
        PAGES.replace("        labels", "        for: 6h\n        labels"),  # longer than any scenario lasts
    ],
)
def test_an_alert_that_nobody_asked_for_must_not_page(watchful: Shop, text: str) -> None:
    result = watchful.grade(watchful.workspace({"rules/more.yml": text}))
    assert "P.unasked.alerts" in failed(result)  # where it is about the cart, it holds back the cart's tickets, too
    assert result.rewards["outcome"] == 0.0


SLEEPS = PAGES.replace("vector(1)", "count(scrape_duration_seconds) > 0")  # true on servers, in no scenario


@pytest.mark.parametrize(
    "text",
    [
        SLEEPS,
        SLEEPS.replace("team: mail", "team: '{{ with 1 }}mail{{ end }}'"),
        SLEEPS.replace("count(", "label_replace(count(")
        .replace(") > 0", ') > 0, "team", "mail", "", "")')
        .replace(", team: mail", ""),
        PAGES.replace("severity: page, team: mail", "helper: yes")
        + SLEEPS.split("rules:\n")[1],  # beside a helper of that name which does fire
        PAGES.replace("vector(1)", "vector(1) or vector(7)").replace(  # told by its value, the other one is a helper
            "team: mail", "helper: '{{ if lt $value 5.0 }}yes{{ end }}', team: '{{ if gt $value 5.0 }}mail{{ end }}'"
        ),
    ],
)
def test_an_alert_that_would_page_on_a_server_alone(watchful: Shop, text: str) -> None:
    result = watchful.grade(watchful.workspace({"rules/more.yml": text, CONFIG: NOWHERE}))
    assert failed(result) == {"P.unasked.alerts"}
    assert any(re.search("no replay shows as it may fire, would reach .*mail-pager", one.seen) for one in result.checks)


NOWHERE = (
    ALERTMANAGER.replace("  routes:\n", "  routes:\n    - {receiver: nowhere, matchers: [helper=yes]}\n", 1)
    + "  - name: nowhere\n"
)


@pytest.mark.parametrize(
    ("text", "config"),
    [
        (SLEEPS.replace("severity: page, team: mail", "helper: yes"), NOWHERE),
        (SLEEPS.replace("severity: page, team: mail", "helper: yes, note: '{{ $value }}'"), NOWHERE),
        (
            SLEEPS.replace("        labels: {severity: page, team: mail}\n", ""),
            ALERTMANAGER,
        ),  # to the catch-all, if ever
        (PAGES.replace("severity: page, team: mail", "helper: yes"), NOWHERE),  # reaches nobody
        (rules("      - {record: step, expr: vector(1)}\n"), ALERTMANAGER),
    ],
)
def test_helpers_that_reach_nobody_cost_nothing(watchful: Shop, text: str, config: str) -> None:
    assert failed(watchful.grade(watchful.workspace({"rules/more.yml": text, CONFIG: config}))) == set()


def test_more_unasked_alerts_than_are_followed(watchful: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    helpers = PAGES.replace("severity: page, team: mail", "helper: yes").replace(
        "vector(1)", "up == 0 or disk_free_ratio < 0.1"
    )
    workspace = watchful.workspace({"rules/more.yml": helpers, CONFIG: NOWHERE})
    assert failed(watchful.grade(workspace)) == set()
    monkeypatch.setattr(unasked, "MAX_LABEL_SETS", 1)
    result = watchful.grade(workspace)
    assert failed(result) == {"P.unasked.alerts"}
    assert any("one of more than 1 unasked alerts" in check.seen for check in result.checks)


def test_a_flood_of_unasked_alerts_is_not_followed(watchful: Shop) -> None:
    many = "".join(
        f"      - {{alert: Helper{number}, expr: up == 7, labels: {{helper: 'yes'}}}}\n" for number in range(51)
    )
    result = watchful.grade(watchful.workspace({"rules/more.yml": rules(many), CONFIG: NOWHERE}))
    assert failed(result) == {"P.unasked.alerts"}


# --- subjects --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expr",
    ['max by (service) (requests_total{service="mail"}) > 100', 'label_replace(vector(1), "service", "mail", "", "")'],
)
def test_a_services_own_alert_name_is_not_for_others(watchful: Shop, expr: str) -> None:
    second = rules(f"      - alert: CartBurn\n        expr: {expr}\n        labels: {{severity: page, team: mail}}\n")
    assert "P.unasked.subjects" in failed(watchful.grade(watchful.workspace({"rules/more.yml": second})))


def test_a_services_own_alert_name_is_not_for_nobody(watchful: Shop) -> None:
    """About nobody in particular, and where no check of the request looks."""
    nobody = "sum(requests_total{service='mail'}) > 100"
    second = rules(f"      - alert: CartBurn\n        expr: {nobody}\n        labels: {{severity: page}}\n")
    assert failed(watchful.grade(watchful.workspace({"rules/more.yml": second}))) == {"P.unasked.subjects"}


def test_a_fleet_wide_name_is_not_for_somebody_made_up(watchful: Shop) -> None:
    made_up = CART_RULES.replace(
        'expr: queue:depth:max{service="cart"} > 100',
        "expr: queue:depth:max > 100 or label_replace(vector(1), 'service', 'nightly-export', '', '')",
    )
    assert "P.unasked.subjects" in failed(watchful.grade(watchful.workspace({"rules/cart.yml": made_up})))


def test_a_fleet_wide_name_may_fire_for_others(watchful: Shop) -> None:
    fleet = CART_RULES.replace('expr: queue:depth:max{service="cart"} > 100', "expr: queue:depth:max > 100")
    assert failed(watchful.grade(watchful.workspace({"rules/cart.yml": fleet}))) == set()


# The broken `NodeDown` of the start repo is about every node: in `rack` it fires for another node than it is asked for.
# In `well` there is nothing wrong with it.
RACK = (
    Scenario("rack", "another node dies", 29, (InputSeries('up{job="node",instance="n2"}', "1x9 0x19"),)),
    Scenario("well", "nothing happens", 19, (InputSeries('up{job="node",instance="n2"}', "1x19"),)),
)


@pytest.fixture(params=[True, False])
def racked(shop: Shop, request: pytest.FixtureRequest) -> Shop:
    """With a name that is the node's own, and one of the whole fleet."""

    def owned(one: AlertRequirement) -> AlertRequirement:
        return replace(one, own_name=request.param) if one.id == "P1" else one

    spec: Spec = replace(WATCHFUL, scenarios=(*WATCHFUL.scenarios, *RACK), alerts=tuple(map(owned, WATCHFUL.alerts)))
    write_task(shop.spec_dir, spec)
    return shop


def test_a_defect_that_is_left_in_costs_its_request_alone(racked: Shop) -> None:
    assert racked.grade(racked.workspace(base=START)).rewards["preservation"] == 1.0
    result = racked.grade(racked.workspace({"rules/node.yml": NODE_START}))
    assert scores(result)["P1"] < 1.0
    assert result.rewards["preservation"] == 1.0


def test_a_repair_may_fire_for_whom_the_broken_alert_fired_in_the_same_scenario(racked: Shop) -> None:
    assert "n1" not in NODE  # the solved one of the shop waits, and is about every node still
    assert failed(racked.grade(racked.workspace())) == set()
    alone = NODE.replace('job="node"', 'job="node", instance="n1"')
    assert failed(racked.grade(racked.workspace({"rules/node.yml": alone}))) == set()


@pytest.mark.parametrize(
    "more",
    [
        'label_replace(vector(1), "instance", "n2", "", "")',  # for ever
        'label_replace(up{job="node", instance="n1"} == 0, "instance", "n2", "", "")',  # in n1's own outage
        '(up{job="node", instance="n2"} == 1)',  # while it is well
    ],
)
def test_a_repair_must_not_fire_for_a_real_other_where_the_broken_alert_did_not(racked: Shop, more: str) -> None:
    text = NODE.replace('up{job="node"} == 0', f"up{{job='node', instance='n1'}} == 0 or {more}")
    assert text != NODE
    assert failed(racked.grade(racked.workspace({"rules/node.yml": text}))) == {"P.unasked.subjects"}


def test_a_fleet_wide_name_is_not_for_a_real_other_whom_the_scenario_does_not_show(watchful: Shop) -> None:
    for_ever = CART_RULES.replace(
        'expr: queue:depth:max{service="cart"} > 100',
        "expr: queue:depth:max > 100 or label_replace(vector(1), 'service', 'mail', '', '')",
    )
    assert "P.unasked.subjects" in failed(watchful.grade(watchful.workspace({"rules/cart.yml": for_ever})))


def test_the_start_repo_is_replayed_for_strangers_alone(racked: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A right answer, and a defect that is left in, cost no replay more."""
    asked: list[int] = []
    real = unasked.strangers
    monkeypatch.setattr(unasked, "strangers", lambda *given: asked.append(len(real(*given))) or real(*given))
    alone = NODE.replace('job="node"', 'job="node", instance="n1"')
    for base, changes in ((SOLVED, {"rules/node.yml": alone}), (START, {})):
        racked.grade(racked.workspace(changes, base=base))
    assert asked == [0, 0]
    for_ever = NODE.replace(" == 0", ' == 0 or label_replace(vector(1), "instance", "n2", "", "")')
    racked.grade(racked.workspace({"rules/node.yml": for_ever}))
    assert asked[2] > 0


# --- inhibition ------------------------------------------------------------------------------------------------------

ASKED = """  - source_matchers: [severity="page"]
    target_matchers: [severity="ticket"]
    equal: [service]
"""


def inhibiting(*more: str) -> str:
    return ALERTMANAGER.replace(ASKED, ASKED + "".join(f"  - {{{one}}}\n" for one in more))


@pytest.mark.parametrize(
    "rule",
    [
        "source_matchers: [alertname=DiskFull], target_matchers: [alertname=NodeDown]",
        "source_matchers: [alertname=DiskFull], target_matchers: [alertname=NodeDown], equal: [instance]",
        'source_matchers: [severity="page"], target_matchers: [team="mail"], equal: [cluster]',
        'source_match_re: {alertname: ".+"}, target_match: {alertname: QueueStuck}',
        "target_matchers: [alertname=CartBurn]",  # anything is a source
    ],
)
def test_an_inhibition_that_nobody_asked_for(watchful: Shop, rule: str) -> None:
    result = watchful.grade(watchful.workspace({CONFIG: inhibiting(rule)}))
    assert "P.unasked.inhibitions" in failed(result)
    assert result.rewards["outcome"] == 0.0


@pytest.mark.parametrize(
    "rule",
    [
        "source_matchers: [alertname=NeverHeardOf], target_matchers: [severity=ticket]",
        "source_matchers: [alertname=DiskFull], target_matchers: [alertname=NeverHeardOf]",
        "source_matchers: [alertname=DiskFull], target_matchers: [alertname=DiskFull], equal: [alertname]",
        "source_matchers: [alertname=DiskFull], target_matchers: [alertname=NodeDown], equal: [team, severity]",
        "source_matchers: [alertname=QueueStuck, team=cart], target_matchers: [alertname=QueueLag], equal: [team]",
    ],
)
def test_an_inhibition_that_holds_nothing_back_or_says_the_same_again(watchful: Shop, rule: str) -> None:
    assert failed(watchful.grade(watchful.workspace({CONFIG: inhibiting(rule)}))) == set()


def test_a_helper_that_never_pages_must_not_hold_back_others(watchful: Shop) -> None:
    helper = PAGES.replace("severity: page, team: mail", "helper: yes")
    config = NOWHERE.replace(
        ASKED, ASKED + "  - {source_matchers: [helper=yes], target_matchers: [alertname=DiskFull]}\n"
    )
    assert failed(watchful.grade(watchful.workspace({"rules/more.yml": helper, CONFIG: config}))) == {
        "P.unasked.inhibitions"
    }


UNSEEN = rules(
    "      - alert: Beat\n        expr: queue_depth > 1e9\n        labels: {muzzle: '{{ with 1 }}on{{ end }}'}\n"
)  # fires in no scenario


@pytest.mark.parametrize(
    ("source", "kept"),
    [
        ('muzzle="on"', False),
        ('muzzle=~"o."', False),
        ('alertname=~"Be.*"', False),
        ('alertname="Beat"', False),
        ('alertname="QueueStuck"', True),
        ('alertname=~"QueueStuck|CartBurn"', True),
    ],
)
def test_an_alert_that_no_replay_shows_must_not_hold_back_others(watchful: Shop, source: str, kept: bool) -> None:
    config = ALERTMANAGER.replace(
        "inhibit_rules:", f"inhibit_rules:\n  - source_matchers: ['{source}']\n    target_matchers: ['team=\"mail\"']"
    )
    config = config if not kept else config.replace('team="mail"', 'alertname="Nothing"')
    result = watchful.grade(watchful.workspace({"rules/more.yml": UNSEEN, CONFIG: config}))
    assert ("P.unasked.inhibitions" not in failed(result)) == kept


@pytest.mark.parametrize(("name", "kept"), [("Beat", False), ("Drum", True)])
def test_nor_may_it_beside_one_that_is_known(watchful: Shop, name: str, kept: bool) -> None:
    source = "source_matchers: ['alertname=~\"QueueStuck|Beat\"'], target_matchers: [alertname=Nothing]"
    files = {"rules/more.yml": UNSEEN.replace("Beat", name), CONFIG: inhibiting(source)}
    assert ("P.unasked.inhibitions" not in failed(watchful.grade(watchful.workspace(files)))) == kept


@pytest.mark.parametrize("value", ["yes", "'{{ if true }}yes{{ end }}'"])
def test_a_label_of_ones_own_is_no_way_around(watchful: Shop, value: str) -> None:
    cart = CART_RULES.replace(
        "labels: {severity: page, team: cart}", f"labels: {{severity: page, team: cart, x: {value}}}"
    )
    config = inhibiting("source_matchers: [x=yes], target_matchers: [alertname=DiskFull]")
    assert failed(watchful.grade(watchful.workspace({"rules/cart.yml": cart}))) == set()
    assert failed(watchful.grade(watchful.workspace({"rules/cart.yml": cart, CONFIG: config}))) == {
        "P.unasked.inhibitions"
    }


# --- routes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "route",
    [
        "{receiver: default, matchers: [alertname=DiskFull]}",
        "{receiver: mail-pager, matchers: [alertname=QueueLag], continue: true}",
        "{receiver: nowhere, matchers: [alertname=NodeDown]}",
        "{receiver: mail-pager, matchers: [alertname=DiskFull], repeat_interval: 4d}",
        "{receiver: nowhere, matchers: [alertname=CartBurn]}",
    ],
)
def test_a_route_for_one_alert_that_nobody_asked_for(watchful: Shop, route: str) -> None:
    config = NOWHERE.replace("{receiver: nowhere, matchers: [helper=yes]}", route)
    assert failed(watchful.grade(watchful.workspace({CONFIG: config}))) == {"P.unasked.routes"}


def test_routes_written_out_for_each_alert_are_as_good(watchful: Shop) -> None:
    routes = "{receiver: mail-pager, matchers: [alertname=DiskFull], group_by: [alertname]}"
    config = NOWHERE.replace("{receiver: nowhere, matchers: [helper=yes]}", routes)
    assert failed(watchful.grade(watchful.workspace({CONFIG: config}))) == set()


def test_a_label_that_leads_a_requested_alert_away(watchful: Shop) -> None:
    cart = CART_RULES.replace(
        "for: 2m\n        labels: {severity: page, team: cart}",
        "for: 2m\n        labels: {severity: page, team: cart, helper: yes}",
    )
    assert failed(watchful.grade(watchful.workspace({"rules/cart.yml": cart, CONFIG: NOWHERE}))) == {"P.unasked.routes"}


def test_a_wrong_label_is_the_requests_business(watchful: Shop) -> None:
    cart = CART_RULES.replace(
        "for: 2m\n        labels: {severity: page, team: cart}",
        "for: 2m\n        labels: {severity: ticket, team: cart}",
    )
    result = watchful.grade(watchful.workspace({"rules/cart.yml": cart}))
    assert not [name for name in failed(result) if name.startswith("P.")]


def test_untouched_files_are_as_the_tests_say() -> None:
    """The alerts above are those of the shop."""
    assert all(
        name in HOST + CART_RULES + NODE for name in ("QueueStuck", "QueueLag", "CartBurn", "DiskFull", "NodeDown")
    )
