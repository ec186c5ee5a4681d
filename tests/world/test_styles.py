"""House styles: well formed, consistent with burn-rate arithmetic, and different from each other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction

import pytest

from alertforge.seeds import Seed
from alertforge.world import styles
from alertforge.world.catalog import FAMILIES
from alertforge.world.model import HouseStyle

STYLES = [styles.draw(Seed.master(f"style-{n}"), domain="tallow.example") for n in range(200)]
KINDS = [
    "fast-burn", "slow-burn", "target-down", "error-ratio", "latency-quantile", "memory-limit", "crash-looping",
    "cpu-throttling", "traffic-floor", "probe-failing", "pool-saturation", "disk-filling", "consumer-lag",
    "replica-lag", "cert-expiry", "batch-overdue", "latency-fast-burn", "latency-slow-burn",
    "slow-share",
]  # fmt: skip
METRIC = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
LABEL = re.compile(r"[a-z][a-z0-9_]*")


def test_no_two_of_two_hundred_draws_agree_in_everything() -> None:
    assert len({repr(style) for style in STYLES}) == len(STYLES)


def test_no_two_draws_agree_in_all_that_a_reader_of_a_readme_sees_first() -> None:
    seen = {
        (
            style.severities["page"],
            style.owner_label,
            style.alert_name,
            style.record_name,
            tuple(style.burn.items()),
            style.receiver["page"],
            style.runbook,
            style.extra_labels,
            style.routing,
            style.manifests,
            style.files,
        )
        for style in STYLES
    }
    assert len(seen) == len(STYLES)


@pytest.mark.parametrize(
    ("read", "vocabulary"),
    [
        (lambda style: style.severities["page"], [words[0] for words in styles.SEVERITIES]),
        (lambda style: style.severity_label, sorted({key for words in styles.SEVERITIES for key in words[3]})),
        (lambda style: style.owner_label, styles.OWNER_LABELS),
        (lambda style: style.service_label, styles.SERVICE_LABELS),
        (lambda style: style.pod_label, styles.POD_LABELS),
        (lambda style: style.extra_labels, styles.EXTRA_LABELS),
        (lambda style: style.alert_name, styles.ALERTS),
        (lambda style: style.slo_days, (28, 30)),
        (lambda style: style.receiver["page"], [page for page, _ in styles.RECEIVERS]),
        (lambda style: style.default_receiver, styles.DEFAULT_RECEIVERS),
        (lambda style: style.audit_receiver, styles.AUDIT_RECEIVERS),
        (lambda style: style.routing, styles.ROUTINGS),
        (lambda style: style.runbook.replace("tallow.example", "{domain}"), styles.RUNBOOKS),
        (lambda style: style.runbook_key, styles.RUNBOOK_KEYS),
        (lambda style: style.summary_key, styles.SUMMARY_KEYS),
        (lambda style: style.description_key, styles.DESCRIPTION_KEYS),
        (lambda style: style.files, styles.FILES),
        (lambda style: style.manifests, (True, False)),
        (lambda style: style.quantile, styles.QUANTILES),
        (lambda style: style.min_rps, styles.MIN_RPS),
        (lambda style: style.burn["fast"].for_, styles.FAST_FOR),
        (lambda style: style.burn["slow"].for_, styles.SLOW_FOR),
        (lambda style: style.yaml.extension, styles.EXTENSIONS),
        (lambda style: style.yaml.long_expr, styles.LONG_EXPR),
        (lambda style: style.yaml.width, styles.WIDTHS),
        (lambda style: style.yaml.quotes, styles.QUOTES),
        (lambda style: style.yaml.spelling, styles.SPELLINGS),
    ],
)  # fmt: skip
def test_every_word_of_every_vocabulary_occurs(read: Callable[[HouseStyle], object], vocabulary: list[object]) -> None:
    assert {read(style) for style in STYLES} == set(vocabulary)


@pytest.mark.parametrize(
    "vocabulary", [styles.SEVERITIES, styles.OWNER_LABELS, styles.ALERTS, styles.RECORDS, styles.RECEIVERS,
                   styles.RUNBOOKS, styles.FAST, styles.SLOW]
)  # fmt: skip
def test_the_main_vocabularies_have_eight_words(vocabulary: tuple[object, ...]) -> None:
    assert len(set(vocabulary)) == len(vocabulary) >= 8


def test_every_symptom_for_threshold_and_window_occurs() -> None:
    for kind, words in styles.SYMPTOMS.items():
        assert {style.symptoms[kind] for style in STYLES} == set(words)
        assert {style.for_[kind] for style in STYLES} == set(styles.FOR_MINUTES[kind])
    for kind, thresholds in styles.THRESHOLDS.items():
        assert {style.thresholds[kind] for style in STYLES} == set(thresholds)
    for kind, windows in styles.WINDOWS.items():
        assert {style.windows[kind] for style in STYLES} == set(windows)


def test_factors_follow_from_a_whole_percentage_of_the_budget() -> None:
    for style in STYLES:
        for tier in style.burn.values():
            percent = Fraction(tier.factor) * tier.long * 100 / (style.slo_days * 24 * 60)
            assert percent.denominator == 1 and 1 <= percent <= 5
            assert style.budget_spent(tier) == percent / 100


def test_known_factors_come_out() -> None:
    """The table that everyone knows: 2 % in an hour is 14.4, 5 % in six hours is 6; over 28 days 13.44 and 5.6."""
    seen = {(style.slo_days, tier.long, tier.factor) for style in STYLES for tier in style.burn.values()}
    assert {(30, 60, "14.4"), (30, 360, "6"), (28, 60, "13.44"), (28, 120, "16.8"), (28, 360, "5.6")} <= seen


def test_tiers_are_a_page_and_a_ticket_with_windows_that_a_replay_can_hold() -> None:
    for style in STYLES:
        fast, slow = style.burn["fast"], style.burn["slow"]
        assert (fast.urgency, slow.urgency) == ("page", "ticket")
        assert 30 <= fast.long <= 120 < slow.long <= 360
        assert Fraction(fast.factor) > Fraction(slow.factor) > 1
        for tier in (fast, slow):
            assert tier.short == max(5, tier.long // 12)
            assert 1 <= tier.for_ <= 20
        for sli in ("", "latency-"):
            assert (style.for_[f"{sli}fast-burn"], style.for_[f"{sli}slow-burn"]) == (fast.for_, slow.for_)


def test_every_kind_has_a_symptom_and_a_for() -> None:
    for style in STYLES:
        assert sorted(style.symptoms) == sorted(style.for_) == sorted(KINDS)
        assert len(set(style.symptoms.values())) == len(KINDS)
        assert all(re.fullmatch(r"([A-Z][a-z]+)+", symptom) for symptom in style.symptoms.values())


def test_thresholds_are_decimals_with_a_unit() -> None:
    assert set(styles.UNITS) == set(styles.THRESHOLDS) <= set(KINDS)
    for style in STYLES:
        assert set(style.thresholds) == set(styles.THRESHOLDS)
        assert all(Decimal(threshold) > 0 for threshold in style.thresholds.values())


def test_record_names_are_metric_names_that_differ_by_window_and_by_sli() -> None:
    families = [family.name for choices in FAMILIES.values() for family in choices]
    for style in STYLES:
        for pattern in (style.record_name, style.latency_record_name):
            names = {pattern.format(family=family, window=window) for family in families for window in ("5m", "1h")}
            assert all(METRIC.fullmatch(name) for name in names)
            assert len(names) == (2 * len(families) if "{family}" in pattern else 2)
        assert ("{family}" in style.record_name) == ("{family}" in style.latency_record_name)
        assert style.record_name != style.latency_record_name


def test_labels_and_annotations_are_well_formed_and_distinct() -> None:
    for style in STYLES:
        labels = [style.severity_label, style.owner_label, style.service_label, style.pod_label]
        assert all(LABEL.fullmatch(label) for label in labels)
        assert len({*style.severities.values(), style.info_severity}) == 3
        annotations = [style.runbook_key, style.summary_key, style.description_key]
        assert len(set(annotations)) == 3
        assert set(style.group_by) <= {*labels, "alertname"} and style.group_by


def test_receivers_and_runbooks_are_patterns_that_can_be_filled() -> None:
    for style in STYLES:
        page, ticket = (style.receiver[urgency].format(team="edge") for urgency in ("page", "ticket"))
        assert page != ticket and "edge" in page and "edge" in ticket
        assert len({page, ticket, style.default_receiver, style.audit_receiver}) == 4
        url = style.runbook.format(service="chat-gw", slug="chat-gw-down", team="edge", alert="ChatGwDown")
        assert re.fullmatch(r"https://[a-z]+\.tallow\.example/[A-Za-z/#.?=-]+", url)


def test_every_house_names_the_service_and_the_symptom_in_its_alerts() -> None:
    for style in STYLES:
        assert "ervice}" in style.alert_name and "{symptom}" in style.alert_name


def test_every_field_is_drawn() -> None:
    constant = [field.name for field in fields(HouseStyle) if len({repr(getattr(s, field.name)) for s in STYLES}) < 2]
    assert constant == []


def test_fractions_without_a_decimal_form_are_refused() -> None:
    assert styles.decimal(Fraction(72, 5)) == "14.4"
    with pytest.raises(ValueError, match="1/3"):
        styles.decimal(Fraction(1, 3))
