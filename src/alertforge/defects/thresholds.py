"""Defects of the comparison: its number, its unit, its direction."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Binary, Call, Expr, Number, rewrite, selectors, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed

_INVERTED: Final = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": ">"}
_QUANTILE: Final = frozenset({"histogram_quantile"})

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR
CLEARLY: Final = 1.6  # how many times as large a threshold is that nobody takes for the other
# numbers as people choose them, smallest first
HOURS: Final = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 24.0, 36.0, 48.0)
DAYS: Final = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 21.0, 30.0, 45.0, 60.0, 90.0)
SECONDS: Final = (
    *(n / 1000 for n in (1, 2, 5, 10, 20, 25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 600, 750, 800)),
    *(1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 8.0, 10.0, 15.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0, 240.0, 300.0),
)
SHARES: Final = tuple(n / 100 for n in (0.1, 0.2, 0.5, 1, 2, 3, 5, 8, 10, 15, 20, 25, 30, 40, 50, 60, 75, 80, 90, 100))
BURN_FACTORS: Final = (1.0, 2.0, 3.0, 6.0, 10.0, 14.4, 20.0, 30.0, 40.0, 50.0)
RATES: Final = tuple(n * 10.0**power for power in range(-2, 4) for n in (1, 2, 5))
COUNTS: Final = (
    *(float(n) for n in range(1, 11)),
    *(n * 10.0**power for power in range(1, 6) for n in (1.5, 2, 2.5, 3, 5, 10)),
)


def _inverted(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    tree = rule.tree
    main = [limit for limit in shapes.main_limits(tree) if limit.op in _INVERTED]
    if not main:
        return None
    last = main[-1]
    turned = replace(last, op=_INVERTED[last.op])
    return rule.with_expr(rewrite(tree, lambda node: turned if node == last else node))


def _percent(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def change(limit: Binary) -> Expr | None:
        number = shapes.threshold(limit)
        if not (shapes.is_ratio(shapes.measured(limit)) and 0 < shapes.value_of(number) < 1):
            return None
        if any(isinstance(node, Call) and node.func in _QUANTILE for node in walk(limit)):
            return None
        return shapes.with_threshold(limit, _in_percent(number))

    return shapes.on_main_limits(rule, change)


def _in_percent(number: Expr) -> Expr:
    """`0.05` as 5, `14.4 * (1 - 0.995)` as `14.4 * (100 - 99.5)`."""
    match number:
        case Number(value):
            return Number(shapes.tidy(value * 100))
        case Binary("-", Number(1), Number(value)):
            return Binary("-", Number(100.0), Number(shapes.tidy(value * 100)))
        case Binary("*", lhs, rhs):
            return (
                replace(number, rhs=_in_percent(rhs))
                if isinstance(rhs, Binary)
                else replace(number, lhs=_in_percent(lhs))
            )
    return Binary("*", number, Number(100.0))


def _milliseconds(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def change(limit: Binary) -> Expr | None:
        seconds = any("_seconds" in (one.name or "") for one in selectors(shapes.measured(limit)))
        if not seconds or shapes.is_ratio(shapes.measured(limit)) or shapes.reads_clock(limit):
            return None
        new = shapes.scaled(shapes.threshold(limit), 1000)
        return None if new is None or shapes.direction(limit) not in (">", ">=") else shapes.with_threshold(limit, new)

    return shapes.on_main_limits(rule, change)


def _objective_for_budget(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def change(limit: Binary) -> Expr | None:
        number = shapes.threshold(limit)
        new = rewrite(number, lambda node: node.rhs if isinstance(node, Binary) and _is_budget(node) else node)
        return None if new == number else shapes.with_threshold(limit, new)

    return shapes.on_main_limits(rule, change)


def _is_budget(node: Binary) -> bool:
    return node.op == "-" and node.lhs == Number(1.0) and isinstance(node.rhs, Number) and 0 < node.rhs.value < 1


def _too_hard(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return shapes.on_main_limits(rule, lambda limit: _elsewhere(limit, upward=shapes.direction(limit) in (">", ">=")))


def _too_easy(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return shapes.on_main_limits(rule, lambda limit: _elsewhere(limit, upward=shapes.direction(limit) in ("<", "<=")))


def _elsewhere(limit: Binary, *, upward: bool) -> Binary | None:
    """The limit with the next usual number that is clearly another one."""
    number = shapes.threshold(limit)
    total = shapes.value_of(number)
    if shapes.direction(limit) not in (">", ">=", "<", "<=") or total <= 0:
        return None
    unit, usual = _usual(limit, total)
    value = total / unit
    if upward:
        new = next((one for one in usual if one >= value * CLEARLY), usual[-1])
    else:
        new = next((one for one in reversed(usual) if one * CLEARLY <= value), usual[0])
    scaled = shapes.scaled(number, new / value)
    return None if scaled is None or new == value else shapes.with_threshold(limit, scaled)


def _usual(limit: Binary, total: float) -> tuple[float, tuple[float, ...]]:
    """What a threshold is counted in, and the numbers that people choose for such a thing, smallest first."""
    number, measured = shapes.threshold(limit), shapes.measured(limit)
    if shapes.reads_clock(measured):
        return (DAY, DAYS) if total >= 2 * DAY else (HOUR, HOURS)
    budgets = [node for node in walk(number) if isinstance(node, Binary) and _is_budget(node)]
    if budgets:
        return shapes.value_of(budgets[0]), BURN_FACTORS
    averaged = any(isinstance(node, Call) and node.func == "avg_over_time" for node in walk(measured))
    if total < 1 and (shapes.is_ratio(measured) or averaged):
        return 1.0, SHARES
    if any("_seconds" in (one.name or "") for one in selectors(measured)):
        return 1.0, SECONDS
    return 1.0, COUNTS if total >= 2 and total.is_integer() else RATES


def _bool(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return shapes.on_main_limits(rule, lambda limit: None if limit.bool_ else replace(limit, bool_=True))


def _off_the_scale(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """Above the highest finite bucket there is nothing that a quantile could come to."""

    def change(limit: Binary) -> Expr | None:
        quantile = any(isinstance(node, Call) and node.func in _QUANTILE for node in walk(shapes.measured(limit)))
        if not quantile or shapes.direction(limit) not in (">", ">="):
            return None
        top = max(float(bound) for bound in subject.service.buckets)
        return shapes.with_threshold(replace(limit, op=limit.op.rstrip("=")), Number(top))

    return shapes.on_main_limits(rule, change)


def _hours_of(rule: Rule, directions: tuple[str, ...]) -> Rule | None:
    def change(limit: Binary) -> Expr | None:
        if not shapes.reads_clock(shapes.measured(limit)) or shapes.direction(limit) not in directions:
            return None
        value = shapes.value_of(shapes.threshold(limit)) / 3600
        return shapes.with_threshold(limit, Number(shapes.tidy(value))) if value else None

    return shapes.on_main_limits(rule, change)


def _age_in_hours(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return _hours_of(rule, (">", ">="))


def _left_in_hours(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return _hours_of(rule, ("<", "<="))


def _near_horizon(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    def change(call: Call) -> Expr | None:
        if len(call.args) != 2 or not shapes.is_literal(call.args[1]):
            return None
        return replace(call, args=(call.args[0], Number(shapes.tidy(shapes.value_of(call.args[1]) / 60))))

    return shapes.on_calls(rule, frozenset({"predict_linear"}), change)


DEFECTS: Final = (
    Defect(
        "inverted-comparison",
        "thresholds",
        "silent",
        _inverted,
        (
            "going by {{ alert }}, {{ service }} was fine for as long as it was broken",
            "{{ alert }} nags between incidents; in the one that counted it had nothing to say",
            "{{ alert }} had nothing to say while {{ service }} was in trouble, and came on when that was over",
            "{{ alert }} and the graph of {{ service }} do not seem to be about the same week",
            "as soon as {{ service }} had recovered, {{ alert }} was on",
            "{{ alert }} is only ever on when there is nothing to repair at {{ service }}",
            "{{ alert }} was on with {{ service }} in good health; before that, when it was not, there was no alert",
            "in the timeline {{ alert }} is off wherever {{ service }} was in trouble, and on right after",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
    ),
    Defect(
        "percent-for-fraction",
        "thresholds",
        "silent",
        _percent,
        (
            "{{ service }} was as bad as it can get for half an hour and {{ alert }} stayed quiet",
            "{{ alert }} has never fired, not even in the load test that drove {{ service }} into the ground",
            "{{ team }} found out from the support queue; {{ alert }} was deployed, loaded, and silent",
            "{{ alert }} does not trip, however far {{ service }} goes over the edge",
            "{{ service }} could not have been worse, and {{ alert }} did not fire",
            "nobody has ever seen {{ alert }}, and it was not for want of trouble at {{ service }}",
            "in the review somebody asked for {{ alert }}; it had not fired, neither that day nor on any other",
            "{{ service }} was in a bad way all afternoon; {{ alert }} gave no sign",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "milliseconds-for-seconds",
        "thresholds",
        "silent",
        _milliseconds,
        (
            "the delay at {{ service }} was plain to see for half an hour, and {{ alert }} stayed quiet",
            "people complained about the delay at {{ service }}; {{ alert }} never came",
            "{{ alert }} has not fired since it was written, however long things took at {{ service }}",
            "{{ team }} heard about the delay at {{ service }} on the phone, not from {{ alert }}",
            "{{ service }} was late for an hour, and there was no {{ alert }}",
            "every graph of {{ service }} showed the delay, and {{ alert }} did not fire",
            "support counted complaints about waiting for {{ service }}; {{ alert }} fired for none of them",
            "on none of the slow days of {{ service }} has {{ alert }} been seen",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "objective-for-budget",
        "thresholds",
        "silent",
        _objective_for_budget,
        (
            "{{ service }} spent the month's allowance in no time and {{ alert }} did not stir",
            "{{ alert }} has never gone off; by the monthly report it should have, twice",
            "half of all requests to {{ service }} missed the objective before lunch, no {{ alert }}",
            "it was the report of the month that told {{ team }} of the missed objective, and not {{ alert }}",
            "{{ service }} was far off its objective for an hour, and {{ alert }} stayed quiet",
            "all the bad requests to {{ service }} of one morning were not enough for {{ alert }}",
            "by the figures of the month {{ alert }} should have fired more than once; it has not",
            "{{ team }} watched on the graphs how {{ service }} missed its objective, without {{ alert }}",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "threshold-too-hard",
        "thresholds",
        "silent",
        _too_hard,
        (
            "trouble that customers notice at {{ service }} goes by without {{ alert }}",
            "{{ service }} was clearly past what had been agreed, yet {{ alert }} never fired",
            "a steady dribble of trouble at {{ service }} went on for an hour without {{ alert }}",
            "in the review {{ team }} counted three incidents over the agreed limit, and {{ alert }} in none of them",
            "{{ service }} was worse than agreed for a whole afternoon, and {{ alert }} did not fire",
            "support had heard enough about {{ service }} to call it an incident, and {{ alert }} had not fired",
            "trouble of the ordinary kind at {{ service }} does not bring {{ alert }}",
            "{{ team }} expected {{ alert }} when {{ service }} passed the agreed limit, and it did not come",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "threshold-too-easy",
        "thresholds",
        "noisy",
        _too_easy,
        (
            "{{ alert }} goes off on ordinary days, with {{ service }} inside everything that was agreed",
            "several times a week {{ alert }} comes on, and each time there is nothing wrong with {{ service }}",
            "{{ alert }} fired for hours in which no customer noticed anything",
            "the review lists {{ alert }} as the loudest of the quarter, with not one incident behind it",
            "an ordinary day at {{ service }} is enough for {{ alert }}",
            "{{ service }} was well within what had been agreed, and {{ alert }} fired all the same",
            "{{ alert }} was on for half of last week, a week without an incident",
            "nobody can say what {{ alert }} wanted; all figures of {{ service }} were as they should be",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        delivered=("{{ team }} gets {{ alert }} several times a week and closes it each time: nothing wrong",),
    ),
    Defect(
        "always-true",
        "thresholds",
        "noisy",
        _bool,
        (
            "{{ alert }} has been firing since the deploy and will not stop, whatever {{ service }} does",
            "{{ alert }} is on around the clock; {{ service }} is fine",
            "{{ team }} has muted {{ alert }} because it is simply always there",
            "since last week's change {{ alert }} fires for {{ service }} day and night",
            "there has not been a minute without {{ alert }} since it was last changed",
            "{{ alert }} knows no other state than firing",
            "whether {{ service }} is well or not, {{ alert }} is on",
            "the history of {{ alert }} is one single long entry",
            "{{ alert }} did not even clear in the quietest hour of {{ service }}",
        ),
        "raise the threshold until it is quiet",
        shapes.threshold_up,
        hidden=False,
    ),
    Defect(
        "off-the-scale",
        "thresholds",
        "silent",
        _off_the_scale,
        (
            "{{ service }} answered in half a minute at best and {{ alert }} did not fire",
            "the latency panel sat on a flat ceiling for an hour, and {{ alert }} stayed quiet",
            "however slow {{ service }} gets, {{ alert }} never comes",
            "{{ team }} tried it on purpose, with every request hanging: no {{ alert }}",
            "it was the slowest day of the year at {{ service }}, without {{ alert }}",
            "{{ service }} timed out for everyone, and {{ alert }} did not fire",
            "complaints about a slow {{ service }} come from everywhere, only not from {{ alert }}",
            "{{ team }} waited far too long for answers of {{ service }}, and {{ alert }} stayed quiet",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "age-in-hours",
        "thresholds",
        "noisy",
        _age_in_hours,
        (
            "{{ alert }} fires minutes after every run that went well",
            "{{ alert }} is on nearly all day, although {{ service }} does its work on time",
            "according to {{ alert }}, {{ service }} is late when it has only just finished",
            "as soon as one run is done, {{ alert }} complains about the next",
            "{{ service }} finishes its runs on time, and {{ alert }} says each time that it is late",
            "{{ alert }} clears when a run of {{ service }} is done, and is back before anyone has read the report",
            "between two runs of {{ service }}, {{ alert }} is always on",
            "nobody has seen a late run of {{ service }} this month; {{ alert }} has reported one after the other",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        delivered=("{{ team }} is told that something is overdue when it has just finished",),
    ),
    Defect(
        "time-left-in-hours",
        "thresholds",
        "silent",
        _left_in_hours,
        (
            "{{ alert }} came so late that there was no time left to do anything about it",
            "{{ service }} should have had days of warning from {{ alert }}; it had none",
            "{{ service }} ran out on a Sunday, and {{ alert }} had not said a word all week",
            "{{ team }} found out from an error page that the time was up for {{ service }}, and not from {{ alert }}",
            "a certificate of {{ service }} expired, and {{ alert }} had not been seen that month",
            "clients of {{ service }} refused its certificate before {{ alert }} had fired",
            "{{ team }} renewed a certificate of {{ service }} in a hurry, and not because of {{ alert }}",
            "the last days of a certificate of {{ service }} went by without {{ alert }}",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "near-horizon",
        "thresholds",
        "silent",
        _near_horizon,
        (
            "{{ alert }} came when it was full already; the point of it was to come hours before",
            "anyone could see on the graph where it was heading, only {{ alert }} could not",
            "{{ team }} had four minutes between {{ alert }} and the crash",
            "{{ service }} filled up steadily for hours, and {{ alert }} warned of nothing",
            "the volume of {{ service }} had an hour left, and {{ alert }} was quiet",
            "{{ service }} could not write any more, and {{ alert }} had not given anybody the time to prevent it",
            "the volume of {{ service }} was filling up all evening, and nothing was heard of {{ alert }}",
            "{{ team }} freed space for {{ service }} because somebody looked at a graph, not because of {{ alert }}",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
)
