"""The README of the repo: layout, house style, alert policies, routing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from alertforge.repo.catalog import Keys
from alertforge.repo.texts.markdown import listed
from alertforge.repo.texts.tiers import LATENCY, Tier, tiers
from alertforge.repo.texts.writer import Writer
from alertforge.repo.wordings import clause, upper
from alertforge.seeds import Rng


@dataclass(frozen=True)
class Kind:
    """One alert policy, ready to print."""

    title: str
    symptom: str
    word: str
    condition: str


@dataclass(frozen=True)
class Readme:
    """What the templates of a README may ask for, as `me`."""

    writer: Writer
    catalog_keys: Keys

    def text(self) -> str:
        """The whole page."""
        return _in_drawn_order(self.writer.render("readme", me=self), self.writer.seed.rng("sections"))

    @property
    def kinds(self) -> list[Kind]:
        """Every alert policy of the house."""
        brief = self.writer.brief
        symptoms = brief.world.style.symptoms
        slots = [one.condition.slot for one in brief.policies]
        turns = [slots[:index].count(slot) for index, slot in enumerate(slots)]  # burn alerts share theirs
        return [
            Kind(one.title, symptoms[one.kind], one.urgency, clause(self.writer.tell(one.condition, turn)))
            for turn, one in zip(turns, brief.policies, strict=True)
        ]

    @property
    def example_of_names(self) -> dict[str, Any]:
        """The name of an alert that stands in the repo, with what it is made of."""
        brief = self.writer.brief
        kind, service = self.writer.draw("example", of=brief.examples)
        (title,) = (one.title for one in brief.policies if one.kind == kind)
        return {"kind": title, "service": service, "name": self.writer.alert_name(kind, brief.world.service(service))}

    def rows(self, *columns: str) -> list[list[str]]:
        """A table of the alert policies; names and words in code marks."""
        code = {"symptom", "word"}
        return [
            [f"`{getattr(kind, name)}`" if name in code else getattr(kind, name) for name in columns]
            for kind in self.kinds
        ]

    @property
    def condition_lines(self) -> list[str]:
        """The alert policies, a sentence each."""
        return [f"{upper(one.title)} is `{one.word}`: {one.condition}." for one in self.kinds]

    @property
    def tiers(self) -> list[Tier]:
        """The burn tiers, fast one first."""
        return tiers(self.writer)

    @property
    def tier_rows(self) -> list[list[str]]:
        """The burn tiers as a table."""
        return [
            [one.title, f"`{one.word}`", one.long, one.short, one.factor, one.wait, f"{one.spent} in {one.long}"]
            for one in self.tiers
        ]

    @property
    def tier_rows_short(self) -> list[list[str]]:
        """The same, urgency late."""
        return [
            [one.title, one.long, one.short, f"{one.factor}×", one.wait, f"`{one.word}`", one.spent]
            for one in self.tiers
        ]

    @property
    def tier_columns(self) -> list[list[str]]:
        """The same, a column per tier."""
        fast, slow = self.tier_rows
        names = ("urgency", "long window", "short window", "factor", "`for`", "budget spent")
        return [[name, a, b] for name, a, b in zip(names, fast[1:], slow[1:], strict=True)]

    @property
    def tier_sentences(self) -> list[str]:
        """The same, a sentence per tier."""
        return [one.sentence(self.writer, turn, f"**{one.title}**") for turn, one in enumerate(self.tiers, 2)]

    @property
    def places(self) -> list[str]:
        """Where rules are, whose those are that belong to no service, and how they are wrapped."""
        style = self.writer.brief.world.style
        return [
            self.writer.say(f"place-{style.files}"),
            self.writer.say("place-records"),
            self.writer.say("place-exporters"),
            self.writer.say("place-fleet"),
            self.writer.say("manifests" if style.manifests else "plain"),
        ]

    @property
    def urgencies(self) -> str:
        """What each urgency means; where teams keep what is neither page nor ticket, it comes with the tickets."""
        kept = any(one.slot == "route-anything-else" for one in self.writer.brief.routing)
        return self.writer.say("severities-kept" if kept else "severities")

    @property
    def label_rules(self) -> list[str]:
        """Which labels an alert carries."""
        return [self.writer.say(slot) for slot in ("labels", "labels-other", "one-alert")]

    @property
    def naming(self) -> list[str]:
        """How alerts are named."""
        out = [self.writer.say("names")]
        if "{Service}" in self.writer.brief.world.style.alert_name:
            out.append(self.writer.say("name-parts"))
        return [*out, self.writer.say("names-example", **self.example_of_names)]

    @property
    def annotating(self) -> list[str]:
        """Annotations and runbooks."""
        style = self.writer.brief.world.style
        out = [self.writer.say("annotations"), self.writer.say("runbook")]
        if style.description_key:
            out.insert(1, self.writer.say("description"))
        if "{slug}" in style.runbook:
            out.append(self.writer.say("slug"))
        return out

    @property
    def burning(self) -> list[str]:
        """How burn alerts work."""
        out = [self.writer.say("burn"), self.writer.say("period")]
        if LATENCY & {one.kind for one in self.writer.brief.policies}:
            out.append(self.writer.say("burn-latency"))
        return out

    @property
    def guards(self) -> list[str]:
        """What conditions leave to the catalog, minimum traffic where a policy has it, what no alert may hang on."""
        guarded = any(one.kind == "error-ratio" for one in self.writer.brief.policies)
        terms = listed(f"`{key}` ({term})" for term, key in self._catalog_terms)
        least = [self.writer.say("guard")] if guarded else []
        return [self.writer.say("catalog-keys", terms=terms), *least, self.writer.say("own-metrics")]

    @property
    def _catalog_terms(self) -> list[tuple[str, str]]:
        """What policies call a number of a service, and the catalog's key for it; the objective is always named."""
        brief, keys = self.writer.brief, self.catalog_keys
        said = " ".join(str(one.condition) for one in brief.policies)
        out = [("SLO", keys.objective)]
        if "latency SLO" in said:
            out.append(("latency SLO", keys.latency_objective))
        if "latency SLO" in said or "<latency threshold>" in said:
            out.append(("latency threshold", keys.latency_threshold))
        return out

    @property
    def recording(self) -> list[str]:
        """What is recorded, and under which names."""
        brief, style = self.writer.brief, self.writer.brief.world.style
        out = [self.writer.say("records"), self.writer.say("records-windows")]
        families = {service.family.name for service in brief.world.services}
        if "{family}" not in style.record_name and len(families) > 1:
            out.append(self.writer.say("records-shared"))
        latency = re.escape(style.latency_record_name).replace(r"\{family\}", ".+").replace(r"\{window\}", ".+")
        if any(re.fullmatch(latency, name) for name in brief.records):
            out.append(self.writer.say("latency-records"))
        return [*out, self.writer.say("records-order")]

    @property
    def routing(self) -> list[str]:
        """The routing policy."""
        return [self.writer.tell(one) for one in self.writer.brief.routing]

    @property
    def inhibiting(self) -> list[str]:
        """The inhibition policy."""
        return [self.writer.tell(one) for one in self.writer.brief.inhibitions]

    @property
    def measuring(self) -> list[str]:
        """What the list of metrics opens with; before it, how bounds of histograms are written where there are any."""
        buckets = any(name.endswith("_bucket") for name, _ in self.writer.brief.metrics)
        return [*([self.writer.say("le")] if buckets else []), self.writer.say("metrics")]

    @property
    def metric_rows(self) -> list[tuple[str, str]]:
        """What targets export."""
        return [(f"`{name}`", self.writer.tell(what)) for name, what in self.writer.brief.metrics]


def _in_drawn_order(text: str, rng: Rng) -> str:
    """The sections of a README, which `%%` stands between, the first and the last in their place; `§` is a number."""
    first, *sections, last = text.split("\n%%\n")
    ordered = [*rng.shuffled(sections), last]
    return "\n".join([first, *(one.replace("§", str(number)) for number, one in enumerate(ordered, 1))])
