"""The smallest task worth the name, written by hand: one alert to mend, one route to add.

Scenario `q-full`: the mail queue holds 10 messages, from minute 10 to 29 500, then 10 again. Above 100 for five minutes
`QueueFull` must page the mail team: first at minute 15, last at 29. The start repo has no `for` and no route.
"""

from __future__ import annotations

from alertforge.grader.spec import (
    AlertCase,
    AlertRequirement,
    ChainCase,
    InputSeries,
    LabelRule,
    Preservation,
    Quiet,
    RouteCase,
    RouteProbe,
    RouteRequirement,
    Scenario,
    Span,
    Spec,
)
from alertforge.prometheus.series import Labels
from alertforge.seeds import Seed
from alertforge.task import Attempt, Task
from alertforge.world.create import create as create_world

DEPTH = "max by (service) (queue_depth)"
CANARY = "5a7bb56f-5ad8-4c28-8dd1-32d2a3a0c0de"
MAIL = Labels.of(service="mail")

SPEC = Spec(
    1,
    "af-x-tiny-tiny-s1",
    (
        Scenario(
            "q-full",
            "the mail queue fills up and drains",
            39,
            (InputSeries('queue_depth{service="mail",pod="mail-7d9f-x1"}', "10x9 500x19 10x9"),),
        ),
    ),
    alerts=(
        AlertRequirement(
            "P1",
            "repair",
            "QueueFull",
            (
                AlertCase(
                    "q-full",
                    MAIL,
                    fires=(Span(16, 29),),
                    quiet=(Quiet("before", Span(0, 14)), Quiet("recovered", Span(32, 39))),
                    first=Span(15, 16),
                ),
            ),
            labels=(LabelRule("severity", "page"),),
        ),
    ),
    routes=(
        RouteRequirement(
            "R1",
            (
                RouteCase(Labels.of(alertname="X", team="mail"), ("mail-pager",)),
                RouteCase(Labels.of(alertname="X", team="web"), None, ("mail-pager",)),
            ),
            chain=(ChainCase("q-full", 20, "QueueFull", MAIL, ("mail-pager",)),),
        ),
    ),
    preservation=Preservation(
        ("QueueFull",), (), ("mail-pager",), (RouteProbe(Labels.of(alertname="X", team="web"), ("everyone",)),)
    ),
    inputs=("queue_depth",),
)

RULES = f"""\
# canary {CANARY}
groups:
  - name: mail
    rules:
      - alert: QueueFull
        expr: {DEPTH} > 100
        labels: {{severity: page, team: mail}}
"""
MENDED = RULES.replace("        labels", "        for: 5m\n        labels")

ROUTING = f"""\
# canary {CANARY}
route:
  receiver: everyone
receivers:
  - name: everyone
    webhook_configs: [{{url: "http://everyone.example/hook"}}]
"""
ROUTED = ROUTING.replace(
    "receivers:",
    '  routes:\n    - receiver: mail-pager\n      matchers: [team="mail"]\nreceivers:\n  - name: mail-pager\n'
    '    webhook_configs: [{url: "http://mail.example/hook"}]',
)

START = {
    "README.md": f"<!-- canary {CANARY} -->\nQueues page after five minutes above 100.\n",
    "alertmanager/alertmanager.yml": ROUTING,
    "bin/af-check": f"#!/bin/sh\n# canary {CANARY}\nexec promtool check rules rules/*.yml\n",
    "rules/mail.yml": RULES,
}
SOLVED = {**START, "alertmanager/alertmanager.yml": ROUTED, "rules/mail.yml": MENDED}


def attempt(name: str, rules: str = MENDED, routing: str = ROUTED, bound: float | None = None) -> Attempt:
    """One scripted answer to the requirement that its name begins with."""
    files = {**SOLVED, "rules/mail.yml": rules, "alertmanager/alertmanager.yml": routing}
    return Attempt(name, name.split("/")[0], files, bound)


def task() -> Task:
    """The whole task, with an accepted and a wrong way for each requirement."""
    return Task(
        id=SPEC.task,
        workflow="tiny",
        tier="tiny",
        number=1,
        axes={"tone": "plain"},
        world=create_world(Seed.master("tiny"), services=1),
        start=START,
        solved=SOLVED,
        executables=frozenset({"bin/af-check"}),
        spec=SPEC,
        hidden={f"baseline/{path}": START[path] for path in ("rules/mail.yml", "alertmanager/alertmanager.yml")},
        instruction=f"<!-- canary {CANARY} -->\nMend `QueueFull` and route the mail team.\n",
        readme="A task for tests.\n",
        canary=CANARY,
        accepted=(
            attempt("P1/flipped", MENDED.replace(f"{DEPTH} > 100", f"100 < {DEPTH}")),
            attempt("P1/seconds", MENDED.replace("for: 5m", "for: 300s")),
            attempt("P1/one-selector", MENDED.replace(DEPTH, 'max by (service) (queue_depth{service!=""})')),
            attempt("R1/regex", routing=ROUTED.replace('team="mail"', 'team=~"mail"')),
            attempt("R1/quoted", routing=ROUTED.replace('[team="mail"]', "['team = \"mail\"']")),
            attempt("R1/legacy", routing=ROUTED.replace('matchers: [team="mail"]', "match: {team: mail}")),
        ),
        wrong=(
            attempt("P1/late", MENDED.replace("for: 5m", "for: 19m"), bound=0.6),
            attempt("P1/never", MENDED.replace("> 100", "> 1000"), bound=0.0),
            attempt("P1/no-for", RULES, bound=0.0),
            attempt("R1/all", routing=ROUTED.replace('team="mail"', 'team!=""'), bound=0.0),
            attempt("R1/typo", routing=ROUTED.replace('team="mail"', 'team="mial"'), bound=0.0),
            attempt("R1/nowhere", routing=ROUTING, bound=0.0),
        ),
        partial={**START, "alertmanager/alertmanager.yml": ROUTED},
    )
