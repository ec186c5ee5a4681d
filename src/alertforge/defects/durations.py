"""Defects of time: how long a condition must hold, how far it looks back, when it lets go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.defects.shapes import MINUTE
from alertforge.prometheus.promql import Call, Expr, Selector, Subquery
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed

HOUR: Final = 60 * MINUTE


def _no_for(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return replace(rule, for_=0)


def _for_too_long(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return replace(rule, for_=max(HOUR, rule.for_ * 3)) if rule.for_ else None


def _held_for_an_hour(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return replace(rule, keep_firing_for=HOUR)


def _leftover_offset(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Not beside the clock, where the past measured by now is not late, nor where what was not there yet is missed."""
    if shapes.reads_clock(rule.tree) or shapes.has_absent(rule.tree):
        return None
    return shapes.on_selectors(rule, lambda one: None if one.offset else replace(one, offset=HOUR))


def _window(change: Callable[[int], int]) -> Callable[[Call], Expr | None]:
    def one(call: Call) -> Expr | None:
        def resize(arg: Expr) -> Expr:
            resizable = isinstance(arg, Selector | Subquery) and arg.window is not None
            return replace(arg, window=change(arg.window)) if resizable else arg  # type: ignore[union-attr,arg-type]

        return replace(call, args=tuple(resize(arg) for arg in call.args))

    return one


def _one_scrape(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    return shapes.on_calls(rule, shapes.TWO_SAMPLES, _window(lambda _: MINUTE))


def _long_memory(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Not under a floor: what takes longer to sink there is late, and not loud."""
    if any(shapes.direction(limit) not in (">", ">=") for limit in shapes.main_limits(rule.tree)):
        return None
    if shapes.window_pair(rule.tree) is not None or shapes.window_ms(rule.tree) > HOUR:
        return None
    return shapes.on_calls(rule, shapes.COUNTER_FUNCTIONS, _window(lambda window: window * 12))


DEFECTS: Final = (
    Defect(
        "no-for",
        "durations",
        "noisy",
        _no_for,
        (
            "{{ alert }} was on and off a dozen times in a row, and no graph of {{ service }} shows why",
            "the history of {{ alert }} is a row of dots, each of them over before anyone could look",
            "{{ alert }} comes for things at {{ service }} that are over before anyone has opened a graph",
            "{{ alert }} flaps: fired, resolved, fired, resolved, and nobody ever found anything broken",
            "{{ alert }} fires for a minute or two and clears by itself, over and over",
            "a hiccup of {{ service }} is enough for {{ alert }}, however short it is",
            "most entries of {{ alert }} in the history are shorter than it takes to open a graph",
            "{{ team }} no longer opens a graph for {{ alert }}, because it is always over by then",
        ),
        "raise the threshold until it is quiet",
        shapes.threshold_up,
        paged=(
            "on-call for {{ team }} got a string of calls for {{ service }}, every one resolved within two minutes",
        ),
        ticketed=(
            "{{ team }} found a dozen tickets from {{ alert }} in its queue, every one resolved within two minutes",
        ),
    ),
    Defect(
        "for-too-long",
        "durations",
        "silent",
        _for_too_long,
        (
            "{{ service }} was in trouble for a long time before {{ alert }} said a word, if it said one at all",
            "customers wrote in long before {{ alert }} did; by then it was nearly over",
            "{{ team }} learned of it from a partner; {{ alert }} only ever shows up for the very longest incidents",
            "in the last three incidents on {{ service }} somebody had fixed it by hand before the alert came",
            "trouble at {{ service }} that was repaired within the hour left no trace of {{ alert }}",
            "whoever is quick at repairing {{ service }} never gets to see {{ alert }}",
            "{{ service }} was in trouble, recovered and was in trouble again; {{ alert }} missed both",
            "support had heard from half of the customers of {{ service }} before {{ alert }} fired, if it fired",
        ),
        "lower the threshold so that it notices sooner",
        shapes.threshold_down,
    ),
    Defect(
        "held-for-an-hour",
        "durations",
        "noisy",
        _held_for_an_hour,
        (
            "{{ service }} had been healthy for most of an hour and {{ alert }} was still on",
            "{{ team }} stopped trusting {{ alert }}: it stays up long after the graphs are flat again",
            "the incident was closed at ten past, the alert at ten past the next hour",
            "nobody could tell whether the fix had worked, because {{ alert }} would not go away",
            "everything at {{ service }} was back to normal, and {{ alert }} went on for another hour",
            "{{ service }} recovered before lunch, and {{ alert }} was on until after it",
            "the end of an incident on {{ service }} cannot be read off {{ alert }}",
            "{{ alert }} outlasts every repair of {{ service }} by far",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        hidden=False,
    ),
    Defect(
        "leftover-offset",
        "durations",
        "silent",
        _leftover_offset,
        (
            "{{ alert }} fired an hour after {{ service }} broke, when everything was fine again",
            "{{ alert }} is always one incident behind: quiet when {{ service }} is in trouble, on when it is over",
            "the timeline makes no sense: {{ service }} breaks, it recovers, and much later comes {{ alert }}",
            "{{ alert }} said nothing during the incident and then complained about a service that worked",
            "{{ alert }} tells of trouble at {{ service }} that everyone has already dealt with",
            "by the time {{ alert }} fired, {{ service }} had been repaired and the channel was quiet again",
            "the graph of {{ service }} and the history of {{ alert }} look alike, only that {{ alert }} is late",
        ),
        "do not wait before it fires",
        shapes.wait_less,
        hidden=False,
        delivered=("{{ team }} was told by {{ alert }} about an incident that had ended long before",),
        paged=("{{ alert }} was silent during the incident and then called people out for a service that worked",),
    ),
    Defect(
        "window-of-one-scrape",
        "durations",
        "silent",
        _one_scrape,
        (
            "{{ alert }} has not fired once since it was tightened up, and there were two incidents in that time",
            "{{ service }} was in trouble for half an hour in full view of every dashboard; {{ alert }} stayed quiet",
            "somebody made {{ alert }} react faster last month, and it has been quiet ever since",
            "nobody in {{ team }} can remember when {{ alert }} last went off, though it should have last week",
            "{{ alert }} sat through the last two incidents on {{ service }} without a sign",
            "{{ team }} broke {{ service }} on purpose in a test, and {{ alert }} did not fire",
            "the history of {{ alert }} has been empty for months, and {{ service }} has not been that well",
            "{{ service }} was far outside of what is agreed, and nothing came of it in {{ alert }}",
        ),
        "lower the threshold",
        shapes.threshold_down,
    ),
    Defect(
        "long-memory",
        "durations",
        "noisy",
        _long_memory,
        (
            "{{ alert }} kept firing for the better part of an hour after {{ service }} had recovered",
            "the graphs were normal again, yet {{ alert }} would not clear and {{ team }} looked for a second cause",
            "{{ alert }} is slow on the uptake: it comes late and it leaves late",
            "after every short incident {{ alert }} lingers, and people have begun to close it by hand",
            "by the time {{ alert }} cleared, {{ service }} had been fine for a long time",
            "{{ service }} stumbled for a few minutes, and {{ alert }} was on for a long time after",
            "what {{ alert }} says about {{ service }} has not been true for a long time",
            "a rollback of {{ service }} helped at once, and {{ alert }} was the last to know",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
    ),
)
