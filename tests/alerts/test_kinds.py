"""Reference rules and accepted variants do what the contract says, wrong variants do not: on real promtool."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar

import pytest

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject, expectation
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed
from alertforge.world import styles
from alertforge.world.create import create
from alertforge.world.model import World

from .bench import Bench, bench

T = TypeVar("T")

SHARES = {"error-ratio", "memory-limit", "cpu-throttling", "probe-failing", "pool-saturation", "slow-share"}


def small_company() -> World:
    """Few pods and short windows."""
    return create(Seed.master("alerts-18"), services=1)


def check(kind: str, world: World, seed: str) -> Bench:
    """The contract against promtool, and the grader's q of every variant."""
    found = bench(KINDS[kind], Subject(world, world.services[0]), seed)
    assert {name: found.faults(name) for name in found.right} == {name: [] for name in found.right}
    assert {name: found.quality(name) for name in found.right} == dict.fromkeys(found.right, 1.0)
    bounds = {name: bound for name, (_, bound) in found.kind.wrong(found.subject).items()}
    assert {name: q for name in bounds if (q := found.quality(name)) > bounds[name]} == {}
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_right_rules_meet_the_contract_and_wrong_ones_do_not(kind: str) -> None:
    found = check(kind, small_company(), "small")
    cases, own = [one.case for one in found.cases], found.kind
    assert len(own.accepted(found.subject)) >= 4
    assert len(own.wrong(found.subject)) >= 4
    assert sum(bool(case.fires) for case in cases) >= 2
    assert sum(not case.fires for case in cases) >= 4
    assert 14 <= sum(bool(case.fires) * 2 + bool(case.first) + len(case.quiet) for case in cases) <= 30


@pytest.mark.parametrize("kind", KINDS)
def test_texts_name_the_service_and_every_number(kind: str) -> None:
    world = small_company()
    subject, own = Subject(world, world.services[0]), KINDS[kind]
    spelled_out = str(own.novice(subject))
    assert subject.service.name in spelled_out
    assert subject.service.name in own.outcome(subject)
    assert f"{own.for_minutes(subject)} minutes" in spelled_out
    if not own.burn:
        limit = subject.style.thresholds.get(kind, "")
        assert (f"{float(limit) * 100:g} %" if kind in SHARES else limit) in spelled_out
        assert not own.windowed or f"{subject.windows(kind)} minutes" in spelled_out
    expressions = own.rule(subject).expr + "".join(
        rule.expr for rules in own.accepted(subject).values() for rule in rules
    )
    assert [name for name, _ in own.exported(subject) if name not in expressions] == []


def looks_back(rules: Iterable[Rule]) -> int:
    """Minutes of the longest window or offset."""
    nodes = [node for rule in rules for node in promql.walk(rule.tree)]
    spans = [node for node in nodes if isinstance(node, promql.Selector | promql.Subquery)]
    return max((max(one.window or 0, one.offset) for one in spans), default=0) // 60_000


@pytest.mark.parametrize(
    ("kind", "window"),
    [
        *((kind, window) for kind, windows in styles.WINDOWS.items() for window in windows),
        *((kind, 0) for kind in KINDS if kind not in styles.WINDOWS),
    ],
)
def test_some_replay_is_as_long_as_right_rules_look_back(kind: str, window: int) -> None:
    """The grader sets aside what looks further: see `grader/scope.py`."""
    world = create(Seed.master("look-back"), services=3)
    style = replace(
        world.style,
        for_={**world.style.for_, kind: min(styles.FOR_MINUTES[kind])}
        if kind in styles.FOR_MINUTES
        else world.style.for_,
        windows={**world.style.windows, kind: window} if window else world.style.windows,
        thresholds={**world.style.thresholds, kind: min(styles.THRESHOLDS.get(kind, ("0",)), key=float)},
    )
    world = replace(world, style=style)
    subject, own = Subject(world, world.services[0]), KINDS[kind]
    draws = own.plans(subject, world.services[1:], Seed.master("look-back"))
    longest = max(draw(Seed.master("look-back").child(n)).minutes for n, draw in enumerate(draws))
    assert looks_back([own.rule(subject), *(rule for way in own.accepted(subject).values() for rule in way)]) <= longest


@pytest.mark.parametrize("objective", ["0.97", "0.99", "0.9995"])
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.burn])
def test_a_second_outage_in_which_nothing_works_fires_again_in_every_house(name: str, objective: str) -> None:
    """Whatever the tier: an alert that falls silent where everything fails must have somewhere to be found out."""
    world, kind = small_company(), KINDS[name]
    service = replace(world.services[0], slo=objective, latency_slo=objective)
    for days, long, percent in styles.FAST if "fast" in name else styles.SLOW:
        tier = styles.burn_tier("page", days, long, percent, 5)
        style = replace(world.style, burn=dict.fromkeys(world.style.burn, tier))
        subject = Subject(replace(world, style=style, services=(service, *world.services[1:])), service)
        draws = kind.plans(subject, (), Seed.master(objective))
        (relapse,) = [plan for draw in draws if (plan := draw(Seed.master(objective))).key == "relapse"]
        must = expectation(kind.readings(subject, relapse.exposures[0])).must
        assert sum(now and not before for before, now in pairwise([False, *must])) == 2, tier


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 11))
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_in_other_companies(kind: str, seed: int) -> None:
    check(kind, create(Seed.master(f"alerts-{seed}"), services=1), f"alerts-{seed}")


def middle(values: Iterable[T], key: Callable[[T], Any] | None = None) -> T:
    """As `min` and `max`: the value between them."""
    ordered = sorted(values, key=key)  # type: ignore[type-var, arg-type]
    return ordered[len(ordered) // 2]


Pick = Callable[..., Any]


@pytest.mark.slow
@pytest.mark.parametrize(("wait", "window"), [(min, min), (min, max), (max, min), (max, max), (middle, middle)])
@pytest.mark.parametrize("pods", [2, 8])
@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if not kind.burn])
def test_the_same_with_the_extreme_and_the_middle_numbers_of_house_styles(
    kind: str, pods: int, wait: Pick, window: Pick
) -> None:
    world = small_company()
    style = replace(
        world.style,
        for_={**world.style.for_, kind: wait(styles.FOR_MINUTES[kind])},
        windows={**world.style.windows, kind: window(styles.WINDOWS.get(kind, (0,)))},
        thresholds={**world.style.thresholds, kind: window(styles.THRESHOLDS.get(kind, ("0",)), key=float)},
        min_rps=wait(styles.MIN_RPS, key=float),
        quantile=window(styles.QUANTILES, key=float),
    )
    service = replace(world.services[0], pods=pods, rps=10)
    check(kind, replace(world, style=style, services=(service, *world.services[1:])), "extreme")
