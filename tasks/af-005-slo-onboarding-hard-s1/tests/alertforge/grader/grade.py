# canary ca0a1599-b9af-4582-99ef-fde373d599e6
"""Grade a workspace: load, lint, replay, deliver, judge, score."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from alertforge.alertmanager import amtool as alertmanager_tool
from alertforge.alertmanager.amtool import AmtoolError
from alertforge.alertmanager.config import Config, ConfigError
from alertforge.grader import preservation, score, store, tamper, unasked
from alertforge.grader import workspace as loading
from alertforge.grader.definitions import index
from alertforge.grader.delivery import Delivery, Match, active, deliver
from alertforge.grader.judge import judge
from alertforge.grader.lint import Linted, lint
from alertforge.grader.observed import Observed
from alertforge.grader.replay import Cache, replay
from alertforge.grader.result import Check, Judgement, Result
from alertforge.grader.scope import within
from alertforge.grader.spec import Spec, SpecError
from alertforge.grader.store import Store
from alertforge.grader.task import Task, load_task
from alertforge.grader.timeline import Ask, Timeline
from alertforge.prometheus import promtool as rule_tool
from alertforge.prometheus.promql import PromQLError
from alertforge.prometheus.promtool import PromtoolError
from alertforge.prometheus.rules import Problem, Rule, RuleFile
from alertforge.prometheus.series import Labels

TOTAL_SECONDS: Final = 240.0  # of one grade, whatever the workspace holds
RESERVE_SECONDS: Final = 30.0  # what one replay leaves to the steps after it
LEAST_SECONDS: Final = 1.0  # what a late step still gets, so that it ends by itself


@dataclass(frozen=True)
class Tools:
    """What a grade may start, with what answers are kept in, and until when (monotonic seconds)."""

    promtool: Path
    amtool: Path
    workers: int
    cache: Path | None
    deadline: float
    replays: Cache  # what this grade has seen already, on disk too where there is a cache

    def left(self) -> float:
        """Seconds that a replay may take."""
        return max(LEAST_SECONDS, self.deadline - time.monotonic() - RESERVE_SECONDS)

    def store(self, name: str) -> Store:
        """Kept answers of one kind."""
        return Store(self.cache / name if self.cache else None)


class TimeUpError(BaseException):
    """Nothing inside takes it for a fault of its own, as a TimeoutError, which is an OSError, might be."""


# --- the flow --------------------------------------------------------------------------------------------------------


def grade(
    spec_dir: Path,
    workspace: Path,
    *,
    promtool: Path,
    amtool: Path,
    workers: int = 2,
    cache: Path | None = None,
    seconds: float = TOTAL_SECONDS,
) -> Result:
    """Grade a workspace (its `monitoring` directory). Raises SpecError for a broken task, never for a workspace.

    `cache` keeps what tools answered: a regrade of an unchanged workspace starts no process.
    """
    tools = _tools(promtool, amtool, workers, cache, seconds)
    task = load_task(spec_dir)
    spec = task.spec
    graded = _grade_what_can_be(task, loading.load(workspace), tools)
    starts = {requirement.id: requirement.q_start for requirement in spec.requirements()}
    requirements = tuple(score.requirement_score(one, starts[one.requirement]) for one in graded.judgements)
    checks = (*(check for one in graded.judgements for check in one.checks), *graded.preserved)
    return Result(
        score.rewards(requirements, checks, syntax_ok=not graded.problems, tampered=bool(graded.tamper)),
        requirements,
        checks,
        tuple(map(str, graded.problems)),
        graded.tamper,
        graded.notes,
    )


def measure(
    spec_dir: Path, workspace: Path, *, promtool: Path, amtool: Path, workers: int = 2, cache: Path | None = None
) -> dict[str, float]:
    """q of every requirement, by id: of the start repo these are the spec's `q_start`."""
    tools = _tools(promtool, amtool, workers, cache, TOTAL_SECONDS)
    graded = _grade(load_task(spec_dir), loading.load(workspace), tools)
    return {one.requirement: one.q for one in graded.judgements}


def _tools(promtool: Path, amtool: Path, workers: int, cache: Path | None, seconds: float) -> Tools:
    replays = Cache(cache / "replay" if cache else None)
    return Tools(promtool, amtool, workers, cache, time.monotonic() + seconds, replays)


@dataclass(frozen=True)
class _Graded:
    judgements: tuple[Judgement, ...]
    preserved: tuple[Check, ...]
    problems: tuple[Problem, ...]
    tamper: tuple[str, ...]
    notes: tuple[str, ...]


def _grade_what_can_be(task: Task, loaded: loading.Workspace, tools: Tools) -> _Graded:
    """The grade; where the grader itself fails on what somebody wrote, that of the workspace without it."""
    try:
        return _grade(task, loaded, tools)
    except BaseException as error:  # a panic of the reader is not an Exception
        if _is_foreign(error):
            raise
        failure = error
    for paths, rest in _without_changes(task, loaded):
        if tools.left() <= LEAST_SECONDS:
            break
        try:
            graded = _grade(task, rest, tools)
        except BaseException as error:
            if _is_foreign(error):
                raise
            continue
        found = tuple(Problem(path, "", f"set aside, for the grader fails on it: {told(failure)}") for path in paths)
        return replace(graded, problems=(*graded.problems, *found))
    raise failure


def _is_foreign(error: BaseException) -> bool:
    """Whether no file of the workspace can be the reason: the end of the process or the time, the task, the tools."""
    return isinstance(
        error,
        SystemExit | KeyboardInterrupt | TimeUpError | SpecError | OSError | PromtoolError | AmtoolError,
    )


def _without_changes(task: Task, loaded: loading.Workspace) -> Iterator[tuple[tuple[str, ...], loading.Workspace]]:
    """The workspace without each file that is not the baseline's, and without all of them; with their paths."""
    changed = [file for file in loaded.rule_files if file not in task.baseline_files]
    for file in changed:
        rest = tuple(other for other in loaded.rule_files if other is not file)
        yield (file.path,), replace(loaded, rule_files=rest)
    old = loaded.alertmanager in (None, task.baseline_config)
    if not old:
        yield (loading.ALERTMANAGER,), replace(loaded, alertmanager=None)
    kept = tuple(file for file in loaded.rule_files if file in task.baseline_files)
    paths = (*(file.path for file in changed), *(() if old else (loading.ALERTMANAGER,)))
    yield paths, replace(loaded, rule_files=kept, alertmanager=loaded.alertmanager if old else None)


def told(error: BaseException) -> str:
    """An error of our own in one line, with its place."""
    text = "".join(traceback.format_exception_only(error)).strip()
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{text} ({Path(where.filename).name}:{where.lineno})"


def _grade(task: Task, loaded: loading.Workspace, tools: Tools) -> _Graded:
    spec = task.spec
    linted = _lint(loaded.rule_files, tools)
    scoped = within(linted.rule_files, task.baseline_files, spec, [task.reference] if task.reference else ())
    config, config_problems = _check_config(loaded, tools)
    tampering = tamper.find(
        linted.rule_files,
        loaded.alertmanager,
        baseline_files=task.baseline_files,
        baseline_config=task.baseline_config,
        inputs=spec.inputs,
        requested=(*spec.preservation.touched_alerts, *spec.preservation.touched_records),
        scenarios=spec.scenarios,
    )
    files = scoped.rule_files
    plan = preservation.plan(spec, files, task.baseline_files)
    proof = plan.asks(spec)
    timeline = _replay(unasked.hurried(plan.unasked, files), _merge(_asks(spec), proof), tools)
    reference = _reference_timeline(task, files, timeline, tools)
    before = _replay(plan.old_files, proof, tools) if proof else timeline
    strangers = unasked.strangers(spec, plan.unasked, timeline)
    start = _replay(task.baseline_files, strangers, tools) if strangers else Timeline({})

    same_config = config == task.baseline_config
    asked = preservation.label_sets(spec, plan, before, timeline, same_config)
    delivery = _deliver(config, [*_label_sets(spec, timeline), *asked], tools)
    old_delivery = None
    if not same_config and config is not None:
        old_delivery = _deliver(task.baseline_config, [probe.labels for probe in spec.preservation.routes], tools)

    observed = Observed(timeline, reference, delivery, index(files))
    preserved = preservation.judge(
        preservation.Sides(
            spec,
            plan,
            before,
            timeline,
            start,
            task.baseline_config,
            old_delivery,
            delivery,
            index(task.baseline_files),
            observed.definitions,
        )
    )
    problems = [*loaded.problems, *linted.problems, *scoped.problems, *config_problems]
    if delivery.broken and config is not None:
        problems.append(Problem(loading.ALERTMANAGER, "", "its matchers cannot be evaluated"))
    notes = [f"{scenario}: {failure}" for scenario, found in timeline.failures.items() for failure in found]
    return _Graded(judge(spec, observed), preserved, tuple(problems), tampering, tuple(notes))


def _lint(files: Sequence[RuleFile], tools: Tools) -> Linted:
    """Lint with promtool's verdict on each rule, which only rules that are new must be asked for."""
    kept, tool = tools.store("lint"), store.tool_identity(tools.promtool)

    def check(asked: Sequence[Rule]) -> Sequence[str | None]:
        keys = {rule: store.key("lint", tool, repr(rule)) for rule in asked}
        answers = {rule: kept.get(key) for rule, key in keys.items()}
        known = {rule: answer for rule, answer in answers.items() if isinstance(answer, str)}
        new = [rule for rule in keys if rule not in known]
        for rule, verdict in zip(new, rule_tool.check(new, tools.promtool) if new else [], strict=True):
            known[rule] = verdict or ""
            if not known[rule].startswith(rule_tool.UNENDED):  # how busy the machine is says nothing about the rule
                kept.put(keys[rule], known[rule])
        return [known[rule] or _unread(rule) for rule in asked]

    return lint(files, check)


def _unread(rule: Rule) -> str | None:
    """Why a rule that Prometheus takes is set aside all the same: nothing that looks at expressions would see it."""
    try:
        _ = rule.tree
    except PromQLError as error:
        return f"its expression cannot be looked at: {error}"
    return None


# --- replay ----------------------------------------------------------------------------------------------------------


def _replay(files: Sequence[RuleFile], asks: Sequence[Ask], tools: Tools) -> Timeline:
    left = tools.left()
    return replay(files, asks, promtool=tools.promtool, workers=tools.workers, cache=tools.replays, deadline_s=left)


def _asks(spec: Spec) -> list[Ask]:
    """What the requirements look at. Where a page is followed, everything that fires may inhibit it."""
    alerts: dict[str, set[str]] = {}
    texts: dict[str, set[str]] = {}
    records: dict[str, set[tuple[str, int]]] = {}
    for alert in spec.alerts:
        for case in alert.cases:
            alerts.setdefault(case.scenario, set()).add(alert.alert)
            if alert.annotations:
                texts.setdefault(case.scenario, set()).add(alert.alert)
    for recording in spec.recordings:
        for value in recording.values:
            records.setdefault(value.scenario, set()).add((value.record, value.minute))
        for count in recording.cardinality:
            records.setdefault(count.scenario, set()).add((count.record, count.minute))
    followed = {scenario for scenario, _ in _followed(spec)}
    return [
        Ask(
            scenario,
            None if scenario.id in followed else frozenset(alerts.get(scenario.id, ())),
            tuple(sorted(records.get(scenario.id, ()))),
            frozenset(texts.get(scenario.id, ())),
        )
        for scenario in spec.scenarios
    ]


def _followed(spec: Spec) -> set[tuple[str, int]]:
    """The scenarios and minutes at which a page is followed to its receivers."""
    pages = {(link.scenario, link.minute) for route in spec.routes for link in route.chain}
    return pages | {(link.scenario, link.minute) for inhibition in spec.inhibitions for link in inhibition.chain}


def _merge(first: Sequence[Ask], second: Sequence[Ask]) -> list[Ask]:
    """One ask a scenario that covers both."""
    merged = {ask.scenario.id: ask for ask in first}
    for ask in second:
        other = merged.get(ask.scenario.id)
        merged[ask.scenario.id] = ask if other is None else _cover(other, ask)
    return list(merged.values())


def _cover(one: Ask, other: Ask) -> Ask:
    return Ask(
        one.scenario,
        None if one.alerts is None or other.alerts is None else one.alerts | other.alerts,
        tuple(sorted({*one.records, *other.records})),
        None if one.annotations is None or other.annotations is None else one.annotations | other.annotations,
    )


def _reference_timeline(task: Task, files: Sequence[RuleFile], timeline: Timeline, tools: Tools) -> Timeline:
    """The timeline with the reference SLI records in place of the workspace's; the same one where they are equal."""
    burn = [alert for alert in task.spec.alerts if alert.burn]
    if task.reference is None or not burn:
        return timeline
    names = {rule.name for rule in task.reference.rules()}
    own = {key: set(one) for key, one in index(files).items() if key[1] in names and not key[0]}
    if own == {key: set(one) for key, one in index([task.reference]).items()}:
        return timeline
    alone = replace(task.spec, alerts=tuple(burn), recordings=(), routes=(), inhibitions=())
    asks = [ask for ask in _asks(alone) if ask.alerts]
    return _replay([task.reference, *(_without_records(file, names) for file in files)], asks, tools)


def _without_records(file: RuleFile, names: set[str]) -> RuleFile:
    groups = tuple(
        replace(group, rules=tuple(rule for rule in group.rules if rule.is_alert or rule.name not in names))
        for group in file.groups
    )
    return replace(file, groups=groups)


# --- delivery --------------------------------------------------------------------------------------------------------


def _label_sets(spec: Spec, timeline: Timeline) -> Iterable[Labels]:
    """Every label set that a requirement asks Alertmanager about."""
    for route in spec.routes:
        yield from (case.labels for case in route.cases)
    for inhibition in spec.inhibitions:
        for case in inhibition.cases:
            yield case.labels
            yield from case.others
    for scenario, minute in sorted(_followed(spec)):
        yield from active(timeline, scenario, minute)


def _check_config(loaded: loading.Workspace, tools: Tools) -> tuple[Config | None, tuple[Problem, ...]]:
    """The configuration if Alertmanager takes it."""
    if loaded.alertmanager is None:
        return None, ()
    kept = tools.store("config")
    key = store.key("config", store.tool_identity(tools.amtool), loaded.alertmanager_text)
    answer = kept.get(key)
    if not isinstance(answer, str):
        verdict = alertmanager_tool.check_config(loaded.alertmanager_text, tools.amtool)
        answer = "" if verdict.ok else verdict.message or "refused by amtool check-config"
        kept.put(key, answer)
    if answer:
        return None, (Problem(loading.ALERTMANAGER, "", answer),)
    return loaded.alertmanager, ()


def _deliver(config: Config | None, label_sets: Iterable[Labels], tools: Tools) -> Delivery:
    """Ask Alertmanager about all label sets; a configuration whose matchers it cannot run delivers nothing."""

    def classify(asked: Sequence[Labels]) -> Sequence[Match]:
        assert config is not None
        kept = tools.store("delivery")
        key = store.key("delivery", store.tool_identity(tools.amtool), repr(config))
        stored = kept.get(key)
        memo: dict[str, Any] = dict(stored) if isinstance(stored, dict) else {}
        before = len(memo)
        classifier = alertmanager_tool.Classifier(config, tools.amtool, tools.workers, memo)
        found = classifier.classify([labels.as_dict() for labels in asked])
        if len(memo) > before:
            kept.put(key, memo)
        return found

    try:
        return deliver(config, classify, label_sets)
    except ConfigError:
        return Delivery(None)
