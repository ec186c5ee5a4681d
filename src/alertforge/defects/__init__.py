"""Defects of rules, records, routes and inhibitions, one file a family; `base.py` says what a defect is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from alertforge.alertmanager.config import Config
from alertforge.alerts.base import Subject
from alertforge.defects import (
    absence,
    aggregation,
    counters,
    durations,
    inhibitions,
    labels,
    records,
    routes,
    selectors,
    thresholds,
    windows,
)
from alertforge.defects.base import Defect
from alertforge.defects.config import ConfigDefect, Scene
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

CONFIG_DEFECTS: Final[Mapping[str, ConfigDefect]] = {
    defect.name: defect for family in (routes, inhibitions) for defect in family.DEFECTS
}


def applicable(rule: Rule, subject: Subject, seed: Seed) -> tuple[tuple[Defect, Rule], ...]:
    """Every defect that the rule can hold, with the rule that it makes of it."""
    broken = ((defect, defect.apply(rule, subject, seed)) for defect in DEFECTS.values())
    return tuple((defect, rule) for defect, rule in broken if rule is not None)


def applicable_config(config: Config, scene: Scene) -> tuple[tuple[ConfigDefect, Config], ...]:
    """Every defect that the configuration can hold for a team, with the configuration that it makes of it."""
    broken = ((defect, defect.apply(config, scene)) for defect in CONFIG_DEFECTS.values())
    return tuple((defect, config) for defect, config in broken if config is not None)
