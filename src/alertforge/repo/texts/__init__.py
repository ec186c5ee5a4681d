"""Everything people wrote in and around a repo: README, catalog, decisions, postmortems, the instruction.

Sentences come from `templates/wordings/*.txt`, several wordings each, and the order of things from the jinja2
templates beside them. What is said is the brief's; how it is said is drawn from the seed. One room for each kind of
document, and a `Writer` that all of them share.
"""

from __future__ import annotations

from alertforge.repo import catalog, script
from alertforge.repo.brief import Brief
from alertforge.repo.texts import asking, decisions, oncall, postmortems
from alertforge.repo.texts.readme import Readme
from alertforge.repo.texts.writer import Writer
from alertforge.seeds import Seed


def documents(brief: Brief, seed: Seed) -> dict[str, str]:
    """Every text of the repo beside rules, configuration and visible tests, by path."""
    writer = Writer(brief, seed)
    catalog_seed = seed.child("catalog")
    out = {
        "README.md": Readme(writer, catalog.keys(catalog_seed)).text(),
        catalog.PATH: catalog.catalog(brief, catalog_seed),
        script.PATH: script.af_check(brief),
        **decisions.decisions(writer),
        **postmortems.postmortems(writer),
    }
    if seed.rng("oncall").chance(50):
        out[oncall.PATH] = oncall.page(writer)
    return dict(sorted(out.items()))


def instruction(brief: Brief, seed: Seed) -> str:
    """What the agent is asked to do."""
    return asking.instruction(Writer(brief, seed))


def readme(brief: Brief, seed: Seed) -> str:
    """The README of the task directory, for a human who opens it."""
    return asking.task_readme(Writer(brief, seed))


__all__ = ["documents", "instruction", "readme"]
