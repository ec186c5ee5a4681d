"""Defects of what an alert carries: labels that decide where it goes, annotations that say what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from alertforge.alerts.base import Subject
from alertforge.defects import shapes
from alertforge.defects.base import Defect
from alertforge.prometheus.promql import Aggregate, Binary, Call, Selector, walk
from alertforge.prometheus.rules import Rule
from alertforge.seeds import Seed

EVERYWHERE: Final = "target-down"  # the kind of alert that no service is without
_OTHER_OWNER_KEYS: Final = ("owner", "team", "squad", "owned_by")


def _value_in_label(rule: Rule, _: Subject, __: Seed) -> Rule | None:
    """Every new value is a new alert, and the wait begins again; only for values that do change."""
    if (
        not rule.for_
        or "value" in dict(rule.labels)
        or not any(_moves(limit) for limit in shapes.main_limits(rule.tree))
    ):
        return None
    return rule.with_label("value", "{{ $value }}")


def _moves(limit: Binary) -> bool:
    """Rates and recorded ratios are another number every minute; a gauge may stand still."""
    counted = any(
        (isinstance(node, Call) and node.func in shapes.COUNTER_FUNCTIONS)
        or (isinstance(node, Selector) and shapes.is_record(node))
        for node in walk(limit)
    )
    return counted and not limit.bool_


def _other_severity(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    style = subject.style
    swapped = {
        style.severities["page"]: style.severities["ticket"],
        style.severities["ticket"]: style.severities["page"],
    }
    written = rule.label(style.severity_label)
    return rule.with_label(style.severity_label, swapped[written]) if written in swapped else None


def _too_urgent(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    page = subject.style.severities["page"]
    return None if rule.label(subject.style.severity_label) == page else _other_severity(rule, subject, seed)


def _not_urgent(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    page = subject.style.severities["page"]
    return _other_severity(rule, subject, seed) if rule.label(subject.style.severity_label) == page else None


def _unknown_severity(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """A word of the house that nobody is notified for, where it is not the team's queue that takes the rest."""
    if subject.style.routing == "team-first":
        return None
    return rule.with_label(subject.style.severity_label, subject.style.info_severity)


def _stale_team(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    others = [team.name for team in subject.world.teams if team.name != subject.service.team]
    if not others or not rule.label(subject.style.owner_label):
        return None
    return rule.with_label(subject.style.owner_label, seed.rng().choice(others))


def _owner_under_other_key(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    """The owner is there, under a key that no route asks for."""
    own = subject.style.owner_label
    if not rule.label(own):
        return None
    key = seed.rng().choice([one for one in _OTHER_OWNER_KEYS if one != own and one not in dict(rule.labels)])
    return _renamed_label(rule, own, key)


def _renamed_label(rule: Rule, old: str, new: str) -> Rule:
    return replace(rule, labels=tuple((new if name == old else name, value) for name, value in rule.labels))


def _house_label_missing(rule: Rule, subject: Subject, seed: Seed) -> Rule | None:
    written = [name for name, _ in subject.style.extra_labels if name in dict(rule.labels)]
    return rule.with_label(seed.rng().choice(written), None) if written else None


def _wrong_runbook(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """The runbook of the rule that this one was copied from: of the alert that every service has.

    That of the service itself, or else another service's.
    """
    key, own = subject.style.runbook_key, rule.annotation(subject.style.runbook_key)
    sources = (subject, *(replace(subject, service=one) for one in subject.world.services if one != subject.service))
    addresses = (one.runbook(one.alert_name(EVERYWHERE)) for one in sources)
    other = next((address for address in addresses if address != own), None)
    return rule.with_annotation(key, other) if own and other else None


def _lost_template(rule: Rule, subject: Subject, _: Seed) -> Rule | None:
    """A summary that names the pod, which the expression has aggregated away."""
    pod, key = subject.style.pod_label, subject.style.summary_key
    summary = rule.annotation(key)
    kept = [node for node in walk(rule.tree) if isinstance(node, Aggregate) and pod in (node.grouping or ())]
    raw = [node for node in walk(rule.tree) if isinstance(node, Selector) and not shapes.is_record(node)]
    aggregated = any(isinstance(node, Aggregate) for node in walk(rule.tree))
    if kept or (raw and not aggregated) or subject.service.name not in summary:
        return None
    return rule.with_annotation(key, summary.replace(subject.service.name, f"{{{{ $labels.{pod} }}}}"))


DEFECTS: Final = (
    Defect(
        "value-in-label",
        "labels",
        "silent",
        _value_in_label,
        (
            "for most of the incident {{ alert }} was about to fire and did not",
            "the rules page showed {{ alert }} as pending when it should have been firing for a long time",
            "{{ alert }} starts over again and again, as if each time it were a new problem",
            "{{ team }} watched {{ alert }} wait, and wait, while {{ service }} suffered",
            "{{ alert }} kept being close to firing for as long as {{ service }} was in trouble",
            "the trouble at {{ service }} went on and on, and {{ alert }} was pending the whole time",
            "{{ alert }} hardly ever gets as far as firing, whatever happens at {{ service }}",
            "each time {{ team }} looked, {{ alert }} had just begun to wait again",
        ),
        "lower the limit",
        shapes.threshold_down,
        hidden=False,
    ),
    Defect(
        "too-urgent",
        "labels",
        "misrouted",
        _too_urgent,
        (
            "{{ alert }} called out {{ team }} for something that could have waited until Monday",
            "whoever carries the pager gets {{ alert }}; by agreement it belongs in the queue",
            "people drop everything for {{ alert }} and pick it up again without having done anything",
            "{{ alert }} rings the phone of whoever is on call, for work that is planned in the weekly meeting",
            "nobody would have minded finding {{ alert }} in the queue the next morning; it was a call",
            "{{ alert }} wakes people at {{ team }} for what they do in office hours anyway",
            "the on-call of {{ team }} was called for {{ alert }}, took note and went back to sleep",
            "{{ alert }} calls somebody at {{ team }}, and by our own rules it should be a ticket",
        ),
        "wait longer before it fires",
        shapes.wait_longer,
        routed=True,
    ),
    Defect(
        "not-urgent",
        "labels",
        "misrouted",
        _not_urgent,
        (
            "{{ alert }} was found in the queue by chance; nobody had been called",
            "{{ service }} was in trouble, and {{ alert }} waited in the queue for somebody to look",
            "{{ alert }} fired on time, yet no phone rang",
            "the on-call of {{ team }} did not hear a thing, because {{ alert }} never reached the phone",
            "{{ alert }} became a ticket, and {{ service }} waited for somebody to read it",
            "{{ service }} was in trouble at night, {{ alert }} fired, and {{ team }} read about it in the morning",
            "{{ team }} found {{ alert }} among its tickets when everything was over",
            "nobody was woken by {{ alert }}, and for {{ service }} somebody should have been",
        ),
        "lower the limit so that it fires sooner",
        shapes.threshold_down,
        routed=True,
    ),
    Defect(
        "unheard-severity",
        "labels",
        "misrouted",
        _unknown_severity,
        (
            "{{ alert }} fired for an hour, the server says so, and no human being was told",
            "{{ alert }} shows up in the list of firing alerts and nowhere else",
            "neither the pager nor the queue of {{ team }} has any trace of {{ alert }}",
            "looking back, {{ alert }} did its job to the minute; it just did not reach anyone",
            "{{ alert }} was on as long as {{ service }} was in trouble; {{ team }} got neither a call nor a ticket",
            "the alerts page has {{ alert }} firing on three days of the month; {{ team }} has heard of none",
            "{{ team }} looked for {{ alert }} in its tickets and in its calls, and it is in neither",
            "{{ alert }} fired and went nowhere",
        ),
        "lower the limit so that it fires sooner",
        shapes.threshold_down,
        routed=True,
    ),
    Defect(
        "stale-team",
        "labels",
        "misrouted",
        _stale_team,
        (
            "{{ alert }} still goes to the people who ran {{ service }} before {{ team }} took it over",
            "another team got {{ alert }}, shrugged and closed it; {{ team }} never saw it",
            "{{ team }} owns {{ service }}, but it is somebody else who hears of {{ alert }}",
            "the wrong people spent half an hour with {{ alert }}, looking for those who run {{ service }} now",
            "{{ alert }} reached people who do not work on {{ service }}, and {{ team }} heard of it from them",
            "whoever gets {{ alert }} passes it on to {{ team }} by hand",
            "{{ team }} asked why it never gets {{ alert }}; another team does",
            "a team that has nothing to do with {{ service }} keeps closing {{ alert }}",
        ),
        "make it a page, so that somebody will notice",
        shapes.page_for_it,
        routed=True,
    ),
    Defect(
        "owner-under-other-key",
        "labels",
        "misrouted",
        _owner_under_other_key,
        (
            "{{ alert }} lands in the mailbox that nobody reads instead of with {{ team }}",
            "{{ alert }} says it belongs to {{ team }}, yet {{ team }} does not get it",
            "{{ team }} looked through the catch-all by chance and found {{ alert }} there, a week old",
            "the catch-all inbox held two weeks of {{ alert }}",
            "{{ alert }} is meant for {{ team }} and reached only the catch-all",
            "{{ team }} has never got {{ alert }}, and the catch-all has it every time",
            "{{ service }} was in trouble, {{ alert }} fired, and it was found in the catch-all days later",
            "whoever looks after the catch-all forwards {{ alert }} to {{ team }} by hand",
        ),
        "make it a page, so that somebody will notice",
        shapes.page_for_it,
        routed=True,
    ),
    Defect(
        "house-label-missing",
        "labels",
        "cosmetic",
        _house_label_missing,
        (
            "{{ alert }} does not turn up on the status board where all its siblings are",
            "the weekly report counts every alert of {{ service }} but {{ alert }}",
            "people who filter the list of alerts the usual way do not see {{ alert }}",
            "{{ alert }} is the odd one out: it is left out whenever the alerts of {{ team }} are listed",
            "{{ alert }} is missing from the overview that has all other alerts of {{ service }}",
            "the usual search finds every alert of {{ team }} except {{ alert }}",
            "{{ alert }} is not counted in the figures for {{ service }}, although it fired",
            "{{ team }} filtered the alerts page as always, and {{ alert }} was not on it",
        ),
        "make it a page, so that somebody will notice",
        shapes.page_for_it,
    ),
    Defect(
        "wrong-runbook",
        "labels",
        "cosmetic",
        _wrong_runbook,
        (
            "the page that {{ alert }} points to is about something else altogether",
            "the responder followed the steps linked from {{ alert }} for ten minutes before it dawned on them",
            "whoever clicks the link in {{ alert }} learns how to deal with a different problem",
            "the link in {{ alert }} led a newcomer in {{ team }} astray",
            "the steps behind the link in {{ alert }} do not fit what {{ alert }} is about",
            "{{ team }} opened the link in {{ alert }} and was none the wiser",
            "following the link in {{ alert }} costs time: it is the page of another alert",
            "somebody new worked through the page that {{ alert }} links, and little of it applied",
        ),
        "drop the link",
        lambda rule, subject: rule.with_annotation(subject.style.runbook_key, None),
    ),
    Defect(
        "empty-summary",
        "labels",
        "cosmetic",
        _lost_template,
        (
            "the text of {{ alert }} has a hole where the name should be",
            "{{ alert }} reads like half a sentence; what was it about?",
            "every {{ alert }} in the history has a gap in its text",
            "{{ team }} has to go by the labels of {{ alert }}, for its text does not say what it is about",
            "{{ alert }} does not say in its text what is in trouble; the place is empty",
            "the text of {{ alert }} breaks off where {{ service }} should stand",
            "{{ team }} got used to filling in by hand what the text of {{ alert }} leaves out",
            "a word is missing in the text of {{ alert }}, the one that matters",
        ),
        "drop the summary",
        lambda rule, subject: rule.with_annotation(subject.style.summary_key, None),
    ),
)
