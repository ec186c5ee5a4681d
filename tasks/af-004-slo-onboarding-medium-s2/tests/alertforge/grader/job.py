# canary fa7a5fa9-796a-42a5-8050-95bbffc197f4
"""One scenario on its way through promtool: the rules that run in it, what was set aside, and its result in the end.

promtool ends a scenario at the first tick at which a rule fails to evaluate, where a server would log it and go on.
Here that rule is *set aside*: it yields nothing in the whole scenario, and the scenario runs again without it. (On a
server it would yield what it can until that minute and resume later; what a rule does around its own failures is not
worth the difference.) Which rule failed is told by its name, so several definitions of one alert are renamed while
they run. That also keeps them apart when their label sets collide: as on a server, the alert fires when one does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from alertforge.grader.reach import STATE_METRICS, Placed, Reach, Reached
from alertforge.grader.spec import InputSeries
from alertforge.grader.timeline import Ask, Firing, Samples, Seen, sorted_samples
from alertforge.prometheus import promql
from alertforge.prometheus.promtool import Active, TestFile, TestResult, printed_name
from alertforge.prometheus.rules import Group, Pairs, Rule
from alertforge.prometheus.series import METRIC_NAME, Labels

MAX_ROUNDS: Final = 24  # runs of one scenario, each of which sets at least one failing rule aside


@dataclass(frozen=True)
class Setting:
    """What a job runs in: its series, what rules are called while they run, and what is put on afterwards."""

    series: tuple[InputSeries, ...]
    names: Mapping[int, str]  # by rule number; others keep their names
    later: Mapping[int, Pairs]  # static labels by rule number


class Job:
    """One scenario: its live rules, what was set aside, and its result once there is one."""

    def __init__(self, ask: Ask, needed: Sequence[Placed], live: Sequence[Placed], setting: Setting) -> None:
        self.ask = ask
        self.seen: Seen | None = None
        self.complaint = ""  # why its last run alone came to nothing
        self.lasting = True  # the result does not depend on how fast this machine is
        self._needed = frozenset(p.number for p in needed)
        self._live = list(live)
        self._setting = setting
        self._failures: list[tuple[int, str]] = []
        self._apart: frozenset[str] = frozenset()  # alerts whose definitions collided and were renamed for that
        self._suspects: str | None = None  # a name whose definitions run under different names, to find the culprit
        self._rounds = 0
        if not any(p.rule.is_alert for p in live) and not ask.records:
            self.seen = Seen()

    @property
    def smooth(self) -> bool:
        """Whether its first run was its last and nothing failed: each part of it would show the same alone."""
        return self.lasting and self._rounds == 1 and self.seen is not None and not self.seen.failures

    @property
    def live(self) -> list[Placed]:
        """The rules that take part."""
        return self._live

    def part(self, rules: Sequence[Placed], records: Sequence[str], reach: Reach) -> Job:
        """The same job with some of its rules and records alone, which no others can change."""
        alerts = frozenset(p.rule.name for p in rules if p.rule.is_alert and self.ask.wants_alert(p.rule.name))
        setting = replace(self._setting, series=visible(self.ask, rules, records, reach))
        return Job(self.ask.only(alerts, records), rules, rules, setting)

    def share(self, seen: Seen) -> Seen:
        """What of a larger result this job would have shown alone."""
        return seen.only(self.ask.alerts or frozenset(), (name for name, _ in self.ask.records))

    def content(self) -> list[Any]:
        """All that decides its result, as plain values. Which numbers rules and groups have does not."""
        groups: dict[int, list[Any]] = {}
        for p in self._live:
            running = self._running(p)
            later, renamed = self._setting.later.get(p.number, ()), p.number in self._setting.names
            times = (p.rule.for_, p.rule.keep_firing_for)
            texts = (p.rule.name, p.rule.is_alert, p.rule.expr, running.labels, running.annotations)
            groups.setdefault(p.group, [p.group_labels]).append([*texts, *times, later, renamed])
        wanted = sorted({p.rule.name for p in self._live if p.rule.is_alert and self.ask.wants_alert(p.rule.name)})
        return [
            list(groups.values()),
            [(series.series, series.values) for series in self._setting.series],
            self.ask.scenario.minutes,
            self._server,
            wanted,
            sorted(set(self.ask.records)),
        ]

    def file(self, live: Sequence[Placed] | None = None) -> TestFile:
        """The test file with the live rules, or with those given."""
        rules = self._live if live is None else live
        groups: dict[int, list[Placed]] = {}
        for p in rules:
            groups.setdefault(p.group, []).append(p)
        scenario = self.ask.scenario
        return TestFile(
            tuple(
                Group(f"g{number}", tuple(map(self._running, members)), labels=members[0].group_labels)
                for number, members in groups.items()
            ),
            tuple((series.series, series.values) for series in self._setting.series),
            scenario.minutes,
            tuple(dict.fromkeys(self._name(p) for p in rules if p.rule.is_alert and self.ask.wants_alert(p.rule.name))),
            tuple((minute, _record_query(name)) for name, minute in sorted(set(self.ask.records))),
            self._server,
        )

    @property
    def _server(self) -> str:
        """A host name that nobody can know: templates must not tell a replay by its server."""
        scenario = self.ask.scenario
        hidden = "\n".join((scenario.id, *(series.values for series in scenario.series)))
        digest = hashlib.sha256(hidden.encode()).hexdigest()
        return f"prometheus-{digest[: 4 + int(digest[-1], 16)]}"  # its length says nothing either

    def _name(self, p: Placed) -> str:
        if p.rule.name == self._suspects:
            return f"{p.rule.name}:suspect:{p.number}"
        if p.rule.is_alert and p.rule.name in self._apart:
            return f"{p.rule.name}:apart:{p.number}"
        return self._setting.names.get(p.number, p.rule.name)

    def _running(self, p: Placed) -> Rule:
        annotations = p.rule.annotations if self.ask.wants_annotations(p.rule.name) else ()
        later = self._setting.later.get(p.number, ())
        labels = tuple(pair for pair in p.rule.labels if pair not in later)
        return replace(p.rule, name=self._name(p), labels=labels, annotations=annotations)

    def estimate(self) -> float:
        """Seconds of work, from measured costs."""
        minutes, rules, series = self.ask.scenario.minutes + 1, len(self._live), len(self.ask.scenario.series)
        return 0.015 + minutes * (rules * (110e-6 + 0.9e-6 * series) + 2e-6 * series)

    def set_aside(self, culprits: Iterable[Placed], message: str) -> None:
        """Leave rules out from now on."""
        numbers = {p.number for p in culprits}
        self._failures += [
            (p.number, f"{p.title} set aside: {message}") for p in self._live if p.number in numbers & self._needed
        ]
        self._live = [p for p in self._live if p.number not in numbers]

    def give_up(self, message: str) -> None:
        """End with an empty result."""
        records: dict[tuple[str, int], Samples | None] = dict.fromkeys(sorted(set(self.ask.records)))
        self.seen = Seen({}, records, (*self._messages(), message))
        self.lasting = False

    def _messages(self) -> list[str]:
        return [message for _, message in sorted(self._failures)]

    def absorb(self, result: TestResult) -> None:
        """Take the result, or set the failing rules aside for the next round."""
        self._rounds += 1
        if not result.errors and self._suspects is None:
            self._finish(result)
        elif self._rounds >= MAX_ROUNDS:
            self.give_up(f"scenario given up: rules kept failing in {MAX_ROUNDS} runs")
        elif self._suspects is not None:
            self._convict(result)
        else:
            self._accuse(result)

    def _accuse(self, result: TestResult) -> None:
        """Set aside the rules that failed; ask for another run where the name alone does not tell which."""
        messages: dict[str, list[str]] = {}
        for error in result.errors:
            messages.setdefault(error.rule, []).append(f"fails at {error.time}: {error.message}")
        for name, texts in messages.items():
            named = [p for p in self._live if printed_name(self._name(p)) == name]
            if any("duplicate sample for timestamp" in text for text in texts):
                self._resolve_collision(named, texts[0])
            elif len(named) <= len(texts):
                self.set_aside(named, texts[0])
            else:
                self._suspects = named[0].rule.name

    def _resolve_collision(self, named: Sequence[Placed], text: str) -> None:
        """Two rules write one series. On a server the sample that was there first stays, and alerts fire anyway."""
        alerts = [p for p in named if p.rule.is_alert]
        forged = [p for p in self._live if not p.rule.is_alert and p.rule.name in STATE_METRICS]
        if len(alerts) > 1:
            self._apart |= {alerts[0].rule.name}
        elif alerts and forged:
            self.set_aside(forged, text)
        else:
            self.set_aside(named[-1:], text)

    def _convict(self, result: TestResult) -> None:
        for p in [p for p in self._live if p.rule.name == self._suspects]:
            text = next((e for e in result.errors if e.rule == printed_name(self._name(p))), None)
            if text is not None:
                self.set_aside([p], f"fails at {text.time}: {text.message}")
                break
        else:
            self.set_aside([p for p in self._live if p.rule.name == self._suspects], "one of its definitions fails")
        self._suspects = None

    def _finish(self, result: TestResult) -> None:
        active: dict[tuple[str, int], list[tuple[Placed, tuple[Active, ...]]]] = {}
        for p in self._live:
            if p.rule.is_alert and self.ask.wants_alert(p.rule.name):
                for minute in range(self.ask.scenario.minutes + 1):
                    if found := result.alerts.get((minute, self._name(p))):
                        active.setdefault((p.rule.name, minute), []).append((p, found))
        alerts: dict[tuple[str, int], tuple[Firing, ...]] = {}
        known: dict[tuple[tuple[int, int], ...], tuple[Firing, ...]] = {}  # most is the same minute after minute
        for at, parts in active.items():
            same = tuple((p.number, id(found)) for p, found in parts)
            if same not in known:
                known[same] = self._firing(parts)
            alerts[at] = known[same]
        records: dict[tuple[str, int], Samples | None] = {}
        failures = self._messages()
        for name, minute in sorted(set(self.ask.records)):
            key = (minute, _record_query(name))
            if key in result.sample_errors:
                failures.append(f"record {name} at {minute}m: {result.sample_errors[key]}")
                records[name, minute] = None
            else:
                records[name, minute] = sorted_samples(result.samples.get(key, ()))
        self.seen = Seen(alerts, records, tuple(failures))

    def _firing(self, parts: Iterable[tuple[Placed, tuple[Active, ...]]]) -> tuple[Firing, ...]:
        """One alert at one minute: what its definitions show together."""
        firing: dict[Labels, Pairs] = {}
        for p, found in parts:
            keep, later = self.ask.wants_annotations(p.rule.name), self._setting.later.get(p.number, ())
            for one in found:
                labels = one.labels.without(["alertname"]).with_(later)
                firing.setdefault(labels, one.annotations if keep else ())
        return tuple(sorted(Firing(*item) for item in firing.items()))


class PlainJob(Job):
    """A scenario with every rule as it stands."""

    def _running(self, p: Placed) -> Rule:
        return replace(p.rule, name=self._name(p))


def running_names(placed: Sequence[Placed]) -> dict[int, str]:
    """Names that tell the definitions of one alert apart; none where some rule can read alert names as data."""
    if any(p.reads is None or p.reads & STATE_METRICS for p in placed):
        return {}
    taken = {p.rule.name for p in placed}
    by_name: dict[str, list[int]] = {}
    for p in placed:
        if p.rule.is_alert:
            by_name.setdefault(p.rule.name, []).append(p.number)
    names: dict[int, str] = {}
    for name, numbers in by_name.items():
        for number in numbers if len(numbers) > 1 else ():
            own = f"{name}:{number}"
            while own in taken:
                own += ":"
            taken.add(own)
            names[number] = own
    return names


def static_labels(needed: Sequence[Placed], reached: Reached) -> dict[int, Pairs]:
    """Per alert the static labels that can be put on after the run without a difference.

    Those are literal, not in the expression's own samples (no series loses or changes its identity), and no rule of
    the scenario reads `ALERTS`.
    """
    if any(p.reads is None or p.reads & STATE_METRICS for p in needed):
        return {}
    return {
        p.number: tuple(
            (name, value)
            for name, value in p.rule.labels
            if "{{" not in value
            and value
            and (name + value).isprintable()  # what promtool may refuse must reach it
            and name != "alertname"
            and reached.lacks(p, name)
        )
        for p in needed
        if p.rule.is_alert
    }


def visible(ask: Ask, rules: Sequence[Placed], records: Iterable[str], reach: Reach) -> tuple[InputSeries, ...]:
    """The series of the scenario that these rules and records can see."""
    texts = reach.seen((one.series for one in ask.scenario.series), rules, records)
    return tuple(one for one in ask.scenario.series if one.series in texts)


def _record_query(name: str) -> str:
    return promql.to_text(promql.Selector(None, (promql.Matcher(METRIC_NAME, "=", name),)))
