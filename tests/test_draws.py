"""What weighs more comes sooner."""

from __future__ import annotations

from collections import Counter

from alertforge.defects import DEFECTS
from alertforge.draws import by_theme, rarity, weighted
from alertforge.seeds import Seed

SEED = Seed.master("plans")


def test_what_weighs_twice_as_much_comes_first_twice_as_often_and_what_weighs_nothing_never() -> None:
    weights = {"a": 1, "b": 2, "c": 3, "none": 0}
    orders = [list(weighted(SEED.rng("weights", n), weights)) for n in range(3000)]
    assert all(sorted(order) == ["a", "b", "c"] for order in orders)
    first = Counter(order[0] for order in orders)
    assert abs(first["a"] - 500) < 100 and abs(first["b"] - 1000) < 100 and abs(first["c"] - 1500) < 100


def test_what_half_can_have_weighs_twice_as_much() -> None:
    assert rarity([True, False]) == 2 * rarity([True, True])
    assert rarity([False, False]) == rarity([True, False])


def test_a_theme_comes_first_no_oftener_for_having_many_defects() -> None:
    records = [defect for defect in DEFECTS.values() if defect.records]
    themes = {defect.theme for defect in records}
    weights = dict.fromkeys(records, 1)
    first = Counter(by_theme(SEED.child("themes", n), weights)[0].theme for n in range(3000))
    assert all(abs(first[theme] - 3000 / len(themes)) < 120 for theme in themes)
