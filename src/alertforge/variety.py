"""What tasks vary in: everything that was drawn for one, out of what, and the words in which it is told.

`drawn` and `vocabulary` have the same keys, so that what is never drawn can be told from what does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final

from alertforge.alerts import KINDS
from alertforge.create import TIERS
from alertforge.defects import CONFIG_DEFECTS, DEFECTS
from alertforge.draft import Draft
from alertforge.items.alert import AlertItem
from alertforge.items.base import Item
from alertforge.items.inhibition import InhibitionItem
from alertforge.items.recording import RecordingItem
from alertforge.items.rehome import RehomeItem
from alertforge.items.route import RouteItem
from alertforge.repo import exporters
from alertforge.workflow import EXPERTISE, PERSONAS, TONES, core
from alertforge.world import styles
from alertforge.world.companies import COMPANIES
from alertforge.world.industries import INDUSTRIES
from alertforge.world.model import World

Drawn = dict[str, tuple[str, ...]]

NONE: Final = "none"
AROUND: Final = ' \t.:;?!“”"*_'  # may differ from place to place without making another sentence
SHORTEST: Final = 5  # words of what counts as a sentence
SOURCES: Final = (
    ("instruction", re.compile(r"instruction\.md")),
    ("README", re.compile(r"README\.md")),
    ("decisions", re.compile(r"docs/adr/.*")),
    ("other documents", re.compile(r"docs/[^/]*")),
    ("postmortems", re.compile(r"postmortems/.*")),
)


# --- what there is to draw from --------------------------------------------------------------------------------------


def _config_defects(family: str) -> tuple[str, ...]:
    return tuple(name for name, defect in CONFIG_DEFECTS.items() if defect.family == family)


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in pairs) or NONE


def _once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


@lru_cache(maxsize=1)
def groups() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Everything that exists, by what it is, in groups for a reader."""
    return {
        "The queue": {
            "alert kind": tuple(KINDS),
            "rule defect": tuple(name for name, defect in DEFECTS.items() if not defect.records),
            "record defect": tuple(name for name, defect in DEFECTS.items() if defect.records),
            "route defect": _config_defects("routes"),
            "inhibition defect": _config_defects("inhibitions"),
        },
        "The story": {
            "workflow": tuple(core()),
            "tier": TIERS,
            "archetype": _once(word for workflow in core().values() for word in workflow.archetypes),
            "persona": PERSONAS,
            "tone": TONES,
            "expertise": EXPERTISE,
        },
        "The world": {
            "company": tuple(company.name for company in COMPANIES),
            "industry": tuple(INDUSTRIES),
            "exporter": tuple(exporter.name for exporter in exporters.load_all()),
        },
        "The house style": {
            "severity words": tuple("/".join(words[:3]) for words in styles.SEVERITIES),
            "severity label": _once(label for words in styles.SEVERITIES for label in words[3]),
            "owner label": styles.OWNER_LABELS,
            "service label": styles.SERVICE_LABELS,
            "pod label": styles.POD_LABELS,
            "extra labels": tuple(map(_pairs, styles.EXTRA_LABELS)),
            "alert naming": styles.ALERTS,
            "record naming": tuple(names[0] for names in styles.RECORDS),
            "receivers": tuple(map(", ".join, styles.RECEIVERS)),
            "default receiver": styles.DEFAULT_RECEIVERS,
            "audit receiver": _once(name or NONE for name in styles.AUDIT_RECEIVERS),
            "routing": styles.ROUTINGS,
            "runbook address": styles.RUNBOOKS,
            "runbook annotation": styles.RUNBOOK_KEYS,
            "summary annotation": styles.SUMMARY_KEYS,
            "rule files": styles.FILES,
            "rules format": ("plain", "PrometheusRule"),
            "long expressions": styles.LONG_EXPR,
            "quotes": styles.QUOTES,
            "spelling": styles.SPELLINGS,
        },
    }


def vocabulary() -> Mapping[str, tuple[str, ...]]:
    """The same without the groups."""
    return {key: values for group in groups().values() for key, values in group.items()}


# --- what was drawn --------------------------------------------------------------------------------------------------


def drawn(draft: Draft) -> Drawn:
    """Everything that was drawn for a task, by the keys of `vocabulary`; what occurs twice stands there twice."""
    return {**_queue(draft.items), **_story(draft), **_house(draft.world)}


def _queue(items: Sequence[Item]) -> Drawn:
    out: dict[str, list[str]] = {key: [] for key in groups()["The queue"]}
    for item in items:
        if isinstance(item, AlertItem):
            out["alert kind"].append(item.kind.name)
        if defect := _defect(item):
            out[f"{_part(item)} defect"].append(defect)
    return {key: tuple(values) for key, values in out.items()}


def _part(item: Item) -> str:
    """What part of a repo an item is about."""
    return {"A": "rule", "P": "rule", "C": "record", "R": "route", "I": "inhibition"}[item.id[0]]


def _defect(item: Item) -> str:
    """The name of an item's defect, empty where it has none."""
    if isinstance(item, AlertItem | RecordingItem | RouteItem | InhibitionItem) and item.defect is not None:
        return item.defect.name
    return ""


def _story(draft: Draft) -> Drawn:
    axes, world = draft.axes, draft.world
    known = vocabulary()["exporter"]
    stems = (PurePosixPath(file.path).stem for file in draft.solved.rule_files)
    return {
        "workflow": (draft.brief.workflow,),
        "tier": (draft.brief.tier,),
        "archetype": (axes.archetype,),
        "persona": (axes.persona,),
        "tone": (axes.tone,),
        "expertise": (axes.expertise,),
        "company": (world.company,),
        "industry": (world.industry,),
        "exporter": tuple(stem for stem in stems if stem in known),
    }


def _house(world: World) -> Drawn:
    style = world.style
    severities = style.severities
    record = next(
        (
            name
            for name, _ in styles.RECORDS
            if name.replace("{service_label}", style.service_label) == style.record_name
        ),
        style.record_name,
    )
    one = {
        "severity words": f"{severities['page']}/{severities['ticket']}/{style.info_severity}",
        "severity label": style.severity_label,
        "owner label": style.owner_label,
        "service label": style.service_label,
        "pod label": style.pod_label,
        "extra labels": _pairs(style.extra_labels),
        "alert naming": style.alert_name,
        "record naming": record,
        "receivers": f"{style.receiver['page']}, {style.receiver['ticket']}",
        "default receiver": style.default_receiver,
        "audit receiver": style.audit_receiver or NONE,
        "routing": style.routing,
        "runbook address": style.runbook.replace(world.domain, "{domain}"),
        "runbook annotation": style.runbook_key,
        "summary annotation": style.summary_key,
        "rule files": style.files,
        "rules format": "PrometheusRule" if style.manifests else "plain",
        "long expressions": style.yaml.long_expr,
        "quotes": style.yaml.quotes,
        "spelling": style.yaml.spelling,
    }
    return {key: (value,) for key, value in one.items()}


def circumstances(draft: Draft) -> tuple[str, ...]:
    """What decides which sentences a task could hold, beside what was drawn."""
    style = draft.world.style
    has = {
        "more labels": bool(style.extra_labels),
        "audit receiver": bool(style.audit_receiver),
        "description": bool(style.description_key),
    }
    return (
        *(f"policy: {entry.kind}" for entry in draft.brief.policies),
        *_once(f"{'broken' if _defect(item) else 'whole'}: {_part(item)}" for item in draft.items),
        *(f"{what}: {'yes' if there else 'no'}" for what, there in has.items()),
    )


def asked(items: Sequence[Item]) -> tuple[str, ...]:
    """Each requirement in a few words: `repair error-ratio no-for`, `new route`."""
    return tuple(map(_asked, items))


def _asked(item: Item) -> str:
    what = _part(item)
    if isinstance(item, AlertItem):
        what = item.kind.name
    elif isinstance(item, RecordingItem):
        what = f"{item.sli.name} records"
    if isinstance(item, RehomeItem):
        return f"re-home {what}"
    return f"repair {what} {_defect(item)}" if _defect(item) else f"new {what}"


# --- names and sentences ---------------------------------------------------------------------------------------------


def names(draft: Draft) -> tuple[str, ...]:
    """The proper names of a task: company, teams, services, people, and the alerts and records it asks for."""
    world = draft.world
    return _once(
        name
        for name in (
            world.company,
            *(team.name for team in world.teams),
            *(service.name for service in world.services),
            *_people(world),
            *(name for item in draft.items for name in (*item.touched().alerts, *item.touched().records)),
        )
    )


def _people(world: World) -> tuple[str, ...]:
    return tuple(
        person.name for person in (world.sre, *(p for team in world.teams for p in (team.lead, *team.members)))
    )


def sentences(draft: Draft, instruction: str) -> dict[str, tuple[str, ...]]:
    """The sentences of a task's prose by source, so that wordings show: names, numbers and code are masked.

    So is what the world says of a company and its services: it is no more ours to vary than their names.
    """
    mask = _mask(draft)
    texts = {"instruction.md": instruction, **draft.docs}
    out: dict[str, dict[str, None]] = {}
    for path, text in texts.items():
        for source, pattern in SOURCES:
            if path.endswith(".md") and pattern.fullmatch(path):
                out.setdefault(source, {}).update(dict.fromkeys(_sentences(mask(text))))
    return {source: tuple(found) for source, found in out.items()}


def _mask(draft: Draft) -> Callable[[str], str]:
    world = draft.world
    known = [world.company, *_people(world), *(name.split(" ")[0] for name in _people(world))]
    known += [text for team in world.teams for text in (team.title, team.name)]
    known += [text for service in world.services for text in (service.title, service.name, service.purpose)]
    known.append(world.blurb.removesuffix("."))
    known += [rule.name for repo in (draft.start, draft.solved) for rule in repo.rules()]
    pattern = re.compile(
        "|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(set(known), key=len, reverse=True))
    )

    def mask(text: str) -> str:
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        text = re.sub(r"`[^`\n]*`", "…", text)
        return re.sub(r"[\d.]*\d", "N", pattern.sub("…", text))

    return mask


def _sentences(text: str) -> Iterator[str]:
    for line in re.split(r"\n|\|", text):
        if line.strip().startswith(("#", "<!--", "---")):
            continue
        plain = re.sub(r"^\s*([-*]|N\.|N) +|\*\*\w+\*\* ", "", line)
        for sentence in re.split(r"(?<=[.:?!]) +", plain):
            if len(sentence.split()) >= SHORTEST:
                bare = sentence.strip(AROUND)
                yield bare[:1].upper() + bare[1:]
