"""Defects of rules, records, routes and inhibitions, one file a family; `base.py` says what a defect is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import (
    absence,
    aggregation,
    counters,
    durations,
    labels,
    records,
    selectors,
    thresholds,
    windows,
)
from alertforge.defects.base import Defect
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed

DEFECTS: Final[Mapping[str, Defect]] = {
    defect.name: defect
    for family in (
        durations,
        thresholds,
        windows,
        selectors,
        aggregation,
        counters,
        absence,
        labels,
        records,
    )
    for defect in family.DEFECTS
}


def applicable(rule: Rule, subject: Subject, seed: Seed) -> tuple[tuple[Defect, Rule], ...]:
    """Every defect that the rule can hold, with the rule that it makes of it."""
    broken = ((defect, defect.apply(rule, subject, seed)) for defect in DEFECTS.values())
    return tuple((defect, rule) for defect, rule in broken if rule is not None)
