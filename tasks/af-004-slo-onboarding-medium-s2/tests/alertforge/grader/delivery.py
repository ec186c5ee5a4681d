# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""From firing alerts to pages: who is inhibited, and where the others go.

Every matcher is evaluated by Alertmanager's own code (`amtool.Classifier`) before judging starts; what is here is what
follows from its answers. A configuration that Alertmanager would not load pages nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from alertforge.alertmanager.config import Config, RouteNode
from alertforge.alertmanager.inhibition import decide
from alertforge.grader.timeline import Firing, Timeline
from alertforge.prometheus.series import Labels


class Match(Protocol):
    """What a configuration makes of one label set: the nodes that notify, and the inhibition sides that match."""

    @property
    def nodes(self) -> tuple[RouteNode, ...]:
        """The nodes, in tree order."""

    @property
    def sources(self) -> frozenset[int]:
        """Inhibit rules whose source side matches."""

    @property
    def targets(self) -> frozenset[int]:
        """Inhibit rules whose target side matches."""


Classify = Callable[[Sequence[Labels]], Sequence[Match]]  # one match per label set, under one configuration


@dataclass(frozen=True)
class Delivery:
    """A configuration and its answers for every label set that judging will ask about. None: it does not load."""

    config: Config | None
    matches: Mapping[Labels, Match] = field(default_factory=dict)

    @property
    def broken(self) -> bool:
        """Whether nobody is paged, whatever fires."""
        return self.config is None

    def nodes(self, labels: Labels) -> tuple[RouteNode, ...]:
        """The routing nodes that notify for an alert."""
        return () if self.broken else self.matches[labels].nodes

    def receivers(self, labels: Labels) -> tuple[str, ...]:
        """The receivers of an alert, each once, in tree order."""
        return tuple(dict.fromkeys(node.receiver for node in self.nodes(labels)))

    def notified(self, labels: Labels) -> tuple[str, ...]:
        """Those receivers that tell somebody: one without an integration is nobody."""
        return tuple(name for name in self.receivers(labels) if name not in self._mute)

    @property
    def _mute(self) -> frozenset[str]:
        """Receivers that notify nobody."""
        known = self.config.receivers if self.config else ()
        return frozenset(
            one.name for one in known if not any(key.endswith("_configs") and value for key, value in one.body.items())
        )

    def sides(self, labels: Labels) -> tuple[frozenset[int], frozenset[int]]:
        """The inhibit rules of which an alert is a source, and of which it is a target."""
        if self.broken:
            return frozenset(), frozenset()
        match = self.matches[labels]
        return frozenset(match.sources), frozenset(match.targets)

    def suppressed(self, labels: Labels, others: Iterable[Labels]) -> bool:
        """Whether an alert is inhibited while the others fire beside it."""
        if self.config is None:
            return False
        alerts = [labels, *(other for other in others if other != labels)]
        sides = [self.matches[alert] for alert in alerts]
        return bool(decide(self.config.inhibit_rules, [alert.as_dict() for alert in alerts], sides)[0])


def deliver(config: Config | None, classify: Classify, label_sets: Iterable[Labels]) -> Delivery:
    """Ask Alertmanager about every label set once."""
    if config is None:
        return Delivery(None)
    asked = sorted(set(label_sets))
    return Delivery(config, dict(zip(asked, classify(asked), strict=True)))


def alert_labels(name: str, firing: Firing) -> Labels:
    """The label set that Alertmanager gets."""
    return firing.labels.with_(alertname=name)


def active(timeline: Timeline, scenario: str, minute: int) -> tuple[Labels, ...]:
    """Everything that fires at one minute, as Alertmanager gets it."""
    return tuple(alert_labels(name, firing) for name, firing in timeline.alerts(scenario, minute))
