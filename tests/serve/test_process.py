"""The command as a process: signals while programs run, clients that are killed, wrong options."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from attrs import define

from porter.errors import EXIT_INTERRUPTED, MissingPackage

if TYPE_CHECKING:
    from porter.pipeline import Build

ROOT = Path(__file__).resolve().parents[2]
LINES = {"Content-Type": "application/x-ndjson"}


@define(eq=False)
class ServeProcess:
    """A service in a process of its own."""

    process: subprocess.Popen[str]
    address: str

    def signal(self) -> None:
        self.process.send_signal(signal.SIGTERM)


@contextlib.contextmanager
def serving(build: Build, log: Path, *options: str, **environment: str) -> Iterator[ServeProcess]:
    command = [sys.executable, "-m", "porter", "serve", "--port", "0", "--build"]
    with log.open("w") as errors:
        process = subprocess.Popen(
            [*command, str(build.folder), "--target", "host", *options],
            stdout=subprocess.PIPE, stderr=errors, text=True, cwd=ROOT,
            env={**os.environ, **environment},
        )  # fmt: skip
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://\S+", line)
            assert found, log.read_text()
            yield ServeProcess(process, found[0])
        finally:
            process.kill()
            process.wait()


def busy(number: int) -> dict[str, Any]:
    """Return a request for a program that runs for some time and prints its number."""
    return {"program": f"for i in range(30000): pass\nprint({number})", "id": number}


@define(eq=False)
class Load:
    """Threads that send requests until one is refused because the service stops."""

    address: str
    answered: list[tuple[int, httpx.Response]]
    refused: list[httpx.Response]
    broken: list[httpx.HTTPError]
    threads: list[threading.Thread]

    @classmethod
    def of(cls, address: str, count: int) -> Load:
        load = cls(address, [], [], [], [])
        load.threads = [threading.Thread(target=load.send, args=(k,)) for k in range(count)]
        for thread in load.threads:
            thread.start()
        return load

    def send(self, number: int) -> None:
        with httpx.Client(base_url=self.address, timeout=60) as client:
            while True:
                try:
                    response = client.post("/v1/run", json=busy(number))
                except httpx.ConnectError:
                    return  # the service has ended
                except httpx.HTTPError as error:
                    self.broken.append(error)
                    return
                if response.status_code != 200:
                    self.refused.append(response)
                    return
                self.answered.append((number, response))

    def join(self) -> None:
        for thread in self.threads:
            thread.join()


def test_a_signal_loses_no_accepted_request(built: Build, tmp_path: Path) -> None:
    with serving(built, tmp_path / "log") as service:
        load = Load.of(service.address, 20)
        while len(load.answered) < 30:
            time.sleep(0.05)
        lines = "\n".join(json.dumps(busy(k)) for k in range(100, 130))
        batch: list[httpx.Response] = []

        def send_batch() -> None:
            url = f"{service.address}/v1/batch"
            batch.append(httpx.post(url, content=lines, headers=LINES, timeout=60))

        thread = threading.Thread(target=send_batch)
        thread.start()
        time.sleep(0.3)  # the batch is admitted, or refused as a whole
        service.signal()
        load.join()
        thread.join()
        assert service.process.wait(30) == 0
    assert not load.broken
    assert len(load.answered) >= 30
    for number, response in load.answered:
        assert response.json()["stdout"] == f"{number}\n" and response.json()["id"] == number
    assert {one.status_code for one in load.refused} <= {503}
    if batch[0].status_code == 200:
        found = [json.loads(line) for line in batch[0].text.splitlines()]
        wanted = {k: f"{k}\n" for k in range(100, 130)}
        assert {one["id"]: one["result"]["stdout"] for one in found} == wanted
    else:
        assert batch[0].status_code == 503
    events = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [one["event"] for one in events if one["event"] != "request"] == [
        "starting", "ready", "draining", "stopped",
    ]  # fmt: skip
    requests = [one for one in events if one["event"] == "request" and one["status"] == 200]
    assert len(requests) == len(load.answered) + (batch[0].status_code == 200)


def test_a_second_signal_ends_all(built: Build, tmp_path: Path) -> None:
    options = ("--max-steps", "2000000000", "--deadline", "60", "--steps", "2000000000")
    with serving(built, tmp_path / "log", *options) as service:
        found: list[httpx.Response] = []

        def send() -> None:
            request = {"program": "while True: pass"}
            found.append(httpx.post(f"{service.address}/v1/run", json=request, timeout=60))

        threads = [threading.Thread(target=send) for _ in range(6)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        service.signal()
        time.sleep(0.5)
        assert httpx.get(f"{service.address}/readyz").status_code == 503
        assert httpx.get(f"{service.address}/healthz").status_code == 200
        assert httpx.post(f"{service.address}/v1/run", json=busy(1)).status_code == 503
        service.signal()
        for thread in threads:
            thread.join()
        assert service.process.wait(30) == EXIT_INTERRUPTED
    assert [one.status_code for one in found] == [503] * 6
    assert {one.json()["error"]["code"] for one in found} == {"unavailable"}


CLIENT = """
import sys, threading, urllib.request
def send(k):
    body = b'{"program": "for i in range(9000000): pass"}'
    request = urllib.request.Request(sys.argv[1] + "/v1/run", body,
                                     {"Content-Type": "application/json"})
    urllib.request.urlopen(request).read()
threads = [threading.Thread(target=send, args=(k,)) for k in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_killed_clients_are_forgotten(built: Build, tmp_path: Path) -> None:
    with serving(built, tmp_path / "log") as service:
        client = subprocess.Popen([sys.executable, "-c", CLIENT, service.address])
        for _ in range(1000):
            text = httpx.get(f"{service.address}/metrics").text
            if re.search(r"porter_programs_pending [12]\d", text):
                break
            time.sleep(0.01)
        client.kill()
        client.wait()
        response = httpx.post(f"{service.address}/v1/run", json=busy(7), timeout=60)
        assert response.json()["stdout"] == "7\n"
        for _ in range(300):
            text = httpx.get(f"{service.address}/metrics").text
            if "porter_programs_pending 0.0" in text:
                break
            time.sleep(0.1)
        else:
            pytest.fail(text)
        cancelled = re.search(r"porter_cancelled_total (\d+)", text)
        assert cancelled and int(cancelled[1]) > 0
        assert 'status="500"' not in text
        service.signal()
        assert service.process.wait(30) == 0


def test_a_token_from_the_environment(built: Build, tmp_path: Path) -> None:
    token = "a-token-of-some-length"
    with serving(built, tmp_path / "log", PORTER_TOKEN=token) as service:
        url = f"{service.address}/v1/run"
        assert httpx.post(url, json=busy(1)).status_code == 401
        headers = {"Authorization": f"Bearer {token}"}
        assert httpx.post(url, json=busy(1), headers=headers, timeout=60).status_code == 200
    assert token not in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "without a token"),
        (["--port", "99999999"], "port"),
        (["--queue", "0"], "queue"),
        (["--deadline", "0"], "deadline"),
        (["--steps", "5", "--max-steps", "4"], "max_steps"),
        (["--host", "256.1.1.1", "--no-token"], "cannot listen"),
        (["--gpus", "0", "--scheduler", "tcp://127.0.0.1:1"], "--gpus"),
        (["--build", "/nowhere"], "nowhere"),
        (["--scheduler", "tcp://127.0.0.1:1"], "no Dask scheduler answers"),
    ],
)
def test_wrong_options(options: list[str], message: str) -> None:
    command = [sys.executable, "-m", "porter", "serve", "--port", "0", *options]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False
    )
    assert done.returncode not in (0, 70) and message in done.stderr, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("package", ["uvicorn", "starlette", "prometheus_client"])
def test_a_missing_package(package: str) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None; from porter.cli import execute; "
        "sys.exit(execute(['serve', '--port', '0']))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == MissingPackage.exit_code, done.stderr
    assert package in done.stderr and "gpusnek-porter[serve]" in done.stderr


def test_a_port_in_use(built: Build, tmp_path: Path) -> None:
    with serving(built, tmp_path / "log") as service:
        port = service.address.rpartition(":")[2]
        command = [sys.executable, "-m", "porter", "serve", "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 2 and "cannot listen" in done.stderr
