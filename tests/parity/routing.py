"""Routing: `routing.resolve` and `amtool.Classifier` against amtool on the original file and against the server.

A case is one label set in one random routing tree.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alertforge.alertmanager import routing
from alertforge.alertmanager.amtool import Classifier
from alertforge.alertmanager.config import ALL_LABELS, RouteNode, parse
from alertforge.tools import find

from . import alertmanager_text as write
from .alertmanager_server import ANSWER_SECONDS, Server, serving

RECEIVERS = ("root", "a", "b", "c d", "e")
TREES_PER_SERVER = 30
SETS_PER_TREE = 12
CASE = "parity_case"  # tells the trees of one server apart


Key = tuple[tuple[str, str], ...]
Grouping = tuple[str, Key]  # receiver and labels of a group


@dataclass(frozen=True)
class Tree:
    """One routing tree, as plain YAML values, and label sets to send through it."""

    route: dict[str, Any]
    text: str
    label_sets: tuple[dict[str, str], ...]


def draw(rng: random.Random) -> Tree:
    """A random tree with label sets, no two of them equal."""
    route = {"receiver": "root", **_extras(rng), "routes": [_route(rng, 1) for _ in range(rng.randint(1, 4))]}
    sets: dict[Key, dict[str, str]] = {}
    while len(sets) < SETS_PER_TREE:
        labels = write.labels(rng)
        present = tuple(sorted((name, text) for name, text in labels.items() if text))
        sets.setdefault(present, labels)
    text = write.document(rng, {"route": route, "receivers": _receivers()})
    return Tree(route, text, tuple(sets.values()))


def _receivers() -> list[dict[str, str]]:
    return [{"name": name} for name in RECEIVERS]


def _route(rng: random.Random, depth: int) -> dict[str, Any]:
    out = {**write.fields(rng, write.conditions(rng)), **_extras(rng)}
    if rng.random() < 0.75:
        out["receiver"] = rng.choice(RECEIVERS)
    if rng.random() < 0.4:
        out["continue"] = rng.random() < 0.8
    if depth < 4 and rng.random() < 0.5:
        out["routes"] = [_route(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    return out


def _extras(rng: random.Random) -> dict[str, Any]:
    out: dict[str, Any] = {"group_wait": "1h"} if rng.random() < 0.3 else {}
    if rng.random() < 0.4:
        out["group_by"] = rng.choice([[], [ALL_LABELS], ["team"], ["a b", "svc"], ["nowhere"]])
    return out


@dataclass(frozen=True)
class Difference:
    """One case where two answers differ."""

    what: str
    tree: Tree
    labels: dict[str, str]
    ours: object
    theirs: object

    def __str__(self) -> str:
        return f"{self.what}: {self.labels!r}\n  ours   {self.ours}\n  theirs {self.theirs}\n{self.tree.text}"


def compare(
    trees: Sequence[Tree], *, server: bool = True, direct: bool = True
) -> tuple[Counter[str], list[Difference]]:
    """Send every label set through everything; counts per comparison, and the differences.

    `server` asks the server about all of them, `direct` amtool about each and the original file, 25 ms a label set.
    """
    counts: Counter[str] = Counter()
    differences: list[Difference] = []

    def note(what: str, tree: Tree, labels: dict[str, str], ours: object, theirs: object) -> None:
        counts[what] += 1
        if ours != theirs:
            differences.append(Difference(what, tree, labels, ours, theirs))

    for tree in trees:
        config = parse(tree.text)
        classified = Classifier(config, find("amtool")).classify(tree.label_sets)
        answers = _amtool(tree) if direct else None
        for position, labels in enumerate(tree.label_sets):
            found = classified[position]
            note("Classifier = resolve", tree, labels, found.nodes, routing.resolve(config.route, labels))
            if answers is not None:
                note("Classifier = amtool", tree, labels, list(found.receivers), answers[position])
    for start in range(0, len(trees) if server else 0, TREES_PER_SERVER):
        chunk = trees[start : start + TREES_PER_SERVER]
        for index, tree, labels, receivers, groups in _served(chunk):
            nodes = routing.resolve(parse(tree.text).route, labels)
            note("resolve = server", tree, labels, [node.receiver for node in nodes], receivers)
            note("groups = server", tree, labels, sorted(_group(node, labels, index) for node in nodes), groups)
    return counts, differences


def _served(trees: Sequence[Tree]) -> Iterator[tuple[int, Tree, dict[str, str], list[str], list[Grouping]]]:
    """Per tree and label set what the server says: receivers in order, groups sorted."""
    sent = [(index, tree, labels) for index, tree in enumerate(trees) for labels in tree.label_sets]
    with serving(_server_config(trees)) as server:
        server.post([_tagged(labels, index) for index, _, labels in sent])
        receivers = _told(server)
        groups = _groups(server, sum(map(len, receivers.values())))
    for index, tree, labels in sent:
        key = _key(_tagged(labels, index))
        yield index, tree, labels, receivers[key], groups.get(key, [])


def _tagged(labels: dict[str, str], index: int) -> dict[str, str]:
    return {CASE: str(index), **labels}


def _key(labels: dict[str, str]) -> Key:
    return tuple(sorted((name, text) for name, text in labels.items() if text))


def _server_config(trees: Sequence[Tree]) -> str:
    routes = [{**tree.route, "matchers": [f'{CASE}="{index}"']} for index, tree in enumerate(trees)]
    # long waits and bare receivers: nothing is ever sent
    root = {"receiver": "root", "group_wait": "1h", "routes": routes}
    return write.document(random.Random(0), {"route": root, "receivers": _receivers()})


def _told(server: Server) -> dict[Key, list[str]]:
    return {_key(alert["labels"]): [each["name"] for each in alert["receivers"]] for alert in server.alerts()}


def _groups(server: Server, expected: int) -> dict[Key, list[Grouping]]:
    """Per alert the receiver and labels of each group it is in; the dispatcher takes its time."""
    deadline = time.monotonic() + ANSWER_SECONDS
    while True:
        groups = server.groups()
        if sum(len(group["alerts"]) for group in groups) >= expected or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    out: dict[Key, list[Grouping]] = {}
    for group in groups:
        for alert in group["alerts"]:
            grouping = (group["receiver"]["name"], _key(group["labels"]))
            out.setdefault(_key(alert["labels"]), []).append(grouping)
    return {key: sorted(found) for key, found in out.items()}


def _group(node: RouteNode, labels: dict[str, str], index: int) -> Grouping:
    tagged = _tagged(labels, index)
    every = node.group_by == (ALL_LABELS,)
    return node.receiver, _key({name: text for name, text in tagged.items() if every or name in node.group_by})


def _amtool(tree: Tree) -> list[list[str]]:
    """What amtool says about each label set and the original file."""
    amtool = str(find("amtool"))
    with tempfile.TemporaryDirectory(prefix="parity-") as folder, ThreadPoolExecutor(2) as pool:
        Path(folder, "am.yml").write_text(tree.text, encoding="utf-8")

        def ask(labels: dict[str, str]) -> list[str]:
            arguments = [write.matcher(_ALWAYS_QUOTED, name, "=", text) for name, text in labels.items()]
            command = [amtool, "config", "routes", "test", "--config.file=am.yml", *arguments]
            done = subprocess.run(command, cwd=folder, env={"HOME": folder}, capture_output=True, text=True, check=True)
            return done.stdout.split("\n")[-2].split(",")

        return list(pool.map(ask, tree.label_sets))


class _Quoting(random.Random):
    """Draws that make `write.matcher` put name and value in quotes."""

    def random(self) -> float:
        return 0.99

    def choice(self, seq: Any) -> Any:
        return seq[0]


_ALWAYS_QUOTED = _Quoting()


def run(cases: int, seed: int, *, direct: bool = True) -> int:
    """Compare this many cases and print a summary; returns the number of differences."""
    rng = random.Random(f"routing {seed}")
    trees = [draw(rng) for _ in range(-(-cases // SETS_PER_TREE))]
    counts, differences = compare(trees, direct=direct)
    print(f"routing: {len(trees)} trees, {sum(len(tree.label_sets) for tree in trees)} label sets")
    for what, count in sorted(counts.items()):
        wrong = [difference for difference in differences if difference.what == what]
        print(f"  {what:<24}{count:>8} compared{len(wrong):>6} differ")
        for difference in wrong[:3]:
            print(difference)
    return len(differences)
