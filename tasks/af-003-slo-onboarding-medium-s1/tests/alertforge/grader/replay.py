# canary 4429f687-8994-4ea9-8d38-b4f9342f5c5f
"""Replay outages through the rules: scenarios and rule files in, every firing alert minute by minute out.

What makes it fast, with the same result as the plain way (`plain_replay`):

- per scenario only the rules run that can yield anything on its series and that someone asks about (`reach.py`);
- many scenarios share a process, balanced over a few workers;
- annotations are rendered only where they are asked for, and static labels are put on afterwards: promtool takes
  each for a template, at every tick of every active alert;
- of the series those are left out that no running rule can see;
- what is known already does not run: a scenario falls into parts whose rules cannot see each other, and a part whose
  rules, series and questions are unchanged comes out of the cache. Only parts of scenarios in which nothing failed are
  kept by themselves; where something fails the whole scenario runs, as it would without a cache.

promtool ends a scenario at the first tick at which a rule fails to evaluate, where a server would log it and go on.
Here that rule is *set aside*: it yields nothing in the whole scenario, and the scenario runs again without it. (On a
server it would yield what it can until that minute and resume later; what a rule does around its own failures is not
worth the difference.) Which rule failed is told by its name, so several definitions of one alert are renamed while
they run. That also keeps them apart when their label sets collide: as on a server, the alert fires when one does.
A rule that kills promtool, by memory or time, is found by halving and set aside likewise.

Group `interval`, `query_offset` and `limit` are cleared: promtool ignores the first, and changing them is judged
elsewhere. Files run in order of their paths, rules in the order in which they stand.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from alertforge.grader.reach import STATE_METRICS, Placed, Reach, Reached, independent, place
from alertforge.grader.spec import InputSeries, Scenario
from alertforge.prometheus import promql
from alertforge.prometheus.promtool import Active, PromtoolError, TestFile, TestResult, printed_name, run_tests
from alertforge.prometheus.rules import Group, Pairs, Rule, RuleFile
from alertforge.prometheus.series import METRIC_NAME, Labels

CACHE_VERSION: Final = 2
MAX_ROUNDS: Final = 24  # runs of one scenario, each of which sets at least one failing rule aside
MAX_KILLERS: Final = 4  # rules per scenario that may kill promtool before the scenario is given up
MAX_BATCH: Final = 40  # scenarios a process
LEAST_SECONDS: Final = 0.25  # estimated work that is worth a process of its own
BATCH_SECONDS: Final = 20.0  # estimated work a process, also bounds its output
PATIENCE: Final = 15.0  # a process may compute for so many times its estimate ...
GRACE_SECONDS: Final = 8.0  # ... and this much more; a rule is not to blame for a machine that is busy
BUSY: Final = 10.0  # processes that want the same processor: how much longer computing may take by the clock


# --- questions and answers -------------------------------------------------------------------------------------------


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
                (name, minute): None if samples is None else _samples((Labels.of(ls), float(v)) for ls, v in samples)
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


def _samples(found: Iterable[tuple[Labels, float]]) -> Samples:
    """Samples in a fixed order; one NaN object for all, so that equal timelines compare equal.

    Values have 12 significant digits: promtool adds series up in an order that varies from run to run, and with it
    the last bits.
    """
    plain = (
        (labels.without([METRIC_NAME]), math.nan if math.isnan(value) else float(f"{value:.12g}"))
        for labels, value in found
    )
    return tuple(sorted(plain, key=lambda sample: sample[0]))


# --- one scenario on its way -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Setting:
    """What a job runs in: its series, what rules are called while they run, and what is put on afterwards."""

    series: tuple[InputSeries, ...]
    names: Mapping[int, str]  # by rule number; others keep their names
    later: Mapping[int, Pairs]  # static labels by rule number


class _Job:
    """One scenario: its live rules, what was set aside, and its result once there is one."""

    def __init__(self, ask: Ask, needed: Sequence[Placed], live: Sequence[Placed], setting: _Setting) -> None:
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

    def part(self, rules: Sequence[Placed], records: Sequence[str], reach: Reach) -> _Job:
        """The same job with some of its rules and records alone, which no others can change."""
        alerts = frozenset(p.rule.name for p in rules if p.rule.is_alert and self.ask.wants_alert(p.rule.name))
        setting = replace(self._setting, series=_seen(self.ask, rules, records, reach))
        return _Job(self.ask.only(alerts, records), rules, rules, setting)

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
        )

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
                records[name, minute] = _samples(result.samples.get(key, ()))
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


def _record_query(name: str) -> str:
    return promql.to_text(promql.Selector(None, (promql.Matcher(METRIC_NAME, "=", name),)))


def _running_names(placed: Sequence[Placed]) -> dict[int, str]:
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


def _static_labels(needed: Sequence[Placed], reached: Reached) -> dict[int, Pairs]:
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


# --- running ---------------------------------------------------------------------------------------------------------


class _Runner:
    """Runs jobs to their end within a deadline."""

    def __init__(self, binary: Path, workers: int, deadline_s: float, *, shared: bool) -> None:
        self._binary = binary
        self._workers = max(1, workers)
        self._deadline = time.monotonic() + deadline_s
        self._shared = shared  # several scenarios a process, thrifty Go settings
        self._killers: list[Placed] = []

    def run(self, jobs: Sequence[_Job]) -> None:
        """Give every job a result."""
        while open_jobs := [job for job in jobs if job.seen is None]:
            dead: list[_Job] = []
            for batch, lived in self._in_parallel(self._run_batch, self._batches(open_jobs)):
                if not lived:
                    dead += batch
            # alone each: who shares a process must not change what a scenario shows
            dying = [batch[0] for batch, lived in self._in_parallel(self._run_batch, [[j] for j in dead]) if not lived]
            for job in sorted(dying, key=jobs.index):
                self._rescue(job)

    def _in_parallel(
        self, work: Callable[[list[_Job]], bool], batches: Sequence[list[_Job]]
    ) -> list[tuple[list[_Job], bool]]:
        if len(batches) <= 1 or self._workers == 1:
            return [(batch, work(batch)) for batch in batches]
        with ThreadPoolExecutor(self._workers) as pool:
            return list(zip(batches, pool.map(work, batches), strict=True))

    def _batches(self, jobs: Sequence[_Job]) -> list[list[_Job]]:
        """Split so that the processes end at about the same time: the largest first, each to the emptiest."""
        if not self._shared:
            return [[job] for job in jobs]
        work = {id(job): job.estimate() for job in jobs}
        total = sum(work.values())
        worthwhile = min(self._workers, math.ceil(total / LEAST_SECONDS))
        count = max(worthwhile, -(-len(jobs) // MAX_BATCH), math.ceil(total / BATCH_SECONDS))
        batches: list[list[_Job]] = [[] for _ in range(min(count, len(jobs)))]
        loads = [0.0] * len(batches)
        for job in sorted(jobs, key=lambda job: -work[id(job)]):
            at = loads.index(min(loads))
            batches[at].append(job)
            loads[at] += work[id(job)]
        return batches

    def _run_batch(self, batch: list[_Job]) -> bool:
        """Run jobs in one process and hand them their results; False where some job needs a rescue."""
        results = self._test(batch, [job.file() for job in batch])
        if results is None:
            return any(job.seen is not None for job in batch)  # given up: no time is left
        if len(batch) > 1 and any(result.problem for result in results):
            return False
        if results[0].problem:
            return False
        for job, result in zip(batch, results, strict=True):
            job.absorb(result)
        return True

    def _test(self, jobs: Sequence[_Job], files: Sequence[TestFile]) -> list[TestResult] | None:
        """Results, or None where the process died; out of time, the jobs are given up."""
        patience = PATIENCE * sum(job.estimate() for job in jobs) + GRACE_SECONDS
        seconds = min(BUSY * patience, self._deadline - time.monotonic())
        results = None
        if seconds > 0:
            results, reason = run_tests(
                files, self._binary, seconds=seconds, processor_seconds=patience, thrifty=self._shared
            )
            if len(jobs) == 1:
                jobs[0].complaint = f"promtool {reason}" if results is None else results[0].problem or jobs[0].complaint
        if results is None and time.monotonic() >= self._deadline:
            for job in jobs:
                job.give_up("scenario not replayed: out of time")
        return results

    def _rescue(self, job: _Job) -> None:
        """Find the rule that kills promtool and set it aside; rules that did so before are tried first."""
        job.lasting = False
        for _ in range(MAX_KILLERS):
            why = job.complaint
            known = [p for p in job.live if p in self._killers]
            if known and self._lives(job, [p for p in job.live if p not in known]):
                job.set_aside(known, why)
                return
            culprit = self._halve(job)
            if job.seen is not None:
                return
            if culprit is None:
                job.give_up(f"scenario given up: {job.complaint}")
                return
            self._killers.append(culprit)
            job.set_aside([culprit], why)
            if self._lives(job, job.live) or job.seen is not None:
                return
        job.give_up(f"scenario given up: more than {MAX_KILLERS} rules that promtool does not survive")

    def _halve(self, job: _Job) -> Placed | None:
        """The last rule of the shortest run of rules that dies; None where it dies without any."""
        lives, dies = -1, len(job.live)
        while dies - lives > 1 and job.seen is None:
            middle = (lives + dies) // 2
            if self._lives(job, job.live[:middle]):
                lives = middle
            else:
                dies = middle
        return job.live[dies - 1] if dies > 0 and job.seen is None else None

    def _lives(self, job: _Job, live: Sequence[Placed]) -> bool:
        results = self._test([job], [job.file(live)])
        return results is not None and not results[0].problem


@dataclass
class _Divided:
    """A job, and which of its parts are known and which have to run."""

    job: _Job
    key: str  # of the whole job
    known: Seen
    missing: Mapping[str, _Job]  # by key
    rest: _Job  # what has to run: the missing parts together, or the whole job

    def join(self) -> None:
        """Put the parts together. Where something failed the whole job has to run: what failed may not be all."""
        if self.rest is self.job:
            return
        if self.rest.smooth and self.rest.seen is not None:
            self.job.seen = self.known.beside(self.rest.seen)
        else:
            self.rest = self.job

    def keep(self, cache: Cache) -> None:
        """Remember what was learnt."""
        assert self.rest.seen is not None
        if self.rest.smooth:
            for key, part in self.missing.items():
                cache.put(key, part.share(self.rest.seen))
        elif self.rest.lasting:
            cache.put(self.key, self.rest.seen)


def replay(
    files: Sequence[RuleFile],
    asks: Sequence[Ask],
    *,
    promtool: Path,
    workers: int = 2,
    cache: Cache | None = None,
    deadline_s: float = 600.0,
) -> Timeline:
    """Run every scenario and report what fired. At most one ask per scenario.

    `deadline_s` bounds the whole call, whatever the rules do: scenarios that did not make it come back empty, with a
    failure that says so. With a cache, scenarios that nothing changed for start no process.
    """
    placed = place(files)
    reach, names = Reach(placed), _running_names(placed)
    jobs: dict[str, _Job] = {}
    for ask in asks:
        needed = ask.needed(reach)
        later = _static_labels(needed, reach.of(series.series for series in ask.scenario.series))
        records = [name for name, _ in ask.records]
        jobs[ask.scenario.id] = _Job(ask, needed, needed, _Setting(_seen(ask, needed, records, reach), names, later))
    kept, tool = cache or Cache(None), _identity(promtool)
    divided = [one for job in jobs.values() if job.seen is None and (one := _divide(job, reach, kept, tool))]
    runner = _Runner(promtool, workers, deadline_s, shared=True)
    runner.run([one.rest for one in divided])
    for one in divided:
        one.join()
    runner.run([one.job for one in divided])
    for one in divided:
        one.keep(kept)
    return _timeline(jobs)


def _seen(ask: Ask, rules: Sequence[Placed], records: Iterable[str], reach: Reach) -> tuple[InputSeries, ...]:
    """The series of the scenario that these rules and records can see."""
    texts = reach.seen((one.series for one in ask.scenario.series), rules, records)
    return tuple(one for one in ask.scenario.series if one.series in texts)


def _divide(job: _Job, reach: Reach, cache: Cache, tool: Sequence[object]) -> _Divided | None:
    """Look up a job and its parts; None where all is known, and the job has its result."""
    parts: dict[str, _Job] = {}
    for rules, records in independent(job.live, (name for name, _ in job.ask.records)):
        part = job.part(rules, records, reach)
        parts[_cache_key(part, tool)] = part
    found = {key: seen for key in parts if (seen := cache.get(key)) is not None}
    known = Seen()
    for seen in found.values():
        known = known.beside(seen)
    missing = {key: part for key, part in parts.items() if key not in found}
    whole = _cache_key(job, tool, [p.path for p in job.live])  # paths are named in failures
    job.seen = cache.get(whole) if missing else known
    if job.seen is not None:
        return None
    rest = job
    if found:
        rules = sorted((p for part in missing.values() for p in part.live), key=lambda p: p.number)
        rest = job.part(rules, [name for part in missing.values() for name, _ in part.ask.records], reach)
    return _Divided(job, whole, known, missing, rest)


def plain_replay(
    files: Sequence[RuleFile], asks: Sequence[Ask], *, promtool: Path, deadline_s: float = 3600.0
) -> Timeline:
    """The plain way to an equal timeline: every rule in every scenario, a process each, default Go settings.

    For benchmarks and for the proof that `replay` changes nothing.
    """
    placed = place(files)
    reach, names = Reach(placed), _running_names(placed)
    jobs = {
        ask.scenario.id: _PlainJob(ask, ask.needed(reach), placed, _Setting(ask.scenario.series, names, {}))
        for ask in asks
    }
    _Runner(promtool, 1, deadline_s, shared=False).run(list(jobs.values()))
    return _timeline(jobs)


class _PlainJob(_Job):
    """A scenario with every rule as it stands."""

    def _running(self, p: Placed) -> Rule:
        return replace(p.rule, name=self._name(p))


def _timeline(jobs: Mapping[str, _Job]) -> Timeline:
    return Timeline({name: job.seen for name, job in jobs.items() if job.seen is not None})


# --- cache -----------------------------------------------------------------------------------------------------------


class Cache:
    """Results, also on disk where there is a folder, one file each; an entry that cannot be read is no entry."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._known: dict[str, Seen] = {}

    def get(self, key: str) -> Seen | None:
        """The result stored under a key."""
        found = self._known.get(key)
        if found is None and self._folder is not None:
            found = self._read(self._folder / f"{key}.json")
            if found is not None:
                self._known[key] = found
        return found

    def put(self, key: str, seen: Seen) -> None:
        """Store a result, whole or not at all; a full disk costs the entry, not the grade."""
        self._known[key] = seen
        if self._folder is None:
            return
        payload = json.dumps(seen.to_plain(), separators=(",", ":"))
        temporary = None
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(f"{hashlib.sha256(payload.encode()).hexdigest()}\n{payload}")
            Path(temporary).replace(self._folder / f"{key}.json")
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)

    def _read(self, path: Path) -> Seen | None:
        try:
            digest, _, payload = path.read_text("utf-8").partition("\n")
            if digest != hashlib.sha256(payload.encode()).hexdigest():
                return None
            return Seen.from_plain(json.loads(payload))
        except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            return None


def _identity(binary: Path) -> Sequence[object]:
    """What tells one build of promtool from another."""
    try:
        real = binary.resolve()
        status = real.stat()
    except OSError as error:
        raise PromtoolError(f"{binary} cannot be read: {error.strerror}") from error
    return [str(real), status.st_size, status.st_mtime_ns]


def _cache_key(job: _Job, tool: Sequence[object], paths: Sequence[str] | None = None) -> str:
    """Hash of all that decides a result: the tool, the rules, the series they can see, the questions.

    Which annotations are asked for shows in the rules: the others are not in there.
    """
    return hashlib.sha256(json.dumps([CACHE_VERSION, tool, paths, job.content()]).encode()).hexdigest()
