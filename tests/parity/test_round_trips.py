"""Round trips of expressions, rules and YAML texts, quick form."""

from __future__ import annotations

import pytest

from alertforge.prometheus import promql
from alertforge.repo import printer

from . import round_trips
from .promtool import Failed, Query, Scenario, ask
from .round_trips import Report


def whole(part: str, cases: int) -> Report:
    """The first cases of a part, in one report."""
    reports = list(round_trips.PARTS[part](cases, 0))
    counts = reports[0].counts
    for report in reports[1:]:
        counts += report.counts
    return Report(counts, [difference for report in reports for difference in report.differences])


def test_an_expression_means_the_same_however_it_is_printed() -> None:
    found = whole("expressions", 400)
    assert found.counts["with samples"] > 150
    assert found.differences == []


def test_every_kind_of_rule_is_the_same_rule_in_every_house_style() -> None:
    found = whole("rules", 200)
    assert found.counts["with samples"] > 100
    assert min(found.counts["alerts"], found.counts["records"]) > 10
    assert found.differences == []


def test_a_label_is_the_same_text_to_our_reader_and_to_promtool() -> None:
    found = whole("texts", 400)
    assert 20 < found.counts["refused by both"] < 120
    assert found.differences == []


def test_a_for_is_the_same_time_to_reader_printers_and_promtool() -> None:
    found = whole("holds", 400)
    assert found.counts["holds"] == 20
    assert found.differences == []


def test_the_scalars_that_readers_differ_about_are_seen_as_promtool_sees_them() -> None:
    texts = [round_trips.Text(f"\n      n: {scalar}", "named") for scalar in round_trips.SCALARS]
    assert round_trips.compare_texts(texts).differences == []


@pytest.mark.parametrize(
    "label",
    [
        "{~: a, b: c}",  # a null key is an empty name, and dropped
        "{n: a:}",
        "\n      n: a\u2028?",
        "{n: e,?}",
        "\n      on: 0'|\n?",
    ],
)
def test_what_promtool_alone_reads_is_as_documented(label: str) -> None:
    (found,) = round_trips.compare_texts([round_trips.Text(label, "named")]).differences
    assert "refused by our reader" in found


def test_an_escaped_slash_is_refused_by_both() -> None:
    found = round_trips.compare_texts([round_trips.Text(r'{n: "\/"}', "named")])
    assert (found.differences, found.counts["refused by both"]) == ([], 1)


def test_digits_in_groups_are_read_by_both() -> None:
    ((answer,),) = ask([Scenario((), (Query("vector(1_000)", 0),), 60)])
    assert not isinstance(answer, Failed)
    assert list(answer.values()) == [1000]
    assert promql.parse("vector(1_000)") == promql.parse("vector(1000)")


@pytest.mark.parametrize("slip", ["brackets", "annotation", "for", "normal form"])
def test_the_comparison_sees_a_slip(slip: str, monkeypatch: pytest.MonkeyPatch) -> None:
    part = {"brackets": "expressions", "normal form": "expressions", "annotation": "rules", "for": "holds"}[slip]
    if slip == "brackets":
        monkeypatch.setattr(printer.ExpressionPrinter, "_sides", staticmethod(lambda expr: (False, False)))
    elif slip == "normal form":
        monkeypatch.setattr(promql, "normal_form", lambda tree: promql.rewrite(tree, _without_offset))
    elif slip == "for":
        monkeypatch.setattr(round_trips, "duration", lambda milliseconds: f"{milliseconds // 60_000}m")
    else:
        monkeypatch.setattr(printer._Writer, "_in_quotes", lambda self, text: printer._double(f"{text}!"))
    assert whole(part, 400 if part != "rules" else 100).differences


def _without_offset(node: promql.Expr) -> promql.Expr:
    return promql.Selector(node.name, node.matchers, node.window) if isinstance(node, promql.Selector) else node
