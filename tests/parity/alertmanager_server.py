"""The real Alertmanager on loopback, for as long as a comparison takes."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from alertforge.tools import find

START_SECONDS = 20.0
ANSWER_SECONDS = 20.0
CHUNK = 100  # alerts in one request

# The sentinel: posted last, and once it mutes its target the server has taken in everything before it.
SENTINEL_RULE = {"source_matchers": ['sentinel="source"'], "target_matchers": ['sentinel="target"']}

Labels = Mapping[str, str]


class Server:
    """One running server."""

    def __init__(self, port: int) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)

    def post(self, alerts: Sequence[Labels]) -> None:
        """Make alerts fire, the first of the list first."""
        for start in range(0, len(alerts), CHUNK):
            body = json.dumps([{"labels": dict(labels)} for labels in alerts[start : start + CHUNK]])
            self._ask("POST", "/api/v2/alerts", body)

    def alerts(self, matcher: str = "") -> list[dict[str, Any]]:
        """The alerts as the API tells them: `labels`, `receivers`, `status.inhibitedBy`, `fingerprint`."""
        return list(self._ask("GET", "/api/v2/alerts" + (f"?filter={quote(matcher)}" if matcher else "")))

    def groups(self) -> list[dict[str, Any]]:
        """The groups as the API tells them: `labels`, `receiver`, `alerts`."""
        return list(self._ask("GET", "/api/v2/alerts/groups"))

    def settle(self) -> None:
        """Wait until inhibition has taken in all alerts posted so far; the configuration needs SENTINEL_RULE."""
        self.post([{"sentinel": "target"}])
        self.post([{"sentinel": "source"}])
        deadline = time.monotonic() + ANSWER_SECONDS
        while not self.alerts('sentinel="target"')[0]["status"]["inhibitedBy"]:
            if time.monotonic() > deadline:
                raise TimeoutError("the sentinel was not inhibited")
            time.sleep(0.01)

    def _ask(self, method: str, path: str, body: str | None = None) -> Any:
        self.connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        answer = self.connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return json.loads(text) if text else None


@contextmanager
def serving(config: str) -> Iterator[Server]:
    """A server with this configuration; ended, with all it holds, when the block is left."""
    with tempfile.TemporaryDirectory(prefix="alertmanager-") as folder:
        Path(folder, "alertmanager.yml").write_text(config, encoding="utf-8")
        port = _free_port()
        command = [
            str(find("alertmanager")),
            "--config.file=alertmanager.yml",
            "--storage.path=data",
            f"--web.listen-address=127.0.0.1:{port}",
            "--cluster.listen-address=",
            "--log.level=error",
        ]
        environment = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": folder, "TMPDIR": folder}
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        try:
            _wait_until_ready(process, port, Path(folder, "log"))
            yield Server(port)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended: {log.read_text(encoding='utf-8', errors='replace')[-500:]}")
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
            connection.request("GET", "/-/ready")
            if connection.getresponse().status == 200:
                return
        time.sleep(0.01)
    raise TimeoutError("the server did not get ready")
