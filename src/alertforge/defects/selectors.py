"""Defects of selectors: series that do not exist, and series that should not have been counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.alerts.sli import AVAILABILITY, LATENCY, windows
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Matcher, Selector, selectors
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed
from alertforge.world.model import Service

_OTHER_KEYS: Final = ("app", "application", "component", "service", "svc")
# outcomes of the catalog's families that are the client's fault
_CLIENT_FAULTS: Final = frozenset(
    {"404", "400", "4xx", "CLIENT_ERROR", "InvalidArgument", "AlreadyExists", "invalid", "declared_exception"}
)
_SPELLINGS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def _outcome(selector: Selector, subject: Subject) -> Matcher | None:
    """The matcher that picks one outcome of a request."""
    found = selector.matcher(subject.service.family.status_label)
    return found if found is not None and found.op in ("=", "=~") else None


def _outcome_misspelt(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    def change(selector: Selector) -> Selector | None:
        old = _outcome(selector, subject)
        if old is None:
            return None
        value = _misspelt(old)
        return None if value == old.value else shapes.with_matcher(selector, old, replace(old, value=value))

    return None if shapes.has_absent(rule.tree) else shapes.on_selectors(rule, change)


def _misspelt(matcher: Matcher) -> str:
    """A value that never occurs: one digit of a status short, or the other case."""
    value = matcher.value
    if matcher.op == "=~" and value[:1].isdigit() and value.endswith("."):
        return value[:-1]
    return value.lower() if value != value.lower() else value.upper()


def _too_many_outcomes(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """What clients do wrong counted as ours; only where the family has an outcome for that."""
    family = subject.service.family
    if family.ok[-1] not in _CLIENT_FAULTS:
        return None

    def change(selector: Selector) -> Selector | None:
        old = selector.matcher(family.status_label)
        wider = None if old is None else _wider(old, family.ok[-1])
        return None if old is None or wider is None else shapes.with_matcher(selector, old, wider)

    return shapes.on_selectors(rule, change)


def _wider(errors: Matcher, fault: str) -> Matcher | None:
    """The matcher of errors that takes a client's fault for one, as somebody would write it."""
    if errors.op in ("=", "=~") and errors.value.startswith("5"):
        return Matcher(errors.name, "=~", f"[45]{errors.value[1:]}")
    if errors.op in ("=", "=~"):
        return Matcher(errors.name, "=~", f"{errors.value}|{fault}")
    rest = [value for value in errors.value.split("|") if value != fault]
    return Matcher(errors.name, "!~", "|".join(rest)) if errors.op == "!~" and rest else None


def _former_name(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """The service as it was called once."""
    name = subject.service.name
    former = name.replace("-", "_") if "-" in name else f"{name}-svc"

    def change(selector: Selector) -> Selector | None:
        old = shapes.identity(selector, subject)
        if old is None or old.value != name:
            return None
        return shapes.with_matcher(selector, old, replace(old, value=former))

    return None if shapes.has_absent(rule.tree) else shapes.on_selectors(rule, change)


def _former_key(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    """The label that held the service's name before somebody renamed it."""
    key = seed.rng().choice([one for one in _OTHER_KEYS if one != subject.by])

    def change(selector: Selector) -> Selector | None:
        old = shapes.identity(selector, subject)
        return None if old is None else shapes.with_matcher(selector, old, replace(old, name=key))

    return None if shapes.has_absent(rule.tree) else shapes.on_selectors(rule, change)


def _placeholder(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """A dashboard's variable, pasted with the rest of the query."""

    def change(selector: Selector) -> Selector | None:
        old = shapes.identity(selector, subject)
        return (
            None if old is None else shapes.with_matcher(selector, old, replace(old, op="=~", value=f"${subject.by}"))
        )

    return None if shapes.has_absent(rule.tree) else shapes.on_selectors(rule, change)


def _record_misspelt(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """The right window in a spelling that nobody records: `1h` as `60m`."""

    def change(selector: Selector) -> Selector | None:
        name = selector.name or ""
        window = shapes.recorded_window(name)
        if window is None or not shapes.is_record(selector):
            return None
        before, _, after = name.rpartition(window)
        return replace(selector, name=f"{before}{_other_spelling(window)}{after}")

    return shapes.on_selectors(rule, change)


def _other_spelling(window: str) -> str:
    """`1h` as `60m`, `5m` as `300s`, `30s` as `30000ms`."""
    count, unit = int(window[:-1]), window[-1]
    smaller = {"d": "h", "h": "m", "m": "s"}.get(unit)
    if smaller is None:
        return f"{count * 1000}ms"
    return f"{count * _SPELLINGS[unit] // _SPELLINGS[smaller]}{smaller}"


def _record_without_label(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """A record that is asked for a label which its aggregation has dropped."""
    if subject.by in ("job",):
        return None

    def change(selector: Selector) -> Selector | None:
        if not shapes.is_record(selector) or selector.matcher("job") is not None:
            return None
        return replace(selector, matchers=(*selector.matchers, Matcher("job", "=", subject.service.name)))

    return shapes.on_selectors(rule, change)


def _everyone(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """The service's matcher is gone: the trouble of others counts as well, where they export the same series."""
    if shapes.has_absent(rule.tree) or not counted_beside(rule, subject):
        return None

    def change(selector: Selector) -> Selector | None:
        old = shapes.identity(selector, subject)
        if old is None:
            return None
        return replace(selector, matchers=tuple(m for m in selector.matchers if m != old))

    return shapes.on_selectors(rule, change)


def counted_beside(rule: Rule, subject: Subject) -> tuple[Service, ...]:
    """The other services that the work is about whose trouble a rule counts as well where it does not name its own.

    Of records, those that the house has when all is done: where some are still missing, their services do not count.
    """
    scoped = [one for one in selectors(rule.tree) if shapes.identity(one, subject)]
    world = subject.world
    others = [one for one in world.services[: max(world.focus, 2)] if one != subject.service]
    return tuple(one for one in others if any(_exports(one, selector, subject) for selector in scoped))


def _exports(other: Service, selector: Selector, subject: Subject) -> bool:
    """Whether another service has series of that name."""
    family = subject.service.family
    if shapes.is_record(selector):
        return any(
            selector.name == sli.record(Subject(subject.world, other), window)
            for sli in (AVAILABILITY, LATENCY)
            for window in windows(subject.style)
        )
    own = {family.counter, *(f"{family.histogram}_{part}" for part in ("bucket", "count", "sum"))}
    return other.family == family if selector.name in own else True


DEFECTS: Final = (
    Defect(
        "outcome-misspelt",
        "selectors",
        "silent",
        _outcome_misspelt,
        (
            "{{ service }} answered with nothing but errors and {{ alert }} saw none of them",
            "according to {{ alert }}, {{ service }} has not had a single bad minute this year",
            "the error panel was through the roof, {{ alert }} was quiet from start to end",
            "{{ team }} heard about the failures at {{ service }} from customers, and {{ alert }} never came",
            "the errors of {{ service }} fill its log, and {{ alert }} does not fire",
            "for {{ alert }} every request to {{ service }} goes well, including those that failed",
            "half of all requests to {{ service }} failed for everyone to see, and {{ alert }} stayed quiet",
            "support had a long list of failed requests to {{ service }}, and {{ alert }} had nothing",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "too-many-outcomes",
        "selectors",
        "noisy",
        _too_many_outcomes,
        (
            "a partner sent {{ service }} rubbish for an hour, and {{ alert }} was on as long",
            "{{ alert }} fires when somebody else's client is broken; {{ service }} is doing its job",
            "every time a crawler works through dead links, {{ alert }} goes off",
            "there is nothing {{ team }} could do about most of what {{ alert }} reports",
            "{{ alert }} counts what others do wrong; nothing was the matter with {{ service }}",
            "a broken script of a customer of {{ service }} kept {{ alert }} on until somebody switched it off",
            "{{ service }} refused what it should refuse, and {{ alert }} took that for trouble",
            "{{ alert }} goes off when clients misbehave, and there is nothing to repair at {{ service }}",
        ),
        "raise the limit until it is quiet",
        shapes.threshold_up,
        paged=("a partner sent {{ service }} rubbish for an hour, and {{ alert }} called out {{ team }} for it",),
        ticketed=(
            "a partner sent {{ service }} rubbish for an hour, and {{ team }} got a ticket from {{ alert }} for it",
        ),
    ),
    Defect(
        "former-name",
        "selectors",
        "silent",
        _former_name,
        (
            "nobody has had {{ alert }} since spring, and {{ service }} has had its share of trouble since",
            "{{ service }} got into trouble during working hours; {{ alert }} was loaded, healthy and silent",
            "{{ alert }} used to work; at some point it simply stopped",
            "the graphs of {{ service }} tell the whole story from start to end; {{ alert }} tells nothing",
            "trouble at {{ service }} was seen by everyone who looked, and {{ alert }} did not fire",
            "as far as {{ alert }} is concerned, nothing ever happens at {{ service }}",
            "{{ alert }} last fired long ago, and {{ service }} has not been without trouble since",
            "{{ alert }} has been quiet for longer than {{ service }} has been well",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "former-key",
        "selectors",
        "silent",
        _former_key,
        (
            "since the platform upgrade there has been no {{ alert }}, not even when {{ service }} failed last week",
            "{{ alert }} was listed as inactive all along, and nobody noticed until {{ service }} broke",
            "the upgrade went through without a hitch; {{ alert }} has been dead quiet from that day on",
            "nothing was seen of {{ alert }} through the whole incident",
            "{{ alert }} missed the last incident on {{ service }}, as it had missed the one before",
            "whatever {{ service }} did last week, {{ alert }} took no notice",
            "{{ team }} expected {{ alert }} in the last incident on {{ service }} and waited in vain",
            "the graphs that belong to {{ alert }} show all the trouble at {{ service }}, and {{ alert }} did not fire",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "placeholder",
        "selectors",
        "silent",
        _placeholder,
        (
            "{{ alert }} was copied over from a dashboard, reviewed and merged, and has never fired",
            "it works on the dashboard, it does not work in {{ alert }}: {{ service }} was in trouble and nothing came",
            "{{ alert }} is quiet, and was quiet all through the trouble at {{ service }}",
            "{{ service }} was in trouble for all to see, and {{ alert }} did nothing",
            "{{ service }} gave everyone reason to expect {{ alert }}, and {{ alert }} did not come",
            "nobody has seen {{ alert }} since it was added, through several incidents on {{ service }}",
            "{{ alert }} is loaded without a complaint and does not react to anything at {{ service }}",
            "{{ team }} waited for {{ alert }} on a day when it was due, and nothing fired",
        ),
        "lower the limit",
        shapes.threshold_down,
        hidden=False,
    ),
    Defect(
        "record-misspelt",
        "selectors",
        "silent",
        _record_misspelt,
        (
            "the dashboards showed {{ service }} in trouble for an hour; {{ alert }} had nothing to say",
            "{{ alert }} stayed silent through the incident, though the numbers it stands on are all there",
            "{{ team }} can see the numbers on every screen, only {{ alert }} seems not to",
            "{{ alert }} never came, and no one can say that it ever has",
            "{{ service }} missed its objective for a whole morning, and {{ alert }} did not fire",
            "{{ alert }} has an empty history, which {{ service }} with its bad days has not",
            "on the graphs of {{ service }} anyone could have said when {{ alert }} was due; it did not come",
            "{{ alert }} was silent in the worst week that {{ service }} has had",
        ),
        "do not wait before it fires",
        shapes.wait_less,
    ),
    Defect(
        "record-without-that-label",
        "selectors",
        "silent",
        _record_without_label,
        (
            "the graphs of {{ service }} are all there, but {{ alert }} has been mute since the cleanup",
            "last month's tidying up was said to change nothing; {{ alert }} has not fired since",
            "{{ service }} burnt through a week's worth in an hour and {{ team }} was not told by {{ alert }}",
            "{{ alert }} came through the review without a remark, and missed the next outage of {{ service }}",
            "nobody has heard of {{ alert }} for months, however badly {{ service }} did",
            "the figures of {{ service }} tell of trouble, the history of {{ alert }} of none",
            "{{ service }} was off its objective for most of a day, and {{ alert }} was not seen",
            "{{ alert }} is there, it is loaded, and trouble at {{ service }} does not set it off",
        ),
        "lower the limit",
        shapes.threshold_down,
    ),
    Defect(
        "everyone-counts",
        "selectors",
        "misrouted",
        _everyone,
        (
            "{{ alert }} went off, and it was not {{ service }} that had the problem",
            "whenever another service has a bad day, {{ alert }} comes on, whatever {{ service }} does",
            "{{ alert }} fired while {{ service }} was perfectly healthy; another service was not",
            "{{ alert }} turned up in the timeline of an incident that {{ service }} had no part in",
            "{{ alert }} fired over an incident that {{ service }} had nothing to do with",
            "whoever looks into {{ alert }} finds {{ service }} in good order, and the trouble at another service",
            "the history of {{ alert }} follows the ups and downs of another service than {{ service }}",
            "{{ service }} had a quiet week, and {{ alert }} did not",
            "all graphs of {{ service }} are flat for the hour in which {{ alert }} fired",
        ),
        "raise the limit until it is quiet",
        shapes.threshold_up,
        delivered=("{{ team }} gets {{ alert }} and finds {{ service }} in perfect health; others are not",),
        paged=("{{ team }} was called for {{ alert }}, and it was not {{ service }} that had the problem",),
        ticketed=("someone else's outage ended up in the queue of {{ team }} as {{ alert }}",),
    ),
)
