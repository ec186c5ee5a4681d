# canary 6f9ee6bb-2b2d-4d46-bd15-cb1749083018
"""The only place that starts promtool: which rules it refuses, and what rules do with given series.

Every process has a time limit, a memory limit, a clean environment, a scratch folder of its own, and a session that is
killed as a group. What promtool prints is full of names and texts chosen by whoever wrote the rules, so the output is
read by a strict grammar of Go-quoted strings, and what does not fit it is a problem of that file, never a crash.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from alertforge.prometheus.rules import Group, Rule, group_mapping
from alertforge.prometheus.series import Labels

Pairs = tuple[tuple[str, str], ...]

MEMORY_BYTES: Final = 512 << 20  # RLIMIT_DATA; a healthy run needs less than 192 MB
THRIFTY: Final[Mapping[str, str]] = {"GOMAXPROCS": "1", "GOGC": "400", "GOMEMLIMIT": "128MiB"}
OUTPUT_BYTES: Final = 64 << 20  # of one process; more counts as a crash
FILE_BYTES: Final = 256 << 20  # RLIMIT_FSIZE; the test storage reserves 128 MB files
CHECK_SECONDS: Final = 20.0  # for one `check rules`
CHECK_TOTAL_SECONDS: Final = 90.0
CHECK_BATCH: Final = 500
UNENDED: Final = "promtool check rules did not end"  # a verdict begins so that a faster machine may not come to


class PromtoolError(RuntimeError):
    """promtool cannot be started; one line that names the command."""


@dataclass(frozen=True)
class Active:
    """One firing alert: its labels (with `alertname`) and rendered annotations."""

    labels: Labels
    annotations: Pairs = ()


@dataclass(frozen=True)
class RuleError:
    """A rule that failed to evaluate: promtool ends the test group at that tick.

    `message` is without the series and values that promtool names: which ones it meets first varies from run to run.
    """

    rule: str  # as printed: see `printed_name`
    time: str
    message: str


@dataclass(frozen=True)
class TestFile:
    """One test group: rules, series, and what to observe. One sample slot and one evaluation a minute.

    Every name in `alerts` is observed at each minute from 0 to `minutes`, each of `samples` (minute, expression) once.
    `server` is what templates are told of the server: a host name for its URL and its `cluster` label; empty for none.
    """

    __test__ = False  # not a pytest class

    groups: tuple[Group, ...]
    series: tuple[tuple[str, str], ...]  # promtool's notation: name and samples
    minutes: int
    alerts: tuple[str, ...] = ()
    samples: tuple[tuple[int, str], ...] = ()
    server: str = ""


@dataclass(frozen=True)
class TestResult:
    """What one test group showed. Pairs of minute and name that are missing in `alerts` did not fire.

    `errors` not empty: the group ended early and the rest is incomplete. `problem` not empty: nothing can be relied on.
    """

    __test__ = False

    alerts: Mapping[tuple[int, str], tuple[Active, ...]] = field(default_factory=dict)
    samples: Mapping[tuple[int, str], tuple[tuple[Labels, float], ...]] = field(default_factory=dict)
    sample_errors: Mapping[tuple[int, str], str] = field(default_factory=dict)
    errors: tuple[RuleError, ...] = ()
    problem: str = ""


# --- check rules -----------------------------------------------------------------------------------------------------


def check(rules: Sequence[Rule], promtool: Path) -> list[str | None]:
    """What Prometheus says against each rule, in one line; None where it takes the rule.

    All rules go through one process, one file each. Where that process dies they are halved until the culprit stands
    alone; a rule that could not be resolved in time counts as refused.
    """
    deadline = time.monotonic() + CHECK_TOTAL_SECONDS
    verdicts: dict[Rule, str | None] = {}
    distinct: list[Rule] = []
    for rule in dict.fromkeys(rules):
        if _is_unicode(rule):
            distinct.append(rule)
        else:
            verdicts[rule] = "not valid Unicode"
    for start in range(0, len(distinct), CHECK_BATCH):
        verdicts.update(_check_batch(distinct[start : start + CHECK_BATCH], promtool, deadline))
    return [verdicts[rule] for rule in rules]


def _is_unicode(rule: Rule) -> bool:
    """Whether the rule can be written at all: YAML escapes can smuggle in half a surrogate pair."""
    texts = [rule.name, rule.expr, *(text for pair in (*rule.labels, *rule.annotations) for text in pair)]
    return not any("\ud800" <= char <= "\udfff" for text in texts for char in text)


def _check_batch(rules: Sequence[Rule], promtool: Path, deadline: float) -> dict[Rule, str | None]:
    seconds = min(CHECK_SECONDS, deadline - time.monotonic())
    if seconds <= 0:
        return dict.fromkeys(rules, f"{UNENDED} in time")
    with _scratch() as folder:
        names = [f"{number}.yml" for number in range(len(rules))]
        for name, rule in zip(names, rules, strict=True):
            _write(folder / name, {"groups": [group_mapping(Group("rule", (rule,)))]})
        run = _run([promtool, "check", "rules", "--lint=none", *names], folder, seconds)
        taken = _taken(run.output(folder / "stdout"), names) if run.code in (0, 1) else None
        if taken is not None:
            complaints = _complaints(run.output(folder / "stderr"), names)
            return {
                rule: None if good else complaints.get(name, "refused by promtool check rules")
                for name, rule, good in zip(names, rules, taken, strict=True)
            }
    if len(rules) == 1:
        return {rules[0]: f"promtool check rules {run.reason}"}
    middle = len(rules) // 2
    return {**_check_batch(rules[:middle], promtool, deadline), **_check_batch(rules[middle:], promtool, deadline)}


def _taken(stdout: str, names: Sequence[str]) -> list[bool] | None:
    """Per file whether it was taken. stdout holds only our file names and verdicts, complaints are on stderr."""
    found: list[bool] = []
    for line in filter(None, stdout.splitlines()):
        if len(found) < len(names) and line == f"Checking {names[len(found)]}":
            found.append(False)
        elif line == "  SUCCESS: 1 rules found" and found and not found[-1]:
            found[-1] = True
        else:
            return None
    return found if len(found) == len(names) else None


def _complaints(stderr: str, names: Sequence[str]) -> dict[str, str]:
    """The first line said about each file, without the file name and position."""
    known = set(names)
    out: dict[str, str] = {}
    for line in stderr.splitlines():
        match = re.match(r'(\d+\.yml): (?:\d+:\d+: )?(?:group "rule", rule 1, )?(.*)', line)
        if match and match[1] in known and match[2].strip():
            out.setdefault(match[1], match[2].strip()[:500])
    return out


# --- test rules ------------------------------------------------------------------------------------------------------


def run_tests(
    files: Sequence[TestFile],
    promtool: Path,
    *,
    seconds: float,
    processor_seconds: float | None = None,
    thrifty: bool = True,
) -> tuple[list[TestResult] | None, str]:
    """Run test files in one process. Returns one result per file, or None and the reason where the process died.

    `seconds` limits the whole process; `processor_seconds` what it may compute, however busy the machine is (Linux
    only, in whole seconds). `thrifty` sets `GOMAXPROCS=1 GOGC=400`, which saves a third of the processor
    time, and a `GOMEMLIMIT` from which garbage is collected sooner; without it the Go runtime decides.
    """
    with _scratch() as folder:
        for number, file in enumerate(files):
            _write(folder / f"r{number}.yml", {"groups": [group_mapping(group) for group in file.groups]})
            _write(folder / f"t{number}.yml", _test_mapping(file, f"r{number}.yml"))
        names = [f"t{number}.yml" for number in range(len(files))]
        environment = THRIFTY if thrifty else {}
        command: list[str | Path] = [promtool, "test", "rules", "--junit=junit.xml", *names]
        run = _run(command, folder, seconds, environment, processor_seconds=processor_seconds, quiet=True)
        if run.code not in (0, 1):
            return None, run.reason
        return _read_junit(folder / "junit.xml", files)


def _test_mapping(file: TestFile, rules: str) -> dict[str, Any]:
    # a group runs no longer than its last question: the one about no alert keeps every rule running to the end
    nobody = "no alert"
    while any(rule.name == nobody for group in file.groups for rule in group.rules):
        nobody += "."
    last = {"eval_time": f"{file.minutes}m", "alertname": nobody}
    return {
        "rule_files": [rules],
        "evaluation_interval": "1m",
        "group_eval_order": [group.name for group in file.groups],
        "tests": [
            {
                "interval": "1m",
                **_identity(file.server),
                "input_series": [{"series": series, "values": values} for series, values in file.series],
                "alert_rule_test": [
                    {"eval_time": f"{minute}m", "alertname": name}
                    for minute in range(file.minutes + 1)
                    for name in file.alerts
                ]
                + [last],
                "promql_expr_test": [{"eval_time": f"{minute}m", "expr": expr} for minute, expr in file.samples],
            }
        ],
    }


def _identity(server: str) -> dict[str, Any]:
    """Without it templates find both empty, as on no server."""
    return {"external_url": f"http://{server}:9090", "external_labels": {"cluster": server}} if server else {}


def _read_junit(path: Path, files: Sequence[TestFile]) -> tuple[list[TestResult] | None, str]:
    results: list[TestResult] = []
    try:
        if path.stat().st_size > OUTPUT_BYTES:
            return None, f"printed more than {OUTPUT_BYTES >> 20} MB"
        for _, element in ElementTree.iterparse(path):
            if element.tag == "testsuite":
                if len(results) >= len(files) or element.get("name") != f"t{len(results)}.yml":
                    return None, "reported on files out of order"
                failures = [failure.text or "" for failure in element.iter("failure")]
                results.append(_read_failures(failures, files[len(results)]))
                element.clear()
    except (OSError, ElementTree.ParseError) as error:
        return None, f"left no readable report ({error})"
    return (results, "") if len(results) == len(files) else (None, "did not report on every file")


def _read_failures(failures: Sequence[str], file: TestFile) -> TestResult:
    """Read what one file showed; a text outside the grammar becomes the result's `problem`."""
    alerts: dict[tuple[int, str], tuple[Active, ...]] = {}
    samples: dict[tuple[int, str], tuple[tuple[Labels, float], ...]] = {}
    sample_errors: dict[tuple[int, str], str] = {}
    errors: list[RuleError] = []
    rules = sorted({printed_name(rule.name) for group in file.groups for rule in group.rules}, key=len, reverse=True)
    bodies = _Bodies()
    names = set(file.alerts)
    try:
        for text in failures:
            if text.startswith("    alertname: "):
                minute, active = _read_alerts(text, bodies)
                name = active[0].labels.get("alertname")
                if name not in names or (minute, name) in alerts:
                    raise _GrammarError(text)
                alerts[minute, name] = active
            elif text.startswith("    expr: "):
                key, error, found = _read_samples(text)
                if error:
                    sample_errors[key] = error
                else:
                    samples[key] = found
            elif text.startswith("    rule: "):
                errors.append(_read_error(text, rules))
            else:
                raise _GrammarError(text)
    except _GrammarError as error:
        return TestResult(problem=f"promtool said: {' '.join(str(error).split())[:300]}")
    return TestResult(alerts, samples, sample_errors, tuple(errors))


# --- reading what promtool prints ------------------------------------------------------------------------------------


class _GrammarError(ValueError):
    """The text is not what promtool prints there."""


_STRING: Final = r'"(?:[^"\\\n]|\\[^\n])*"'
_PAIR: Final = re.compile(rf"([A-Za-z_][A-Za-z0-9_]*|{_STRING})=({_STRING})")
_ESCAPE: Final = re.compile(
    r"\\(?:([abfnrtv\\\"'])|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})|([0-7]{3})|(.?))", re.DOTALL
)
_PLAIN_ESCAPES: Final = dict(zip("abfnrtv\\\"'", b"\a\b\f\n\r\t\v\\\"'", strict=True))
_DURATION: Final = re.compile(r"(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?")
_ALERT_BODY: Final = ", \n        exp:[], \n        got:[\n"
_SAMPLE_BODY: Final = ",\n        exp: nil\n        got: "
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN")
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printed_name(name: str) -> str:
    """A rule's name as promtool's report shows it: raw, but for characters that XML has not."""
    return _NOT_XML.sub("\ufffd", name)


def unquote(text: str) -> str:
    """The value of a Go string literal in double quotes. Raises ValueError.

    Bytes that are not UTF-8 (a template can cut a character in two) become U+FFFD.
    """
    inner = text[1:-1]
    if "\\" not in inner:
        return inner
    out, at = bytearray(), 0
    for match in _ESCAPE.finditer(inner):
        out += inner[at : match.start()].encode("utf-8", "replace")
        at = match.end()
        plain, byte, short, long, octal, unknown = match.groups()
        if unknown is not None:
            raise _GrammarError(f"escape \\{unknown} in {text[:80]}")
        if plain:
            out.append(_PLAIN_ESCAPES[plain])
        elif byte or octal:
            out.append(int(byte, 16) if byte else int(octal, 8) & 0xFF)
        else:
            code = int(short or long, 16)
            if code > 0x10FFFF:
                raise _GrammarError(f"escape in {text[:80]}")
            out += chr(code).encode("utf-8", "replace")
    out += inner[at:].encode("utf-8", "replace")
    return out.decode("utf-8", "replace")


def _read_pairs(text: str, at: int) -> tuple[Pairs, int]:
    """Read `{a="1", "b c"="2"}` from position `at` on."""
    if not text.startswith("{", at):
        raise _GrammarError(text[at : at + 80])
    if text.startswith("}", at + 1):
        return (), at + 2
    pairs: list[tuple[str, str]] = []
    at += 1
    while match := _PAIR.match(text, at):
        name = match[1]
        pairs.append((unquote(name) if name[0] == '"' else name, unquote(match[2])))
        at = match.end()
        if text.startswith(", ", at):
            at += 2
        elif text.startswith("}", at):
            return tuple(pairs), at + 1
        else:
            break
    raise _GrammarError(text[at : at + 80])


class _Bodies:
    """Lists of alerts already read: most are the same minute after minute."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Active, ...]] = {}

    def read(self, body: str) -> tuple[Active, ...]:
        """The alerts of one `got:[...]`."""
        found = self._known.get(body)
        if found is None:
            found = self._known[body] = _read_active(body)
        return found


def _read_alerts(text: str, bodies: _Bodies) -> tuple[int, tuple[Active, ...]]:
    """Minute and alerts. Strings in the body hold no raw line break, so the last `got:[` is promtool's own."""
    head, found, body = text.rpartition(_ALERT_BODY)
    _, comma, when = head.rpartition(", time: ")
    if not found or not comma:
        raise _GrammarError(text)
    return _minute(when), bodies.read(body)


def _read_active(body: str) -> tuple[Active, ...]:
    active: list[Active] = []
    at = 0
    while True:
        at = _expect(body, at, f"            {len(active)}:\n              Labels:")
        labels, at = _read_pairs(body, at)
        at = _expect(body, at, "\n              Annotations:")
        annotations, at = _read_pairs(body, at)
        active.append(Active(Labels.of(labels), tuple(sorted(annotations))))
        if body[at:] == "\n            ]":
            break
        at = _expect(body, at, ",\n")
    if len({one.labels.get("alertname") for one in active}) != 1:
        raise _GrammarError(body)
    return tuple(active)


def _expect(text: str, at: int, piece: str) -> int:
    if not text.startswith(piece, at):
        raise _GrammarError(text[at : at + 80])
    return at + len(piece)


def _minute(text: str) -> int:
    match = _DURATION.fullmatch(text)
    if not match or not text:
        raise _GrammarError(f"time {text[:40]!r}")
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if seconds:
        raise _GrammarError(f"time {text[:40]!r}")
    return (days * 24 + hours) * 60 + minutes


def _read_samples(text: str) -> tuple[tuple[int, str], str, tuple[tuple[Labels, float], ...]]:
    """Minute and expression, an error or the samples. The expression is quoted, so the header is unambiguous."""
    match = re.match(rf"    expr: ({_STRING}), time: (\w+)", text)
    if not match:
        raise _GrammarError(text)
    key = (_minute(match[2]), unquote(match[1]))
    at = match.end()
    if text.startswith(", err: ", at):
        return key, _steady(text[at + len(", err: ") :]), ()
    at = _expect(text, at, _SAMPLE_BODY)
    found: list[tuple[Labels, float]] = []
    while True:
        labels, at = _read_pairs(text, at)
        at = _expect(text, at, " ")
        number = _NUMBER.match(text, at)
        if not number:
            raise _GrammarError(text[at : at + 80])
        found.append((Labels.of(labels), float(number[0])))
        at = number.end()
        if at == len(text):
            return key, "", tuple(found)
        at = _expect(text, at, ", ")


_VARYING: Final = re.compile(rf"\{{(?:{_STRING}|[^{{}}\"])*\}}|\[[^\[\]\"]*\]|; overrides not allowed: existing .*")


def _steady(message: str) -> str:
    """An engine's error on one line, without what depends on the order of series (random in promtool)."""
    text = " ".join(message.split())
    while (shorter := _VARYING.sub("", text)) != text:
        text = shorter
    return " ".join(re.split(r'[{\["]', text)[0].replace(" :", "").replace(": ;", ";").split())[:300]


def _read_error(text: str, rules: Sequence[str]) -> RuleError:
    """Read `rule: X, time: T, err: E`; X is raw, so the longest known name that fits is taken."""
    for rule in rules:
        head = f"    rule: {rule}, time: "
        if text.startswith(head):
            match = re.match(r"(\w+), err: (.*)", text[len(head) :], re.DOTALL)
            if match:
                return RuleError(rule, match[1], _steady(match[2]))
    raise _GrammarError(text)


# --- processes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """How a process ended: `code` None means that it was killed for taking too long."""

    code: int | None
    reason: str

    def output(self, path: Path) -> str:
        """What it wrote to one stream."""
        with path.open("rb") as stream:
            return stream.read(OUTPUT_BYTES).decode("utf-8", "replace")


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="alertforge-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _run(
    command: Sequence[str | Path],
    folder: Path,
    seconds: float,
    environment: Mapping[str, str] | None = None,
    *,
    processor_seconds: float | None = None,
    quiet: bool = False,
) -> _Run:
    """Run promtool in its scratch folder; `quiet` throws away what it prints."""
    streams = ["/dev/null", "/dev/null"] if quiet else [str(folder / "stdout"), str(folder / "stderr")]
    with open(streams[0], "wb") as out, open(streams[1], "wb") as err:  # noqa: PTH123
        try:
            process = subprocess.Popen(
                [os.path.abspath(command[0]), *map(str, command[1:])],  # noqa: PTH100
                cwd=folder,
                env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except OSError as error:
            raise PromtoolError(f"{command[0]} does not start: {error.strerror}") from error
        _limit(process.pid, processor_seconds)
        try:
            code = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return _Run(None, f"did not end within {seconds:.0f} s")
        finally:
            # the session's leader is not reaped before this, unless it ended by itself
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    return _Run(code, f"crashed, or ran out of memory or processor time (exit code {code})")


def _limit(pid: int, processor_seconds: float | None = None) -> None:
    """Set limits from outside: safe where threads start processes, unlike code between fork and exec.

    Go ignores the signal of a soft limit on processor time; the hard one kills.
    """
    if not hasattr(resource, "prlimit"):  # not Linux
        return
    limits = [(resource.RLIMIT_DATA, MEMORY_BYTES), (resource.RLIMIT_FSIZE, FILE_BYTES)]
    if processor_seconds is not None:
        limits.append((resource.RLIMIT_CPU, math.ceil(processor_seconds)))
    with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
        for kind, most in limits:
            hard = resource.prlimit(pid, kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, kind, (most, most))


_PAIRED: Final = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\.", re.DOTALL)


def _write(path: Path, document: Any) -> None:
    """Write JSON that YAML reads alike: YAML has no surrogate pairs, but `\\U` escapes."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ": "))
    path.write_text(_PAIRED.sub(_one_escape, text), encoding="ascii")


def _one_escape(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    high, low = int(match[1], 16), int(match[2], 16)
    return f"\\U{0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00):08x}"
