# canary 404f575e-8011-4268-9745-9468c6065053
"""What Prometheus and Alertmanager would refuse, and what no process should be asked to evaluate.

Each rule is judged alone: one that is refused is set aside with a problem and the rest of its file stays. Guards come
before promtool: an expression or a template whose cost has no bound is set aside without being started.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from alertforge.prometheus import promql, templates
from alertforge.prometheus.rules import Group, Pairs, Problem, Rule, RuleFile

MAX_RULES: Final = 2_000
MAX_WORK: Final = 200_000  # operations a tick inside subqueries, of all rules together: a second for each scenario
MAX_RANGE: Final = 366 * 86_400_000  # milliseconds; a window, an offset
MAX_NAME: Final = 512
MAX_TEMPLATES: Final = 16_384  # characters of one rule's labels and annotations
MAX_LOOPS: Final = 4  # `range` in one template
MAX_RENDERED: Final = 2_000_000  # characters that one text may come to
LOOPS_EXPECTED: Final = 16  # turns of a loop, when guessing what comes out of it
DEFAULT_STEP: Final = 60_000  # of a subquery without one: the evaluation interval

CheckRules = Callable[[Sequence[Rule]], Sequence[str | None]]


@dataclass(frozen=True)
class Linted:
    """The rule files without the rules set aside, and a problem for each of those."""

    rule_files: tuple[RuleFile, ...]
    problems: tuple[Problem, ...]


def lint(files: Sequence[RuleFile], check: CheckRules) -> Linted:
    """Set aside what must not or cannot run. `check` is promtool's verdict on each rule: None, or why it is refused."""
    problems: list[Problem] = []
    files = _guarded(files, problems)
    # group labels are part of what Prometheus reads, and a bad one would be found in none of the rules
    asked = [replace(rule, labels=_merged(group, rule)) for group, rule in _placed(files)]
    verdicts = iter(check(asked) if asked else ())
    taken = aside(files, lambda group, rule: next(verdicts) or "")
    return Linted(taken.rule_files, (*problems, *taken.problems))


def _placed(files: Sequence[RuleFile]) -> list[tuple[Group, Rule]]:
    """All rules in the order in which `aside` looks at them."""
    return [(group, rule) for file in files for group in file.groups for rule in group.rules]


def _guarded(files: Sequence[RuleFile], problems: list[Problem]) -> tuple[RuleFile, ...]:
    small = _within_limit(files, problems)
    sound = aside(small, lambda group, rule: guard(replace(rule, labels=_merged(group, rule))))
    cheap = _affordable(sound.rule_files)
    problems += (*sound.problems, *cheap.problems)
    return cheap.rule_files


def _affordable(files: Sequence[RuleFile]) -> Linted:
    """Set the most laborious rules aside where all together are too much: they would take the time of the others."""
    labour = [_labour(rule) for _, rule in _placed(files)]
    total, too_much = sum(labour), dict[int, str]()
    for number in sorted(range(len(labour)), key=lambda number: -labour[number]):
        if total <= MAX_WORK:
            break
        total -= labour[number]
        too_much[number] = f"{labour[number]} operations a tick in subqueries (at most {MAX_WORK} in all)"
    numbers = iter(range(len(labour)))
    return aside(files, lambda group, rule: too_much.get(next(numbers), ""))


def aside(files: Sequence[RuleFile], fault: Callable[[Group, Rule], str]) -> Linted:
    """Set aside every rule that has a fault, which becomes its problem."""
    problems: list[Problem] = []

    def keep(file: RuleFile, group: Group, rule: Rule) -> bool:
        reason = fault(group, rule)
        if reason:
            problems.append(Problem(file.path, _where(group, rule), reason))
        return not reason

    return Linted(tuple(_only(file, partial(keep, file)) for file in files), tuple(problems))


def _labour(rule: Rule) -> int:
    try:
        return work(rule.tree)
    except promql.PromQLError:
        return 0


def _within_limit(files: Sequence[RuleFile], problems: list[Problem]) -> tuple[RuleFile, ...]:
    """Set the largest files aside where there are too many rules: a flood must not drown the rest."""
    sizes = [sum(1 for _ in file.rules()) for file in files]
    total, aside = sum(sizes), set[int]()
    for number in sorted(range(len(files)), key=lambda number: -sizes[number]):
        if total <= MAX_RULES:
            break
        total -= sizes[number]
        aside.add(number)
        limit = f"the file's {sizes[number]} rules are set aside: {sum(sizes)} in all (at most {MAX_RULES})"
        problems.append(Problem(files[number].path, "", limit))
    return tuple(replace(file, groups=()) if number in aside else file for number, file in enumerate(files))


def _only(file: RuleFile, keep: Callable[[Group, Rule], bool]) -> RuleFile:
    groups = tuple(replace(g, rules=tuple(rule for rule in g.rules if keep(g, rule))) for g in file.groups)
    return replace(file, groups=groups)


def _merged(group: Group, rule: Rule) -> Pairs:
    return tuple({**dict(group.labels), **dict(rule.labels)}.items())


def _where(group: Group, rule: Rule) -> str:
    return f"group {group.name[:80]!r}, {'alert' if rule.is_alert else 'record'} {rule.name[:80]!r}"


# --- guards ----------------------------------------------------------------------------------------------------------


def guard(rule: Rule) -> str:
    """Why the rule is not given to promtool, in a few words; empty where it is."""
    if len(rule.name) > MAX_NAME:
        return f"name of {len(rule.name)} characters (at most {MAX_NAME})"
    try:
        tree = rule.tree
    except promql.TooLargeError as error:
        return str(error)
    except promql.PromQLError:
        return _template_fault(rule)  # promtool's to refuse, which says it better
    return _expression_fault(tree) or _template_fault(rule)


def _expression_fault(tree: promql.Expr) -> str:
    for node in promql.walk(tree):
        if isinstance(node, promql.Selector | promql.Subquery):
            reach = max(node.window or 0, abs(node.offset))
            if reach > MAX_RANGE:
                return f"reads {promql.duration_text(reach)} back (at most {promql.duration_text(MAX_RANGE)})"
    return ""


def work(tree: promql.Expr) -> int:
    """Operations inside subqueries for one result: each counts as often as the steps around it, multiplied."""
    return _operations(tree, 1)


def _operations(tree: promql.Expr, times: int) -> int:
    if isinstance(tree, promql.Subquery):
        inner = min(times * max(1, tree.window // max(1, tree.step or DEFAULT_STEP)), 2 * MAX_WORK)
    else:
        inner = times
    own = times if times > 1 else 0
    return own + sum(_operations(child, inner) for child in promql.children(tree))


_WIDE_FORMAT: Final = re.compile(r"%[-+# 0.\d]*(?:\d{3,}|\*)")


def _template_fault(rule: Rule) -> str:
    texts = [text for _, text in (*rule.labels, *rule.annotations)]
    size = sum(map(len, texts))
    if size > MAX_TEMPLATES:
        return f"labels and annotations of {size} characters (at most {MAX_TEMPLATES})"
    return next(filter(None, map(template_fault, texts)), "")


def template_fault(text: str) -> str:
    """Why a template is not rendered: many loops, loops or growth in a loop, definitions, absurd formats or sizes."""
    blocks: list[str] = []
    loops, kept, size = 0, 1, len(text)  # `kept`: how much longer than the text variables may have become
    for action in templates.actions(text):
        words = templates.words(action)
        head = templates.head(action)
        if head in ("define", "template", "block"):
            return f"template uses `{head}`"
        if head in ("range", "if", "with"):
            if head == "range":
                loops += 1
                if "range" in blocks:
                    return "template with a loop in a loop"
            blocks.append(head)
        elif head == "end" and blocks:
            blocks.pop()
        looping = "range" in blocks[: -1 if head == "range" else None]
        if "query" in words and looping:
            return "template with a query in a loop"
        if any(map(_WIDE_FORMAT.search, templates.literals(action))):
            return "template with an absurd format"
        growth = min(_growth(words, len(text)) ** (LOOPS_EXPECTED if looping else 1), MAX_RENDERED)
        if {":=", "="} & set(words):
            kept *= growth
        size += len(text) * kept * growth * (growth > 1)
        if size > MAX_RENDERED or kept > MAX_RENDERED:
            return "template that may grow without bound"
    return f"template with more than {MAX_LOOPS} loops" if loops > MAX_LOOPS else ""


def _growth(words: Sequence[str], length: int) -> int:
    """How many times longer than what it is given an action's output may be, at most.

    What is printed may be printed several times; a replacement may put its text between any two characters.
    """
    given = max(1, sum(word[0] in "$." for word in words))
    printing = sum(word in ("print", "printf", "println") for word in words)
    replacing = sum(word == "reReplaceAll" for word in words)
    escaping = sum(word in ("html", "js", "urlquery") for word in words)
    factor = given**printing * max(1, length // 2) ** replacing * 6**escaping
    return int(min(factor, MAX_RENDERED + 1))
