"""The monitoring repo as a value: rule files and the Alertmanager configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from alertforge.alertmanager.config import Config
from alertforge.prometheus.rules import Group, Rule, RuleFile
from alertforge.world.model import Service, World

CONFIG_PATH = "alertmanager/alertmanager.yml"


@dataclass(frozen=True)
class Repo:
    """All that Prometheus and Alertmanager load; documents are rendered apart from it."""

    rule_files: tuple[RuleFile, ...]
    config: Config

    def rules(self) -> Iterator[Rule]:
        """Every rule, in file order."""
        for file in self.rule_files:
            yield from file.rules()

    def alert(self, name: str) -> Rule:
        """The alert of that name. Raises KeyError."""
        for rule in self.rules():
            if rule.is_alert and rule.name == name:
                return rule
        raise KeyError(name)

    def map(self, change: Callable[[Rule], Iterable[Rule]]) -> Repo:
        """Every rule replaced by what `change` makes of it; groups and files that end up empty are dropped."""
        files = []
        for file in self.rule_files:
            groups = [
                replace(group, rules=tuple(new for rule in group.rules for new in change(rule)))
                for group in file.groups
            ]
            kept = tuple(group for group in groups if group.rules)
            if kept:
                files.append(replace(file, groups=kept))
        return replace(self, rule_files=tuple(files))

    def replace_rule(self, old: Rule, new: Sequence[Rule]) -> Repo:
        """One rule replaced, in its place, by none, one or several. Raises KeyError where it is not there."""
        if old not in tuple(self.rules()):
            raise KeyError(old.name)
        return self.map(lambda rule: tuple(new) if rule == old else (rule,))

    def add(self, path: str, group: str, rules: Sequence[Rule], *, manifests: bool) -> Repo:
        """Rules at the end of a group; file and group are made where they are missing."""
        files = list(self.rule_files)
        index = next((i for i, file in enumerate(files) if file.path == path), None)
        if index is None:
            name = path.rsplit("/", 1)[-1].rsplit(".", 1)[0] if manifests else None
            files.append(RuleFile(path, (), name))
            files.sort(key=lambda file: file.path)
            index = next(i for i, file in enumerate(files) if file.path == path)
        file = files[index]
        if all(g.name != group for g in file.groups):
            file = replace(file, groups=(*file.groups, Group(group)))
        groups = tuple(replace(g, rules=(*g.rules, *rules)) if g.name == group else g for g in file.groups)
        files[index] = replace(file, groups=groups)
        return replace(self, rule_files=tuple(files))

    def with_config(self, config: Config) -> Repo:
        """The same rules with another Alertmanager configuration."""
        return replace(self, config=config)


def alert_place(world: World, service: Service, *, burn: bool) -> tuple[str, str]:
    """File and group of a service's alerts in this house."""
    style = world.style
    extension = style.yaml.extension
    if style.files == "by-service":
        return f"rules/{service.name}.{extension}", f"{service.name}-{'slo' if burn else 'health'}"
    if style.files == "by-team":
        return f"rules/team-{service.team}.{extension}", f"{service.name}-{'slo' if burn else 'health'}"
    purpose = "slo-alerts" if burn else "service-health"
    return f"rules/{purpose}.{extension}", f"{service.name}-{purpose}"


def record_place(world: World, family: str) -> tuple[str, str]:
    """File and group of a family's SLI records in this house."""
    return f"rules/sli-records.{world.style.yaml.extension}", f"sli-{family.replace('_', '-')}"
