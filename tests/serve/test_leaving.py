"""Clients that leave in the middle of a batch, or read slowly."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from porter.serve.app import ServeApp
from tests.serve.conftest import Maker
from tests.serve.test_service import FaultyDevices


def batch_of(count: int, text: str = "") -> bytes:
    lines = [json.dumps({"program": f"print({k}, {text!r})", "id": k}) for k in range(count)]
    body = "\n".join(lines).encode()
    head = (
        f"POST /v1/batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/x-ndjson\r\n\r\n"
    )
    return head.encode() + body


def opened(address: str) -> socket.socket:
    host, _, port = address.removeprefix("http://").rpartition(":")
    return socket.create_connection((host, int(port)), timeout=30)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def faulty(device: Any) -> FaultyDevices:
    return FaultyDevices(device, gate=threading.Event())


def test_a_client_that_sends_a_large_body_before_it_reads(
    make: Maker, live: Callable[[ServeApp], str]
) -> None:
    host = live(make()).removeprefix("http://")
    for size in (9 << 20, 40 << 20):
        connection = http.client.HTTPConnection(host, timeout=30)
        connection.request(
            "POST", "/v1/run", b" " * size, headers={"Content-Type": "application/json"}
        )
        response = connection.getresponse()
        assert response.status == 413 and b"8388608 bytes" in response.read()
        connection.close()


def test_a_client_that_leaves_a_batch(
    make: Maker, live: Callable[[ServeApp], str], faulty: FaultyDevices
) -> None:
    app = make(source=faulty.source(), window=50)
    address = live(app)
    assert faulty.gate is not None
    with opened(address) as connection:
        connection.sendall(batch_of(500))
        until(lambda: app.service.pending == 50)
    until(lambda: app.guard.active == 0)
    faulty.gate.set()
    until(lambda: app.service.pending == 0)
    assert len(faulty.runs) <= 50  # the lines beyond the window were never submitted
    text = httpx.get(f"{address}/metrics").text
    assert "porter_cancelled_total 50.0" in text
    assert 'porter_requests_total{endpoint="/v1/batch",status="500"}' not in text


def test_a_client_that_does_not_read(make: Maker, live: Callable[[ServeApp], str]) -> None:
    """End a batch after `body_timeout` if its client reads no answers; other clients go on."""
    app = make(window=8, body_timeout=0.5)
    address = live(app)
    with opened(address) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(batch_of(3000, "x" * 9000))
        until(lambda: app.guard.active == 1)
        response = httpx.post(f"{address}/v1/run", json={"program": "print(1)"}, timeout=30)
        assert response.json()["stdout"] == "1\n"
        until(lambda: app.guard.active == 0)
    until(lambda: app.service.pending == 0)


def test_a_single_request_of_a_client_that_leaves(
    make: Maker, live: Callable[[ServeApp], str], faulty: FaultyDevices
) -> None:
    app = make(source=faulty.source())
    address = live(app)
    assert faulty.gate is not None
    body = b'{"program": "print(1)"}'
    with opened(address) as connection:
        head = (
            f"POST /v1/run HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            "Content-Type: application/json\r\n\r\n"
        )
        connection.sendall(head.encode() + body)
        until(lambda: app.service.pending == 1)
    until(lambda: app.guard.active == 0)
    faulty.gate.set()
    until(lambda: app.service.pending == 0)
    assert "porter_cancelled_total 1.0" in httpx.get(f"{address}/metrics").text
