"""Defects of inhibition rules: alerts that are held back when they should not be, or not when they should."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from alertforge.alertmanager.config import Config, InhibitRule
from alertforge.alertmanager.matchers import Matcher
from alertforge.defects.config import ConfigDefect, Scene, service_rules, with_rule


def _without_equal(config: Config, scene: Scene) -> Config | None:
    """Any service's outage holds the alerts back."""
    for index, rule in service_rules(config, scene):
        return with_rule(config, index, replace(rule, source=_of_any_service(rule, scene), equal=()))
    return None


def _of_any_service(rule: InhibitRule, scene: Scene) -> tuple[Matcher, ...]:
    """The source side for the alerts of all services, where alert names tell services apart."""
    return tuple(_any_service(matcher, scene) for matcher in rule.source)


def _any_service(matcher: Matcher, scene: Scene) -> Matcher:
    if matcher.name != "alertname" or matcher.op != "=":
        return matcher
    for service in scene.world.services:
        for name in (service.camel, service.name, service.name.replace("-", "_")):
            before, found, after = matcher.value.partition(name)
            if found:
                return replace(matcher, op="=~", value=f"{re.escape(before)}.+{re.escape(after)}")
    return matcher


def _backwards(config: Config, scene: Scene) -> Config | None:
    for index, rule in service_rules(config, scene):
        if rule.source != rule.target:
            return with_rule(config, index, replace(rule, source=rule.target, target=rule.source))
    return None


def _label_of_one_side(config: Config, scene: Scene) -> Config | None:
    """Agreement on the alert's own name, which the two never share."""
    for index, rule in service_rules(config, scene):
        if "alertname" not in rule.equal:
            return with_rule(config, index, replace(rule, equal=("alertname", *rule.equal)))
    return None


def _label_of_neither(config: Config, scene: Scene) -> Config | None:
    """Agreement on a label that neither side has: there, everything agrees."""
    label = scene.style.service_label
    other = next(name for name in ("instance", "node", "cluster") if name not in {label, scene.style.pod_label})
    for index, rule in service_rules(config, scene):
        equal = tuple(other if name == label else name for name in rule.equal)
        return with_rule(config, index, replace(rule, source=_of_any_service(rule, scene), equal=equal))
    return None


def _everything_below(config: Config, scene: Scene) -> Config | None:
    """Any page holds back every ticket of the company."""
    style = scene.style
    for index, rule in service_rules(config, scene):
        broad = replace(
            rule,
            source=(Matcher(style.severity_label, "=", style.severities["page"]),),
            target=(Matcher(style.severity_label, "!=", style.severities["page"]),),
            equal=tuple(name for name, _ in style.extra_labels if name != style.service_label),
        )
        return with_rule(config, index, broad)
    return None


def _source_misspelt(config: Config, scene: Scene) -> Config | None:
    """A source that no alert is: what the alert was called before the house changed how it writes names."""
    for index, rule in service_rules(config, scene):
        old = next((m for m in rule.source if m.op == "=" and m.value), None)
        if old is None:
            continue
        source = tuple(replace(m, value=_formerly(m.value, scene)) if m == old else m for m in rule.source)
        return with_rule(config, index, replace(rule, source=source))
    return None


def _formerly(alert: str, scene: Scene) -> str:
    """The name without the service in it; with a word for what it is where that is all there ever was."""
    for service in scene.world.services:
        for name in (service.camel, service.name, service.name.replace("-", "_")):
            before, found, after = alert.partition(name)
            rest = (before.rstrip("-_:. ") + after) if before else after.lstrip("-_:. ")
            if found and rest:
                return rest
    return f"{alert}Alert"


def _rule_gone(config: Config, scene: Scene) -> Config | None:
    for index, _ in service_rules(config, scene):
        rest = tuple(rule for place, rule in enumerate(config.inhibit_rules) if place != index)
        return replace(config, inhibit_rules=rest)
    return None


def _by_team(config: Config, scene: Scene) -> Config | None:
    """Agreement on the team: one service holds back all others of the same people."""
    style = scene.style
    if sum(service.team == scene.team for service in scene.world.services) < 2:
        return None
    for index, rule in service_rules(config, scene):
        equal = tuple(style.owner_label if name == style.service_label else name for name in rule.equal)
        return with_rule(config, index, replace(rule, source=_of_any_service(rule, scene), equal=equal))
    return None


# what came out when it was tried with made-up alerts
_HELD_BACK: Final = (
    "in the quarterly drill one service was declared down, and test alerts of {{ service }} were held back as well",
    "{{ team }} tried it out with made-up alerts: an outage elsewhere is enough to hold back those of {{ service }}",
    "according to the last drill, {{ service }} would go unheard whenever anything else is down",
    "test alerts were sent for two services at once, and those of {{ service }} did not get through",
    "in the test of the alerting set-up, {{ service }} was heard only as long as nothing else was reported as down",
    "going through what is held back and when, {{ team }} found {{ service }} silenced by services it does not need",
)
_SISTERS_HELD_BACK: Final = (
    "in a drill with two services of {{ team }}, test alerts of {{ service }} were held back while the other was down",
    "{{ team }} tried it out with made-up alerts: an outage of a sister service is enough to silence {{ service }}",
    "according to the last drill, {{ team }} would hear of one of its services at a time and no more",
    "test alerts were sent for two services of {{ team }}, and those of {{ service }} did not get through",
    "in the test of the alerting set-up, {{ team }} could make {{ service }} mute by reporting a sister service down",
)
_WRONG_ONE: Final = (
    "in a drill the alert for an outage of {{ service }} was held back, and its others came through",
    "{{ team }} sent test alerts for {{ service }}: what should have been held back arrived, the main one did not",
    "as the drill showed, an outage of {{ service }} would be reported by anything but the alert that is made for it",
    "a dry run with made-up alerts of {{ service }} let the wrong ones through and stopped the right one",
    "in the test of the alerting set-up, the one alert of {{ service }} that has to arrive was the one that did not",
)
_ALL_THROUGH: Final = (
    "in a drill {{ service }} was declared down, and nothing of what follows from that was held back",
    "{{ team }} sent test alerts for an outage of {{ service }}, and every single one of them came through",
    "a dry run with made-up alerts showed that an outage of {{ service }} would be reported more than once",
    "according to the last drill, an outage of {{ service }} keeps nothing quiet",
    "in the test of the alerting set-up, an outage of {{ service }} did not keep the rest of its alerts quiet",
    "going through what is held back and when, {{ team }} found nothing that {{ service }} being down would stop",
    "the drill for {{ service }} was meant to bring one alert, and brought all that were sent",
)

DEFECTS: Final = (
    ConfigDefect(
        "inhibits-everyone",
        "inhibitions",
        _without_equal,
        (
            "while one service was down, {{ service }} broke as well, and nobody was told",
            "an outage somewhere else kept alerts of {{ service }} from going out",
            "{{ team }} heard nothing of {{ service }} until an unrelated incident had been closed",
            "two things broke at once, and only one of them was ever reported",
        ),
        "drop the rule altogether",
        theme="too much",
        rehearsed=_HELD_BACK,
    ),
    ConfigDefect(
        "inhibits-backwards",
        "inhibitions",
        _backwards,
        (
            "something about {{ service }} was known already, and when it went down for good, nothing was said of that",
            "in the outage the alerts about what {{ service }} did wrong went out, and not the one that mattered",
            "the alert for an outage of {{ service }} stays away as long as one of the others is on",
            "all that was heard of {{ service }} were consequences; that it was gone altogether came out an hour later",
        ),
        "drop the rule altogether",
        theme="wrong way",
        rehearsed=_WRONG_ONE,
    ),
    ConfigDefect(
        "inhibits-own-name-only",
        "inhibitions",
        _label_of_one_side,
        (
            "one outage of {{ service }}, and what follows from it was reported as if it were news",
            "every outage of {{ service }} has its follow-ups on the list, as if nobody had thought of that",
            "the timeline of the last outage of {{ service }} says the same thing more than once",
            "the alert for an outage of {{ service }} no longer keeps away what comes in its wake",
        ),
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_ALL_THROUGH,
    ),
    ConfigDefect(
        "inhibits-by-absent-label",
        "inhibitions",
        _label_of_neither,
        (
            "{{ service }} ran into trouble during someone else's outage, and its alerts were held back",
            "as soon as anything in the company is down, alerts of {{ service }} vanish",
            "{{ team }} learned after the all-clear what else had been wrong with {{ service }}",
            "alerts of {{ service }} appear and vanish with the state of a service it has nothing to do with",
        ),
        "drop the rule altogether",
        theme="too much",
        rehearsed=_HELD_BACK,
    ),
    ConfigDefect(
        "inhibits-everything-below",
        "inhibitions",
        _everything_below,
        (
            "whenever anyone is called, the ticket queues of all teams go quiet until it is over",
            "one urgent alert, and the rest of the company might as well have no tickets",
            "no team got a single ticket for hours; one service somewhere was in trouble all that time",
            "{{ team }} laid the queues of all teams side by side: each gap is exactly as long as somebody's incident",
        ),
        "make the team's tickets urgent",
        theme="wrong way",
    ),
    ConfigDefect(
        "inhibits-nothing",
        "inhibitions",
        _source_misspelt,
        (
            "every outage of {{ service }} brings more alerts than the one it should",
            "{{ team }} asked for the follow-up alerts to be held back, it was done, and they still come",
            "word that {{ service }} was down did not come alone, though it should have",
            "there is an arrangement against double alerts for {{ service }}, but it does not do anything",
        ),
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_ALL_THROUGH,
    ),
    ConfigDefect(
        "inhibition-gone",
        "inhibitions",
        _rule_gone,
        (
            "since the file was split up, each outage of {{ service }} is reported more than once",
            "outages of {{ service }} are reported once for what happened and once more for what came of it",
            "it used to be one alert for one outage of {{ service }}; now it is more",
            "the hour after each outage of {{ service }} goes into closing what came along with it",
        ),
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_ALL_THROUGH,
    ),
    ConfigDefect(
        "inhibits-by-team",
        "inhibitions",
        _by_team,
        (
            "{{ team }} runs several services; while one is down, the others could burn and nothing would be heard",
            "a problem of {{ service }} went unreported because a sister service was down",
            "the more a team owns, the less it hears: {{ team }} got one alert where two were due",
            "{{ team }} found the second problem of the day by chance, on another service of its own",
        ),
        "drop the rule altogether",
        theme="too much",
        rehearsed=_SISTERS_HELD_BACK,
    ),
)
