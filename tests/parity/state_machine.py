"""Random condition timelines through the alert state machine and through promtool.

Scenarios hold a few gauges with gaps and staleness markers, and rules with random `for` and `keep_firing_for` on
them. A case is the whole timeline of one rule: at every evaluation the same label sets must be pending and firing.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from alertforge.prometheus import alerting
from alertforge.prometheus import functions as prom
from alertforge.prometheus.alerting import Tick
from alertforge.prometheus.series import GAP, STALE, Labels, Sample, Series, notation, selector_text

from .promtool import Answer, Failed, Query, Scenario, ask

RULES = 8  # per scenario
SCENARIOS = 40  # per promtool process
SHOWN = 5  # mismatches printed in full
INTERVALS = (15, 30, 60)

Condition = Callable[[Sequence[Series], int], list[Labels]]


def _per_pod(series: Sequence[Series], at: int) -> list[Labels]:
    return [labels.without(["__name__"]) for labels in prom.compare(prom.select(series, at), ">", 0)]


def _per_job(series: Sequence[Series], at: int) -> list[Labels]:
    return list(prom.compare(prom.max_(prom.select(series, at), by=["job"]), ">", 0))


def _with_value(series: Sequence[Series], at: int) -> list[Labels]:
    vector = prom.compare(prom.select(series, at), ">", 0)
    return [labels.with_(__name__="", value=str(value)) for labels, value in vector.items()]


def _absent(series: Sequence[Series], at: int) -> list[Labels]:
    return list(prom.absent(prom.select([one for one in series if one.labels.get("job") == "a"], at), {"job": "a"}))


# kind -> expression, rule labels, the label sets that the expression yields
KINDS: Mapping[str, tuple[str, Mapping[str, str], Condition]] = {
    "per pod": ("g > 0", {}, _per_pod),
    "per job": ("max by (job) (g) > 0", {"severity": "page"}, _per_job),
    "value in a label": ("g > 0", {"value": "{{ $value }}"}, _with_value),
    "absent": ('absent(g{job="a"})', {}, _absent),
}


@dataclass(frozen=True)
class Rule:
    """One alerting rule and what the state machine makes of it."""

    name: str
    kind: str
    for_seconds: int
    keep_seconds: int

    def definition(self) -> Mapping[str, object]:
        expr, labels, _ = KINDS[self.kind]
        times = {"for": f"{self.for_seconds}s", "keep_firing_for": f"{self.keep_seconds}s"}
        return {"alert": self.name, "expr": expr, "labels": labels, **times}

    def expected(self, series: Sequence[Series], ticks: int, interval: int) -> tuple[Tick, ...]:
        _, labels, condition = KINDS[self.kind]
        fixed = {name: value for name, value in labels.items() if "{{" not in value}
        return alerting.evaluate(
            [[one.with_(fixed) for one in condition(series, tick * interval)] for tick in range(ticks)],
            for_seconds=self.for_seconds,
            keep_firing_for_seconds=self.keep_seconds,
            interval=interval,
        )


@dataclass(frozen=True)
class Trial:
    """One scenario: series, rules, and how often they are evaluated."""

    series: tuple[Series, ...]
    interval: int
    rules: tuple[Rule, ...]
    evaluation_interval: int
    ticks: int

    @property
    def scenario(self) -> Scenario:
        queries = tuple(Query("ALERTS", tick * self.evaluation_interval) for tick in range(self.ticks))
        rules = tuple(rule.definition() for rule in self.rules)
        return Scenario(self.series, queries, self.interval, rules, self.evaluation_interval)

    def mismatches(self, answers: Sequence[Answer]) -> Iterator[tuple[str, str]]:
        """Kind and description of every rule whose timeline differs."""
        for rule in self.rules:
            expected = rule.expected(self.series, self.ticks, self.evaluation_interval)
            got = tuple(
                _tick(rule.name, tick * self.evaluation_interval, answer) for tick, answer in enumerate(answers)
            )
            if expected != got:
                yield rule.kind, self._describe(rule, expected, got)

    def _describe(self, rule: Rule, expected: Sequence[Tick], got: Sequence[Tick]) -> str:
        lines = [f"{rule}, evaluated every {self.evaluation_interval}s"]
        for mine, theirs in zip(expected, got, strict=True):
            if mine != theirs:
                lines += [f"  promtool:      {theirs}", f"  state machine: {mine}"]
        lines += [f"  [{one.interval}s] {selector_text(one.labels)} {notation(one.samples)}" for one in self.series]
        return "\n".join(lines)


def _tick(alert: str, at: int, answer: Answer) -> Tick:
    if isinstance(answer, Failed):
        raise RuntimeError(f"ALERTS could not be queried: {answer.reason}")
    mine = [labels for labels in answer if labels.get("alertname") == alert]

    def state(name: str) -> tuple[Labels, ...]:
        own = ["__name__", "alertname", "alertstate"]
        return tuple(sorted(labels.without(own) for labels in mine if labels.get("alertstate") == name))

    return Tick(at, state("pending"), state("firing"))


def trial(rng: random.Random, rules: int = RULES) -> Trial:
    """A random scenario with `rules` rules."""
    interval, evaluation_interval = rng.choice(INTERVALS), rng.choice(INTERVALS)
    slots = rng.randint(1, 25)
    series = tuple(
        Series(Labels.of({"__name__": "g", "job": job, "pod": pod}), tuple(_samples(rng, slots)), interval)
        for job in ("a", "b")
        for pod in ("p1", "p2")
        if rng.random() < 0.7
    )
    ticks = (slots + rng.choice([0, 6])) * interval // evaluation_interval + 1
    drawn = tuple(
        Rule(f"R{number}", rng.choice(list(KINDS)), _hold(rng, evaluation_interval), _hold(rng, evaluation_interval))
        for number in range(rules)
    )
    return Trial(series, interval, drawn, evaluation_interval, ticks)


def _samples(rng: random.Random, slots: int) -> list[Sample]:
    """Runs of 0, 1 and 2 with holes: short and long enough to end and to outlast a `for`."""
    holes, samples = rng.choice([0.0, 0.1, 0.4]), list[Sample]()
    while len(samples) < slots:
        value, length = rng.choice([0, 0, 1, 1, 2]), rng.randint(1, 6)
        samples += [rng.choice([GAP, GAP, STALE]) if rng.random() < holes else value for _ in range(length)]
    return samples[:slots]


def _hold(rng: random.Random, interval: int) -> int:
    """A `for` or `keep_firing_for`: none, some evaluations, or between two of them."""
    return rng.choice([0, 0, interval * rng.randint(1, 6), rng.randint(1, 6 * interval)])


def run(cases: int, seed: int) -> int:
    """Compare at least `cases` timelines, print a summary and return the number of mismatches."""
    compared, fired, wrong, number = Counter[str](), Counter[str](), Counter[str](), 0
    while compared.total() < cases:
        missing = cases - compared.total()
        batch = range(number, number + min(SCENARIOS, -(-missing // RULES)))
        number = batch.stop
        trials = [trial(random.Random(f"{seed}/{index}")) for index in batch]
        for one, answers in zip(trials, ask([one.scenario for one in trials]), strict=True):
            compared.update(rule.kind for rule in one.rules)
            fired.update(
                rule.kind for rule in one.rules if any(_tick(rule.name, 0, answer).firing for answer in answers)
            )
            for kind, text in one.mismatches(answers):
                wrong[kind] += 1
                if wrong.total() <= SHOWN:
                    print(f"MISMATCH {kind}: {text}")
    print(f"{'rule':<20}{'compared':>10}{'fired':>8}{'mismatches':>12}")
    for kind in KINDS:
        print(f"{kind:<20}{compared[kind]:>10}{fired[kind]:>8}{wrong[kind]:>12}")
    print(f"{'all':<20}{compared.total():>10}{fired.total():>8}{wrong.total():>12}")
    return wrong.total()


def main() -> int:
    """Compare many cases and print a summary; the last line is the number of mismatches."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    mismatches = run(options.cases, options.seed)
    print(mismatches)
    return 1 if mismatches else 0


if __name__ == "__main__":
    raise SystemExit(main())
