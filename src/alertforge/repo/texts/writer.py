"""Who writes the texts of a task: draws wordings, fills in what the brief says, renders templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from alertforge.repo.brief import Brief
from alertforge.repo.texts import markdown
from alertforge.repo.texts.markdown import listed, placeholders
from alertforge.repo.wordings import (
    ENVIRONMENT,
    TEMPLATES,
    Fact,
    Share,
    agreeing,
    compiled,
    upper,
    with_capitals,
    wordings,
)
from alertforge.seeds import Seed
from alertforge.world.model import Service
from alertforge.world.naming import slug, window_text

WORKSPACE: Final = "/workspace/monitoring"
_PERCENT: Final = (" %", "%", " percent")
_ADDED: Final = (True, False, False)


@dataclass(frozen=True)
class Writer:
    """The hand that all texts of one task are written in."""

    brief: Brief
    seed: Seed

    def say(self, slot: str, *, turn: int = 0, **names: Any) -> str:
        """One wording of a slot. Further turns take other wordings before the first one comes back."""
        ways = self._ordered(wordings()[slot], "say", slot)
        return self.fill(ways[turn % len(ways)], names)

    def _ordered(self, ways: Sequence[str], *names: str | int) -> list[str]:
        """Wordings or templates in the order in which this task uses them."""
        turns = self.brief.turns
        return turns.ordered(ways, *names) if turns else self.seed.rng(*names).shuffled(ways)

    def fill(self, way: str, names: Mapping[str, Any]) -> str:
        """A wording with its names and numbers, and those that every sentence may mention."""
        return agreeing(compiled(way).render({**self.words, **names}))

    def tell(self, told: Fact, turn: int = 0) -> str:
        """A fact of the brief, in a wording of this task."""
        names = {name: self._part(part, turn) for name, part in told.names}
        if targets := names.get("targets"):
            names["targets"] = listed(targets.split(", "))
        return self.say(told.slot, turn=turn, **with_capitals(names))

    def _part(self, part: str | Share | Fact, turn: int) -> str:
        match part:
            case Fact():
                return self.tell(part, turn)
            case Share():
                return self.limit(part)
        return part

    def percent(self, share: Share) -> str:
        """A share as this house writes percentages."""
        return f"{share.hundredths}{self.draw('percent', of=_PERCENT)}"

    def limit(self, share: Share) -> str:
        """A share that an alert is compared with; some houses add how a rule writes it."""
        return f"{self.percent(share)} ({share.fraction})" if self.draw("fraction", of=_ADDED) else self.percent(share)

    def draw(self, *names: str | int, of: Sequence[Any]) -> Any:
        """One of several things."""
        return self.seed.rng(*names).choice(of)

    def render(self, folder: str, key: str | int = "", **names: Any) -> str:
        """One of the templates of a folder."""
        found = sorted(path.name for path in (TEMPLATES / folder).glob("*.md.j2"))
        template = ENVIRONMENT.get_template(f"{folder}/{self._ordered(found, 'template', folder, key)[0]}")
        text = template.render({**self.words, **self._tools, **names})
        return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip() + "\n"

    @property
    def _tools(self) -> dict[str, Any]:
        return {
            "table": markdown.table, "bullets": markdown.bullets, "numbered": markdown.numbered, "day": markdown.spelt,
            "listed": listed, "upper": upper, "say": self.say, "brief": self.brief,
        }  # fmt: skip

    @cached_property
    def words(self) -> dict[str, Any]:
        """What every sentence may mention."""
        world, style = self.brief.world, self.brief.world.style
        service = world.services[0]
        kind, named = self.draw("example-alert", of=self.brief.examples)
        example = self.alert_name(kind, world.service(named))
        extra = [f"`{key}: {value}`" for key, value in style.extra_labels]
        return {
            "company": world.company, "industry": world.industry, "blurb": world.blurb, "sre": world.sre,
            "company_does": re.sub(rf"^{re.escape(world.company)}\b", "The company", world.blurb),
            "sev": style.severity_label, "page": style.severities["page"], "ticket": style.severities["ticket"],
            "info": style.info_severity, "owner": style.owner_label, "svc": style.service_label,
            "pod": style.pod_label, "and_extra": f", as well as {listed(extra)}" if extra else "",
            "summary": style.summary_key, "runbook_key": style.runbook_key, "desc": style.description_key or "",
            "runbook": placeholders(style.runbook), "ext": style.yaml.extension, "days": style.slo_days,
            "rps": style.min_rps, "record_pattern": placeholders(style.record_name),
            "latency_pattern": placeholders(style.latency_record_name),
            "windows": listed(f"`{window_text(minutes)}`" for minutes in self.brief.windows),
            "fallback": style.default_receiver, "group_by": listed(f"`{label}`" for label in style.group_by),
            "name_pattern": placeholders(style.alert_name), "example_service": service.name,
            "example_camel": service.camel, "example_title": service.title, "example_alert": example,
            "example_slug": slug(example), "fleet": world.team(world.fleet), "workspace": WORKSPACE,
            "nights": self.seed.rng("nights").between(3, 19), "copies": self.seed.rng("copies").between(5, 14),
            "page_to": placeholders(style.receiver["page"]), "ticket_to": placeholders(style.receiver["ticket"]),
            "canary": self.brief.canary,
        }  # fmt: skip

    def alert_name(self, kind: str, service: Service) -> str:
        """The name of a service's alert of that kind."""
        style = self.brief.world.style
        return style.alert_name.format(Service=service.camel, service=service.name, symptom=style.symptoms[kind])
