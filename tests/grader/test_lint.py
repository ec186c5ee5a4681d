"""What is set aside before promtool runs, and that honest rules are not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from alertforge.grader.lint import MAX_RULES, guard, lint, template_fault
from alertforge.prometheus.rules import Group, Rule, RuleFile


def takes_all(rules: Sequence[Rule]) -> list[str | None]:
    return [None for _ in rules]


def rule_file(*rules: Rule, labels: tuple[tuple[str, str], ...] = ()) -> RuleFile:
    return RuleFile("rules/a.yml", (Group("g", rules, labels=labels),))


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        ("max_over_time(x[10y:1ms])", "reads"),
        ("rate(x[10y])", "reads"),
        ("x offset 20y", "reads"),
        (" or ".join(["x"] * 5000), "characters"),
        ("(" * 500 + "x" + ")" * 500, "nested"),
        ("-" * 500 + "x", "nested"),
    ],
)
def test_expressions_without_bound_are_set_aside(expr: str, reason: str) -> None:
    assert reason in guard(Rule("A", expr))


@pytest.mark.parametrize(
    "expr",
    [
        "max_over_time(rate(x[5m])[30d:5m]) > 1",
        "avg_over_time(x[90d]) > 1",
        "quantile_over_time(0.9, rate(x[5m])[1d:]) > 1",
        "x > 1 offset",  # promtool's to refuse
    ],
)
def test_expressions_with_a_bound_go_to_promtool(expr: str) -> None:
    assert guard(Rule("A", expr)) == ""


@pytest.mark.parametrize("expr", ["max_over_time(x[30d:1s])", "max_over_time(max_over_time(x[1d:1m])[1d:1m])"])
def test_a_rule_that_is_too_laborious_goes_alone(expr: str) -> None:
    linted = lint([rule_file(Rule("A", expr), Rule("B", "x"))], takes_all)
    assert [rule.name for file in linted.rule_files for rule in file.rules()] == ["B"]
    assert "operations a tick" in str(linted.problems[0])


def test_the_most_laborious_rules_go_where_all_together_are_too_much() -> None:
    some = [Rule(f"A{days}", f"max_over_time((a / b)[{days}d:1m])") for days in (1, 40, 2, 39)]
    linted = lint([rule_file(*some)], takes_all)
    assert [rule.name for file in linted.rule_files for rule in file.rules()] == ["A1", "A2", "A39"]
    (problem,) = linted.problems
    assert "operations a tick" in str(problem)


@pytest.mark.parametrize(
    "text",
    [
        '{{ range query "up" }}{{ range query "up" }}x{{ end }}{{ end }}',
        '{{ range query "up" }}{{ with query "up" }}x{{ end }}{{ end }}',
        '{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}',
        '{{ printf "%1000000000d" 1 }}',
        '{{ printf "%*d" 1000000000 1 }}',
        '{{ printf "%900s" "" }}',
        '{{ range query "a" }}{{ end }}' * 5,
        '{{ reReplaceAll "" (printf "%99s" "") (reReplaceAll "" (printf "%99s" "") (printf "%99s" "")) | len }}'
        + "." * 200,
        '{{ $x := "aaaaaaaa" }}' + "{{ $x = print $x $x }}" * 40,
        '{{ $x:="aaaaaaaa" }}' + "{{ $x=print $x $x }}" * 40,
        '{{ $x := "a" }}{{ range .Labels }}{{ $x = print $x $x $x }}{{ end }}',
        '{{ "}}" }}{{ define "a" }}{{ end }}',
    ],
)
def test_templates_without_bound_are_set_aside(text: str) -> None:
    assert template_fault(text)
    assert guard(Rule("A", "x > 1", annotations=(("summary", text),)))


@pytest.mark.parametrize(
    "text",
    [
        "{{ $labels.service }} at {{ $value | humanizePercentage }}",
        '{{ with query "up" }}{{ . | first | value }}{{ end }}',
        '{{ range query "up" }}{{ .Labels.instance }} {{ end }}',
        '{{ if gt $value 1.0 }}{{ printf "%.2f" $value }}{{ end }}',
        "no range of query here",
        '{{ printf "%s: %.2f of %.0f" $labels.a $value 3.0 }} and {{ printf "%s in %s" $labels.a $labels.b }}' * 3,
        '{{ reReplaceAll ":.*" "" $labels.instance }} is down',
        '{{ reReplaceAll "-" " " $labels.workload }} of ' * 3
        + 'see {{ printf "%s/%s/%s" $labels.squad $labels.workload $labels.site }} in the catalog, and the runbook.',
        "{{ $labels.instance | toUpper | title }} {{ $value | humanize1024 }}B" * 8,
        '{{ "{{ define" }}',
    ],
)
def test_templates_that_people_write_are_rendered(text: str) -> None:
    assert template_fault(text) == ""


def test_a_refused_rule_is_set_aside_with_what_was_said() -> None:
    rules = rule_file(Rule("A", "x > 1"), Rule("B", "y > 1"), Rule("C", "z > 1"))
    linted = lint([rules], lambda asked: [None, "no such thing", None])
    assert [rule.name for rule in linted.rule_files[0].rules()] == ["A", "C"]
    assert list(map(str, linted.problems)) == ["rules/a.yml: group 'g', alert 'B': no such thing"]


def test_promtool_judges_the_labels_of_the_group_too() -> None:
    seen: list[Rule] = []

    def check(rules: Sequence[Rule]) -> list[str | None]:
        seen.extend(rules)
        return [None for _ in rules]

    lint([rule_file(Rule("A", "x", labels=(("b", "2"),)), labels=(("a", "1"), ("b", "1")))], check)
    assert seen[0].labels == (("a", "1"), ("b", "2"))


def test_a_flood_of_rules_is_set_aside_and_the_other_files_stay() -> None:
    flood = RuleFile("rules/a.yml", (Group("g", tuple(Rule(f"A{n}", "x") for n in range(MAX_RULES))),))
    linted = lint([flood, RuleFile("rules/b.yml", (Group("g", (Rule("B", "x"),)),))], takes_all)
    assert [rule.name for file in linted.rule_files for rule in file.rules()] == ["B"]
    assert [problem.path for problem in linted.problems] == ["rules/a.yml"]
