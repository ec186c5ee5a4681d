"""Finding tools with stand-in programs, fetching them from a release server on loopback and, slow, from Debian."""

from __future__ import annotations

import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from alertforge import tools
from alertforge.tools import ToolError, Version

LONG_LIMIT = 60  # seconds; only a hang gets there


def program(version: str, name: str) -> bytes:
    """A stand-in that answers `--version` as the real tool does."""
    return f"#!/bin/sh\necho '{name}, version {version} (branch: HEAD, revision: abc)'\n".encode()


def put(folder: Path, file_name: str, version: str, name: str | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name
    path.write_bytes(program(version, name or file_name))
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tool variables, nothing on PATH but `path1:path2`, an empty cache."""
    for tool in tools.TOOLS.values():
        monkeypatch.delenv(tool.variable, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'path1'}{os.pathsep}{tmp_path / 'path2'}")
    monkeypatch.setenv("AF_CACHE", str(tmp_path / "cache"))


# Finding


def test_the_variable_comes_before_path_and_path_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = put(tmp_path / "cache/bin", "promtool", "3.5.0")
    assert tools.find("promtool") == cached
    second = put(tmp_path / "path2", "promtool", "3.5.1")
    assert tools.find("promtool") == second
    first = put(tmp_path / "path1", "promtool", "3.5.2")
    assert tools.find("promtool") == first
    own = put(tmp_path / "own", "my-promtool", "3.5.3", "promtool")
    monkeypatch.setenv("AF_PROMTOOL", str(own))
    assert tools.find("promtool") == own


def test_debians_name_of_the_server_is_known(tmp_path: Path) -> None:
    server = put(tmp_path / "path1", "prometheus-alertmanager", "0.28.1+ds", "alertmanager")
    assert tools.find("alertmanager") == server


def test_a_wrong_version_on_path_is_passed_over_for_a_right_one_further_on(tmp_path: Path) -> None:
    put(tmp_path / "path1", "promtool", "2.42.0+ds")
    cached = put(tmp_path / "cache/bin", "promtool", "3.5.0")
    assert tools.find("promtool") == cached


def test_a_wrong_version_alone_is_an_error_that_says_why_and_what_to_do(tmp_path: Path) -> None:
    put(tmp_path / "path1", "promtool", "2.53.3+ds1")
    with pytest.raises(ToolError, match=r"not found; run `alertforge tools install.*2\.53\.3\+ds1.*left-open"):
        tools.find("promtool")


@pytest.mark.parametrize("version", ["2.53.3", "3.4.2", "4.0.0"])
def test_a_variable_that_names_a_wrong_version_is_an_error_whatever_else_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    put(tmp_path / "path1", "promtool", "3.5.0")
    monkeypatch.setenv("AF_PROMTOOL", str(put(tmp_path / "own", "promtool", version)))
    with pytest.raises(ToolError, match=rf"^AF_PROMTOOL=.*{version}"):
        tools.find("promtool")


def test_a_variable_that_names_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AF_AMTOOL", str(tmp_path / "nowhere"))
    with pytest.raises(ToolError, match=r"^AF_AMTOOL=.*No such file"):
        tools.find("amtool")


def test_another_program_under_the_tools_name_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "path1", "amtool", "0.28.1", name="othertool")
    with pytest.raises(ToolError, match="does not say that it is amtool"):
        tools.find("amtool")


def test_a_program_that_cannot_start_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "path1", "amtool", "0.28.1").write_bytes(b"\x7fELF of another machine")
    with pytest.raises(ToolError, match="does not start"):
        tools.find("amtool")


def test_a_program_that_never_answers_is_refused_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "VERSION_SECONDS", 0.5)
    hanging = put(tmp_path / "path1", "amtool", "0.28.1")
    hanging.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {tmp_path}/pid\nwait\n", encoding="utf-8")
    with pytest.raises(ToolError, match=r"did not end within 0\.5 s"):
        tools.find("amtool")
    child = int((tmp_path / "pid").read_text())
    assert waited(lambda: not running(child))


def test_an_accepted_but_untested_version_is_used_with_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    newer = put(tmp_path / "path1", "promtool", "3.9.0")
    assert [tools.find("promtool"), tools.find("promtool")] == [newer, newer]
    assert [record.message for record in caplog.records if str(newer) in record.message] == [
        f"promtool at {newer}: version 3.9.0 is accepted, but rewards are pinned to 3.5.x"
    ]
    tested = put(tmp_path / "cache/bin", "promtool", "3.5.0")
    assert tools.find("promtool") == tested


def test_a_replaced_binary_is_asked_for_its_version_again(tmp_path: Path) -> None:
    path = put(tmp_path / "path1", "promtool", "3.5.0")
    assert tools.locate("promtool").version == "3.5.0"
    os.utime(path, ns=(1, 1))
    path.write_bytes(program("2.42.0", "promtool"))
    with pytest.raises(ToolError):
        tools.find("promtool")


def test_a_server_that_cannot_load_its_templates_is_refused(tmp_path: Path) -> None:
    server = put(tmp_path / "path1", "alertmanager", "0.28.1")
    # what Debian's build says when its package is not installed
    error = 'level=ERROR err="failed to parse templates: open /x/default.tmpl: no such file or directory"'
    server.write_bytes(server.read_bytes() + f"[ $1 = --version ] || {{ echo '{error}' >&2; exit 1; }}\n".encode())
    with pytest.raises(ToolError, match=r"templates \(open /x/default.tmpl: no such file"):
        tools.find("alertmanager")


def test_the_cache_follows_its_variable_then_the_users_cache_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert tools.cache_dir() == tmp_path / "cache"
    monkeypatch.delenv("AF_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert tools.cache_dir() == tmp_path / "xdg" / "alertforge"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the XDG specification
    monkeypatch.setenv("HOME", str(tmp_path))
    assert tools.cache_dir() == tmp_path / ".cache" / "alertforge"


def test_doctor_tells_ok_warning_wrong_and_missing_apart(tmp_path: Path) -> None:
    put(tmp_path / "path1", "promtool", "2.42.0")
    put(tmp_path / "path1", "amtool", "0.28.1")
    put(tmp_path / "path1", "alertmanager", "0.31.0")
    found = {each.name: each for each in tools.doctor()}
    verdicts = {name: (each.verdict, each.healthy) for name, each in found.items()}
    assert verdicts == {
        "promtool": ("wrong", False),
        "amtool": ("ok", True),
        "alertmanager": ("warning", True),
        "prometheus": ("missing", True),
    }
    assert "left-open" in found["promtool"].advice
    assert found["promtool"].path == str(tmp_path / "path1/promtool")


def test_debians_best_version_is_of_the_tested_series_else_the_newest_accepted() -> None:
    def best(*offered: str) -> str | None:
        versions = [version for text in offered if (version := Version.parse(text))]
        chosen = tools._best_version(tools.TOOLS["promtool"], versions)
        return chosen.text if chosen else None

    assert best("2.53.3+ds1-2", "3.5.3+ds1-6", "3.11.0-1") == "3.5.3+ds1-6"
    assert best("2.53.3+ds1-2", "3.9.0-1", "1:3.11.0-1") == "1:3.11.0-1"
    assert best("2.53.3+ds1-2", "4.0.0-1") is None


# Fetching a release


@dataclass
class ReleaseServer:
    """A release server on loopback: files by URL path, and ways to misbehave."""

    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: int | None = None  # bytes of an archive after which the connection closes
    stalled: threading.Event = field(default_factory=threading.Event)  # set once an archive hangs
    stall: bool = False
    requests: list[str] = field(default_factory=list)
    url: str = ""

    def add_release(self, project: str, version: str, programs: dict[str, str], *, sum_of: bytes | None = None) -> None:
        """Offer an archive of stand-ins for this machine, and its sums (`sum_of` other bytes, to make them wrong)."""
        stem = f"{project}-{version}.{tools._system()}"
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for name, text in programs.items():
                content = program(text, name)
                member = tarfile.TarInfo(f"{stem}/{name}")
                member.size, member.mode = len(content), 0o755
                tar.addfile(member, io.BytesIO(content))
        archive = packed.getvalue()
        folder = f"/{project}/releases/download/v{version}"
        digest = hashlib.sha256(archive if sum_of is None else sum_of).hexdigest()
        self.files[f"{folder}/{stem}.tar.gz"] = archive
        self.files[f"{folder}/sha256sums.txt"] = f"{'0' * 64}  other.tar.gz\n{digest}  {stem}.tar.gz\n".encode()

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.requests.append(self.path)
                content = server.files.get(self.path)
                if content is None:
                    return self.send_error(404)
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                is_archive = self.path.endswith(".tar.gz")
                self.wfile.write(content[: server.cut_after] if is_archive else content)
                self.wfile.flush()
                if is_archive and server.stall:
                    server.stalled.set()
                    time.sleep(LONG_LIMIT)
                return None

            def log_message(self, format: str, *args: object) -> None:
                """Keep test output clean."""

        return Handler


@pytest.fixture
def release() -> Iterator[ReleaseServer]:
    offered = ReleaseServer()
    offered.add_release("prometheus", "3.5.0", {"promtool": "3.5.0", "prometheus": "3.5.0"})
    offered.add_release("alertmanager", "0.28.1", {"amtool": "0.28.1", "alertmanager": "0.28.1"})
    server = ThreadingHTTPServer(("127.0.0.1", 0), offered.handler())
    server.daemon_threads = True
    server.block_on_close = False
    offered.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield offered
    server.shutdown()
    server.server_close()


def cached_files(tmp_path: Path) -> list[str]:
    """Everything in the cache but its lock and empty folders."""
    cache = tmp_path / "cache"
    found = [path.relative_to(cache).as_posix() for path in cache.rglob("*") if not path.is_dir()]
    return sorted(set(found) - {".lock"})


@dataclass
class Steps:
    lines: list[str] = field(default_factory=list)
    bytes_done: dict[str, tuple[int, int]] = field(default_factory=dict)

    def step(self, text: str) -> None:
        self.lines.append(text)

    def advance(self, label: str, done: int, total: int) -> None:
        self.bytes_done[label] = (done, total)


def test_a_release_is_fetched_verified_and_then_found(tmp_path: Path, release: ReleaseServer) -> None:
    steps = Steps()
    installed = tools.install(source="release", release_url=release.url, progress=steps)
    assert [(each.tool.name, each.tool.version, each.fetched) for each in installed] == [
        ("promtool", "3.5.0", True),
        ("amtool", "0.28.1", True),
        ("alertmanager", "0.28.1", True),
    ]
    assert cached_files(tmp_path) == ["bin/alertmanager", "bin/amtool", "bin/promtool"]
    assert tools.find("promtool") == tmp_path / "cache/bin/promtool"
    assert len(steps.bytes_done) == 2
    assert all(done == total > 0 for done, total in steps.bytes_done.values())


def test_what_is_there_already_is_not_fetched_unless_forced(tmp_path: Path, release: ReleaseServer) -> None:
    on_path = put(tmp_path / "path1", "promtool", "3.5.2")
    [present] = tools.install(["promtool"], source="release", release_url=release.url)
    assert (present.fetched, present.tool.path, release.requests) == (False, on_path, [])
    [forced] = tools.install(["promtool"], source="release", release_url=release.url, force=True)
    assert (forced.fetched, forced.tool.path) == (True, tmp_path / "cache/bin/promtool")


def test_only_the_named_tool_is_fetched(tmp_path: Path, release: ReleaseServer) -> None:
    tools.install(["prometheus"], source="release", release_url=release.url)
    assert cached_files(tmp_path) == ["bin/prometheus"]
    assert not [path for path in release.requests if "alertmanager" in path]


def test_a_sum_that_does_not_match_ends_it_even_where_another_source_is_allowed(
    tmp_path: Path, release: ReleaseServer
) -> None:
    release.add_release("alertmanager", "0.28.1", {"amtool": "0.28.1", "alertmanager": "0.28.1"}, sum_of=b"other")
    with pytest.raises(ToolError, match="does not match its SHA-256"):
        tools.install(source="auto", release_url=release.url)
    assert cached_files(tmp_path) == []  # not even promtool, whose archive was right


def test_a_truncated_download_installs_nothing(tmp_path: Path, release: ReleaseServer) -> None:
    release.cut_after = 100
    with pytest.raises(ToolError, match=r"stopped after 100 of \d+ bytes"):
        tools.install(source="release", release_url=release.url)
    assert cached_files(tmp_path) == []


def test_a_file_that_the_sums_do_not_list_is_not_fetched(tmp_path: Path, release: ReleaseServer) -> None:
    release.files["/prometheus/releases/download/v3.5.0/sha256sums.txt"] = b"0  other.tar.gz\n"
    with pytest.raises(ToolError, match=r"sha256sums\.txt does not list prometheus-3\.5\.0"):
        tools.install(["promtool"], source="release", release_url=release.url)
    assert not [path for path in release.requests if path.endswith(".tar.gz")]


def test_an_archive_without_the_tool_installs_nothing(tmp_path: Path, release: ReleaseServer) -> None:
    release.add_release("prometheus", "3.5.0", {"prometheus": "3.5.0"})
    with pytest.raises(ToolError, match=r"holds no .*promtool"):
        tools.install(["promtool"], source="release", release_url=release.url)
    assert cached_files(tmp_path) == []


def test_a_fetched_tool_that_is_not_what_it_should_be_is_not_installed(tmp_path: Path, release: ReleaseServer) -> None:
    release.add_release("prometheus", "3.5.0", {"promtool": "2.42.0"})
    with pytest.raises(ToolError, match=r"the promtool that was fetched cannot be used.*2\.42\.0"):
        tools.install(["promtool"], source="release", release_url=release.url)
    assert cached_files(tmp_path) == []


def test_a_missing_release_is_one_clear_line(release: ReleaseServer) -> None:
    release.files.clear()
    with pytest.raises(ToolError, match=r"sha256sums\.txt answers 404 Not Found$"):
        tools.install(["promtool"], source="release", release_url=release.url)


def test_an_unreachable_release_falls_back_to_debian_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def from_debian(wanted: list[tools.Tool], staging: Path, progress: tools.Progress) -> None:
        for tool in wanted:
            asked.append(tool.name)
            put(staging / "bin", tool.name, "3.5.3+ds1")

    monkeypatch.setattr(tools, "_from_debian", from_debian)
    steps = Steps()
    tools.install(["promtool"], release_url="http://127.0.0.1:1", progress=steps)
    assert asked == ["promtool"]
    assert "127.0.0.1:1 cannot be reached (Connection refused); taking Debian's packages" in steps.lines


def test_without_a_debian_mirror_the_error_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def indextargets(command: list[str], cwd: Path | None = None) -> str:
        return "http://archive.example/ubuntu/\nhttp://security.example/debian-security/\n"

    monkeypatch.setattr(tools, "_checked_run", indextargets)
    with pytest.raises(ToolError, match="no Debian mirror"):
        tools._debian_mirror()


def test_a_variable_that_hides_what_would_be_fetched_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: ReleaseServer
) -> None:
    monkeypatch.setenv("AF_PROMTOOL", str(put(tmp_path / "own", "promtool", "2.42.0")))
    with pytest.raises(ToolError, match=r"^AF_PROMTOOL="):
        tools.install(source="release", release_url=release.url)
    assert release.requests == []


def test_a_cache_that_cannot_be_written_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("AF_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(ToolError, match=r"cannot write to the cache .*Not a directory"):
        tools.install(source="release")


def install_process(release: ReleaseServer) -> subprocess.Popen[str]:
    """`alertforge tools install` as a user runs it."""
    # where the tests run in the background, SIGINT is ignored, and a child would inherit that
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heard}; from alertforge.cli import main; main()", "tools", "install"]
    options = ["--source", "release", "--release-url", release.url]
    return subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def test_an_interrupted_download_leaves_nothing_behind(tmp_path: Path, release: ReleaseServer) -> None:
    release.stall, release.cut_after = True, 50
    process = install_process(release)
    assert release.stalled.wait(LONG_LIMIT)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=LONG_LIMIT)
    assert (process.returncode, errors.splitlines()[-1]) == (130, "interrupted")
    assert cached_files(tmp_path) == []
    assert not list((tmp_path / "cache").glob("staging-*"))


def test_a_killed_installation_is_cleaned_up_by_the_next(tmp_path: Path, release: ReleaseServer) -> None:
    release.stall, release.cut_after = True, 50
    process = install_process(release)
    assert release.stalled.wait(LONG_LIMIT)
    process.kill()
    process.communicate(timeout=LONG_LIMIT)
    assert list((tmp_path / "cache").glob("staging-*"))
    assert not (tmp_path / "cache/bin").exists()
    release.stall, release.cut_after = False, None
    tools.install(source="release", release_url=release.url)
    assert cached_files(tmp_path) == ["bin/alertmanager", "bin/amtool", "bin/promtool"]


def test_two_installations_at_once_fetch_once_and_both_succeed(tmp_path: Path, release: ReleaseServer) -> None:
    both = [install_process(release), install_process(release)]
    outputs = [process.communicate(timeout=LONG_LIMIT) for process in both]
    assert [process.returncode for process in both] == [0, 0], outputs
    assert len([path for path in release.requests if path.endswith(".tar.gz")]) == 2
    assert cached_files(tmp_path) == ["bin/alertmanager", "bin/amtool", "bin/promtool"]


# Fetching from Debian, for real


@pytest.mark.slow
@pytest.mark.skipif(not Path("/usr/bin/apt-get").exists(), reason="apt is Debian's")
def test_debians_packages_are_fetched_without_installing_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "a cache: odd, but legal"
    monkeypatch.setenv("AF_CACHE", str(cache))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    template_before = tools.SERVER_TEMPLATE.exists()
    installed = tools.install(source="debian", force=True)
    assert [(each.tool.name, each.tool.problem) for each in installed] == [
        ("promtool", ""),
        ("amtool", ""),
        ("alertmanager", ""),
    ]
    assert not list(cache.glob("staging-*"))
    assert tools.SERVER_TEMPLATE.exists() == template_before
    assert_server_serves(cache / "bin/alertmanager", tmp_path)


def assert_server_serves(server: Path, folder: Path) -> None:
    """Start the real server on a free port and ask it."""
    config = folder / "alertmanager.yml"
    config.write_text("route: {receiver: none}\nreceivers: [{name: none}]\n", encoding="utf-8")
    probe = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    port = probe.server_port
    probe.server_close()
    flags = [f"--storage.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address="]
    process = subprocess.Popen([server, f"--config.file={config}", *flags], stderr=subprocess.DEVNULL)
    try:

        def answers() -> bool:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/status", timeout=5) as response:
                return bool(response.status == 200)

        assert waited(answers)
    finally:
        process.terminate()
        assert process.wait(LONG_LIMIT) == 0


def waited(condition: Callable[[], bool], seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if condition():
                return True
        except OSError:
            pass
        time.sleep(0.05)
    return False


def running(pid: int) -> bool:
    """Whether a process runs; one that has ended and waits to be reaped does not."""
    done = subprocess.run(["/bin/ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return done.stdout.strip() not in ("", "Z")
