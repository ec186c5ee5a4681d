"""The page that lists every alert kind, from the kinds' own tables: `python -m alertforge.alerts.page > FILE`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Final

from alertforge.alerts import KINDS
from alertforge.alerts.base import AlertKind
from alertforge.alerts.burn import BurnKind
from alertforge.alerts.styled import StyledKind
from alertforge.world import styles

_ROW: Final = re.compile(r"^\| (means|fires|silent|numbers) \| (.+) \|$", re.MULTILINE)
_HEAD: Final = """# Alert kinds

What each kind of alert means, when it must fire and when it must stay silent. A kind is one file under
`src/alertforge/alerts/`; its table there is the source of this page (`python -m alertforge.alerts.page`). Names, label
values and numbers are the house's: each company draws them from `src/alertforge/world/styles.py` and writes them in its
README. What they can be is listed under each kind.
"""


def page() -> str:
    """The whole page, Markdown."""
    overview = ["| kind | asks for | means |", "|---|---|---|"]
    for kind in KINDS.values():
        overview.append(f"| [{kind.name}](#{kind.name}) | {_asks(kind)} | {table(kind)['means']} |")
    return "\n".join([_HEAD, *overview, "", *(_section(kind) for kind in KINDS.values())]).rstrip() + "\n"


def table(kind: AlertKind) -> Mapping[str, str]:
    """The rows of a kind's docstring table: `means`, `fires`, `silent`, `numbers`."""
    owner = BurnKind if isinstance(kind, BurnKind) else type(kind)
    return dict(_ROW.findall(inspect.getdoc(inspect.getmodule(owner)) or ""))


def _asks(kind: AlertKind) -> str:
    if isinstance(kind, BurnKind):
        return "page" if kind.tier == "fast" else "ticket"
    assert isinstance(kind, StyledKind)
    return kind.asks


def _section(kind: AlertKind) -> str:
    rows, file = table(kind), type(kind).__module__.rpartition(".")[2]
    lines = [
        f"## {kind.name}",
        "",
        f"{kind.title[0].upper()}{kind.title[1:]}: {rows['means']} (`{file}.py`).",
        "",
        f"- fires: {rows['fires']}",
        f"- silent: {rows['silent']}",
        f"- numbers: {rows['numbers']}",
        *(f"- {what}: {values}" for what, values in _numbers(kind).items()),
    ]
    return "\n".join([*lines, ""])


def _numbers(kind: AlertKind) -> Mapping[str, str]:
    """What the numbers can be in a house."""
    if isinstance(kind, BurnKind):
        tiers, waits = (styles.FAST, styles.FAST_FOR) if kind.tier == "fast" else (styles.SLOW, styles.SLOW_FOR)
        longs = sorted({long for _, long, _ in tiers})
        return {
            "long windows": f"{_listed(longs)} minutes; the short one is a twelfth of it, 5 minutes at least",
            "`for`": f"{_listed(waits)} minutes",
        }
    out = {"`for`": f"{_listed(styles.FOR_MINUTES[kind.name])} minutes"}
    if kind.windowed:
        out["window"] = f"{_listed(styles.WINDOWS[kind.name])} minutes"
    if kind.name in styles.THRESHOLDS:
        out["threshold"] = f"{_listed(styles.THRESHOLDS[kind.name])} {styles.UNITS[kind.name]}"
    return out


def _listed(values: Iterable[object]) -> str:
    return ", ".join(map(str, values))


if __name__ == "__main__":
    print(page(), end="")
