"""General ways change how a rule is written and nothing else; `tests/alerts/test_kinds.py` runs them on promtool."""

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.ways import general, without
from alertforge.prometheus import rules
from alertforge.prometheus.promql import parse, to_text
from alertforge.seeds import Seed
from alertforge.world.create import create

WORLD = create(Seed.master("alerts-ways"), services=1)
SUBJECT = Subject(WORLD, WORLD.services[0])


@pytest.mark.parametrize(
    ("by", "dropped"),
    [
        ("sum by (app) (rate(x[5m]))", "sum without (code, le, pod) (rate(x[5m]))"),
        ("sum by (app, le) (rate(x[5m]))", "sum without (code, pod) (rate(x[5m]))"),
        ("max by (app) (sum by (app, pod) (x)) > 1", "max without (code, le, pod) (sum without (code, le) (x)) > 1"),
        ("sum by (code) (x) or sum without (pod) (x)", "sum by (code) (x) or sum without (pod) (x)"),
        ("sum(x)", "sum(x)"),
    ],
)
def test_every_label_goes_that_was_not_asked_for(by: str, dropped: str) -> None:
    assert to_text(without(parse(by), "app", ("pod", "code", "le", "app"))) == dropped


@pytest.mark.parametrize("kind", KINDS)
def test_general_ways_keep_name_wait_and_house_labels(kind: str) -> None:
    own = KINDS[kind].rule(SUBJECT)
    for name, (way,) in general(KINDS[kind], SUBJECT, ("job", "namespace", SUBJECT.style.pod_label)).items():
        assert way != own, name
        assert (way.name, way.for_) == (own.name, own.for_), name
        assert {*own.labels} <= {*way.labels}, name
        assert {*own.annotations} <= {*way.annotations}, name


@pytest.mark.parametrize("written", ["5m", "300s", "0h5m", "4m60s", "300000ms"])
def test_a_wait_is_the_same_however_it_is_written(written: str) -> None:
    text = f"groups: [{{name: g, rules: [{{alert: A, expr: up == 0, for: {written}}}]}}]"
    (rule,) = rules.read("rules/a.yml", text).rules()
    assert rule.for_ == 300_000
