"""A small task written by hand, for tests: its hidden side, its start repo and its solved one.

Scenario `stuck`: the cart queue is at 10, from minute 10 to 29 at 500, then at 10 again. The alert asked for waits 5
minutes above 100: it fires from minute 15 to 29. Scenario `other`: the same for the mail queue. Scenario `node`: a node
is down for minute 5 alone, then from minute 20 on; after 3 minutes, at 23, it must page. Scenario `disk` shows an alert
that nobody touches: below 10 % from minute 5 on, firing from minute 10 on. Scenario `burn`: of 100 requests a minute 50
fail from minute 10 on.
"""

from __future__ import annotations

import json
from pathlib import Path

from alertforge.grader.grade import grade
from alertforge.grader.result import Result
from alertforge.grader.spec import (
    AlertCase,
    AlertRequirement,
    AnnotationRule,
    CardinalityCase,
    ChainCase,
    InhibitionCase,
    InhibitionRequirement,
    InputSeries,
    LabelRule,
    Preservation,
    Quiet,
    RecordCase,
    RecordingRequirement,
    RouteCase,
    RouteProbe,
    RouteRequirement,
    Scenario,
    Span,
    Spec,
    SuppressionCase,
    to_json,
)
from alertforge.prometheus.series import Labels
from alertforge.tools import find

CART = Labels.of(service="cart")
N1 = Labels.of(instance="n1")

SCENARIOS = (
    Scenario(
        "stuck",
        "the cart queue stands still",
        39,
        (
            InputSeries('queue_depth{service="cart",pod="a"}', "10x9 500x19 10x9"),
            InputSeries('queue_depth{service="cart",pod="b"}', "10x9 400x19 10x9"),
            InputSeries('queue_lag{service="cart"}', "0x9 90x19 0x9"),
        ),
    ),
    Scenario(
        "other",
        "the mail queue stands still",
        39,
        (
            InputSeries('queue_depth{service="cart",pod="a"}', "10x39"),
            InputSeries('queue_depth{service="mail",pod="a"}', "10x9 500x29"),
        ),
    ),
    Scenario("node", "a node blinks, then dies", 39, (InputSeries('up{job="node",instance="n1"}', "1x4 0 1x13 0x19"),)),
    Scenario("disk", "a disk fills", 19, (InputSeries('disk_free_ratio{instance="n1"}', "0.5x4 0.05x14"),)),
    Scenario(
        "burn",
        "half of the cart's requests fail",
        29,
        (
            InputSeries('requests_total{service="cart",code="500"}', "0x9 0+50x19"),
            InputSeries('requests_total{service="cart",code="200"}', "0+100x9 1000+50x19"),
        ),
    ),
)

SPEC = Spec(
    version=1,
    task="shop",
    scenarios=SCENARIOS,
    alerts=(
        AlertRequirement(
            id="A1",
            kind="alert",
            alert="QueueStuck",
            cases=(
                AlertCase(
                    "stuck",
                    CART,
                    fires=(Span(17, 28),),
                    quiet=(Quiet("before", Span(0, 13)), Quiet("recovered", Span(33, 39))),
                    first=Span(14, 17),
                ),
                AlertCase("other", CART, quiet=(Quiet("other service", Span(0, 39)),)),
            ),
            labels=(LabelRule("severity", "page"), LabelRule("team", "cart")),
            annotations=(AnnotationRule("summary", "contains", "cart"),),
        ),
        AlertRequirement(
            id="A2",
            kind="alert",
            alert="CartBurn",
            cases=(
                AlertCase(
                    "burn", CART, fires=(Span(17, 29),), quiet=(Quiet("before", Span(0, 9)),), first=Span(11, 17)
                ),
            ),
            burn=True,
        ),
        AlertRequirement(
            id="P1",
            kind="repair",
            alert="NodeDown",
            cases=(
                AlertCase(
                    "node",
                    N1,
                    fires=(Span(24, 38),),
                    quiet=(Quiet("blink", Span(0, 12)), Quiet("before", Span(13, 19))),
                    first=Span(22, 24),
                ),
            ),
            labels=(LabelRule("severity", "page"),),
            q_start=1 / 3,  # fires and pages once, but at minute 5: 2/3 of firing, 1/2 of the silence
        ),
    ),
    recordings=(
        RecordingRequirement(
            id="C1",
            records=("queue:depth:max",),
            values=(
                RecordCase("stuck", 12, "queue:depth:max", CART, 500.0),
                RecordCase("stuck", 5, "queue:depth:max", CART, 10.0),
            ),
            cardinality=(CardinalityCase("other", 20, "queue:depth:max", 2),),
        ),
    ),
    routes=(
        RouteRequirement(
            id="R1",
            cases=(
                RouteCase(Labels.of(alertname="X", team="cart", severity="page"), ("cart-pager",)),
                RouteCase(Labels.of(alertname="X", team="cart", severity="ticket"), ("cart-chat",)),
                RouteCase(Labels.of(alertname="X", team="mail", severity="page"), None, ("cart-pager", "cart-chat")),
            ),
            chain=(ChainCase("stuck", 20, "QueueStuck", CART, ("cart-pager",)),),
        ),
    ),
    inhibitions=(
        InhibitionRequirement(
            id="I1",
            cases=(
                InhibitionCase(
                    Labels.of(alertname="Slow", severity="ticket", service="cart"),
                    (Labels.of(alertname="Down", severity="page", service="cart"),),
                    True,
                ),
                InhibitionCase(
                    Labels.of(alertname="Slow", severity="ticket", service="mail"),
                    (Labels.of(alertname="Down", severity="page", service="cart"),),
                    False,
                ),
            ),
            chain=(SuppressionCase("stuck", 20, "QueueLag", CART, True),),
        ),
    ),
    preservation=Preservation(
        touched_alerts=("NodeDown", "QueueStuck", "CartBurn"),
        touched_records=("queue:depth:max", "cart:errors:ratio5m"),
        touched_receivers=("cart-pager", "cart-chat"),
        routes=(
            RouteProbe(Labels.of(alertname="X", team="mail", severity="page"), ("mail-pager",)),
            RouteProbe(Labels.of(alertname="X"), ("default",)),
        ),
        inhibitions=(
            InhibitionCase(
                Labels.of(alertname="Slow", severity="ticket", service="mail"),
                (Labels.of(alertname="Down", severity="ticket", service="mail"),),
                False,
            ),
        ),
    ),
    inputs=("queue_depth", "queue_lag", "up", "disk_free_ratio", "requests_total"),
    reference_records="reference.yml",
)

REFERENCE = """
groups:
  - name: reference
    rules:
      - record: cart:errors:ratio5m
        expr: |
          sum by (service) (rate(requests_total{service="cart", code="500"}[5m]))
          / sum by (service) (rate(requests_total{service="cart"}[5m]))
"""

HOST = """
groups:
  - name: host
    rules:
      - record: disk:free:min
        expr: min by (instance) (disk_free_ratio)
      - alert: DiskFull
        expr: disk:free:min < 0.1
        for: 5m
        labels: {severity: page, team: mail}
        annotations: {summary: "disk of {{ $labels.instance }} is nearly full"}
      - alert: QueueLag
        expr: max by (service) (queue_lag) > 60
        for: 5m
        labels: {severity: ticket, team: cart}
"""

NODE_START = """
groups:
  - name: node
    rules:
      - alert: NodeDown
        expr: up{job="node"} == 0
        labels: {severity: page}
"""

NODE = NODE_START.replace("        labels", "        for: 3m\n        labels")

CART_RULES = """
groups:
  - name: cart
    rules:
      - record: queue:depth:max
        expr: max by (service) (queue_depth)
      - alert: QueueStuck
        expr: queue:depth:max{service="cart"} > 100
        for: 5m
        labels: {severity: page, team: cart}
        annotations: {summary: "{{ $labels.service }} queue stands still"}
      - record: cart:errors:ratio5m
        expr: |
          sum by (service) (rate(requests_total{service="cart", code="500"}[5m]))
          / sum by (service) (rate(requests_total{service="cart"}[5m]))
      - alert: CartBurn
        expr: cart:errors:ratio5m > 0.1
        for: 2m
        labels: {severity: page, team: cart}
"""

ALERTMANAGER_START = """
global:
  resolve_timeout: 5m
route:
  receiver: default
  group_by: [alertname]
  routes:
    - receiver: mail-pager
      matchers: [team="mail"]
receivers:
  - name: default
    webhook_configs: [{url: "http://default.example/hook"}]
  - name: mail-pager
    webhook_configs: [{url: "http://mail.example/hook"}]
"""

ALERTMANAGER = """
global:
  resolve_timeout: 5m
route:
  receiver: default
  group_by: [alertname]
  routes:
    - receiver: mail-pager
      matchers: [team="mail"]
    - matchers: [team="cart"]
      receiver: cart-chat
      routes:
        - receiver: cart-pager
          matchers: [severity="page"]
inhibit_rules:
  - source_matchers: [severity="page"]
    target_matchers: [severity="ticket"]
    equal: [service]
receivers:
  - name: default
    webhook_configs: [{url: "http://default.example/hook"}]
  - name: mail-pager
    webhook_configs: [{url: "http://mail.example/hook"}]
  - name: cart-pager
    webhook_configs: [{url: "http://cart.example/page"}]
  - name: cart-chat
    webhook_configs: [{url: "http://cart.example/chat"}]
"""

START = {
    "rules/host.yml": HOST,
    "rules/node.yml": NODE_START,
    "alertmanager/alertmanager.yml": ALERTMANAGER_START,
}
SOLVED = {
    "rules/cart.yml": CART_RULES,
    "rules/host.yml": HOST,
    "rules/node.yml": NODE,
    "alertmanager/alertmanager.yml": ALERTMANAGER,
}


def write(root: Path, files: dict[str, str]) -> Path:
    """Write files below a directory."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def write_task(root: Path, spec: Spec = SPEC) -> Path:
    """The spec directory of the task."""
    write(root, {"spec.json": to_json(spec), "hidden/reference.yml": REFERENCE})
    write(root / "hidden/baseline", START)
    return root


class Shop:
    """Grades workspaces of the task, each in a directory of its own.

    `cache` keeps what promtool and amtool said of parts that many tests share; None asks them every time.
    """

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        self.folder = folder
        self.cache = cache
        self.spec_dir = write_task(folder / "task")
        self.count = 0

    def workspace(self, changes: dict[str, str] | None = None, base: dict[str, str] = SOLVED) -> Path:
        """A copy of the solved repo (or another) with files changed."""
        self.count += 1
        return write(self.folder / f"w{self.count}" / "monitoring", {**base, **(changes or {})})

    def grade(self, workspace: Path, cache: Path | None = None) -> Result:
        """The grade, on the real tools."""
        return grade(
            self.spec_dir, workspace, promtool=find("promtool"), amtool=find("amtool"), cache=cache or self.cache
        )


def scores(result: Result) -> dict[str, float]:
    """q by requirement."""
    return {one.id: one.q for one in result.requirements}


def failed(result: Result) -> set[str]:
    """Ids of the checks that were not met in full."""
    return {check.id for check in result.checks if not check.passed}


def plain(result: Result) -> str:
    """The result as it is written out."""
    return json.dumps(result.to_plain())


def options(shop: Shop, workspace: Path, out: Path) -> list[str]:
    """The arguments of the verifier's command; the results go into `out`, as r.json and d.json."""
    paths = {"spec": shop.spec_dir, "workspace": workspace, "reward": out / "r.json", "details": out / "d.json"}
    paths |= {"promtool": find("promtool"), "amtool": find("amtool")}
    return [text for name, value in paths.items() for text in (f"--{name}", str(value))]
