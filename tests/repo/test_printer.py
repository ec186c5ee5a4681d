"""The house printer: whatever is printed reads back as the same rules and routes, and the real tools take it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alertforge import tools
from alertforge.alertmanager import amtool, config
from alertforge.alertmanager.config import Config, InhibitRule, Receiver, Route
from alertforge.alertmanager.matchers import Matcher
from alertforge.prometheus import promql, promtool
from alertforge.prometheus.rules import Group, Rule, RuleFile, read
from alertforge.repo.exporters import load_all, render
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.repo.routing import base_config, inhibit_rule
from alertforge.seeds import Seed
from alertforge.world.create import create
from alertforge.world.model import HouseStyle, YamlStyle

WORLDS = [create(Seed.master(f"printer-{n}"), services=1 + n % 3) for n in range(12)]
STYLE = WORLDS[0].style

STYLES = st.builds(
    YamlStyle,
    indent_lists=st.booleans(),
    long_expr=st.sampled_from(["literal", "folded", "plain"]),
    width=st.sampled_from([20, 72, 120]),
    flow_labels=st.booleans(),
    quotes=st.sampled_from(["none", "double", "single"]),
    spelling=st.sampled_from(["compact", "spaced"]),
)
NASTY = [
    "yes", "No", "on", "y", "1.50", "0x10", "1e3", "2024-03-01", "12:30:45", "null", "~", "", " lead", "trail ", "a: b",
    "a #b", "#x", "{{ $labels.pod }} is down", "- x", "!t", "&a", "*a", "it's", 'say "hi"', "a\nb", "a\nb\n",
    "\n", "a\n\n",
    " a\nb", "a\tb", "[x]", "x, y", "é ≥ 3 → x", "\x85", "\u2028", "<<", "=", "C:\\n", "@x", "%x", "`x`", "|", ">", "?",
    "---", "a:", ":", "5m", "0", ".inf", "\ufeff", "\U0001f600", "0o7", "1_000", "a\n b\n", "x \ny",
]  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(NASTY),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text("ab:#'\"\n {}[]-,&*!|>%@`\\?=~", max_size=8),
)
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_]{0,6}", fullmatch=True)
PAIRS = st.dictionaries(NAMES.filter(lambda name: name != "__name__"), TEXTS, max_size=3).map(
    lambda d: tuple(d.items())
)
EXPRESSIONS = st.sampled_from(
    [
        "vector(1)", "1", "-1", "up == 0", 'up{job="a: b #c"} > bool 1', "-(a + b) ^ 2", "(-1) ^ 2",
        "a ^ (b ^ c)", "(a ^ b) ^ c",
        "a - (b - c)", "a / (b * c) > 0.5 and on (x) (c unless ignoring (y) d) or e", 'count_values("v", a)',
        'sum by (s, pod) (rate(requests_total{code=~"5.."}[5m] offset 1h)) / ignoring (pod) group_left (team) sum(x)',
        "quantile(0.9, a) without (b)", "topk without (b) (3, a)", "max_over_time((a > 1)[1h30m:1m] offset 90s)",
        "max_over_time(rate(a[90m])[1h:])", "a @ 1700000000 offset -5m", "min_over_time(a[90s] @ end())",
        'label_replace(up{x="\\n\\"é"}, "dst", "$1", "src", "(.*)")', '{"with.dots", "a b"="c"}', '{__name__=~"a|b"}',
        'histogram_quantile(0.99, sum by (le, s) (rate(request_duration_seconds_bucket{s="x"}[10m]))) > 0.25',
        "sum(a) by (b) * on (b) group_right () c", 'absent(up{job="x"}) or sum(up{job="x"}) == 0',
        "Inf", "NaN", "a % b atan2 c",
    ]
)  # fmt: skip
MINUTES = st.integers(0, 5000).map(lambda seconds: seconds * 1000)
RULES = st.one_of(
    st.builds(Rule, NAMES, EXPRESSIONS, st.just(True), MINUTES, MINUTES, PAIRS, PAIRS),
    st.builds(Rule, NAMES, EXPRESSIONS, st.just(False), labels=PAIRS),
)
GROUPS = st.lists(
    st.builds(
        Group,
        TEXTS.filter(bool),
        st.lists(RULES, max_size=3).map(tuple),
        st.sampled_from([None, "30s", "1m"]),
        st.sampled_from([None, "0s", "2m"]),
        st.sampled_from([None, "0", "10"]),
        PAIRS,
    ),
    max_size=3,
    unique_by=lambda group: group.name,
).map(tuple)
FILES = st.builds(RuleFile, st.just("rules/x.yml"), GROUPS, st.sampled_from([None, "x-rules"]), st.just(()))


def house(yaml: YamlStyle) -> HouseStyle:
    return replace(STYLE, yaml=yaml)


def one_line(file: RuleFile) -> RuleFile:
    """The same file with every expression in Prometheus' own spelling."""
    groups = tuple(
        replace(group, rules=tuple(replace(rule, expr=promql.to_text(rule.tree)) for rule in group.rules))
        for group in file.groups
    )
    return replace(file, groups=groups)


@given(FILES, STYLES)
@settings(max_examples=100, deadline=None)
def test_a_printed_rule_file_reads_back_as_the_same_rules(file: RuleFile, yaml: YamlStyle) -> None:
    back = read(file.path, print_rule_file(file, house(yaml), ("a header", "")))
    assert not back.problems
    assert one_line(back) == one_line(file)


@given(EXPRESSIONS, EXPRESSIONS, st.sampled_from(["+", "/", "^", "and", "or", ">", "> bool", "- on (a)"]), STYLES)
@settings(max_examples=100, deadline=None)
def test_nested_operands_keep_their_brackets(left: str, right: str, operator: str, yaml: YamlStyle) -> None:
    try:
        rule = Rule("A", f"({left}) {operator} ({right})")
        tree = rule.tree
    except promql.PromQLError:
        return
    (back,) = read("r.yml", print_rule_file(RuleFile("r.yml", (Group("g", (rule,)),)), house(yaml))).rules()
    assert promql.to_text(back.tree) == promql.to_text(tree)


@pytest.mark.parametrize("text", NASTY)
def test_awkward_texts_survive_as_labels_annotations_and_names(text: str) -> None:
    rule = Rule("A", "up", labels=(("l", text),), annotations=(("summary", text),))
    for flow in (True, False):
        for quotes in ("none", "single", "double"):
            style = house(replace(STYLE.yaml, flow_labels=flow, quotes=quotes))  # type: ignore[arg-type]
            file = RuleFile("r.yml", (Group(text or "g", (rule,)),))
            assert read("r.yml", print_rule_file(file, style)) == file


def test_what_our_reader_refuses_is_printed_as_it_stands() -> None:
    text = print_rule_file(RuleFile("r.yml", (Group("g", (Rule("A", "rate(up[5m"),)),)), STYLE)
    assert "rate(up[5m" in text


def test_a_house_decides_how_an_expression_looks() -> None:
    long = (
        'sum by (service) (rate(requests_total{code=~"5..", job="api"}[90m])) / sum by (service) (rate(all[1h])) > 0.5'
    )
    file = RuleFile("r.yml", (Group("g", (Rule("A", long, for_=90_000, labels=(("severity", "page"),)),)),))
    base = YamlStyle(True, "literal", 60, False, "double", "spaced")
    assert print_rule_file(file, house(base), ["canary x"]) == (
        """\
# canary x

groups:
  - name: g
    rules:
      - alert: A
        expr: |
          sum by (service) (
            rate(requests_total{code=~"5..", job="api"}[90m])
          )
          / sum by (service) (rate(all[1h]))
          > 0.5
        for: 90s
        labels:
          severity: page
"""
    )
    other = replace(base, indent_lists=False, long_expr="folded", width=200, flow_labels=True, spelling="compact")
    assert print_rule_file(replace(file, manifest_name="m"), house(other)) == (
        """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: m
spec:
  groups:
  - name: g
    rules:
    - alert: A
      expr: sum by(service)(rate(requests_total{code=~"5..",job="api"}[90m])) / sum by(service)(rate(all[1h])) > 0.5
      for: 90s
      labels: {severity: page}
"""
    )


def test_promtool_takes_every_exporter_file_of_many_houses() -> None:
    rules: list[Rule] = []
    for index, world in enumerate(WORLDS):
        for exporter in load_all()[index % 4 :: 4]:
            file = render(exporter, world.style, world.teams[0].name, world.domain)
            back = read(file.path, print_rule_file(file, world.style, ("canary",)))
            assert not back.problems
            assert one_line(back) == one_line(file)
            rules += back.rules()
    assert not any(promtool.check(rules, tools.find("promtool")))


def test_promtool_itself_reads_what_is_printed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The file as printed, not as our reader hands it on."""
    import subprocess  # the product starts promtool on rules, never on a printed file

    folder = tmp_path_factory.mktemp("printed")
    names = []
    for index, yaml in enumerate(
        YamlStyle(indent, long, 40, flow, quotes, spelling)  # type: ignore[arg-type]
        for indent, flow in ((True, False), (False, True))
        for long in ("literal", "folded", "plain")
        for quotes in ("none", "double", "single")
        for spelling in ("compact", "spaced")
    ):
        rules = tuple(
            Rule(f"A{n}", 'sum by (x) (rate(a{b=~"5..|c: #d"}[90m])) / on (x) group_left () sum by (x) (c) > 0.5',
                 labels=(("l", text),), annotations=(("s", text.replace("{{", "{").replace("}}", "}")),))
            for n, text in enumerate(NASTY)
        )  # fmt: skip
        path = folder / f"{index}.yml"
        path.write_text(print_rule_file(RuleFile("x", (Group("g", rules),)), house(yaml)), encoding="utf-8")
        names.append(path.name)
    command = [str(tools.find("promtool")), "check", "rules", "--lint=none", *names]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(f"{len(NASTY)} rules found") == len(names)


# --- Alertmanager ----------------------------------------------------------------------------------------------------

VALUES = st.sampled_from(["x", "a|b", "y, z", 'é"q'])
ROUTES = st.recursive(
    st.builds(
        Route,
        st.sampled_from(["a", "b"]),
        st.sampled_from([None, ("alertname", "x"), ("...",)]),
        matchers=st.lists(
            st.builds(Matcher, NAMES, st.sampled_from(["=", "!=", "=~", "!~"]), VALUES),
            min_size=1, max_size=3,
        ).map(tuple),
        continue_=st.booleans(),
    ),
    lambda inner: st.builds(
        lambda route, children: replace(route, routes=tuple(children)), inner, st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)  # fmt: skip


@given(st.lists(ROUTES, max_size=3).map(tuple), STYLES)
@settings(max_examples=50, deadline=None)
def test_a_printed_configuration_reads_back_as_the_same(routes: tuple[Route, ...], yaml: YamlStyle) -> None:
    body = {"webhook_configs": [{"url": "https://hooks.example/b#x", "send_resolved": True}]}
    built = Config(
        {"resolve_timeout": "5m"},
        Route("a", ("alertname",), 30_000, 300_000, 14_400_000, routes=routes),
        (Receiver("a"), Receiver("b", body)),
        (InhibitRule((Matcher("alertname", "=", "Down"),), (Matcher("s", "=~", "x|y"),), ("service",)),),
    )
    original = config.parse(config.dump(built))
    assert config.parse(print_alertmanager(original, house(yaml), ("canary",))) == original
    assert config.parse(print_alertmanager(built, house(yaml))) == original


def test_amtool_takes_the_configuration_of_many_houses() -> None:
    for world in WORLDS:
        built = base_config(world, world.teams)
        built = replace(built, inhibit_rules=(inhibit_rule(world, "A", ("B", "C")), inhibit_rule(world, "D", ("E",))))
        text = print_alertmanager(built, world.style, ("canary",))
        assert config.parse(text) == config.parse(config.dump(built))
        assert amtool.check_config(text, tools.find("amtool")).ok, text
