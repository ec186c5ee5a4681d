"""A task before it is packed: its queue, its repos as values, its texts, and how the house prints it all.

Policies are edits of these repos; printing is remembered, as a hundred variants share most of their files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from alertforge.alertmanager.config import Config
from alertforge.items.base import Item
from alertforge.plan import Planner
from alertforge.prometheus.rules import RuleFile
from alertforge.repo.brief import Brief
from alertforge.repo.model import CONFIG_PATH, Repo
from alertforge.repo.printer import print_alertmanager, print_rule_file
from alertforge.seeds import Seed
from alertforge.task import Files
from alertforge.words import Axes, axes
from alertforge.world.model import World


@dataclass(frozen=True)
class Draft:
    """The queue, both ends of it, and the texts around them."""

    name: str  # the task's id
    number: int  # seed number within workflow and tier
    canary: str
    planner: Planner
    items: tuple[Item, ...]
    start: Repo
    solved: Repo
    brief: Brief
    docs: Files  # what a workspace holds beside rules and configuration; no policy edits it
    _rules: dict[RuleFile, str] = field(default_factory=dict)
    _configs: list[tuple[Config, str]] = field(default_factory=list)

    @property
    def world(self) -> World:
        """The company, its people and its house style."""
        return self.planner.world

    @property
    def seed(self) -> Seed:
        """The task's seed."""
        return self.planner.seed

    @property
    def axes(self) -> Axes:
        """What the task varies in beside its world."""
        return axes(self.planner)

    def loaded(self, repo: Repo) -> Files:
        """What Prometheus and Alertmanager load, as the house writes it, by path."""
        out = {file.path: self._rule_file(file) for file in repo.rule_files}
        out[CONFIG_PATH] = self._config(repo.config)
        return out

    def files(self, repo: Repo) -> Files:
        """A whole workspace as the house writes it."""
        return dict(sorted({**self.loaded(repo), **self.docs}.items()))

    @property
    def _header(self) -> tuple[str, ...]:
        return (f"canary {self.canary}",)

    def _rule_file(self, file: RuleFile) -> str:
        if file not in self._rules:
            self._rules[file] = print_rule_file(file, self.world.style, self._header)
        return self._rules[file]

    def _config(self, config: Config) -> str:
        for known, text in self._configs:
            if known == config:
                return text
        self._configs.append((config, print_alertmanager(config, self.world.style, self._header)))
        return self._configs[-1][1]


def broken(repo: Repo, items: Iterable[Item]) -> Repo:
    """A repo with some items taken out again."""
    for item in items:
        repo = item.break_(repo)
    return repo
