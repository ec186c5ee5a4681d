# canary 4ac28a1b-9ae5-452b-a883-c66050e7f31d
"""The only place that starts amtool: is a configuration usable, and what do its matchers say about label sets.

Every process has a time limit, a memory limit, a clean environment, a scratch folder of its own, and a session that is
killed as a group. amtool never sees a file that somebody else wrote: it gets a copy written here, in which nothing
names a file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

import yaml

from alertforge import yamlsafe
from alertforge.alertmanager.config import Config, ConfigError, Route, RouteNode, parse
from alertforge.alertmanager.matchers import Matcher

MEMORY_BYTES: Final = 256 << 20  # RLIMIT_DATA; a healthy run needs less than 128 MB
OUTPUT_BYTES: Final = 4 << 20  # of one process, and RLIMIT_FSIZE
CALL_SECONDS: Final = 20.0  # for one process
TOTAL_SECONDS: Final = 120.0  # for all processes of one `classify`

BATCH_NODES: Final = 400  # routes in one probe: amtool needs 25 ms to start and 0.1 ms a route
BATCH_SETS: Final = 64
ARGUMENT_BYTES: Final = 400_000  # command line of one process; the kernel allows about 2 MB
VALUE_BYTES: Final = 100_000  # one argument; the kernel allows 128 KiB


class AmtoolError(RuntimeError):
    """amtool cannot be started; one line that names the command."""


@dataclass(frozen=True)
class CheckResult:
    """Whether Alertmanager would load a configuration, and in one line why not."""

    ok: bool
    message: str = ""


@dataclass(frozen=True)
class Match:
    """What a configuration makes of one label set.

    `nodes` are the routes that notify, in tree order; `sources` and `targets` the inhibition rules whose source or
    target side the labels match, as indices into `inhibit_rules`.
    """

    nodes: tuple[RouteNode, ...] = ()
    sources: frozenset[int] = frozenset()
    targets: frozenset[int] = frozenset()

    @property
    def receivers(self) -> tuple[str, ...]:
        """The receivers in tree order, one a node: a name may stand there twice."""
        return tuple(node.receiver for node in self.nodes)


# --- check -----------------------------------------------------------------------------------------------------------


def check_config(config_text: str, amtool: Path) -> CheckResult:
    """Whether Alertmanager would load this configuration.

    Our own reader has the first word, so that what it refuses (bombs, absurd sizes) never reaches amtool. amtool then
    sees a copy in which template paths and the values of `*_file` fields are neutral. Raises AmtoolError.
    """
    try:
        parse(config_text)
        copy = neutral_copy(config_text)
    except ConfigError as error:
        return CheckResult(False, str(error))
    with _scratch() as folder:
        (folder / "alertmanager.yml").write_text(copy, encoding="ascii")
        run = _run([amtool, "check-config", "alertmanager.yml"], folder, CALL_SECONDS)
    if run.code == 0:
        return CheckResult(True)
    return CheckResult(False, run.reason)


def neutral_copy(text: str) -> str:
    """A configuration that Alertmanager takes or refuses as it does `text`, and that names no file.

    Written from what the YAML parser saw, in ASCII, so that no other parser can see anything else in it; anchors,
    merges, tags, and what stood in quotes stay, because Go judges by them. Raises ConfigError for unreadable YAML.
    """
    try:
        yamlsafe.load(text)  # limits
    except yamlsafe.YamlError as error:
        raise ConfigError(str(error)) from None
    events = yaml.parse(text, Loader=yamlsafe.LOADER)
    return _NeutralCopy(events).document()


_PLAIN: Final = re.compile(r"[+-]?[0-9A-Za-z_.][0-9A-Za-z_.+-]*|~|<<")  # what Go could read as something but text
_TAG: Final = re.compile(r"[A-Za-z0-9:/.,!_-]+")
_KEPT: Final = ("route", "inhibit_rules")  # nothing in these names a file, and a label may be called `x_file`


class _NeutralCopy:
    """Writes a document again from parser events, without the paths in it."""

    def __init__(self, events: Iterator[Any]) -> None:
        self.events = events
        self.anchors: dict[str, str] = {}  # names of our own
        self.texts: dict[str, str] = {}  # what scalars with an anchor say

    def document(self) -> str:
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                return self.node(next(self.events), kept=False, inert=False) + "\n"
        return "\n"

    def node(self, event: Any, *, kept: bool, inert: bool, top: bool = True) -> str:
        if isinstance(event, yaml.AliasEvent):
            return "none" if inert else f"*{self.anchors[str(event.anchor)]}"
        head = self.head(event)
        if isinstance(event, yaml.ScalarEvent):
            return head + ("none" if inert and event.value else self.scalar(event))
        parts = []
        if isinstance(event, yaml.SequenceStartEvent):
            while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
                parts.append(self.node(item, kept=kept, inert=inert, top=False))
            return f"{head}[{', '.join(parts)}]"
        while not isinstance(key := next(self.events), yaml.MappingEndEvent):
            written = self.node(key, kept=True, inert=False)
            name = self.texts.get(str(key.anchor), "") if isinstance(key, yaml.AliasEvent) else key.value
            value = self.value(name, next(self.events), kept or (top and name in _KEPT), inert)
            parts.append(f"? {written} : {value}")
        return f"{head}{{{', '.join(parts)}}}"

    def value(self, name: str, event: Any, kept: bool, inert: bool) -> str:
        inert = inert or (not kept and (name == "templates" or name.endswith("_file")))
        if inert and name == "templates" and isinstance(event, yaml.AliasEvent):
            return "[]"
        return self.node(event, kept=kept, inert=inert, top=False)

    def head(self, event: Any) -> str:
        """The anchor and tag of a node."""
        out = ""
        if event.anchor is not None:
            self.anchors[event.anchor] = f"a{len(self.anchors)}"
            self.texts[event.anchor] = event.value if isinstance(event, yaml.ScalarEvent) else ""
            out = f"&{self.anchors[event.anchor]} "
        if event.tag is not None and event.tag != "!":
            out += f"!<{event.tag}> " if _TAG.fullmatch(event.tag) else "!<!x> "
        return out

    def scalar(self, event: Any) -> str:
        if event.implicit[0] and event.tag is None:
            if not event.value:
                return "null"
            if _PLAIN.fullmatch(event.value):
                return str(event.value)
        return _ascii(event.value)


# --- classify --------------------------------------------------------------------------------------------------------


class Classifier:
    """Tells, with Alertmanager's own code, which routes and which inhibition sides label sets match.

    amtool resolves routes only, and prints receivers only. So it is given a *probe*: the routing tree with a receiver
    of its own for every node, below a new root, beside one further route for each side of each inhibition rule; all of
    these `continue`. One call then tells everything about one label set. As a matcher reads nothing but the value of
    its label, a probe can hold several copies of that, each with label names of its own: one call then tells about
    several label sets.

    `memo` holds what is known already, in plain JSON values; it can be kept and given again, with any configuration.
    """

    def __init__(
        self, config: Config, amtool: Path, workers: int = 2, memo: MutableMapping[str, Any] | None = None
    ) -> None:
        self._nodes = config.nodes()
        self._amtool = amtool
        self._workers = workers
        self._memo = memo if memo is not None else {}
        self._probe = _Probe(config)

    def classify(self, label_sets: Sequence[Mapping[str, str]]) -> list[Match]:
        """One Match for each label set.

        A set whose values cannot be put on a command line (too long, not Unicode) matches nothing. Raises ConfigError
        where amtool refuses the matchers or does not end in time, AmtoolError where it cannot be started.
        """
        projected = [self._probe.project(labels) for labels in label_sets]
        keys = [self._probe.key(labels) for labels in projected]
        unknown = {key: labels for key, labels in zip(keys, projected, strict=True) if key not in self._memo}
        self._memo.update(self._ask(unknown))
        return [self._match(self._memo[key]) for key in keys]

    def _match(self, known: Sequence[Sequence[int]]) -> Match:
        nodes, sources, targets = known
        return Match(tuple(self._nodes[index] for index in nodes), frozenset(sources), frozenset(targets))

    def _ask(self, unknown: Mapping[str, _Labels]) -> dict[str, Any]:
        answers: dict[str, Any] = {key: [[], [], []] for key, labels in unknown.items() if not _fits(labels)}
        askable = [(key, labels) for key, labels in unknown.items() if key not in answers]
        copies = max(1, min(BATCH_SETS, BATCH_NODES // self._probe.size, -(-len(askable) // self._workers)))
        batches = list(_batches(askable, copies))
        if not batches:
            return answers
        with _scratch() as folder, ThreadPoolExecutor(self._workers) as pool:
            for number in {1, copies}:
                (folder / f"{number}.yml").write_text(self._probe.text(number), encoding="ascii")
            asking = _Asking(self._probe, self._amtool, folder, copies)
            for batch, found in zip(batches, pool.map(asking, batches), strict=True):
                answers.update(zip((key for key, _ in batch), found, strict=True))
        return answers


class _Asking:
    """The amtool calls of one `classify`, with one deadline for all."""

    def __init__(self, probe: _Probe, amtool: Path, folder: Path, copies: int) -> None:
        self.probe = probe
        self.amtool = amtool
        self.folder = folder
        self.copies = copies
        self.deadline = time.monotonic() + TOTAL_SECONDS

    def __call__(self, batch: Sequence[tuple[str, _Labels]]) -> list[_Known]:
        label_sets = [labels for _, labels in batch]
        try:
            return self.call(self.copies, label_sets)
        except ConfigError:
            if self.copies == 1:
                raise
        # many copies may need more memory or time than one
        return [self.call(1, [labels])[0] for labels in label_sets]

    def call(self, copies: int, label_sets: Sequence[_Labels]) -> list[_Known]:
        seconds = min(CALL_SECONDS, self.deadline - time.monotonic())
        if seconds <= 0:
            raise ConfigError(f"routing did not end within {TOTAL_SECONDS:.0f} s")
        arguments = [argument for copy, labels in enumerate(label_sets) for argument in _arguments(labels, copy)]
        command: list[str | Path] = [self.amtool, "config", "routes", "test", f"--config.file={copies}.yml"]
        run = _run([*command, *arguments], self.folder, seconds)
        if run.code != 0:
            raise ConfigError(run.reason)
        return self.probe.read(run.output, len(label_sets))


_Labels = tuple[tuple[int, str], ...]  # values by the number of their label in the probe; none is empty
_Known = list[list[int]]  # matched nodes, sources, targets

_RECEIVER: Final = re.compile(r"([nst])([0-9]+)_([0-9]+)")


class _Probe:
    """The configuration that makes amtool tell what a configuration's matchers say."""

    def __init__(self, config: Config) -> None:
        self.config = config
        sides = [side for rule in config.inhibit_rules for side in (rule.source, rule.target)]
        matchers = [matcher for side in (*(node.route.matchers for node in config.nodes()), *sides) for matcher in side]
        self.numbers = {name: number for number, name in enumerate(sorted({matcher.name for matcher in matchers}))}
        self.size = len(config.nodes()) + len(sides)
        identity = json.dumps([self.text(1), list(self.numbers)])
        self.identity = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()

    def project(self, labels: Mapping[str, str]) -> _Labels:
        """The labels that some matcher reads; an empty value is a missing one."""
        return tuple((number, labels[name]) for name, number in self.numbers.items() if labels.get(name))

    def key(self, labels: _Labels) -> str:
        """A name for the question what the probe says about these labels."""
        return hashlib.sha256(json.dumps([self.identity, labels]).encode()).hexdigest()

    def text(self, copies: int) -> str:
        """The probe as YAML, with this many copies of the tree and the inhibition sides."""
        routes = [route for copy in range(copies) for route in self._copy(copy)]
        receivers = [name for route in routes for name in _receivers(route)]
        document = {
            "route": {"receiver": "root", "routes": routes},
            "receivers": [{"name": name} for name in ("root", *receivers)],
        }
        return _ascii(document) + "\n"

    def _copy(self, copy: int) -> Iterator[dict[str, Any]]:
        yield {**self._route(self.config.route, copy, count()), "continue": True}
        for index, rule in enumerate(self.config.inhibit_rules):
            for side, matchers in (("s", rule.source), ("t", rule.target)):
                name = f"{side}{copy}_{index}"
                yield {"receiver": name, "continue": True, "matchers": self._matchers(matchers, copy)}

    def _route(self, route: Route, copy: int, numbers: Iterator[int]) -> dict[str, Any]:
        return {
            "receiver": f"n{copy}_{next(numbers)}",
            "continue": route.continue_,
            "matchers": self._matchers(route.matchers, copy),
            "routes": [self._route(child, copy, numbers) for child in route.routes],
        }

    def _matchers(self, matchers: Sequence[Matcher], copy: int) -> list[str]:
        return [str(Matcher(_name(self.numbers[each.name], copy), each.op, each.value)) for each in matchers]

    def read(self, output: str, copies: int) -> list[_Known]:
        """What amtool printed, for each of the first copies."""
        lines = output.split("\n")
        known: list[_Known] = [[[], [], []] for _ in range(copies)]
        for name in lines[-2].split(",") if len(lines) > 1 and not lines[-1] else ["nothing"]:
            found = _RECEIVER.fullmatch(name)
            if found is not None and int(found[2]) < copies:
                known[int(found[2])]["nst".index(found[1])].append(int(found[3]))
            elif found is None and name != "root":
                raise ConfigError(f"amtool printed {name[:80]!r} for receivers")
        return known


def _receivers(route: Mapping[str, Any]) -> Iterator[str]:
    yield route["receiver"]
    for child in route.get("routes", ()):
        yield from _receivers(child)


def _name(label: int, copy: int) -> str:
    """The name of a label in one copy of the probe."""
    return f"l{label}_{copy}"


_ESCAPED: Final = re.compile(r'[\x00-\x1f\x7f"\\]')


def _escape(found: re.Match[str]) -> str:
    return f"\\x{ord(found[0]):02x}"


def _arguments(labels: _Labels, copy: int) -> list[str]:
    """The labels for amtool's command line, where each is a matcher.

    With the name in quotes only the UTF-8 parser takes it, which knows an escape for every character, zero included.
    """
    return [f'"{_name(number, copy)}"="{_ESCAPED.sub(_escape, value)}"' for number, value in labels]


def _fits(labels: _Labels) -> bool:
    """Whether the labels can be put on a command line."""
    try:
        sizes = [len(argument.encode()) for argument in _arguments(labels, BATCH_SETS)]
    except UnicodeEncodeError:
        return False
    return sum(sizes) <= ARGUMENT_BYTES and all(size <= VALUE_BYTES for size in sizes)


def _batches(askable: Sequence[tuple[str, _Labels]], most: int) -> Iterator[list[tuple[str, _Labels]]]:
    """Split into runs of at most `most` label sets that fit on one command line."""
    batch: list[tuple[str, _Labels]] = []
    room = ARGUMENT_BYTES
    for key, labels in askable:
        size = sum(len(argument.encode()) + 1 for argument in _arguments(labels, BATCH_SETS))
        if batch and (len(batch) == most or size > room):
            yield batch
            batch, room = [], ARGUMENT_BYTES
        batch.append((key, labels))
        room -= size
    if batch:
        yield batch


# --- processes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """How a process ended: exit code (None when it was killed), its stdout, and in one line what went wrong."""

    code: int | None
    output: str
    reason: str = ""


@contextlib.contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="amtool-") as folder:
        yield Path(folder)


def _run(command: Sequence[str | Path], folder: Path, seconds: float) -> _Run:
    """Run amtool in a scratch folder, which is all it knows of this machine."""
    try:
        process = subprocess.Popen(
            [os.path.abspath(command[0]), *map(str, command[1:])],  # noqa: PTH100
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "GOMAXPROCS": "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise AmtoolError(f"{command[0]} does not start: {error.strerror}") from error
    with process:
        try:
            _limit(process.pid)
            return _watch(process, time.monotonic() + seconds, seconds)
        finally:
            if process.poll() is None:  # not reaped, so the number is still its own
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _watch(process: subprocess.Popen[bytes], deadline: float, seconds: float) -> _Run:
    """Read both streams until they close. Waiting for the process itself would poll, and be slower than amtool."""
    streams = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            assert stream is not None
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return _Run(None, "", f"amtool did not end within {seconds:.0f} s")
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fileobj)
                streams[key.fileobj] += chunk  # type: ignore[index]
            if sum(map(len, streams.values())) > OUTPUT_BYTES:
                return _Run(None, "", "amtool printed without end")
    try:
        code = process.wait(max(0.1, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return _Run(None, "", f"amtool did not end within {seconds:.0f} s")
    output, errors = (stream.decode("utf-8", "replace") for stream in streams.values())
    return _Run(code, output, "" if code == 0 else _complaint(code, output, errors))


_FAILED: Final = re.compile(r"  FAILED: (.*?)(?:\n\n|\Z)", re.DOTALL)
_NOISE: Final = re.compile(r"yaml: unmarshal errors:|\bline [0-9]+: ")  # lines of our copy say nothing


def _complaint(code: int, output: str, errors: str) -> str:
    """What amtool says against a configuration, in one line."""
    failed = _FAILED.search(output)
    said = [line.removeprefix("amtool: error: ") for line in errors.splitlines() if line.startswith("amtool: error: ")]
    if failed is not None or said:
        text = " ".join(_NOISE.sub(" ", failed[1] if failed is not None else said[-1]).split())
        return text[:300] or "refused by amtool"
    return f"amtool crashed or ran out of memory (exit code {code})"


def _limit(pid: int) -> None:
    """Set limits from outside: safe where threads start processes, unlike code between fork and exec."""
    if not hasattr(resource, "prlimit"):  # not Linux
        return
    with contextlib.suppress(ProcessLookupError, PermissionError, ValueError):
        for kind, most in ((resource.RLIMIT_DATA, MEMORY_BYTES), (resource.RLIMIT_FSIZE, OUTPUT_BYTES)):
            hard = resource.prlimit(pid, kind)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.prlimit(pid, kind, (most, hard))


_NOT_ASCII: Final = re.compile(r"[^\x20-\x7e]")


def _ascii(value: Any) -> str:
    """JSON that YAML reads alike: everything outside ASCII as an escape, none of them a surrogate pair."""
    return _NOT_ASCII.sub(lambda found: f"\\U{ord(found[0]):08x}", json.dumps(value, ensure_ascii=False))
