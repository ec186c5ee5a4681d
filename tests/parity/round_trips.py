"""Round trips of expressions, rules and YAML texts, with promtool as the judge of whether anything changed.

- expressions: a generated spelling, what our reader and printers make of it, and its normal form give the same samples;
- rules: what the generator can emit, printed in many house styles, is the same rule to our reader and to promtool,
  plain or as a manifest;
- texts: a YAML scalar in a label is the same text to our reader and to promtool, or refused by both;
- holds: a `for` is the same time to our reader, our printers and promtool.
"""

from __future__ import annotations

import ast
import json
import random
import re
import subprocess
import tempfile
import textwrap
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from alertforge.alerts import KINDS
from alertforge.alerts.base import Subject
from alertforge.alerts.sli import AVAILABILITY, LATENCY, windows
from alertforge.defects import applicable
from alertforge.prometheus import promql
from alertforge.prometheus.rules import Group, Rule, RuleFile, machine_text, read
from alertforge.prometheus.series import METRIC_NAME, Labels, Series
from alertforge.repo.exporters import load_all, render
from alertforge.repo.printer import ExpressionPrinter, duration, print_rule_file
from alertforge.seeds import Seed
from alertforge.tools import find
from alertforge.world.create import create
from alertforge.world.model import HouseStyle, YamlStyle
from alertforge.world.model import World as Company

from .evaluator import NOISE, RELATIVE, World, close
from .promtool import Answer, Failed, Query, Scenario, ask

SHOWN = 5  # differences printed in full
PER_WORLD = 40  # expressions over the same series
WORLDS = 40  # in one promtool run
PER_FILE = 50  # rules, texts or holds in one rule file
FILES = 8  # rule files in one promtool run
PROMTOOL_SECONDS = 300


@dataclass(frozen=True)
class Report:
    """What one comparison found."""

    counts: Counter[str]
    differences: list[str]


# --- expressions -----------------------------------------------------------------------------------------------------

_SPACES = ("", "", "", " ", " ", "\n", "\t", "  ", " # sum(\n", "\n\n")
_LITERALS = ("1", "2", "0.5", ".25", "1e3", "0x10", "10", "1.5e-2", "0", "3", "1h", "90s", "Inf", "NaN", "0.1", "4.")
_OVER_TIME = ("rate", "increase", "irate", "delta", "deriv", "changes", "resets", "max_over_time", "avg_over_time",
              "count_over_time", "last_over_time", "stddev_over_time", "absent_over_time")  # fmt: skip
_OF_VECTOR = ("abs", "ceil", "floor", "sgn", "sqrt", "exp", "absent", "timestamp", "sort", "round", "ln", "minute")


class Spelling:
    """Draws expressions as text, as people of all tastes would write them; follows the grammar, not our printer."""

    def __init__(self, rng: random.Random, interval: int) -> None:
        self.rng = rng
        self.interval = interval

    def expression(self, depth: int = 3) -> str:
        """A whole expression."""
        text, _ = self._or(depth)
        return f"{self._space()}{text}{self._space()}".strip(" \t\n") or text

    # precedence levels, loosest first; each yields the text and whether it is a vector

    def _or(self, depth: int) -> tuple[str, bool]:
        return self._sets(depth, ("or",), lambda: self._sets(depth, ("and", "unless"), lambda: self._compare(depth)))

    def _sets(self, depth: int, ops: Sequence[str], draw: Callable[[], tuple[str, bool]]) -> tuple[str, bool]:
        text, vector = draw()
        while self._chance(0.15):
            left = text if vector else f"vector({text})"
            right, right_vector = draw()
            right = right if right_vector else f"vector({right})"
            text, vector = f"{left} {self._case(self.rng.choice(ops))}{self._matching(False)} {right}", True
        return text, vector

    def _compare(self, depth: int) -> tuple[str, bool]:
        text, vector = self._add(depth)
        while self._chance(0.15):
            right, right_vector = self._add(depth)
            both = vector and right_vector
            word = self.rng.choice(["==", "!=", ">", "<", ">=", "<="])
            if not (vector or right_vector) or self._chance(0.3):
                word += f" {self._case('bool')}"
            text = f"{text}{self._space()}{word}{self._matching(True) if both else ' '}{self._space()}{right}"
            vector = vector or right_vector
        return text, vector

    def _add(self, depth: int) -> tuple[str, bool]:
        return self._arithmetic("+-", 0.3, lambda: self._multiply(depth))

    def _multiply(self, depth: int) -> tuple[str, bool]:
        return self._arithmetic(("*", "/", "%", "*", "/", "atan2"), 0.3, lambda: self._sign(depth))

    def _arithmetic(self, ops: Sequence[str], more: float, draw: Callable[[], tuple[str, bool]]) -> tuple[str, bool]:
        text, vector = draw()
        while self._chance(more):
            right, right_vector = draw()
            matching = self._matching(True) if vector and right_vector else " "
            text = f"{text} {self._case(self.rng.choice(ops))}{matching}{self._space()}{right}"
            vector = vector or right_vector
        return text, vector

    def _sign(self, depth: int) -> tuple[str, bool]:
        text, vector = self._power(depth)
        while self._chance(0.12):
            text = f"{self.rng.choice('--+')}{self._space()}{text}"
        return text, vector

    def _power(self, depth: int) -> tuple[str, bool]:
        text, vector = self._atom(depth)
        while self._chance(0.1):
            right, right_vector = (
                self._atom(depth) if self._chance(0.4) else (self.rng.choice(["2", "0.5", "-1"]), False)
            )
            text = (
                f"{text}{self._space()}^{self._matching(True) if vector and right_vector else ''}{self._space()}{right}"
            )
            vector = vector or right_vector
        return text, vector

    # what binds tightest

    def _atom(self, depth: int) -> tuple[str, bool]:
        if depth <= 0 or self._chance(0.25):
            return self._selector(), True
        kind = self.rng.choice(["number", "number", "brackets", "over", "over", "sum", "sum", "sum", "call", "other"])
        if kind == "number":
            return self.rng.choice(_LITERALS), False
        if kind == "brackets":
            text, vector = self._or(depth - 1)
            return f"({self._space()}{text}{self._space()})", vector
        if kind == "over":
            return f"{self.rng.choice(_OVER_TIME)}{self._space()}({self._range(depth)})", True
        if kind == "sum":
            return self._aggregate(depth - 1), True
        if kind == "call":
            return f"{self.rng.choice(_OF_VECTOR)}({self._space()}{self._vector(depth - 1)}{self._space()})", True
        return self._special(depth - 1)

    def _special(self, depth: int) -> tuple[str, bool]:
        inner = self._vector(depth)
        q = self.rng.choice(["0.5", ".9", "0.95", "1", "0x0"])
        return self.rng.choice(
            [
                (f"clamp({inner},{self._space()}-1 , 50)", True),
                (f"scalar({inner})", False),
                ("time()", False),
                (f"vector({self.rng.choice(_LITERALS)})", True),
                (f"label_replace({inner}, 'zone',{self._space()}\"$1\", `job`, '(.*)')", True),
                (f"histogram_quantile({q}, sum by (le) (rate(h_bucket{self._window()})))", True),
                (f"quantile_over_time({q}, {self._range(depth)})", True),
                (f"predict_linear({self._selector(bare=True)}{self._window()}, {self.rng.choice(['60', '-1'])})", True),
                (f"count_values{self._grouping()}(\"job\", {inner})", True),
            ]
        )  # fmt: skip

    def _vector(self, depth: int) -> str:
        text, vector = self._or(depth)
        return text if vector else f"vector({text})"

    def _aggregate(self, depth: int) -> str:
        op = self._case(self.rng.choice(["sum", "avg", "max", "min", "count", "group", "stddev"]))
        param = ""
        if self._chance(0.15):
            op = self._case("quantile")
            param = f"{self.rng.choice(['0.5', '.9'])},{self._space()}"
        clause, body = self._grouping(), f"({self._space()}{param}{self._vector(depth)}{self._space()})"
        return f"{op}{clause}{self._space()}{body}" if self._chance(0.6) else f"{op}{self._space()}{body}{clause}"

    def _grouping(self) -> str:
        if self._chance(0.25):
            return ""
        names = self._names(self.rng.choice(["job", "pod", "job,pod", "pod,job", "zone", "le", "", "job,job"]))
        return f" {self._case(self.rng.choice(['by', 'by', 'without']))}{self._space()}({names}) "

    def _matching(self, group: bool) -> str:
        if self._chance(0.75):
            return " "
        names = self._names(self.rng.choice(["job", "pod", "job,pod", "job,pod", "zone", "le"]))
        text = f" {self._case(self.rng.choice(['on', 'ignoring']))}{self._space()}({names}) "
        if group and self._chance(0.4):
            include = self.rng.choice(["", "()", "(zone)" if "zone" not in names else ""])
            text += f"{self._case(self.rng.choice(['group_left', 'group_right']))} {include} "
        return text

    def _names(self, names: str) -> str:
        listed = [name if self._chance(0.9) else f'"{name}"' for name in names.split(",") if name]
        return f",{self._space()}".join(listed) + ("," if listed and self._chance(0.1) else "")

    def _range(self, depth: int) -> str:
        if depth > 0 and self._chance(0.2):
            step = self.rng.choice(["", f"{self.interval}s", "1m", "60", "90s"])
            return f"({self._vector(depth - 1)})[{self.interval * self.rng.randint(1, 9)}s:{step}]{self._modifiers()}"
        return f"{self._selector(bare=True)}{self._window()}{self._modifiers()}"

    def _window(self) -> str:
        seconds = self.interval * self.rng.randint(2, 20)
        return "[" + self.rng.choice([f"{seconds}s", f"{seconds}", f"{seconds}000ms", _clock(seconds)]) + "]"

    def _modifiers(self) -> str:
        offset = f" {self._case('offset')} {self.rng.choice(['1m', '-30s', '90s', '1m30s', '60'])}"
        at = f" @{self._space()}{self.rng.choice(['60', '120.5', 'end()', 'start()'])}"
        return self.rng.choice([""] * 7 + [offset, offset, at, at + offset, offset + at])

    def _selector(self, *, bare: bool = False) -> str:
        name = self.rng.choice(["c_total", "c_total", "g", "g", "limit"])
        parts = self.rng.sample(
            ['job="a"', "job='a'", "job=`a`", 'job!="a"', 'pod=~"p1|"', "pod!~'p[2-9]+'", 'zone=""', '"job"=~".+"',
             r'job="\x61"', "pod=~`p\\d`", r"pod!='\''", 'job=~"a|b"'],
            self.rng.choice([0, 0, 1, 1, 2]),
        )  # fmt: skip
        style = self.rng.random()
        if style < 0.1:
            parts, name = [f'{METRIC_NAME}="{name}"', *parts], ""
        elif style < 0.15:
            parts, name = [f'"{name}"', *parts], ""
        inside = f",{self._space()}".join(parts) + ("," if parts and self._chance(0.1) else "")
        text = f"{name}{{{self._space()}{inside}}}" if parts or self._chance(0.1) else name
        return text if bare else text + self._modifiers()

    def _case(self, word: str) -> str:
        return self.rng.choice([word] * 8 + [word.upper(), word.capitalize()])

    def _space(self) -> str:
        return self.rng.choice(_SPACES)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share


def _clock(seconds: int) -> str:
    return "".join(f"{size}{unit}" for size, unit in ((seconds // 60, "m"), (seconds % 60, "s")) if size)


@dataclass(frozen=True)
class Respelled:
    """An expression and what our printers make of it."""

    text: str
    at: int
    printed: Mapping[str, str]  # by printer; empty where our reader refuses the text
    refused: str = ""

    @property
    def queries(self) -> list[Query]:
        return [Query(one, self.at) for one in (self.text, *self.printed.values())]


def respell(text: str, at: int, style: YamlStyle) -> Respelled:
    """The text as each printer writes it."""
    try:
        tree = promql.parse(text)
    except promql.PromQLError as error:
        return Respelled(text, at, {}, str(error))
    house = ExpressionPrinter(style)
    printed = {
        "to_text": promql.to_text(tree),
        "house line": house.line(tree),
        "house lines": "\n".join(house.lines(tree)),
        "normal form": promql.to_text(promql.normal_form(tree)),
    }
    return Respelled(text, at, printed)


def compare_expressions(seeds: Sequence[str]) -> Report:
    """`PER_WORLD` expressions for each seed."""
    counts: Counter[str] = Counter()
    differences: list[str] = []
    scenes = [_scene(random.Random(seed)) for seed in seeds]
    answers = ask([Scenario(tuple(world.series), _queries(drawn), world.interval) for world, drawn in scenes])
    for (world, drawn), told in zip(scenes, answers, strict=True):
        left = iter(told)
        for one in drawn:
            original, *others = islice(left, len(one.printed) + 1)
            counts["expressions"] += 1
            counts[
                "refused by promtool" if isinstance(original, Failed) else "empty" if not original else "with samples"
            ] += 1
            differences += _unlike(one, original, others, NOISE * world.scale)
    return Report(counts, differences)


def _scene(rng: random.Random) -> tuple[World, list[Respelled]]:
    world = World(rng)
    drawn = []
    while len(drawn) < PER_WORLD:
        text = Spelling(rng, world.interval).expression(rng.randint(0, 3))
        if len(text) <= 1500:
            drawn.append(respell(text, rng.randint(world.slots // 2, world.slots) * world.interval, draw_style(rng)))
    return world, drawn


def _queries(drawn: Sequence[Respelled]) -> tuple[Query, ...]:
    return tuple(query for one in drawn for query in one.queries)


def _unlike(one: Respelled, original: Answer, others: Sequence[Answer], noise: float) -> Iterator[str]:
    if one.refused and not isinstance(original, Failed):
        yield f"refused by our reader: {one.refused}\n  {one.text!r}"
    for (printer, text), got in zip(one.printed.items(), others, strict=True):
        # a printer keeps every operation in its place, a normal form may not
        slack = (RELATIVE, noise) if printer == "normal form" else (1e-12, 0.0)
        if not _alike(original, got, *slack):
            yield f"{printer} at {one.at}s\n  {one.text!r}\n  {text!r}\n  was {original}\n  is  {got}"


def _alike(one: Answer, other: Answer, relative: float, absolute: float = 0.0) -> bool:
    if isinstance(one, Failed) or isinstance(other, Failed):
        return isinstance(one, Failed) and isinstance(other, Failed)
    return one.keys() == other.keys() and all(close(one[key], other[key], relative, absolute) for key in one)


def draw_style(rng: random.Random) -> YamlStyle:
    """Any YAML style, also such as no company has."""
    return YamlStyle(
        indent_lists=rng.random() < 0.5,
        long_expr=rng.choice(["literal", "folded", "plain"]),
        width=rng.choice([20, 48, 72, 120]),
        flow_labels=rng.random() < 0.5,
        quotes=rng.choice(["none", "double", "single"]),
        spelling=rng.choice(["compact", "spaced"]),
    )


# --- rules -----------------------------------------------------------------------------------------------------------


def emitted(seed: str) -> tuple[Company, list[Rule]]:
    """A company, and every rule that its repo, its broken repo, or an attempt at its tasks may hold."""
    world = create(Seed.master(f"round trips {seed}"), services=1 + len(seed) % 3)
    rules: list[Rule] = []
    for service in world.services[:3]:
        subject = Subject(world, service)
        records = [sli.rule(subject, window) for sli in (AVAILABILITY, LATENCY) for window in windows(world.style)]
        healthy = [kind.rule(subject) for kind in KINDS.values()]
        for kind in KINDS.values():
            rules += [rule for several in kind.accepted(subject).values() for rule in several]
            rules += [rule for rule, _ in kind.wrong(subject).values()]
        for rule in (*healthy, *records):
            broken = applicable(rule, subject, Seed.master(seed))
            repaired = (defect.mis_fix(one, subject) for defect, one in broken)
            rules += [rule, *(one for _, one in broken), *(one for one in repaired if one is not None)]
    for exporter in load_all():
        rules += render(exporter, world.style, world.teams[0].name, world.domain).rules()
    return world, list(dict.fromkeys(rules))


@dataclass(frozen=True)
class Printed:
    """A rule file of the generator, and the files as which the house prints it."""

    file: RuleFile
    style: HouseStyle
    interval: str | None

    @property
    def plain(self) -> str:
        return print_rule_file(self.file, self.style, ("Owned by the platform team",))

    @property
    def manifest(self) -> str:
        file = replace(self.file, manifest_name="x-rules", manifest_labels=(("role", "alert-rules"),))
        return print_rule_file(file, self.style)


def print_all(rules: Sequence[Rule], style: HouseStyle, rng: random.Random) -> Printed:
    """The rules in two groups of one file."""
    interval = rng.choice([None, "30s", "1m"])
    half = len(rules) // 2
    groups = (Group("first", tuple(rules[:half]), interval), Group("second: half", tuple(rules[half:]), limit="0"))
    return Printed(RuleFile("rules/all.yml", groups), replace(style, yaml=draw_style(rng)), interval)


def compare_rules(files: Sequence[Printed]) -> Report:
    """Every printed rule to our reader and to promtool: samples of its expression, its labels and annotations."""
    counts: Counter[str] = Counter()
    differences: list[str] = []
    for printed in files:
        differences += _read_back(printed)
    firsts = [_originals(printed) for printed in files]
    answers = ask(firsts)
    seconds = [_copies(printed, told) for printed, told in zip(files, answers, strict=True)]
    copies = [told[0] for told in ask(seconds)]
    for printed, originals, copied in zip(files, answers, copies, strict=True):
        assert not isinstance(copied, Failed)
        for number, (rule, was) in enumerate(zip(printed.file.rules(), originals, strict=True)):
            counts["rules"] += 1
            counts["alerts" if rule.is_alert else "records"] += 1
            if isinstance(was, Failed):
                continue
            nameless = _nameless(was)
            if nameless is None:
                continue
            counts["with samples"] += bool(was)
            own = {
                labels.without([METRIC_NAME]): value
                for labels, value in copied.items()
                if labels.name == _copy_name(number)
            }
            if not _alike(nameless, own, RELATIVE):
                differences.append(f"{rule.expr}\n  was {nameless}\n  is  {own}\n{printed.plain}")
    differences += _texts_alike(files)
    return Report(counts, differences)


def _read_back(printed: Printed) -> Iterator[str]:
    """What our own reader makes of the printed files, and of the rules as promtool is given them in grading."""
    wanted = _canonical(printed.file.groups)
    for text in (printed.plain, printed.manifest, machine_text(printed.file.groups)):
        back = read(printed.file.path, text)
        if back.problems or _canonical(back.groups) != wanted:
            yield f"not read back: {back.problems}\n{text}"
    inside = textwrap.dedent(printed.manifest.split("\nspec:\n", 1)[1])
    if read("x", inside) != replace(printed.file, path="x"):
        again = _canonical(read("x", inside).groups)
        if again != wanted:
            yield f"a manifest's spec is not the plain file:\n{printed.manifest}"


def _canonical(groups: Sequence[Group]) -> list[Group]:
    """Groups with every expression in one spelling, so that layout does not count."""
    return [
        replace(group, rules=tuple(replace(rule, expr=promql.to_text(rule.tree)) for rule in group.rules))
        for group in groups
    ]


def _originals(printed: Printed) -> Scenario:
    """The expressions as the generator made them."""
    rules = list(printed.file.rules())
    return Scenario(_data(rules), tuple(Query(rule.expr, _END) for rule in rules), 60)


_SLOTS = 12
_END = _SLOTS * 60


def _copies(printed: Printed, originals: Sequence[Answer]) -> Scenario:
    """The expressions as promtool reads them from the printed file: records, evaluated at the end alone."""
    rules = list(printed.file.rules())
    usable = [
        Rule(_copy_name(number), rule.expr, is_alert=False)
        for number, (rule, told) in enumerate(zip(rules, originals, strict=True))
        if not isinstance(told, Failed) and _nameless(told) is not None
    ]
    text = print_rule_file(RuleFile("x", (Group("copies", tuple(usable)),)), printed.style)
    everything = Query('{__name__=~"af:.*"}', _END)
    return Scenario(_data(rules), (everything,), 60, evaluation_interval=_END, rule_text=text)


def _copy_name(number: int) -> str:
    return f"af:{number}"


def _nameless(vector: Mapping[Labels, float]) -> dict[Labels, float] | None:
    """As a record keeps it; None where series would collide without their names."""
    found = {labels.without([METRIC_NAME]): value for labels, value in vector.items()}
    return found if len(found) == len(vector) else None


def _data(rules: Sequence[Rule]) -> tuple[Series, ...]:
    """Two series for everything that the rules select, as far as a simple value fits its matchers."""
    rng = random.Random("data")
    selected = sorted(
        {selector for rule in rules for selector in promql.selectors(rule.tree) if selector.name}, key=repr
    )
    wanted: dict[Labels, None] = {}
    for selector in selected:
        labels = {METRIC_NAME: selector.name or ""}
        for matcher in selector.matchers:
            labels[matcher.name] = _fitting(matcher)
        bounds = ("0.25", "1", "+Inf") if (selector.name or "").endswith("_bucket") and "le" not in labels else ("",)
        for pod in ("p1", "p2"):
            for bound in bounds:
                one = {"pod": pod, "instance": pod, **labels}
                wanted[Labels.of({**one, "le": bound} if bound else one)] = None
    series = []
    for labels in wanted:
        value, samples = rng.randint(0, 3), []
        for _ in range(_SLOTS + 1):
            samples.append(value)
            value += rng.choice([0, 1, 60, 600])
        series.append(Series(labels, tuple(samples), 60))
    return tuple(series)


_POOL = ("", "a", "200", "404", "500", "503", "0", "1", "web-1", "OK", "prod", "x_y", "/api", "Ready", "+Inf", "5xx")


def _fitting(matcher: promql.Matcher) -> str:
    """A value that the matcher takes, or nothing."""
    if matcher.op == "=":
        return matcher.value
    pool = (*_POOL, *re.split(r"[|()]", matcher.value))
    if matcher.op == "!=":
        return next(one for one in pool[1:] if one != matcher.value)
    wanted = matcher.op == "=~"
    return next((one for one in pool[1:] if bool(re.fullmatch(matcher.value, one)) == wanted), "")


def _texts_alike(files: Sequence[Printed]) -> Iterator[str]:
    """Labels and annotations as promtool shows them: from the printed files, and from unmistakable JSON."""
    asked: list[tuple[str, list[str]]] = []
    for printed in files:
        rules = [rule for rule in printed.file.rules() if rule.is_alert]
        alerts = [replace(rule, name=f"R{number}", expr="vector(1)", for_=0) for number, rule in enumerate(rules)]
        names = [alert.name for alert in alerts]
        as_json = [
            {"alert": one.name, "expr": one.expr, "labels": dict(one.labels), "annotations": dict(one.annotations)}
            for one in alerts
        ]
        asked.append((json.dumps({"groups": [{"name": "g", "rules": as_json}]}), names))
        file = RuleFile("x", (Group("g", tuple(alerts)),), "x-rules")
        asked.append((textwrap.dedent(print_rule_file(file, printed.style).split("\nspec:\n", 1)[1]), names))
    told = fired(asked)
    for number, ((_, names), (text, _)) in enumerate(zip(asked[::2], asked[1::2], strict=True)):
        for name in names:
            wanted, found = (told[2 * number + side][name] for side in (0, 1))
            if wanted != found:
                yield f"{name}: {wanted} became {found}\n{text}"


# --- what promtool shows of firing alerts ----------------------------------------------------------------------------

Shown = tuple[dict[str, str], dict[str, str]]  # labels without `alertname`, annotations
_STRING = r'"(?:[^"\\]|\\.)*"'
_ALERT = re.compile(r"alertname: (\w+), time: .*?Labels:\{(.*?)\}\n\s*Annotations:\{(.*?)\}\n\s*\]", re.DOTALL)
_PAIR = re.compile(rf"(?:({_STRING})|(\w+))=({_STRING})")


def fired(files: Sequence[tuple[str, Sequence[str]]]) -> list[dict[str, Shown]]:
    """What fires at once of each rule file, by alert; nothing of a file that does not load."""
    with tempfile.TemporaryDirectory(prefix="parity-") as name:
        folder = Path(name)
        for index, (text, alerts) in enumerate(files):
            (folder / f"rules{index}.yml").write_text(text, encoding="utf-8")
            test = {
                "rule_files": [f"rules{index}.yml"],
                "tests": [{"name": "t", "alert_rule_test": [{"eval_time": "0m", "alertname": one} for one in alerts]}],
            }
            (folder / f"test{index}.json").write_text(json.dumps(test))
        _promtool(folder, "test", "rules", "--junit=junit.xml", *(f"test{index}.json" for index in range(len(files))))
        suites = ElementTree.parse(folder / "junit.xml").getroot().findall("testsuite")
    by_file = {suite.get("name"): suite for suite in suites}
    return [_shown(by_file[f"test{index}.json"]) for index in range(len(files))]


def _shown(suite: ElementTree.Element) -> dict[str, Shown]:
    found = {}
    for failure in suite.iter("failure"):
        if match := _ALERT.search(failure.text or ""):
            labels = _pairs(match[2])
            assert labels.pop("alertname") == match[1]
            found[match[1]] = (labels, _pairs(match[3]))
    return found


def _pairs(text: str) -> dict[str, str]:
    # Go quotes a string as Python would
    pairs = _PAIR.findall(text)
    return {(ast.literal_eval(quoted) if quoted else name): ast.literal_eval(value) for quoted, name, value in pairs}


def _promtool(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(find("promtool")), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PROMTOOL_SECONDS,
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise RuntimeError(f"promtool exited with {done.returncode}: {done.stderr[-2000:]}")
    return done


# --- texts -----------------------------------------------------------------------------------------------------------

SCALARS = (
    *("5", "1.50", "yes", "No", "on", "OFF", "y", "n", "true", "True", "0x10", "0o17", "017", "0b11", "1e3", "1_000"),
    *("2024-03-01", "2024-03-01T10:00:00Z", "12:30:45", "190:20:30", ".inf", "-.INF", ".nan", "~", "null", "NULL", ""),
    *("+1", "-0", "1.", ".5", "6.02E+23", "=", "<<", "!!str 5", "!!str yes", "!!str", "! 5", "''", '""', "'5'"),
    *('"\\x41\\u00e9\\n"', '"a\\\n      b"', "'it''s'", "a #b", "a#b", "a:b", "http://x.example", "x, y"),
    *("|\n        a\n        b", "|-\n        a\n\n        b\n", ">\n        a\n        b\n", "[a]"),
    *(">-\n        a\n         b", "a\tb"),
    *("&x a", "a\n        b", "é", "-1", "- a", "-a", "?x", ":x", "%x", "@x", "`x`", "a: b", "!x a", "*x", "\t"),
)  # fmt: skip
_ALPHABET = "ab5 :#'\"\\,-.[]!&*|>%@`?=~_0xe+\n\té\u2028\u00a0\U0001f600"
_KEYS = ("n",) * 12 + ("on", "yes", "y", "5", "1.50", "0x10", '"a b"', "'on'", "é", "2024-03-01", "true")


@dataclass(frozen=True)
class Text:
    """One label with its value, as they stand in a rule file."""

    yaml: str
    style: str


def _no_question(value: str) -> str:
    """Bare words do not begin with `?`: the parsers part over that, see docs/fidelity.md."""
    return re.sub(r"(?<![^\s,])\?+", "", value)


def draw_text(rng: random.Random) -> Text:
    """A label that YAML readers love to disagree about."""
    kind = rng.choice(["named", "named", "plain", "single", "double"])
    if kind == "named":
        value = rng.choice(SCALARS)
    else:
        value = "".join(rng.choice(_ALPHABET) for _ in range(rng.randint(0, 6)))
        if kind == "plain":
            value = re.sub("[\u2028!]", "", value)  # the parsers part over these: see docs/fidelity.md
        elif kind == "single":
            value = "'" + value.replace("'", rng.choice(["''", "''", "'"])) + "'"
        elif kind == "double":
            value = '"' + value.replace("\\", "\\\\").replace('"', rng.choice(['\\"', '\\"', '"'])) + '"'
    value = value.replace("{{", "{")  # not a template
    key = rng.choice(_KEYS)
    if rng.random() < 0.4 and not value.startswith(("|", ">")):
        if kind == "plain":  # in a flow, the parsers part over these: see docs/fidelity.md
            value = _no_question(re.sub("[:&~]", "", value))
        return Text(f"{{{key}: {value}}}", f"{kind}, flow")
    if kind == "plain":
        value = _no_question(value)
    return Text(f"\n      {key}: {value}", f"{kind}, block")


def compare_texts(texts: Sequence[Text]) -> Report:
    """Labels as our reader and as promtool see them; what one refuses the other must refuse."""
    counts: Counter[str] = Counter(text.style for text in texts)
    differences: list[str] = []
    ours = [_labels_of(text) for text in texts]
    good = [index for index, labels in enumerate(ours) if labels is not None]
    bad = [index for index, labels in enumerate(ours) if labels is None]
    counts["refused by both"] = len(bad)
    for index in _loaded([_rule_text([texts[index]]) for index in bad]):
        differences.append(f"refused by our reader: {texts[bad[index]].yaml!r}")
    chunks = [good[start : start + PER_FILE] for start in range(0, len(good), PER_FILE)]
    for start in range(0, len(chunks), FILES):
        differences += _texts_differ(texts, ours, chunks[start : start + FILES])
    return Report(counts, differences)


def _texts_differ(
    texts: Sequence[Text], ours: Sequence[Mapping[str, str] | None], chunks: Sequence[Sequence[int]]
) -> Iterator[str]:
    told = fired([(_rule_text([texts[index] for index in chunk]), _names(len(chunk))) for chunk in chunks])
    for chunk, shown in zip(chunks, told, strict=True):
        if len(shown) < len(chunk) and len(chunk) > 1:  # one that promtool refuses takes its whole file along
            yield from _texts_differ(texts, ours, [[index] for index in chunk])
            continue
        for index, name in zip(chunk, _names(len(chunk)), strict=True):
            labels = shown[name][0] if name in shown else None
            if labels != ours[index]:
                yield f"{texts[index].yaml!r}: ours {ours[index]}, promtool {labels}"


def _names(count: int) -> list[str]:
    return [f"T{number}" for number in range(count)]


def _rule_text(texts: Sequence[Text]) -> str:
    rules = [
        f"  - alert: {name}\n    expr: vector(1)\n    labels: {text.yaml}\n"
        for name, text in zip(_names(len(texts)), texts, strict=True)
    ]
    return "groups:\n- name: g\n  rules:\n" + "".join(rules)


def _labels_of(text: Text) -> dict[str, str] | None:
    file = read("x", _rule_text([text]))
    if file.problems:
        return None
    (rule,) = file.rules()
    return {name: value for name, value in rule.labels if value}


def _loaded(files: Sequence[str]) -> list[int]:
    """Which rule files promtool loads, whatever our reader says."""
    found = []
    for start in range(0, len(files), 400):
        with tempfile.TemporaryDirectory(prefix="parity-") as name:
            folder = Path(name)
            chunk = files[start : start + 400]
            for index, text in enumerate(chunk):
                (folder / f"{index}.yml").write_text(text, encoding="utf-8")
            done = _promtool(folder, "check", "rules", "--lint=none", *(f"{index}.yml" for index in range(len(chunk))))
            parts = re.split(r"^Checking (\d+)\.yml$", done.stdout, flags=re.MULTILINE)
            found += [
                start + int(index) for index, said in zip(parts[1::2], parts[2::2], strict=True) if "SUCCESS" in said
            ]
    return found


# --- holds -----------------------------------------------------------------------------------------------------------

_TICK = 15
_LONGEST = 3600


def draw_hold(rng: random.Random) -> str:
    """A duration as somebody might write it, at most an hour."""
    seconds = rng.choice([rng.randint(0, 120), rng.randint(0, 240) * 15, rng.randint(0, _LONGEST)])
    return rng.choice(
        [f"{seconds}s", f"{seconds * 1000}ms", duration(seconds * 1000), promql.duration_text(seconds * 1000),
         _clock(seconds) or "0", f"{seconds // 60}m{seconds % 60}s", f"0h{seconds}s", f"{seconds // 60}m"]
    )  # fmt: skip


def compare_holds(holds: Sequence[str]) -> Report:
    """How many evaluations a rule is pending: as read, and as printed by each printer."""
    counts: Counter[str] = Counter()
    differences: list[str] = []
    files, wanted = [], []
    for start in range(0, len(holds), PER_FILE):
        spelled = []
        for hold in holds[start : start + PER_FILE]:
            (rule,) = read("x", _hold_text([hold])).rules()
            spelled.append((hold, rule.for_))
        files.append(
            _hold_text([one for hold, ms in spelled for one in (hold, duration(ms), promql.duration_text(ms))])
        )
        wanted.append([(hold, -(-ms // (1000 * _TICK))) for hold, ms in spelled])
    end = _LONGEST + 2 * _TICK
    pending = Query(f'count_over_time(ALERTS{{alertstate="pending"}}[{end + 1}s])', end)
    scenarios = [Scenario((), (pending,), _TICK, evaluation_interval=_TICK, rule_text=text) for text in files]
    for (told,), spelled in zip(ask(scenarios), wanted, strict=True):
        assert not isinstance(told, Failed)
        ticks = {labels.get("alertname"): int(value) for labels, value in told.items()}
        for number, (hold, expected) in enumerate(spelled):
            counts["holds"] += 1
            found = [ticks.get(f"T{3 * number + way}", 0) for way in range(3)]
            if found != [expected] * 3:
                differences.append(f"for: {hold}: {expected} evaluations expected, {found} seen")
    return Report(counts, differences)


def _hold_text(holds: Sequence[str]) -> str:
    rules = [f"  - {{alert: T{number}, expr: vector(1), for: {hold}}}\n" for number, hold in enumerate(holds)]
    return "groups:\n- name: g\n  rules:\n" + "".join(rules)


# --- the long run ----------------------------------------------------------------------------------------------------


def _expressions(cases: int, seed: int) -> Iterator[Report]:
    seeds = [f"expressions {seed}/{number}" for number in range(-(-cases // PER_WORLD))]
    for start in range(0, len(seeds), WORLDS):
        yield compare_expressions(seeds[start : start + WORLDS])


def _rules(cases: int, seed: int) -> Iterator[Report]:
    files: list[Printed] = []
    left, number = cases, 0
    while left > 0:
        rng = random.Random(f"rules {seed}/{number}")
        company, rules = emitted(f"{seed}/{number}")
        number += 1
        rng.shuffle(rules)
        rules = rules[:left]
        left -= len(rules)
        files += [
            print_all(rules[start : start + PER_FILE], company.style, rng) for start in range(0, len(rules), PER_FILE)
        ]
        while len(files) >= FILES or (files and left <= 0):
            yield compare_rules(files[:FILES])
            files = files[FILES:]


def _texts(cases: int, seed: int) -> Iterator[Report]:
    rng = random.Random(f"texts {seed}")
    for start in range(0, cases, PER_FILE * FILES):
        yield compare_texts([draw_text(rng) for _ in range(min(PER_FILE * FILES, cases - start))])


def _holds(cases: int, seed: int) -> Iterator[Report]:
    rng = random.Random(f"holds {seed}")
    for start in range(0, cases, PER_FILE * FILES):
        yield compare_holds([draw_hold(rng) for _ in range(min(PER_FILE * FILES, cases - start))])


PARTS: Mapping[str, Callable[[int, int], Iterator[Report]]] = {
    "expressions": _expressions,
    "rules": _rules,
    "texts": _texts,
    "holds": lambda cases, seed: _holds(-(-cases // 20), seed),  # slow, and there is little to them
}


def run(cases: int, seed: int) -> int:
    """Compare this many expressions, rules and texts each and print a summary; returns the number of differences."""
    wrong = 0
    for name, reports in PARTS.items():
        counts: Counter[str] = Counter()
        differences: list[str] = []
        for report in reports(cases, seed):
            counts += report.counts
            differences += report.differences
        print(f"round trips of {name}: {len(differences)} differ")
        for what, count in sorted(counts.items()):
            print(f"  {what:<24}{count:>8}")
        for difference in differences[:SHOWN]:
            print(difference)
        wrong += len(differences)
    return wrong
