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


# What is told does not depend on how a rule came to do too much, or nothing: one set of wordings for all that do.
_TOO_MUCH: Final = (
    "while another service was down, {{ service }} ran into trouble as well, and nothing was sent about that",
    "an outage somewhere else kept alerts of {{ service }} from going out",
    "{{ team }} heard nothing of the trouble at {{ service }} until an unrelated incident had been closed",
    "two things broke at once, {{ service }} and something unrelated, and only the other one was reported",
    "{{ service }} ran into trouble during someone else's outage, and its alerts were held back",
    "as soon as any other service is down, alerts of {{ service }} vanish",
    "once a service elsewhere was back, {{ team }} learned what had been wrong with {{ service }} all the while",
    "alerts of {{ service }} appear and vanish with the state of a service it has nothing to do with",
    "an alert of {{ service }} went out hours late, in the minute in which the outage of another service ended",
    "alerts of {{ service }} fired in Prometheus and went no further; at that time some other service was down",
    "{{ team }} compared two lists: what {{ service }} had to report during outages of other services was not sent",
    "for as long as another service is down, nobody is told about trouble at {{ service }}",
    "{{ service }} had problems of its own on the day of the big outage elsewhere, and there is no trace of them",
)
_NO_EFFECT: Final = (
    "one outage of {{ service }}, and what follows from it was reported as if it were news",
    "every outage of {{ service }} has its follow-ups sent as well, as if nobody had thought of that",
    "the timeline of the last outage of {{ service }} says the same thing more than once",
    "the alert for an outage of {{ service }} does not keep away what comes in its wake",
    "every outage of {{ service }} brings more alerts than the one it should",
    "{{ team }} was promised one alert for an outage of {{ service }}, and still gets those that follow from it",
    "word that {{ service }} was down did not come alone, though it should have",
    "there is an arrangement against double alerts for {{ service }}, but it does not do anything",
    "outages of {{ service }} are reported once for what happened and once more for what came of it",
    "one alert for one outage of {{ service }} is what had been agreed; in the last one it was more",
    "the hour after each outage of {{ service }} goes into closing what came along with it",
    "when {{ service }} was down, {{ team }} was told so, and was also told everything that this brings with it",
    "after the last outage of {{ service }}, {{ team }} had to close alerts that should never have been sent",
    "an outage of {{ service }} does not keep quiet what it is supposed to keep quiet",
)

# what came out when it was tried with made-up alerts
_TOO_MUCH_TRIED: Final = (
    "on a game day a made-up outage of another service was enough to hold back the test alerts of {{ service }}",
    "{{ team }} tried it out with `amtool`: an outage elsewhere is enough to hold back the alerts of {{ service }}",
    "during a failover exercise for another service, test alerts of {{ service }} were held back all the way through",
    "test alerts were sent for two services at once, and those of {{ service }} did not get through",
    "in the test of the alerting set-up, {{ service }} was heard only as long as nothing else was reported as down",
    "ahead of the datacenter evacuation exercise, test alerts showed that any service that is down silences"
    " alerts of {{ service }}",
    "in staging, with a copy of our Alertmanager, any service that is reported down stops alerts of {{ service }}",
    "before the restore test another service was reported as down by hand, and with it test alerts of {{ service }}"
    " were held back",
    "going through what is held back when, {{ team }} found alerts of {{ service }} behind services it does not need",
)
_SISTERS_TRIED: Final = (
    "on a game day with two services of {{ team }}, test alerts of {{ service }} were held back while the other was"
    " reported as down",
    "{{ team }} tried it with `amtool`: an outage of a sister service is enough to hold back alerts of {{ service }}",
    "test alerts were sent for two services of {{ team }}, and those of {{ service }} did not get through",
    "in the test of the alerting set-up, alerts of {{ service }} stayed away once a sister service was reported down",
    "ahead of a planned reboot {{ team }} reported a sister service as down by hand, and could not get a test alert of"
    " {{ service }} through",
    "staging has a copy of our Alertmanager; there, one service of {{ team }} that is reported down holds back"
    " alerts of {{ service }}",
    "the rehearsal of a failover had alerts for two services of {{ team }}, and some for {{ service }} were never sent",
    "before the restore test {{ team }} checked its alerts: some of {{ service }} are not sent while a"
    " sister service is reported as down",
)
_WRONG_ONE_TRIED: Final = (
    "on a game day all alerts of {{ service }} were sent by hand; the one for an outage was held back, the others"
    " came through",
    "{{ team }} sent test alerts for {{ service }}: what should have been held back arrived, the main one did not",
    "{{ team }} tried the alerts of {{ service }} with `amtool`: the wrong ones get through, and the right one is"
    " stopped",
    "in the test of the alerting set-up, the one alert of {{ service }} that has to arrive was the one that did not",
    "ahead of a planned reboot the alerts of {{ service }} were sent as a test, and the one for an outage was"
    " suppressed by what it should suppress",
    "staging has a copy of our Alertmanager; of all test alerts of {{ service }} it held back the one for an outage",
    "for the failover exercise an outage of {{ service }} was made up, with all its alerts; the most important one"
    " was missing from what was sent",
    "before the restore test {{ team }} sent made-up alerts of {{ service }}, and found the one for an outage held"
    " back by those that follow from it",
)
_NO_EFFECT_TRIED: Final = (
    "on a game day {{ service }} was reported as down, and what follows from that was sent all the same",
    "{{ team }} sent test alerts for an outage of {{ service }} with `amtool`, and none of them was held back",
    "a test with made-up alerts showed that an outage of {{ service }} would be reported more than once",
    "in the test of the alerting set-up, an outage of {{ service }} did not keep its own follow-ups quiet",
    "ahead of the datacenter evacuation exercise an outage of {{ service }} was tried with test alerts; it should have"
    " stopped the others and did not",
    "in staging, on a copy of our Alertmanager, a made-up outage of {{ service }} kept none of its follow-ups quiet",
    "for the failover exercise {{ service }} was reported as down by hand, together with what follows from it, and"
    " all of that went out",
    "before the restore test {{ team }} made up an outage of {{ service }} and found that the follow-ups are sent, too",
    "a planned reboot of {{ service }} was rehearsed with test alerts, and what was meant to stay quiet did not",
)

# what Alertmanager says of made-up alerts, where no receiver would show it
_TOO_MUCH_LISTED: Final = (
    "in `amtool`'s list, made-up alerts of {{ service }} show as suppressed once another service is reported down",
    "with an outage elsewhere made up, Alertmanager lists test alerts of {{ service }} as suppressed",
    "in a test the alerts page of Alertmanager had alerts of {{ service }} as suppressed, beside an outage elsewhere",
    "{{ team }} posted two alerts by hand, one an outage elsewhere; the list has that of {{ service }} as suppressed",
    "somebody else's outage was made up on the test Alertmanager, and its list had {{ service }} among the suppressed",
    "the list of suppressed alerts, taken during a restore test of another service, had {{ service }} in it",
    "an outage of another service was posted for practice; the list then had alerts of {{ service }} as suppressed",
)
_SISTERS_LISTED: Final = (
    "in `amtool`'s list, made-up alerts of {{ service }} show as suppressed once a sister service is reported down",
    "with an outage of a sister service made up, Alertmanager lists test alerts of {{ service }} as suppressed",
    "in a test the alerts page of Alertmanager had alerts of {{ service }} as suppressed, beside a sister service's",
    "{{ team }} posted alerts for two of its services; those of {{ service }} are on the list of suppressed ones",
    "the list of suppressed alerts, taken during a restore test of a sister service, had {{ service }} in it",
    "an outage of a sister service was posted for practice; the list then had alerts of {{ service }} as suppressed",
)
_WRONG_ONE_LISTED: Final = (
    "in `amtool`'s list of made-up alerts, the one for an outage of {{ service }} is suppressed and the others are not",
    "with all alerts of {{ service }} made up, Alertmanager lists the one for an outage as suppressed",
    "in a test the alerts page of Alertmanager had the alert for an outage of {{ service }} as the suppressed one",
    "{{ team }} posted alerts of {{ service }} by hand: on the list, the one for an outage is the only suppressed one",
    "the list of suppressed alerts, taken while {{ service }} was declared down for practice, had the wrong one in it",
    "an outage of {{ service }} was posted for practice, with all that belongs to it; the list has it as suppressed",
)
_NO_EFFECT_LISTED: Final = (
    "in `amtool`'s list, none of the made-up alerts for an outage of {{ service }} shows as suppressed",
    "with an outage of {{ service }} made up, Alertmanager lists all of its test alerts as active",
    "in a test the alerts page of Alertmanager had nothing suppressed while {{ service }} was reported down",
    "{{ team }} posted the alerts for an outage of {{ service }} by hand, and the list of suppressed ones stayed empty",
    "the list of suppressed alerts, taken while {{ service }} was declared down for practice, had none of its own",
    "an outage of {{ service }} was posted for practice, with all that belongs to it; the list has every one as active",
    "on the test Alertmanager {{ service }} was declared down, and its list showed no alert as suppressed",
)

DEFECTS: Final = (
    ConfigDefect(
        "inhibits-everyone",
        "inhibitions",
        _without_equal,
        _TOO_MUCH,
        "drop the rule altogether",
        theme="too much",
        rehearsed=_TOO_MUCH_TRIED,
        listed=_TOO_MUCH_LISTED,
    ),
    ConfigDefect(
        "inhibits-backwards",
        "inhibitions",
        _backwards,
        (
            "something about {{ service }} was known already, and when it went down for good, nothing was said of that",
            "an outage of {{ service }} is reported with all that follows from it, and then nobody hears how long it"
            " lasts",
            "the alert for an outage of {{ service }} stays away as long as one of its consequences is on",
            "all consequences of an outage of {{ service }} are sent, and while they last the outage itself is not",
            "{{ service }} was down for hours and {{ team }} was reminded of everything but that",
            "when {{ service }} is down, its follow-ups are sent again and again, and the outage itself drops out",
            "what an outage of {{ service }} should keep quiet is sent, and it is the outage that goes quiet",
            "{{ service }} was in trouble first and down later: the trouble was reported, that it was down was not",
            "while {{ team }} was still getting the follow-ups, the alert that {{ service }} was down had gone quiet",
        ),
        "drop the rule altogether",
        theme="wrong way",
        rehearsed=_WRONG_ONE_TRIED,
        listed=_WRONG_ONE_LISTED,
    ),
    ConfigDefect(
        "inhibits-own-name-only",
        "inhibitions",
        _label_of_one_side,
        _NO_EFFECT,
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_NO_EFFECT_TRIED,
        listed=_NO_EFFECT_LISTED,
    ),
    ConfigDefect(
        "inhibits-by-absent-label",
        "inhibitions",
        _label_of_neither,
        _TOO_MUCH,
        "drop the rule altogether",
        theme="too much",
        rehearsed=_TOO_MUCH_TRIED,
        listed=_TOO_MUCH_LISTED,
    ),
    ConfigDefect(
        "inhibits-everything-below",
        "inhibitions",
        _everything_below,
        (
            "whenever anyone is called, the ticket queues of all teams go quiet until it is over",
            "as soon as one urgent alert is on, nobody in the company gets a ticket any more",
            "no team got a single ticket for hours; one service somewhere was in trouble all that time",
            "{{ team }} laid the queues of all teams side by side: each gap is exactly as long as somebody's incident",
            "no ticket is opened anywhere in the company as long as something urgent is going on, whoever it concerns",
            "tickets of {{ team }} come late and in batches, right after an incident at some other team",
            "two teams asked on the same morning where their tickets were; a third one had an outage all that time",
            "during the longest outage of the year all queues were empty, also those of teams that had no part in it",
            "what should become tickets in several teams did not become any until somebody's outage was over",
        ),
        "make the team's tickets urgent",
        theme="wrong way",
    ),
    ConfigDefect(
        "inhibits-nothing",
        "inhibitions",
        _source_misspelt,
        _NO_EFFECT,
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_NO_EFFECT_TRIED,
        listed=_NO_EFFECT_LISTED,
    ),
    ConfigDefect(
        "inhibition-gone",
        "inhibitions",
        _rule_gone,
        _NO_EFFECT,
        "turn the small alerts off",
        theme="no effect",
        rehearsed=_NO_EFFECT_TRIED,
        listed=_NO_EFFECT_LISTED,
    ),
    ConfigDefect(
        "inhibits-by-team",
        "inhibitions",
        _by_team,
        (
            "{{ team }} runs several services; while another one is down, trouble at {{ service }} goes unreported",
            "a problem of {{ service }} went unreported on a day when a sister service was down",
            "{{ team }} got one alert where two were due: two of its services were in trouble",
            "{{ team }} found the second problem of the day by chance, and it was at {{ service }}",
            "two services of {{ team }} were in trouble at the same time, and nothing was sent about {{ service }}",
            "whenever another service of {{ team }} is down, alerts of {{ service }} are not sent",
            "only when its sister service was back did {{ team }} hear that {{ service }} had been in trouble, too",
            "an outage of one service of {{ team }} hides what happens at {{ service }}",
            "{{ team }} was busy with one of its services and was not told that {{ service }} needed help as well",
        ),
        "drop the rule altogether",
        theme="too much",
        rehearsed=_SISTERS_TRIED,
        listed=_SISTERS_LISTED,
    ),
)
