"""Ask the real promtool what queries return: many scenarios in one run, one test file each."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from alertforge.prometheus.series import Labels, Series, notation, selector_text
from alertforge.tools import find

RUN_SECONDS = 300


@dataclass(frozen=True)
class Query:
    """One instant query."""

    expr: str
    at: int


@dataclass(frozen=True)
class Scenario:
    """What one promtool test group gets: series with one interval, rules, and the queries after it has run."""

    series: tuple[Series, ...]
    queries: tuple[Query, ...]
    interval: int
    rules: tuple[Mapping[str, object], ...] = ()
    evaluation_interval: int = 60
    rule_text: str = ""  # a rule file as it stands, in place of `rules`


@dataclass(frozen=True)
class Failed:
    """Prometheus refused or aborted the query."""

    reason: str


Answer = dict[Labels, float] | Failed


def ask(scenarios: Sequence[Scenario]) -> list[list[Answer]]:
    """The answers to each scenario's queries, in order, from one promtool process."""
    with tempfile.TemporaryDirectory(prefix="parity-") as name:
        folder = Path(name)
        for index, scenario in enumerate(scenarios):
            _write(folder, index, scenario)
        files = [f"test{index}.json" for index in range(len(scenarios))]
        done = subprocess.run(
            [str(find("promtool")), "test", "rules", "--junit=junit.xml", *files],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
        if done.returncode not in (0, 1) or not (folder / "junit.xml").exists():
            raise RuntimeError(f"promtool exited with {done.returncode}: {done.stderr[-2000:]}")
        suites = ElementTree.parse(folder / "junit.xml").getroot().findall("testsuite")
    by_file = {suite.get("name"): suite for suite in suites}
    return [_answers(by_file[file], scenario) for file, scenario in zip(files, scenarios, strict=True)]


def _write(folder: Path, index: int, scenario: Scenario) -> None:
    # promtool loads samples up to its last evaluation at or before the last query only: ask for one more after all.
    end = max([0, *(len(one.samples) * scenario.interval for one in scenario.series)])
    end += scenario.evaluation_interval - end % scenario.evaluation_interval
    rules = {"groups": [{"name": "parity", "rules": list(scenario.rules)}]}
    test = {
        "rule_files": [f"rules{index}.json"] if scenario.rules or scenario.rule_text else [],
        "evaluation_interval": f"{scenario.evaluation_interval}s",
        "tests": [
            {
                "name": "parity",
                "interval": f"{scenario.interval}s",
                "input_series": [
                    {"series": selector_text(one.labels), "values": notation(one.samples)} for one in scenario.series
                ],
                # The comment ties an answer to its question: promtool prints nothing for an empty result.
                "promql_expr_test": [
                    *(
                        {"expr": f"{query.expr} # {number}", "eval_time": f"{query.at}s"}
                        for number, query in enumerate(scenario.queries)
                    ),
                    {"expr": "vector(1) > 1", "eval_time": f"{end}s"},
                ],
            }
        ],
    }
    (folder / f"rules{index}.json").write_text(scenario.rule_text or json.dumps(rules), encoding="utf-8")
    (folder / f"test{index}.json").write_text(json.dumps(test))


_GOT = re.compile(r'# (\d+)", time: \w+,\s*exp: nil\s*got: (.*)', re.DOTALL)
_ERROR = re.compile(r'# (\d+)", time: \w+, err: (.*)', re.DOTALL)
_SAMPLE = re.compile(r'\{((?:[^"{}]|"(?:[^"\\]|\\.)*")*)\} ([-+\w.]+)')
_LABEL = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*")')


def _answers(suite: ElementTree.Element, scenario: Scenario) -> list[Answer]:
    answers: list[Answer] = [{} for _ in scenario.queries]
    for failure in suite.iter("failure"):
        text = failure.text or ""
        if got := _GOT.search(text):
            answers[int(got[1])] = _vector(got[2])
        elif error := _ERROR.search(text):
            answers[int(error[1])] = Failed(error[2].strip())
        else:
            raise RuntimeError(f"unexpected report of promtool: {text}")
    return answers


def _vector(text: str) -> dict[Labels, float]:
    vector: dict[Labels, float] = {}
    at = 0
    while at < len(text.strip()):
        sample = _SAMPLE.match(text, at)
        if sample is None:
            raise RuntimeError(f"cannot read promtool's samples: {text[at:]}")
        labels = Labels.of({name: json.loads(value) for name, value in _LABEL.findall(sample[1])})
        if labels in vector:
            raise RuntimeError(f"promtool returned a label set twice: {text}")
        vector[labels] = float(sample[2])
        at = sample.end() + len(", ")
    return vector
