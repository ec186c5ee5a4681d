"""How far a replay is from a real Prometheus server: one Down and one burn alert, a minute scaled down to a second."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from alertforge.prometheus.series import STALE, Labels, Sample, Series
from alertforge.tools import ToolError, find

from .promtool import Failed, Query, Scenario, ask

DOWN = 'absent(up{job="shop"}) or max by (job) (up{job="shop"}) == 0'
RATIO = "sum(rate(requests_total{code='500'}[%ds])) / sum(rate(requests_total[%ds])) > 0.1"
BURN = f"{RATIO % (20, 20)} and {RATIO % (5, 5)}"
RULES = (
    {"alert": "Down", "expr": DOWN, "for": "4s"},
    {"alert": "Burn", "expr": BURN, "for": "2s"},
)
CALM = 25  # seconds of healthy traffic first, so that the windows are full
WAIT = 30.0  # seconds for an alert to fire


class Shop:
    """An exporter on loopback: ten requests a second, of which half fail once `broken`."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.broken: float | None = None
        shop = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = shop.metrics().encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def metrics(self) -> str:
        now = time.monotonic()
        failed = 0 if self.broken is None else int(5 * (now - self.broken))
        served = int(10 * (now - self.start)) - failed
        return f'requests_total{{code="200"}} {served}\nrequests_total{{code="500"}} {failed}\n'

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@contextmanager
def prometheus(folder: Path, shop: Shop) -> Iterator[str]:
    """A server that scrapes the shop and evaluates the rules each second; yields its address."""
    try:
        program = find("prometheus")
    except ToolError as error:
        pytest.skip(f"no Prometheus server to compare with: {error}")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    _targets(folder, shop)
    (folder / "rules.yml").write_text(json.dumps({"groups": [{"name": "g", "rules": RULES}]}))
    scrape = {"job_name": "shop", "file_sd_configs": [{"files": ["targets.json"], "refresh_interval": "1s"}]}
    every = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    config = {"global": every, "rule_files": ["rules.yml"], "scrape_configs": [scrape]}
    (folder / "prometheus.yml").write_text(json.dumps(config))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(program), "--config.file=prometheus.yml", f"--web.listen-address={address}"],
            cwd=folder, env={"PATH": "/usr/bin:/bin", "HOME": str(folder)}, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    try:
        _until(lambda: bool(_query(address, "up == 1")), process, folder / "log")
        yield address
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _targets(folder: Path, shop: Shop | None) -> None:
    targets = [f"127.0.0.1:{shop.server.server_port}"] if shop else []
    (folder / "new").write_text(json.dumps([{"targets": targets}]))
    (folder / "new").replace(folder / "targets.json")


def _query(address: str, expr: str) -> list[Any]:
    url = f"http://{address}/api/v1/query?{urllib.parse.urlencode({'query': expr})}"
    with suppress(OSError), urllib.request.urlopen(url, timeout=5) as answer:
        return list(json.load(answer)["data"]["result"])
    return []


def _until(holds: Callable[[], bool], process: subprocess.Popen[bytes] | None = None, log: Path | None = None) -> None:
    deadline = time.monotonic() + WAIT
    while not holds():
        if process and log and process.poll() is not None:
            raise RuntimeError(f"the server ended: {log.read_text()[-500:]}")
        if time.monotonic() > deadline:
            raise TimeoutError("the server did not come to it")
        time.sleep(0.05)


def _firing(address: str, alert: str) -> Callable[[], bool]:
    return lambda: bool(_query(address, f'ALERTS{{alertname="{alert}",alertstate="firing"}}'))


def replayed(alert: str, series: dict[str, list[Sample]]) -> int:
    """Seconds from the change, which happens at second CALM, until the replay fires."""
    inputs = tuple(
        Series(
            Labels.of({"job": "shop", "__name__": name.split("/")[0], "code": name.partition("/")[2]}), tuple(one), 1
        )
        for name, one in series.items()
    )
    seconds = len(next(iter(series.values())))
    queries = tuple(Query(f'ALERTS{{alertname="{alert}",alertstate="firing"}}', at) for at in range(seconds))
    (answers,) = ask([Scenario(inputs, queries, 1, RULES, 1)])
    assert not any(isinstance(answer, Failed) for answer in answers)
    return next(at for at, answer in enumerate(answers) if answer) - CALM


@pytest.mark.slow
@pytest.mark.parametrize("change", ["stops", "leaves", "fails"])
def test_a_server_fires_a_few_seconds_of_its_own_after_the_replay(
    change: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    alert = "Burn" if change == "fails" else "Down"
    shop = Shop()
    try:
        with prometheus(tmp_path, shop) as address:
            time.sleep(CALM if change == "fails" else 5)
            assert not _firing(address, alert)()
            changed = time.monotonic()
            if change == "stops":
                shop.stop()
            elif change == "leaves":
                _targets(tmp_path, None)
            else:
                shop.broken = changed
            _until(_firing(address, alert))
            real = time.monotonic() - changed
    finally:
        shop.stop()
    gone: Sample = STALE if change == "leaves" else 0
    up: dict[str, list[Sample]] = {"up": [1] * CALM + [gone] * 20}
    errors: list[Sample] = [*([0] * CALM), *(5 * second for second in range(25))]
    served: list[Sample] = [10 * at - int(failed) for at, failed in enumerate(errors)]  # type: ignore[arg-type]
    burnt = {"requests_total/200": served, "requests_total/500": errors}
    expected = replayed(alert, burnt if change == "fails" else up)
    print(f"{change}: server after {real:.1f} s, replay after {expected} s")
    record_property("difference", round(real - expected, 1))
    # a scrape and an evaluation of phase; a target that leaves is first noticed, and then given two scrapes' time
    assert -1.5 <= real - expected <= (15 if change == "leaves" else 4)
