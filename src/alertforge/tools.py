"""Find promtool, amtool, alertmanager and prometheus on this machine, or fetch them into a per-user cache.

A tool is looked up in its `AF_<NAME>` variable, then on PATH, then in the cache that `install` fills. A version that
would grade differently is never returned: PATH entries of a wrong version are passed over, a variable that names one
is an error.

`install` takes the official release archives, checked against the release's `sha256sums.txt`, and where these cannot
be reached Debian's packages, through apt's own verified download into a folder of its own: nothing is installed
system-wide and no root is needed.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import http.client
import logging
import os
import platform
import re
import resource
import shutil
import signal
import ssl
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal, Protocol

from alertforge.errors import AlertForgeError

Source = Literal["auto", "release", "debian"]

RELEASE_URL: Final = "https://github.com/prometheus"
RELEASES: Final = {"prometheus": "3.5.0", "alertmanager": "0.28.1"}  # project -> version

# Debian suites that carry the wanted versions, later lists are asked only when the earlier ones lack one.
DEBIAN_SUITES: Final = (("trixie", "forky"), ("trixie", "forky", "sid"))
DEBIAN_KEYRINGS: Final = tuple(
    Path(f"/usr/share/keyrings/debian-archive-keyring.{suffix}") for suffix in ("gpg", "pgp")
)

CONNECT_SECONDS: Final = 10  # also the longest pause within a download
VERSION_SECONDS: Final = 20
APT_SECONDS: Final = 600
MEMORY_BYTES: Final = 1 << 30  # RLIMIT_DATA of every process started here
CHUNK_BYTES: Final = 1 << 20

SERVER_TEMPLATE: Final = Path("/usr/share/prometheus/alertmanager/default.tmpl")

log = logging.getLogger(__name__)


class ToolError(AlertForgeError):
    """A tool is missing, of a wrong version, or could not be fetched."""


class UnreachableError(ToolError):
    """A download could not be made or did not finish; another source may do."""


@dataclass(frozen=True, order=True)
class Version:
    """A version as the tool prints it; ordered by its numbers."""

    numbers: tuple[int, ...]
    text: str

    @classmethod
    def parse(cls, text: str) -> Version | None:
        """Read `3.5.3+ds1-6`; None when the text does not start with a version."""
        match = re.match(r"(?:\d+:)?(\d+)\.(\d+)\.(\d+)\S*", text)
        return cls(tuple(int(number) for number in match.groups()), match[0]) if match else None


@dataclass(frozen=True)
class Tool:
    """What is known about one tool: where it may be, which versions will do, where it comes from."""

    name: str
    needed: bool  # for grading; the servers serve only tests against the real thing
    first: tuple[int, ...]  # oldest accepted version
    before: tuple[int, ...]  # first version that is not accepted
    tested: tuple[int, ...]  # the series that grading was measured with
    project: str  # whose release archive holds it
    package: str  # Debian package
    program: str  # file name on Debian

    @property
    def variable(self) -> str:
        """Environment variable that names the binary."""
        return f"AF_{self.name.upper()}"

    @property
    def file_names(self) -> tuple[str, ...]:
        """Names under which the tool is installed."""
        return (self.name,) if self.program == self.name else (self.name, self.program)

    @property
    def range_text(self) -> str:
        """The accepted versions, for messages."""
        return f">={_dotted(self.first)},<{_dotted(self.before)}"

    def problem(self, version: Version) -> str:
        """Say why this version cannot be used; empty when it can."""
        if self.first <= version.numbers < self.before:
            return ""
        if self.project == "prometheus" and version.numbers < (3,):
            return (
                f"version {version.text} gives other results: range windows are closed on both sides in Prometheus 2, "
                "left-open in Prometheus 3"
            )
        return f"version {version.text} is not {self.range_text}"

    def note(self, version: Version) -> str:
        """Say what is unusual about an accepted version; empty when nothing is."""
        if version.numbers[: len(self.tested)] == self.tested:
            return ""
        return f"version {version.text} is accepted, but rewards are pinned to {_dotted(self.tested)}.x"


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))


def _prometheus(name: str, *, needed: bool) -> Tool:
    return Tool(name, needed, (3, 5), (4,), (3, 5), project="prometheus", package=name, program=name)


def _alertmanager(name: str, program: str, *, needed: bool) -> Tool:
    return Tool(name, needed, (0, 27), (1,), (0, 28), "alertmanager", "prometheus-alertmanager", program)


TOOLS: Final = {
    tool.name: tool
    for tool in (
        _prometheus("promtool", needed=True),
        _alertmanager("amtool", "amtool", needed=True),
        _alertmanager("alertmanager", "prometheus-alertmanager", needed=False),
        _prometheus("prometheus", needed=False),
    )
}
INSTALLED_BY_DEFAULT: Final = ("promtool", "amtool", "alertmanager")


# ---------------------------------------------------------------------------------------------------------- finding


@dataclass(frozen=True)
class Candidate:
    """A file that may be the tool, judged: usable when `problem` is empty, and then best when `note` is empty too."""

    name: str
    path: Path
    origin: str  # the variable's name, "PATH" or "cache"
    version: str = ""
    problem: str = ""
    note: str = ""


@dataclass(frozen=True)
class Diagnosis:
    """One line of `tools doctor`."""

    name: str
    needed: bool
    verdict: Literal["ok", "warning", "wrong", "missing"]
    path: str = ""
    origin: str = ""
    version: str = ""
    advice: str = ""

    @property
    def healthy(self) -> bool:
        """Whether grading can go on."""
        return not self.needed or self.verdict in ("ok", "warning")


def cache_dir() -> Path:
    """Folder that `install` fills: `AF_CACHE`, else `alertforge` in the user's cache folder."""
    if own := os.environ.get("AF_CACHE"):
        return Path(own).absolute()
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(xdg) if Path(xdg).is_absolute() else Path.home() / ".cache") / "alertforge"


def find(name: str) -> Path:
    """Path of a usable tool (`promtool`, `amtool`, `alertmanager`, `prometheus`).

    Raises ToolError, in one line with the way out, when there is none. Logs a warning, once, when the version is
    accepted but not the one that grading was measured with.
    """
    found = locate(name)
    if found.note:
        _warn_once(f"{name} at {found.path}: {found.note}")
    return found.path


def locate(name: str) -> Candidate:
    """The candidate that `find` takes: the first of a tested version, else the first that will do."""
    usable: list[Candidate] = []
    refused: list[Candidate] = []
    for candidate in _candidates(_tool(name)):
        if candidate.problem:
            refused.append(candidate)
        elif not candidate.note:
            return candidate
        else:
            usable.append(candidate)
    if usable:
        return usable[0]
    raise ToolError(_not_found(name, refused))


def doctor() -> list[Diagnosis]:
    """Diagnose every tool, needed ones first."""
    return [_diagnose(tool) for tool in TOOLS.values()]


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise ToolError(f"unknown tool {name!r}; known are {', '.join(TOOLS)}")
    return TOOLS[name]


def _candidates(tool: Tool) -> Iterator[Candidate]:
    """Judged candidates in the order of preference; a set variable is the only candidate."""
    if explicit := os.environ.get(tool.variable):
        yield _judge(tool, Path(explicit).absolute(), tool.variable)
        return
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for file_name in tool.file_names if folder else ():
            path = Path(folder).absolute() / file_name
            if path.is_file() and os.access(path, os.X_OK):
                yield _judge(tool, path, "PATH")
    cached = cache_dir() / "bin" / tool.name
    if cached.exists():
        yield _judge(tool, cached, "cache")


def _judge(tool: Tool, path: Path, origin: str) -> Candidate:
    """Run the candidate once to learn its version and whether it works here."""
    try:
        stat = path.stat()
        version = _probe(tool.name, path, stat.st_mtime_ns, stat.st_size)
    except OSError as error:
        return Candidate(tool.name, path, origin, problem=error.strerror or str(error))
    except ToolError as error:
        return Candidate(tool.name, path, origin, problem=str(error))
    return Candidate(tool.name, path, origin, version.text, tool.problem(version), tool.note(version))


@functools.cache
def _probe(name: str, path: Path, mtime_ns: int, size: int) -> Version:  # mtime and size: a replaced file is asked anew
    """Version of a binary that starts; ToolError otherwise. A process start costs about 50 ms, hence the cache."""
    done = run([path, "--version"], seconds=VERSION_SECONDS)
    match = re.match(rf"{name}, version (\S+)", done.stdout or done.stderr)
    version = Version.parse(match[1]) if match else None
    if version is None:
        raise ToolError(f"does not say that it is {name}: {_last_line(done.stderr or done.stdout) or 'no output'}")
    if name == "alertmanager":
        _require_templates(path)
    return version


def _require_templates(server: Path) -> None:
    """Refuse a server that cannot load its notification templates, as Debian's build without its package installed.

    The server is started on a port that cannot exist: it loads its configuration first, then gives up.
    """
    with tempfile.TemporaryDirectory(prefix="alertforge-") as scratch:
        config = Path(scratch, "alertmanager.yml")
        config.write_text("route: {receiver: none}\nreceivers: [{name: none}]\n", encoding="utf-8")
        flags = [f"--config.file={config}", f"--storage.path={scratch}/data", "--web.listen-address=127.0.0.1:99999"]
        done = run([server, *flags, "--cluster.listen-address="], seconds=VERSION_SECONDS)
    if missing := re.search(r"failed to parse templates: ([^\"]*)", done.stderr):
        raise ToolError(f"server does not start without its templates ({missing[1]})")


def _not_found(name: str, refused: Sequence[Candidate]) -> str:
    tool = TOOLS[name]
    if refused and refused[0].origin == tool.variable:
        wrong = refused[0]
        return f"{tool.variable}={wrong.path}: {wrong.problem}; point it at {name} {tool.range_text} or unset it"
    passed_over = "".join(f"; passed over {each.path}: {each.problem}" for each in refused)
    return f"{name} {tool.range_text} not found; run `alertforge tools install --only {name}`{passed_over}"


def _diagnose(tool: Tool) -> Diagnosis:
    try:
        found = locate(tool.name)
    except ToolError as error:
        refused = next((each for each in _candidates(tool)), None)
        if refused is None:
            return Diagnosis(tool.name, tool.needed, "missing", advice=str(error))
        where = (str(refused.path), refused.origin, refused.version)
        return Diagnosis(tool.name, tool.needed, "wrong", *where, advice=str(error))
    where = (str(found.path), found.origin, found.version)
    return Diagnosis(tool.name, tool.needed, "warning" if found.note else "ok", *where, advice=found.note)


@functools.cache
def _warn_once(text: str) -> None:
    log.warning(text)


# ------------------------------------------------------------------------------------------------------- installing


class Progress(Protocol):
    """How `install` tells what it is doing."""

    def step(self, text: str) -> None:
        """Begin something; one line."""

    def advance(self, label: str, done: int, total: int) -> None:
        """Report bytes of a download; total is 0 when unknown."""


class Silent:
    """A Progress that says nothing."""

    def step(self, text: str) -> None:
        """Say nothing."""

    def advance(self, label: str, done: int, total: int) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Installed:
    """A tool after `install`: found in place, or fetched."""

    tool: Candidate
    fetched: bool


def install(
    names: Iterable[str] = INSTALLED_BY_DEFAULT,
    *,
    source: Source = "auto",
    force: bool = False,
    release_url: str = RELEASE_URL,
    progress: Progress | None = None,
) -> list[Installed]:
    """Make the named tools available, fetching into the cache those that are not; `force` fetches them all.

    All or nothing: files are put in place by renames, after every one has been verified and has been run. A second
    installation waits for the first. Raises ToolError.
    """
    progress = progress or Silent()
    names = list(dict.fromkeys(names))
    cache = cache_dir()
    with _locked(cache, progress):
        present = {} if force else {name: found for name in names if (found := _present(name))}
        absent = [TOOLS[name] for name in names if name not in present]
        if absent:
            with _staging(cache) as staging:
                _fetch(absent, staging, source, release_url, progress)
                for tool in absent:
                    _verify(tool, staging)
                _publish(staging, cache)
    fetched = {tool.name: _judge(tool, cache / "bin" / tool.name, "cache") for tool in absent}
    return [Installed(present.get(name) or fetched[name], fetched=name in fetched) for name in names]


def _present(name: str) -> Candidate | None:
    """The tool if it can be found; ToolError if its variable hides whatever would be fetched."""
    try:
        return locate(name)
    except ToolError:
        if os.environ.get(_tool(name).variable):
            raise
        return None


@contextlib.contextmanager
def _locked(cache: Path, progress: Progress) -> Iterator[None]:
    """Hold the cache for one installation; the lock goes with the process, however that ends."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        lock = (cache / ".lock").open("w")
    except OSError as error:
        raise ToolError(f"cannot write to the cache {cache}: {error.strerror} (AF_CACHE names another)") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress.step("another installation is running; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _staging(cache: Path) -> Iterator[Path]:
    """A folder on the cache's own file system, gone at the end; what a killed installation left goes first."""
    for left in cache.glob("staging-*"):
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="staging-", dir=cache, ignore_cleanup_errors=True) as folder:
        staging = Path(folder)
        (staging / "bin").mkdir()
        (staging / "lib").mkdir()
        yield staging


def _fetch(tools: Sequence[Tool], staging: Path, source: Source, release_url: str, progress: Progress) -> None:
    """Put the tools into `staging/bin` from the first source that can be reached; what fails a check ends it all."""
    if source != "debian":
        try:
            return _from_release(tools, staging, release_url, progress)
        except UnreachableError as error:
            if source == "release":
                raise
            progress.step(f"{error}; taking Debian's packages")
    return _from_debian(tools, staging, progress)


def _verify(tool: Tool, staging: Path) -> None:
    """Run what was fetched, before it is put in place."""
    got = _judge(tool, staging / "bin" / tool.name, "download")
    if got.problem:
        raise ToolError(f"the {tool.name} that was fetched cannot be used: {got.problem}")


def _publish(staging: Path, cache: Path) -> None:
    """Move what is staged into the cache; what a program needs beside it comes before the program."""
    for kind in ("lib", "bin"):
        (cache / kind).mkdir(exist_ok=True)
        for new in sorted((staging / kind).iterdir()):
            place = cache / kind / new.name
            if place.is_dir():
                place.rename(staging / f"old-{new.name}")
            new.replace(place)


# --------------------------------------------------------------------------------------------- the official releases


def _from_release(tools: Sequence[Tool], staging: Path, release_url: str, progress: Progress) -> None:
    """Fetch the release archive of each project, check it against the release's sums, take the tools out."""
    for project in dict.fromkeys(tool.project for tool in tools):
        version = RELEASES[project]
        stem = f"{project}-{version}.{_system()}"
        folder = f"{release_url.rstrip('/')}/{project}/releases/download/v{version}"
        progress.step(f"fetching {project} {version} from {folder}")
        expected = _listed_sum(f"{folder}/sha256sums.txt", f"{stem}.tar.gz")
        archive = staging / f"{stem}.tar.gz"
        if _download(f"{folder}/{stem}.tar.gz", archive, progress) != expected:
            raise ToolError(f"{stem}.tar.gz does not match its SHA-256 in {folder}/sha256sums.txt; nothing installed")
        for tool in tools:
            if tool.project == project:
                _extract(archive, f"{stem}/{tool.name}", staging / "bin" / tool.name)
        archive.unlink()


def _system() -> str:
    """This machine in the words of a Go release, such as `linux-amd64`."""
    machines = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    machine = machines.get(platform.machine().lower())
    if sys.platform not in ("linux", "darwin") or machine is None:
        raise ToolError(f"no release for {sys.platform} on {platform.machine()}; set AF_PROMTOOL and AF_AMTOOL instead")
    return f"{sys.platform}-{machine}"


def _listed_sum(url: str, file_name: str) -> str:
    """SHA-256 of one file in a `sha256sums.txt`."""
    with _reaching(url), _open(url) as response:
        listing = response.read(CHUNK_BYTES).decode("utf-8", "replace")
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) == 2 and fields[1].lstrip("*") == file_name:
            return fields[0].lower()
    raise ToolError(f"{url} does not list {file_name}")


def _download(url: str, target: Path, progress: Progress) -> str:
    """Write a file, return its SHA-256 in hexadecimal; UnreachableError when it stops short."""
    digest = hashlib.sha256()
    done = 0
    with target.open("wb") as file, _reaching(url), _open(url) as response:
        total = int(response.headers.get("Content-Length") or 0)
        while chunk := response.read(CHUNK_BYTES):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            progress.advance(target.name, done, total)
    if total and done != total:
        raise UnreachableError(f"{url} stopped after {done} of {total} bytes")
    return digest.hexdigest()


def _open(url: str) -> http.client.HTTPResponse:
    response: http.client.HTTPResponse = urllib.request.urlopen(url, timeout=CONNECT_SECONDS)
    if url.startswith("https:") and not response.geturl().startswith("https:"):
        response.close()
        raise ToolError(f"{url} redirects to an unprotected address")
    return response


@contextlib.contextmanager
def _reaching(url: str) -> Iterator[None]:
    """Turn network trouble into an UnreachableError of one line."""
    try:
        yield
    except urllib.error.HTTPError as error:
        raise UnreachableError(f"{url} answers {error.code} {error.reason}") from error
    except (urllib.error.URLError, TimeoutError, ConnectionError, ssl.SSLError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        text = getattr(reason, "strerror", None) or str(reason) or type(reason).__name__
        raise UnreachableError(f"{urllib.parse.urlsplit(url).netloc} cannot be reached ({text})") from error


def _extract(archive: Path, member: str, target: Path) -> None:
    """Write one regular file of an archive as an executable."""
    try:
        with tarfile.open(archive, "r:gz") as tar:
            content: IO[bytes] | None = tar.extractfile(member)
            if content is None:
                raise KeyError(member)
            with content, target.open("wb") as file:
                shutil.copyfileobj(content, file, CHUNK_BYTES)
    except (KeyError, tarfile.TarError, EOFError) as error:
        raise ToolError(f"{archive.name} holds no {member}") from error
    target.chmod(0o755)


# ------------------------------------------------------------------------------------------------- Debian's packages

# Debian's server reads its templates from a fixed path. Where the package is not installed, the launcher lays the
# unpacked /usr/share over the host's, seen by the server alone (a mount namespace of its own; no root needed).
SERVER_LAUNCHER: Final = """\
#!/bin/sh
# Starts Debian's Alertmanager without its package being installed: the server reads its templates from
# {template}, so it sees the unpacked files over the host's /usr/share.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
home=$(dirname "$(readlink -f "$0")")/../lib/{home}
server=$home/usr/bin/{program}
[ -e {template} ] && exec "$server" "$@"
exec unshare --user --map-root-user --mount sh -ec '
  server=$1 back=$PWD; shift
  cd "$(dirname "$server")/.."
  mount -t overlay overlay -o lowerdir=share:/usr/share /usr/share
  cd "$back"
  exec "$server" "$@"' sh "$server" "$@"
"""


def _from_debian(tools: Sequence[Tool], staging: Path, progress: Progress) -> None:
    """Fetch Debian packages with apt in a set-up of its own, unpack them, take the tools out."""
    apt = _Apt.prepare(staging / "apt")
    packages = {tool.package: tool for tool in reversed(tools)}  # the first tool of a package speaks for it
    chosen = _choose_packages(apt, packages, progress)
    for package, version in chosen.items():
        progress.step(f"fetching Debian's {package} {version.text}")
        tree = apt.unpack(package, version, staging / "unpacked" / package)
        for tool in tools:
            if tool.package == package and tool.name != "alertmanager":
                (tree / "usr/bin" / tool.program).replace(staging / "bin" / tool.name)
        if any(tool.name == "alertmanager" and tool.package == package for tool in tools):
            _place_server(tree, f"{package}-{version.text}", staging)


def _choose_packages(apt: _Apt, packages: dict[str, Tool], progress: Progress) -> dict[str, Version]:
    """Per package the version to take; ToolError when no suite has one that is accepted."""
    offered: dict[str, list[Version]] = {}
    for suites in DEBIAN_SUITES:
        progress.step(f"reading Debian's package lists ({', '.join(suites)})")
        apt.update(suites)
        offered = {package: apt.versions(package) for package in packages}
        chosen = {
            package: best for package, tool in packages.items() if (best := _best_version(tool, offered[package]))
        }
        if len(chosen) == len(packages):
            return chosen
    lacking = next(package for package in packages if package not in chosen)
    seen = ", ".join(version.text for version in offered[lacking]) or "none"
    raise ToolError(
        f"Debian's {', '.join(suites)} have no {lacking} {packages[lacking].range_text} (they have: {seen}); "
        f"set {packages[lacking].variable} to one of your own"
    )


def _best_version(tool: Tool, offered: Iterable[Version]) -> Version | None:
    """The newest of the tested series, else the newest that is accepted."""
    accepted = [version for version in offered if not tool.problem(version)]
    return max(accepted, key=lambda version: (not tool.note(version), version), default=None)


def _place_server(tree: Path, home: str, staging: Path) -> None:
    """Keep the server with its templates, and put the launcher in its place."""
    program = TOOLS["alertmanager"].program
    kept = staging / "lib" / home / "usr"
    (kept / "bin").mkdir(parents=True)
    (tree / "usr/bin" / program).replace(kept / "bin" / program)
    (tree / "usr/share").replace(kept / "share")
    launcher = staging / "bin" / "alertmanager"
    launcher.write_text(SERVER_LAUNCHER.format(template=SERVER_TEMPLATE, home=home, program=program), encoding="utf-8")
    launcher.chmod(0o755)


@dataclass(frozen=True)
class _Apt:
    """apt with state, cache and sources of its own; keys, proxies and credentials stay those of the machine."""

    folder: Path
    mirror: str
    keyring: Path

    @classmethod
    def prepare(cls, folder: Path) -> _Apt:
        """Lay out the folders; ToolError where there is no apt with a Debian mirror."""
        if sys.platform != "linux" or not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
            raise ToolError("Debian's packages need apt-get and dpkg-deb, which this machine does not have")
        keyring = next((path for path in DEBIAN_KEYRINGS if path.exists()), None)
        if keyring is None:
            raise ToolError(f"no Debian keyring at {DEBIAN_KEYRINGS[0]}; install debian-archive-keyring")
        for inner in ("lists/partial", "cache/archives/partial", "none"):
            (folder / inner).mkdir(parents=True)
        (folder / "status").touch()
        return cls(folder, _debian_mirror(), keyring)

    def update(self, suites: Sequence[str]) -> None:
        """Read the signed package lists of the suites."""
        lines = [f"deb [signed-by={self.keyring}] {self.mirror} {suite} main\n" for suite in suites]
        (self.folder / "sources.list").write_text("".join(lines), encoding="utf-8")
        self._apt("apt-get", "update")

    def versions(self, package: str) -> list[Version]:
        """Every version on offer, as Debian writes it."""
        rows = (line.split("|") for line in self._apt("apt-cache", "madison", package).splitlines())
        found = (Version.parse(row[1].strip()) for row in rows if len(row) == 3)
        return sorted({version for version in found if version})

    def unpack(self, package: str, version: Version, tree: Path) -> Path:
        """Download one package, verified by apt, and unpack its files."""
        tree.mkdir(parents=True)
        self._apt("apt-get", "download", f"{package}={version.text}", cwd=tree.parent)
        archive = next(tree.parent.glob(f"{package}_*.deb"))
        _checked_run(["dpkg-deb", "-x", archive, tree])
        archive.unlink()
        return tree

    def _apt(self, program: str, *arguments: str, cwd: Path | None = None) -> str:
        settings = {
            "Dir::State": self.folder,
            "Dir::State::Lists": self.folder / "lists",
            "Dir::State::status": self.folder / "status",
            "Dir::Cache": self.folder / "cache",
            "Dir::Etc::SourceList": self.folder / "sources.list",
            "Dir::Etc::SourceParts": self.folder / "none",
            "Dir::Etc::Preferences": self.folder / "no-preferences",
            "Dir::Etc::PreferencesParts": self.folder / "none",
            "APT::Sandbox::User": "root",  # root too works in a folder that only its owner can read
            "APT::Update::Error-Mode": "any",  # a list that cannot be read is an error, not a warning
            "Acquire::Languages": "none",
            "Acquire::Retries": 2,
            "Acquire::http::Timeout": CONNECT_SECONDS,
            "Acquire::https::Timeout": CONNECT_SECONDS,
        }
        options = [part for key, value in settings.items() for part in ("-o", f"{key}={value}")]
        return _checked_run([program, "-q", *options, *arguments], cwd=cwd)


def _debian_mirror() -> str:
    """The mirror that this machine's own apt is set up with."""
    targets = _checked_run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"])
    for uri in targets.splitlines():
        if re.search(r"/debian(\.list)?/?$", uri):
            return uri
    raise ToolError("apt on this machine has no Debian mirror among its sources")


# --------------------------------------------------------------------------------------------------------- processes


def _checked_run(command: Sequence[str | Path], cwd: Path | None = None) -> str:
    """Output of a program of the Debian tool box; ToolError with its last words when it fails."""
    done = run(command, seconds=APT_SECONDS, cwd=cwd)
    if done.returncode != 0:
        raise ToolError(f"{command[0]} failed: {_last_line(done.stderr) or f'exit code {done.returncode}'}")
    return done.stdout


def run(command: Sequence[str | Path], *, seconds: float, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program to its end: own session, scratch folder and environment, limited time (seconds) and memory.

    Raises ToolError when it cannot be started or does not end in time.
    """
    with tempfile.TemporaryDirectory(prefix="alertforge-") as scratch:
        try:
            process = subprocess.Popen(
                [str(part) for part in command],
                cwd=cwd or scratch,
                env=_environment(scratch),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                start_new_session=True,
                preexec_fn=_limit_memory,
            )
        except OSError as error:
            raise ToolError(f"{command[0]} does not start: {error.strerror}") from error
        try:
            output, errors = process.communicate(timeout=seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                raise ToolError(f"{command[0]} did not end within {seconds:g} s") from error
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _environment(scratch: str) -> dict[str, str]:
    """A clean environment that still reaches the network the way the user's does."""
    kept = re.compile(r"(https?|ftp|all|no)_proxy|APT_CONFIG", re.IGNORECASE)
    passed = {name: value for name, value in os.environ.items() if kept.fullmatch(name)}
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return {**passed, "PATH": path, "HOME": scratch, "TMPDIR": scratch, "LC_ALL": "C.UTF-8"}


def _limit_memory() -> None:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    soft = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
