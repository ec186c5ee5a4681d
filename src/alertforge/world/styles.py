"""House styles: how a company words, names, routes and lays out its alerts.

Every convention is a small vocabulary and vocabularies combine freely. Burn factors follow from arithmetic: an alert
that spends a share of the budget in its long window has the factor share x period / long window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final, Literal, TypeVar

from alertforge.seeds import Rng, Seed
from alertforge.world.model import BurnTier, HouseStyle, Urgency, YamlStyle

T = TypeVar("T")

# (page, ticket, info), and the label keys these words read well under
SEVERITIES: Final = (
    ("page", "ticket", "info", ("severity", "action", "urgency")),
    ("critical", "warning", "info", ("severity", "level", "alert_level")),
    ("p1", "p3", "p5", ("priority", "severity")),
    ("sev1", "sev3", "sev5", ("severity", "sev", "level")),
    ("urgent", "routine", "fyi", ("urgency", "priority")),
    ("wake", "queue", "log", ("action", "urgency", "response")),
    ("high", "low", "none", ("urgency", "priority", "severity")),
    ("red", "amber", "grey", ("level", "alert_level", "severity")),
    ("emergency", "minor", "notice", ("severity", "level")),
    ("immediate", "business-hours", "informational", ("response", "urgency")),
    ("major", "moderate", "trivial", ("severity", "impact")),
    ("pager", "backlog", "note", ("channel", "action", "response")),
)
OWNER_LABELS: Final = ("team", "owner", "squad", "oncall", "owned_by", "crew", "responsible", "owning_team")
SERVICE_LABELS: Final = ("service", "app", "component", "application", "svc", "workload", "system")
POD_LABELS: Final = ("pod", "instance")
EXTRA_LABELS: Final[tuple[tuple[tuple[str, str], ...], ...]] = (
    (),
    (("env", "prod"),),
    (("environment", "production"),),
    (("source", "prometheus"),),
    (("region", "eu-north"),),
    (("managed_by", "git"),),
    (("env", "live"), ("source", "rules")),
    (("site", "hq"),),
)

# over {Service} (camel case) or {service}, and {symptom}: a service's alerts are its own
ALERTS: Final = (
    "{Service}{symptom}",
    "{Service}_{symptom}",
    "{symptom}_{Service}",
    "{symptom}{Service}",
    "{service}-{symptom}",
    "Svc{Service}{symptom}",
    "Prod{Service}{symptom}",
    "{Service}Alert{symptom}",
)

# Pairs keep the vocabulary of fast and slow burn alike, a pair for each SLI; the rest is drawn word by word.
BURN_SYMPTOMS: Final = (
    ("ErrorBudgetBurnFast", "ErrorBudgetBurnSlow"),
    ("FastBurn", "SlowBurn"),
    ("BudgetBurnHigh", "BudgetBurnElevated"),
    ("SloBurnAcute", "SloBurnChronic"),
    ("AvailabilityBurnPage", "AvailabilityBurnTicket"),
    ("ErrorBudgetSpike", "ErrorBudgetLeak"),
)
LATENCY_BURN_SYMPTOMS: Final = (
    ("LatencyBudgetBurnFast", "LatencyBudgetBurnSlow"),
    ("LatencyFastBurn", "LatencySlowBurn"),
    ("SlownessBudgetHigh", "SlownessBudgetElevated"),
    ("LatencySloAcute", "LatencySloChronic"),
    ("LatencyBurnPage", "LatencyBurnTicket"),
    ("LatencyBudgetSpike", "LatencyBudgetLeak"),
)
SYMPTOMS: Final[Mapping[str, tuple[str, ...]]] = {
    "target-down": ("Down", "TargetsMissing", "Unreachable", "NotScraped"),
    "error-ratio": ("ErrorRateHigh", "TooManyErrors", "FailureRatio", "RequestsFailing"),
    "latency-quantile": ("LatencyHigh", "SlowRequests", "ResponseTimeHigh", "TailLatency"),
    "memory-limit": ("MemoryNearLimit", "MemoryPressure", "CloseToOomKill", "WorkingSetHigh"),
    "crash-looping": ("CrashLooping", "RestartLoop", "KeepsRestarting", "ContainerRestarts"),
    "cpu-throttling": ("CpuThrottled", "ThrottlingHigh", "CpuStarved", "QuotaThrottling"),
    "traffic-floor": ("TrafficTooLow", "NoTraffic", "RequestsDriedUp", "BelowTrafficFloor"),
    "probe-failing": ("ProbeFailing", "BlackboxFailing", "EndpointFailing", "OutsideProbeFails"),
    "pool-saturation": ("PoolSaturated", "ConnectionPoolFull", "ConnectionsExhausted", "PoolNearLimit"),
    "disk-filling": ("DiskFillingUp", "DiskFullSoon", "VolumeFilling", "OutOfSpaceSoon"),
    "consumer-lag": ("ConsumerLagging", "LagGrowing", "BacklogHigh", "ConsumerBehind"),
    "replica-lag": ("ReplicaLagging", "ReplicationDelayed", "ReplicaBehind", "StandbyLag"),
    "cert-expiry": ("CertificateExpiring", "CertExpiresSoon", "TlsExpiry", "CertRenewalOverdue"),
    "batch-overdue": ("BatchOverdue", "JobNotCompleting", "LastRunTooOld", "BatchMissedRun"),
    "slow-share": ("TooManySlow", "SlowShareHigh", "LateResponses", "RequestsTooSlow"),
}
FOR_MINUTES: Final[Mapping[str, tuple[int, ...]]] = {
    "target-down": (2, 3, 4, 5),
    "error-ratio": (3, 5, 8, 10),
    "latency-quantile": (5, 8, 10),
    "memory-limit": (5, 10, 15),
    "crash-looping": (2, 3, 5),
    "cpu-throttling": (10, 12, 15),
    "traffic-floor": (5, 8, 10),
    "probe-failing": (2, 3, 5),
    "pool-saturation": (3, 5, 10),
    "disk-filling": (10, 15, 20),
    "consumer-lag": (10, 12, 15),
    "replica-lag": (3, 5, 10),
    "cert-expiry": (10, 15, 30),
    "batch-overdue": (5, 10, 15),
    "slow-share": (5, 8, 10),
}
# Kinds without a window judge the newest sample.
WINDOWS: Final[Mapping[str, tuple[int, ...]]] = {
    "error-ratio": (5, 10),
    "latency-quantile": (5, 10),
    "memory-limit": (5, 10),
    "crash-looping": (10, 15, 20),
    "cpu-throttling": (5, 10),
    "traffic-floor": (5, 10),
    "probe-failing": (5, 10),
    "pool-saturation": (5, 10),
    "disk-filling": (30, 45, 60),
    "consumer-lag": (4, 5, 6),  # shorter than any `for`: a jump that drains is no trend
    "replica-lag": (5, 10),
    "slow-share": (5, 10),
}
THRESHOLDS: Final[Mapping[str, tuple[str, ...]]] = {
    "error-ratio": ("0.02", "0.03", "0.05", "0.08", "0.1"),
    "memory-limit": ("0.85", "0.9", "0.92", "0.95"),
    "crash-looping": ("2", "3", "4"),
    "cpu-throttling": ("0.25", "0.3", "0.4", "0.5"),
    "traffic-floor": ("0.2", "0.5", "1", "2"),
    "probe-failing": ("0.4", "0.5", "0.6", "0.75"),
    "pool-saturation": ("0.8", "0.85", "0.9", "0.95"),
    "disk-filling": ("4", "6", "8", "12"),
    "consumer-lag": ("1000", "2500", "5000", "10000"),
    "replica-lag": ("20", "30", "60", "120"),
    "cert-expiry": ("7", "10", "14", "21"),
    "batch-overdue": ("1.5", "2", "3", "4"),
    "slow-share": ("0.05", "0.08", "0.1", "0.15"),
}
# What a threshold counts, as a README would say it. Burn alerts have a factor instead, latency the service's own bound.
UNITS: Final[Mapping[str, str]] = {
    "error-ratio": "of requests",
    "memory-limit": "of the memory limit",
    "crash-looping": "restarts within the window",
    "cpu-throttling": "of CFS periods throttled",
    "traffic-floor": "requests a second",
    "probe-failing": "of probes successful, at least",
    "pool-saturation": "of the pool in use",
    "disk-filling": "hours until the volume is full",
    "consumer-lag": "messages behind",
    "replica-lag": "seconds behind",
    "cert-expiry": "days until expiry",
    "batch-overdue": "hours since the last success",
    "slow-share": "of requests over the latency threshold",
}

# (error ratio, fraction of slow requests); {service_label} is filled in when a style is drawn
RECORDS: Final = (
    ("{service_label}:sli_error:ratio_rate{window}", "{service_label}:sli_slow:ratio_rate{window}"),
    ("{service_label}:{family}_errors:ratio_rate{window}", "{service_label}:{family}_slow:ratio_rate{window}"),
    ("sli:{family}_error_ratio:rate{window}", "sli:{family}_slow_ratio:rate{window}"),
    ("slo:error_fraction:rate{window}", "slo:slow_fraction:rate{window}"),
    ("{service_label}:failures_per_request:rate{window}", "{service_label}:late_requests_per_request:rate{window}"),
    ("slo_error_ratio_{window}", "slo_latency_miss_ratio_{window}"),
    ("{family}:unavailability:ratio_{window}", "{family}:slowness:ratio_{window}"),
    ("{service_label}_{family}:bad_over_total:rate{window}", "{service_label}_{family}:slow_over_total:rate{window}"),
    ("sli:availability_miss:rate{window}", "sli:latency_miss:rate{window}"),
)

# (period in days, long window in minutes, percent of the budget spent in it)
FAST: Final = (
    (30, 60, "2"),
    (30, 120, "4"),
    (30, 30, "1"),
    (30, 120, "5"),
    (30, 120, "3"),
    (28, 60, "2"),
    (28, 120, "5"),
    (28, 30, "1"),
    (28, 120, "4"),
)
SLOW: Final = (
    (30, 360, "5"),
    (30, 180, "2"),
    (30, 180, "3"),
    (30, 240, "4"),
    (30, 360, "4"),
    (30, 300, "5"),
    (28, 360, "5"),
    (28, 180, "3"),
    (28, 240, "4"),
    (28, 240, "3"),
)
FAST_FOR: Final = (2, 3, 4, 5)  # more than the tick that a record in a later group may lag
SLOW_FOR: Final = (5, 10, 15, 20)
QUANTILES: Final = ("0.9", "0.95", "0.99")
MIN_RPS: Final = ("0.2", "0.5", "1", "2")

RECEIVERS: Final = (
    ("{team}-pager", "{team}-tickets"),
    ("page-{team}", "ticket-{team}"),
    ("{team}-oncall", "{team}-queue"),
    ("{team}/page", "{team}/ticket"),
    ("{team}_high", "{team}_low"),
    ("oncall.{team}", "backlog.{team}"),
    ("rota-{team}", "board-{team}"),
    ("{team}-wakeup", "{team}-inbox"),
    ("team-{team}-urgent", "team-{team}-routine"),
)
DEFAULT_RECEIVERS: Final = (
    "observability-inbox",
    "sre-catchall",
    "unrouted",
    "platform-triage",
    "fallback",
    "monitoring-default",
    "lost-and-found",
    "noc-mailbox",
)
AUDIT_RECEIVERS: Final = (
    None,
    None,
    None,
    None,
    "audit-log",
    "page-archive",
    "incident-feed",
    "noc-mirror",
    "oncall-journal",
)
ROUTINGS: Final[tuple[Literal["team-first", "severity-first", "flat"], ...]] = ("team-first", "severity-first", "flat")
RUNBOOKS: Final = (
    "https://runbooks.{domain}/{service}/{slug}",
    "https://wiki.{domain}/oncall/{team}/{slug}",
    "https://docs.{domain}/runbooks/{service}#{slug}",
    "https://handbook.{domain}/{team}/{service}/{slug}.html",
    "https://git.{domain}/{team}/runbooks/blob/main/{service}.md#{slug}",
    "https://rb.{domain}/{alert}",
    "https://ops.{domain}/playbooks/{slug}?service={service}",
    "https://portal.{domain}/services/{service}/runbooks/{slug}",
    "https://kb.{domain}/a/{service}/{alert}",
)
RUNBOOK_KEYS: Final = ("runbook_url", "runbook", "playbook", "runbook_link")
SUMMARY_KEYS: Final = ("summary", "title", "headline")
DESCRIPTION_KEYS: Final = (None, "description", "details", "message")
FILES: Final[tuple[Literal["by-service", "by-purpose", "by-team"], ...]] = ("by-service", "by-purpose", "by-team")
LONG_EXPR: Final[tuple[Literal["literal", "folded", "plain"], ...]] = ("literal", "folded", "plain")
QUOTES: Final[tuple[Literal["none", "double", "single"], ...]] = ("none", "double", "single")
SPELLINGS: Final[tuple[Literal["compact", "spaced"], ...]] = ("compact", "spaced")
EXTENSIONS: Final[tuple[Literal["yml", "yaml"], ...]] = ("yml", "yaml")
WIDTHS: Final = (72, 80, 88, 100, 120)


def draw(seed: Seed, *, domain: str, manifests: bool | None = None) -> HouseStyle:
    """One company's conventions. `manifests` forces PrometheusRule manifests on or off."""
    rng = seed.rng("labels")
    page, ticket, info, keys = rng.choice(SEVERITIES)
    severity_label, owner_label, service_label = rng.choice(keys), rng.choice(OWNER_LABELS), rng.choice(SERVICE_LABELS)
    burn = _burn(seed.rng("burn"))
    kinds = seed.child("kinds")
    names = seed.rng("names")
    record, latency_record = (name.replace("{service_label}", service_label) for name in names.choice(RECORDS))
    receivers = seed.rng("receivers")
    page_receiver, ticket_receiver = receivers.choice(RECEIVERS)
    files = seed.rng("files")
    drawn_manifests = files.chance(35)
    return HouseStyle(
        severity_label=severity_label,
        severities={"page": page, "ticket": ticket},
        info_severity=info,
        owner_label=owner_label,
        service_label=service_label,
        pod_label=rng.choice(POD_LABELS),
        extra_labels=rng.choice(EXTRA_LABELS),
        alert_name=names.choice(ALERTS),
        symptoms={
            **_pair("", kinds.rng("burn").choice(BURN_SYMPTOMS)),
            **_pair("latency-", kinds.rng("latency-burn").choice(LATENCY_BURN_SYMPTOMS)),
            **_per_kind(kinds.child("symptoms"), SYMPTOMS),
        },
        record_name=record,
        latency_record_name=latency_record,
        slo_days=burn[0],
        burn=burn[1],
        for_={
            **_pair("", (burn[1]["fast"].for_, burn[1]["slow"].for_)),
            **_pair("latency-", (burn[1]["fast"].for_, burn[1]["slow"].for_)),
            **_per_kind(kinds.child("for"), FOR_MINUTES),
        },
        thresholds=_per_kind(kinds.child("thresholds"), THRESHOLDS),
        windows=_per_kind(kinds.child("windows"), WINDOWS),
        quantile=kinds.rng("quantile").choice(QUANTILES),
        min_rps=kinds.rng("min_rps").choice(MIN_RPS),
        receiver={"page": page_receiver, "ticket": ticket_receiver},
        default_receiver=receivers.choice(DEFAULT_RECEIVERS),
        audit_receiver=receivers.choice(AUDIT_RECEIVERS),
        routing=receivers.choice(ROUTINGS),
        runbook=names.choice(RUNBOOKS).replace("{domain}", domain),
        runbook_key=names.choice(RUNBOOK_KEYS),
        summary_key=names.choice(SUMMARY_KEYS),
        description_key=names.choice(DESCRIPTION_KEYS),
        group_by=receivers.choice(_group_bys(severity_label, owner_label, service_label)),
        files=files.choice(FILES),
        manifests=drawn_manifests if manifests is None else manifests,
        yaml=_yaml(seed.rng("yaml")),
    )


def _pair(sli: str, tiers: tuple[T, T]) -> dict[str, T]:
    """Something of the fast and of the slow burn alert of an SLI."""
    return {f"{sli}fast-burn": tiers[0], f"{sli}slow-burn": tiers[1]}


def _per_kind(seed: Seed, vocabulary: Mapping[str, Sequence[T]]) -> dict[str, T]:
    """One word a kind; each kind has a stream of its own."""
    return {kind: seed.rng(kind).choice(words) for kind, words in vocabulary.items()}


def _burn(rng: Rng) -> tuple[int, dict[str, BurnTier]]:
    """The SLO period in days and both tiers, which share it."""
    days, long, percent = rng.choice(FAST)
    _, slow_long, slow_percent = rng.choice([tier for tier in SLOW if tier[0] == days])
    return days, {
        "fast": burn_tier("page", days, long, percent, rng.choice(FAST_FOR)),
        "slow": burn_tier("ticket", days, slow_long, slow_percent, rng.choice(SLOW_FOR)),
    }


def burn_tier(urgency: Urgency, days: int, long: int, percent: str, for_: int) -> BurnTier:
    """The tier that spends so much percent of the budget of `days` in `long` minutes; the short window is a twelfth."""
    factor = Fraction(percent) / 100 * days * 24 * 60 / long
    return BurnTier(urgency, long, max(5, long // 12), decimal(factor), for_)


def decimal(value: Fraction) -> str:
    """A non-negative fraction as a decimal without rounding: `72/5` is `14.4`. Raises ValueError for `1/3`."""
    for digits in range(9):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole, rest = divmod(scaled.numerator, 10**digits)
            return f"{whole}.{rest:0{digits}d}" if digits else str(whole)
    raise ValueError(f"{value} has no short decimal form")


def _group_bys(severity: str, owner: str, service: str) -> tuple[tuple[str, ...], ...]:
    return (
        ("alertname", service),
        (service,),
        (owner, service),
        ("alertname", owner, service),
        (service, severity),
        ("alertname", owner),
        ("alertname", service, severity),
    )


def _yaml(rng: Rng) -> YamlStyle:
    return YamlStyle(
        indent_lists=rng.chance(50),
        long_expr=rng.choice(LONG_EXPR),
        width=rng.choice(WIDTHS),
        flow_labels=rng.chance(30),
        quotes=rng.choice(QUOTES),
        spelling=rng.choice(SPELLINGS),
        extension=rng.choice(EXTENSIONS),
    )
