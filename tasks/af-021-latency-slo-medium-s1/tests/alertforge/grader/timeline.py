# canary 68cf5144-25e7-4e78-a451-f9b6e7d7ae7c
"""What is asked of a replay, and what it shows: every firing alert minute by minute, records at single minutes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from alertforge.grader.reach import Placed, Reach
from alertforge.grader.spec import Scenario
from alertforge.prometheus.rules import Pairs
from alertforge.prometheus.series import METRIC_NAME, Labels


@dataclass(frozen=True)
class Ask:
    """What to observe in one scenario: alerts at every minute, records at single minutes.

    `alerts` None means every alert there is, `annotations` None those of every alert; annotations that are not asked
    for come back empty.
    """

    scenario: Scenario
    alerts: frozenset[str] | None = None
    records: tuple[tuple[str, int], ...] = ()
    annotations: frozenset[str] | None = frozenset()

    def needed(self, reach: Reach) -> list[Placed]:
        """The rules that can change the answer."""
        names = {name for name, _ in self.records}
        return reach.needed((series.series for series in self.scenario.series), self.wants_alert, names)

    def only(self, alerts: frozenset[str], records: Iterable[str]) -> Ask:
        """The same questions about these alerts and records alone."""
        names = frozenset(records)
        return replace(self, alerts=alerts, records=tuple(one for one in self.records if one[0] in names))

    def wants_alert(self, name: str) -> bool:
        """Whether this alert is asked for."""
        return self.alerts is None or name in self.alerts

    def wants_annotations(self, name: str) -> bool:
        """Whether this alert's annotations are asked for."""
        return self.annotations is None or name in self.annotations


@dataclass(frozen=True, order=True)
class Firing:
    """One firing alert: its labels without `alertname`, and its rendered annotations."""

    labels: Labels
    annotations: Pairs = ()


Samples = tuple[tuple[Labels, float], ...]


@dataclass(frozen=True)
class Seen:
    """What one scenario showed; a (name, minute) that is missing in `alerts` did not fire.

    `records` holds each (record, minute) that was asked for: its samples, or None where it could not be read.
    """

    alerts: Mapping[tuple[str, int], tuple[Firing, ...]] = field(default_factory=dict)
    records: Mapping[tuple[str, int], Samples | None] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """JSON-ready; equal lists of alerts are written once."""
        table: dict[tuple[Firing, ...], int] = {}
        alerts = [[name, minute, table.setdefault(f, len(table))] for (name, minute), f in sorted(self.alerts.items())]
        return {
            "firings": [[[dict(f.labels.pairs), dict(f.annotations)] for f in firings] for firings in table],
            "alerts": alerts,
            "records": [
                [name, minute, None if samples is None else [[dict(labels.pairs), value] for labels, value in samples]]
                for (name, minute), samples in sorted(self.records.items(), key=lambda item: item[0])
            ],
            "failures": list(self.failures),
        }

    @classmethod
    def from_plain(cls, raw: Any) -> Seen:
        """Rebuild from decoded JSON. Raises KeyError, TypeError, ValueError or IndexError on anything else."""
        table = [
            tuple(Firing(Labels.of(labels), tuple(sorted(annotations.items()))) for labels, annotations in firings)
            for firings in raw["firings"]
        ]
        return cls(
            {(name, minute): table[at] for name, minute, at in raw["alerts"]},
            {
                (name, minute): None
                if samples is None
                else sorted_samples((Labels.of(one), float(v)) for one, v in samples)
                for name, minute, samples in raw["records"]
            },
            tuple(raw["failures"]),
        )

    def only(self, alerts: frozenset[str], records: Iterable[str]) -> Seen:
        """What these alerts and records showed."""
        names = frozenset(records)
        return Seen(
            {key: found for key, found in self.alerts.items() if key[0] in alerts},
            {key: found for key, found in self.records.items() if key[0] in names},
        )

    def beside(self, other: Seen) -> Seen:
        """What both showed, which are about different alerts and records."""
        failures = (*self.failures, *other.failures)
        return Seen({**self.alerts, **other.alerts}, {**self.records, **other.records}, failures)


@dataclass(frozen=True)
class Timeline:
    """What the replay saw, per scenario and minute."""

    scenarios: Mapping[str, Seen]

    def firing(self, scenario_id: str, alertname: str, minute: int) -> tuple[Firing, ...]:
        """The firing alerts of a name, sorted by labels."""
        return self.scenarios[scenario_id].alerts.get((alertname, minute), ())

    def firing_minutes(self, scenario_id: str, alertname: str) -> tuple[int, ...]:
        """The minutes at which an alert of that name fires."""
        return tuple(sorted(minute for name, minute in self.scenarios[scenario_id].alerts if name == alertname))

    def alerts(self, scenario_id: str, minute: int) -> tuple[tuple[str, Firing], ...]:
        """Everything that fires at a minute, with names, sorted."""
        seen = self.scenarios[scenario_id].alerts
        return tuple(
            (name, firing) for name, at in sorted(key for key in seen if key[1] == minute) for firing in seen[name, at]
        )

    def record(self, scenario_id: str, record: str, minute: int) -> Samples | None:
        """The samples of a record, labels without the metric name; None where it was not asked for or not readable."""
        return self.scenarios[scenario_id].records.get((record, minute))

    @property
    def failures(self) -> dict[str, tuple[str, ...]]:
        """Per scenario in which something went wrong: the rules set aside and why."""
        return {name: seen.failures for name, seen in self.scenarios.items() if seen.failures}

    def to_plain(self) -> dict[str, Any]:
        """JSON-ready."""
        return {name: seen.to_plain() for name, seen in self.scenarios.items()}

    @classmethod
    def from_plain(cls, raw: Any) -> Timeline:
        """Rebuild from decoded JSON."""
        return cls({name: Seen.from_plain(seen) for name, seen in raw.items()})


def sorted_samples(found: Iterable[tuple[Labels, float]]) -> Samples:
    """Samples in a fixed order; one NaN object for all, so that equal timelines compare equal.

    Values have 12 significant digits: promtool adds series up in an order that varies from run to run, and with it
    the last bits.
    """
    plain = (
        (labels.without([METRIC_NAME]), math.nan if math.isnan(value) else float(f"{value:.12g}"))
        for labels, value in found
    )
    return tuple(sorted(plain, key=lambda sample: sample[0]))
