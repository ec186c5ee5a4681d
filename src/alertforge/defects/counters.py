"""Defects of reading counters and gauges with the wrong function."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Aggregate, Binary, Call, Expr, Selector, rewrite, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed


def _plain(node: Expr) -> Expr:
    """A counter itself in place of its rate."""
    if isinstance(node, Call) and node.func in shapes.COUNTER_FUNCTIONS and isinstance(node.args[0], Selector):
        return replace(node.args[0], window=None)
    return node


def _since_the_beginning(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """A quotient of totals: what happened since the processes started."""

    def change(limit: Binary) -> Expr | None:
        side = shapes.measured(limit)
        if isinstance(side, Selector) or not shapes.is_ratio(side):
            return None
        return shapes.with_measured(limit, rewrite(side, _plain))

    return shapes.on_main_limits(rule, change)


def _total_for_rate(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """An amount since the start compared with what was meant to be an amount per time."""

    def change(limit: Binary) -> Expr | None:
        side = shapes.measured(limit)
        if shapes.is_ratio(side) or shapes.direction(limit) not in (">", ">="):
            return None
        if any(isinstance(node, Call) and node.func == "histogram_quantile" for node in walk(side)):
            return None
        return shapes.with_measured(limit, rewrite(side, _plain))

    return shapes.on_main_limits(rule, change)


def _total_for_floor(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """A total never falls back under a floor."""

    def change(limit: Binary) -> Expr | None:
        side = shapes.measured(limit)
        if shapes.is_ratio(side) or shapes.direction(limit) not in ("<", "<=", "=="):
            return None
        return shapes.with_measured(limit, rewrite(side, _plain))

    return shapes.on_main_limits(rule, change)


def _rate_of_gauge(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """A gauge read as if it counted: what stands still, or falls, is nothing or a reset."""

    def over_time(node: Expr) -> Expr:
        averaged = isinstance(node, Call) and node.func in ("avg_over_time", "max_over_time", "min_over_time")
        if isinstance(node, Call) and averaged and isinstance(node.args[0], Selector):
            return Call("rate", node.args)
        return node

    def change(limit: Binary) -> Expr | None:
        if shapes.direction(limit) not in (">", ">="):
            return None
        return shapes.with_measured(limit, rewrite(shapes.measured(limit), over_time))

    return shapes.on_main_limits(rule, change)


def _difference(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Totals now minus totals a window ago: where processes are replaced in between, the older ones are the larger.

    Not for counters that outlive the process: they never fall.
    """

    def subtracted(node: Expr) -> Expr:
        if not (isinstance(node, Aggregate) and node.op == "sum" and isinstance(node.expr, Call)):
            return node
        call = node.expr
        if call.func not in shapes.COUNTER_FUNCTIONS or not isinstance(call.args[0], Selector):
            return node
        series = call.args[0]
        now, then = replace(series, window=None), replace(series, window=None, offset=series.window or 0)
        return Binary("-", replace(node, expr=now), replace(node, expr=then))

    def change(limit: Binary) -> Expr | None:
        side = shapes.measured(limit)
        if isinstance(side, Selector) or not shapes.is_ratio(side):
            return None
        return shapes.with_measured(limit, rewrite(side, subtracted))

    return shapes.on_main_limits(rule, change)


def _per_second(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """A number of events in a window compared with events a second."""
    if any(isinstance(node, Binary) and node.op == "/" and shapes.is_ratio(node) for node in walk(rule.tree)):
        return None
    return shapes.on_calls(rule, frozenset({"increase"}), lambda call: Call("rate", call.args))


DEFECTS: Final = (
    Defect(
        "since-the-beginning",
        "counters",
        "silent",
        _since_the_beginning,
        (
            "{{ alert }} came far too late, and then would not go away for the rest of the day",
            "the longer {{ service }} has been running, the less {{ alert }} reacts to anything",
            "just after a deploy {{ alert }} is touchy, a week later it sleeps through outages of {{ service }}",
            "{{ service }} was in trouble for twenty minutes and {{ alert }} barely noticed",
            "{{ alert }} reacts to trouble at {{ service }} only if it goes on for hours",
            "by the time {{ alert }} came, the trouble at {{ service }} had gone on for far too long",
            "after a week without a deploy of {{ service }}, nothing brings {{ alert }}",
            "the trouble at {{ service }} was bad and short, and {{ alert }} did not fire",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "total-for-rate",
        "counters",
        "noisy",
        _total_for_rate,
        (
            "{{ alert }} never clears; only a restart of {{ service }} makes it go away for a while",
            "some time after each deploy {{ alert }} comes on and then stays",
            "{{ alert }} has been firing for days about something that happened once",
            "{{ team }} restarts {{ service }} to get rid of {{ alert }}",
            "{{ alert }} comes on sooner or later after every start of {{ service }}, and never goes",
            "{{ service }} has been running without a hitch for a week, and {{ alert }} is still on",
            "{{ alert }} fires for what {{ service }} did last week, and goes on doing so",
            "nothing but a fresh deploy of {{ service }} ends {{ alert }}",
        ),
        "raise the limit until it is quiet",
        shapes.threshold_up,
    ),
    Defect(
        "total-for-floor",
        "counters",
        "silent",
        _total_for_floor,
        (
            "nobody used {{ service }} for an hour because nobody could, and {{ alert }} saw nothing odd",
            "{{ service }} got no requests for an hour, and {{ alert }} did not fire",
            "traffic to {{ service }} was cut off at the edge, {{ alert }} did not notice",
            "{{ alert }} can only fire in the first seconds of a process, as far as anyone in {{ team }} has seen",
            "not a single request reached {{ service }}, and {{ alert }} did not fire",
            "{{ service }} was idle when it should have been busy, and there was no {{ alert }}",
            "{{ team }} saw the traffic of {{ service }} drop to nothing on a graph; {{ alert }} was quiet",
            "{{ alert }} has been quiet on all days on which nobody could reach {{ service }}",
        ),
        "raise the floor",
        shapes.threshold_down,
    ),
    Defect(
        "gauge-as-counter",
        "counters",
        "silent",
        _rate_of_gauge,
        (
            "the graph behind {{ alert }} stood far too high for an hour, and {{ alert }} stayed quiet",
            "things got bad at {{ service }} and stayed as bad as they were; there was no {{ alert }}",
            "the line on the graph was high and flat for an hour; {{ alert }} did not see a problem",
            "there was no sign of {{ alert }} for as long as it lasted, though every graph of {{ service }} showed it",
            "for an hour {{ team }} looked at a figure that nobody would accept, and {{ alert }} was quiet",
            "{{ service }} stayed far behind for as long as anyone looked, and {{ alert }} did not fire",
            "as long as things do not get any worse at {{ service }}, {{ alert }} is quiet, however bad they are",
            "{{ team }} watched a high and steady line on a graph of {{ service }} and waited for {{ alert }} in vain",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "difference-over-restarts",
        "counters",
        "silent",
        _difference,
        (
            "trouble that a new release of {{ service }} brought with it went on for a while without {{ alert }}",
            "{{ alert }} is blind for a while whenever {{ service }} is replaced",
            "the bad release of {{ service }} was plain to see on every graph long before {{ alert }} came",
            "{{ alert }} reacts to trouble on a quiet day, and not to the same trouble right after a rollout",
            "{{ service }} was rolled out again in the middle of the trouble, and {{ alert }} was quiet for a while",
            "after every restart of {{ service }} there is a time in which {{ alert }} sees nothing",
            "{{ service }} was restarted in the middle of its trouble, and {{ alert }} did not come until much later",
            "{{ team }} rolled {{ service }} back and forth, and {{ alert }} kept quiet although the trouble went on",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "per-second",
        "counters",
        "silent",
        _per_second,
        (
            "{{ service }} was going round in circles and {{ alert }} did not come",
            "by hand {{ team }} can count what {{ alert }} is meant to count; it does not add up",
            "{{ alert }} has not fired since it was rewritten, whatever {{ service }} does",
            "the events of {{ service }} were all there in the log, and {{ alert }} stayed away",
            "{{ service }} was restarted over and over, and {{ alert }} stayed quiet",
            "anyone could count what went on at {{ service }}, and {{ alert }} did not fire",
            "nobody has seen {{ alert }} this year, on none of the bad days of {{ service }}",
            "{{ team }} made {{ service }} crash in a test as often as it took, and there was no {{ alert }}",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
)
