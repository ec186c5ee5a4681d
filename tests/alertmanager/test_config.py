"""Alertmanager configuration: what is read, what is refused, what is written."""

from __future__ import annotations

import pytest

from alertforge.alertmanager.config import (
    Config,
    ConfigError,
    InhibitRule,
    Receiver,
    Route,
    TimeInterval,
    dump,
    duration_text,
    parse,
)
from alertforge.alertmanager.matchers import Matcher

RECEIVERS = "receivers: [{name: a}, {name: b}]\n"

FULL = """\
global: {resolve_timeout: 5m}
route:
  receiver: a
  group_by: [alertname]
  group_wait: 10s
  routes:
    - match: {n: 5, on: yes, empty: }
      match_re: {svc: x|y}
      matchers: ['{c="d", "e f"!=g}', 'h=~"i,j"']
      receiver: b
      group_by: ['...']
      continue: yes
      routes:
        - {group_by: [], group_interval: 1h30m, mute_time_intervals: [nights], active_time_intervals: [days]}
    - {receiver: '', repeat_interval: 1d12h}
receivers:
  - name: a
  - name: b
    webhook_configs: [{url: 'http://hooks.example/b', send_resolved: true}]
inhibit_rules:
  - {source_match: {s: 1}, source_match_re: {t: u}, source_matchers: [v=w],
     target_matchers: ['x!~"y"'], equal: [z, "é "]}
  - {target_match: {a: b}, target_match_re: {c: d}}
time_intervals: [{name: nights, time_intervals: [{weekdays: [saturday]}]}]
mute_time_intervals: [{name: days}]
templates: [t/*.tmpl]
"""


def m(text: str) -> Matcher:
    name, op, value = text.split(" ")
    return Matcher(name.replace("_", " "), op, value)


def test_every_part_of_a_configuration_is_read() -> None:
    config = parse(FULL)
    assert config == Config(
        {"resolve_timeout": "5m"},
        Route(
            "a",
            ("alertname",),
            10_000,
            routes=(
                Route(
                    "b",
                    ("...",),
                    matchers=tuple(
                        map(m, ["n = 5", "on = yes", "empty = ", "svc =~ x|y", "c = d", "e_f != g", "h =~ i,j"])
                    ),
                    continue_=True,
                    routes=(
                        Route(
                            group_interval=5_400_000,
                            mute_time_intervals=("nights",),
                            active_time_intervals=("days",),
                        ),
                    ),
                ),
                Route(repeat_interval=129_600_000),
            ),
        ),
        (
            Receiver("a"),
            Receiver("b", {"webhook_configs": [{"url": "http://hooks.example/b", "send_resolved": "true"}]}),
        ),
        (
            InhibitRule((m("s = 1"), m("t =~ u"), m("v = w")), (m("x !~ y"),), ("z", "é ")),
            InhibitRule((), (m("a = b"), m("c =~ d"))),
        ),
        (TimeInterval("nights", ({"weekdays": ["saturday"]},)),),
        (TimeInterval("days"),),
        ("t/*.tmpl",),
    )
    assert [matcher.legacy for matcher in config.route.routes[0].matchers] == [True] * 4 + [False] * 3


def test_children_inherit_what_they_leave_open() -> None:
    nodes = parse(FULL).nodes()
    assert [(node.path, node.receiver, node.group_by) for node in nodes] == [
        ((), "a", ("alertname",)),
        ((0,), "b", ("...",)),
        ((0, 0), "b", ("...",)),
        ((1,), "a", ("alertname",)),
    ]
    assert [(node.group_wait, node.group_interval, node.repeat_interval) for node in nodes] == [
        (10_000, 300_000, 14_400_000),
        (10_000, 300_000, 14_400_000),
        (10_000, 5_400_000, 14_400_000),
        (10_000, 300_000, 129_600_000),
    ]


def test_a_written_configuration_reads_back_and_is_stable() -> None:
    config = parse(FULL)
    text = dump(config)
    assert parse(text) == config
    assert dump(parse(text)) == text
    assert [line for line in text.splitlines() if "!!" in line or line.endswith(" ")] == []


def test_a_configuration_is_written_as_a_person_would() -> None:
    page = Matcher("severity", "=", "page")
    config = Config(
        {},
        Route(
            "default",
            ("alertname", "service"),
            30_000,
            routes=(
                Route("pay", matchers=(Matcher("team", "=~", "pay|ments"), page), continue_=True),
                Route("old", matchers=(Matcher("n", "=", "5", legacy=True),)),
            ),
        ),
        (
            Receiver("default"),
            Receiver("pay", {"webhook_configs": [{"url": "http://h.example/", "send_resolved": False}]}),
        ),
        (InhibitRule((page,), (Matcher("severity", "!=", "page"),), ("service",)),),
    )  # fmt: skip
    assert (
        dump(config)
        == """\
route:
  receiver: default
  group_by: [alertname, service]
  group_wait: 30s
  routes:
    - matchers:
        - team=~"pay|ments"
        - severity="page"
      receiver: pay
      continue: true
    - match:
        n: '5'
      receiver: old

inhibit_rules:
  - source_matchers:
      - severity="page"
    target_matchers:
      - severity!="page"
    equal: [service]

receivers:
  - name: default
  - name: pay
    webhook_configs:
      - url: http://h.example/
        send_resolved: false
"""
    )


ROUTE = "route: {receiver: a}\n"

REFUSED = {
    "empty file": "",
    "only a comment": "# nothing\n",
    "a list": "[a]",
    "text": "abc",
    "no route": RECEIVERS,
    "null route": "route:\n" + RECEIVERS,
    "route is a list": "route: [a]\n" + RECEIVERS,
    "no root receiver": "route: {}\n" + RECEIVERS,
    "root match": "route: {receiver: a, match: {x: y}}\n" + RECEIVERS,
    "root matchers": "route: {receiver: a, matchers: [x=y]}\n" + RECEIVERS,
    "root continue": "route: {receiver: a, continue: true}\n" + RECEIVERS,
    "root mute interval": "route: {receiver: a, mute_time_intervals: [x]}\ntime_intervals: [{name: x}]\n" + RECEIVERS,
    "undefined receiver": "route: {receiver: a, routes: [{receiver: zz}]}\n" + RECEIVERS,
    "undefined interval": "route: {receiver: a, routes: [{mute_time_intervals: [zz]}]}\n" + RECEIVERS,
    "receiver twice": ROUTE + "receivers: [{name: a}, {name: a}]\n",
    "receiver without name": ROUTE + "receivers: [{name: a}, {}]\n",
    "receiver with empty name": ROUTE + "receivers: [{name: a}, {name: ''}]\n",
    "unknown top field": ROUTE + RECEIVERS + "bar: 1\n",
    "unknown route field": "route: {receiver: a, foo: 1}\n" + RECEIVERS,
    "unknown inhibit field": ROUTE + RECEIVERS + "inhibit_rules: [{source: x}]\n",
    "field in capitals": "Route: {receiver: a}\n" + RECEIVERS,
    "matchers as text": "route: {receiver: a, routes: [{matchers: x=y}]}\n" + RECEIVERS,
    "matcher as mapping": "route: {receiver: a, routes: [{matchers: [{a: b}]}]}\n" + RECEIVERS,
    "bad matcher": "route: {receiver: a, routes: [{matchers: ['a b=c']}]}\n" + RECEIVERS,
    "null child route": "route: {receiver: a, routes: [~]}\n" + RECEIVERS,
    "routes as mapping": "route: {receiver: a, routes: {a: b}}\n" + RECEIVERS,
    "wildcard beside a label": "route: {receiver: a, group_by: ['...', x]}\n" + RECEIVERS,
    "label twice in group_by": "route: {receiver: a, group_by: [x, x]}\n" + RECEIVERS,
    "empty label in group_by": "route: {receiver: a, group_by: ['']}\n" + RECEIVERS,
    "group_by as text": "route: {receiver: a, group_by: x}\n" + RECEIVERS,
    "group_interval zero": "route: {receiver: a, group_interval: 0s}\n" + RECEIVERS,
    "repeat_interval zero": "route: {receiver: a, repeat_interval: 0}\n" + RECEIVERS,
    "duration without unit": "route: {receiver: a, group_wait: 5}\n" + RECEIVERS,
    "empty duration": "route: {receiver: a, group_wait: ''}\n" + RECEIVERS,
    "units out of order": "route: {receiver: a, group_wait: 30m1h}\n" + RECEIVERS,
    "duration out of range": "route: {receiver: a, group_wait: 300y}\n" + RECEIVERS,
    "UTF-8 name in match": "route: {receiver: a, routes: [{match: {'a b': x}}]}\n" + RECEIVERS,
    "colon in match": "route: {receiver: a, routes: [{match: {'a:b': x}}]}\n" + RECEIVERS,
    "UTF-8 name in match_re": "route: {receiver: a, routes: [{match_re: {'a b': x}}]}\n" + RECEIVERS,
    "null in match_re": "route: {receiver: a, routes: [{match_re: {a: ~}}]}\n" + RECEIVERS,
    "list in match": "route: {receiver: a, routes: [{match: {a: [b]}}]}\n" + RECEIVERS,
    "empty name in equal": ROUTE + "inhibit_rules: [{equal: ['']}]\n" + RECEIVERS,
    "equal as text": ROUTE + "inhibit_rules: [{equal: x}]\n" + RECEIVERS,
    "quoted boolean": "route: {receiver: a, routes: [{continue: 'true'}]}\n" + RECEIVERS,
    "number as boolean": "route: {receiver: a, routes: [{continue: 1}]}\n" + RECEIVERS,
    "label twice in match": "route: {receiver: a, routes: [{match: {a: b, a: c}}]}\n" + RECEIVERS,
    "route twice": ROUTE + ROUTE + RECEIVERS,
    "global as text": "global: ''\n" + ROUTE + RECEIVERS,
}

TAKEN = {
    "null sections": "global:\nroute: {receiver: a, routes: }\ninhibit_rules:\ntemplates:\n" + RECEIVERS,
    "null matchers": "route: {receiver: a, routes: [{matchers: }]}\n" + RECEIVERS,
    "null matcher": "route: {receiver: a, routes: [{matchers: [~]}]}\n" + RECEIVERS,
    "null in match": "route: {receiver: a, routes: [{match: {a: ~}}]}\n" + RECEIVERS,
    "null inhibit rule": ROUTE + "inhibit_rules: [~]\n" + RECEIVERS,
    "null receiver": ROUTE + "receivers: [{name: a}, ~]\n",
    "number as receiver": "route: {receiver: 5}\nreceivers: [{name: 5}]\n",
    "wildcard twice": "route: {receiver: a, group_by: ['...', '...']}\n" + RECEIVERS,
    "UTF-8 group_by": "route: {receiver: a, group_by: ['a b', 'é']}\n" + RECEIVERS,
    "label twice in equal": ROUTE + "inhibit_rules: [{equal: [x, x]}]\n" + RECEIVERS,
    "group_wait zero": "route: {receiver: a, group_wait: 0s}\n" + RECEIVERS,
    "all units": "route: {receiver: a, repeat_interval: 1y2w3d4h5m6s7ms}\n" + RECEIVERS,
    "null duration": "route: {receiver: a, group_wait: }\n" + RECEIVERS,
    "YAML 1.1 booleans": "route: {receiver: a, routes: [{continue: y}, {continue: On}, {continue: off}]}\n" + RECEIVERS,
    "second document is not read": ROUTE + RECEIVERS + "---\n: [\n",
    "empty label name": "route: {receiver: a, routes: [{matchers: ['\"\"=x']}]}\n" + RECEIVERS,
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_alertmanager_would_not_load_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN.keys())
def test_what_alertmanager_loads_is_read(text: str) -> None:
    parse(text)


def test_absurd_sizes_are_refused() -> None:
    with pytest.raises(ConfigError, match="more than 2000 routes"):
        parse("route: {receiver: a, routes: [" + "{}," * 2_000 + "]}\n" + RECEIVERS)
    with pytest.raises(ConfigError, match="more than 500 inhibit rules"):
        parse(ROUTE + "inhibit_rules: [" + "{}," * 501 + "]\n" + RECEIVERS)
    with pytest.raises(ConfigError, match="nested more than"):
        parse("route: " + "{receiver: a, routes: [" * 100 + "]}" * 100 + "\n" + RECEIVERS)
    parse("route: " + "{receiver: a, routes: [" * 60 + "]}" * 60 + "\n" + RECEIVERS)


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, "0s"), (90_000, "1m30s"), (86_400_000, "1d"), (5, "5ms"), (14_400_000, "4h"), (129_600_000, "1d12h")],
)
def test_durations_are_written_in_the_largest_exact_units(milliseconds: int, text: str) -> None:
    assert duration_text(milliseconds) == text
