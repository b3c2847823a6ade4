"""Requests that are refused: tokens, limits, bodies, hosts."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.testclient import TestClient

from porter.errors import FileProblem, UsageError
from porter.serve.bodies import HeldBytes, json_of, read_body
from porter.serve.clients import ClientBudget, Clients, Token, read_tokens
from porter.serve.refusals import RefusedRequest
from porter.serve.server import check_exposure
from porter.serve.settings import ServeSettings, is_loopback
from tests.serve.conftest import Maker, client_of

JSON = {"Content-Type": "application/json"}
SECRET = "0123456789abcdef"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"program": NaN}', "NaN"),
        (b'{"program": -Infinity}', "Infinity"),
        (b'{"program": "", "program": ""}', "occurs twice"),
        (b'{"program": "", "x": {"a": 1, "\\ud800": 2, "\\ud800": 3}}', "occurs twice"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"a":' * 100_000, "nested too deep"),
        (b"9" * 5000, "digits"),
        (b'{"program": ""} x', "Extra data"),
        (b"\xef\xbb\xbf{}", "not JSON"),
    ],
)
def test_no_json(client: TestClient, body: bytes, message: str) -> None:
    response = client.post("/v1/run", content=body, headers=JSON)
    assert response.status_code == 400, response.text
    assert message in response.json()["detail"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "the request: [] is not an object"),
        (None, "is not an object"),
        ({}, "program: this field is missing"),
        ({"program": 1}, "program: 1 is not a text"),
        ({"program": "", "extra": 1}, "extra: there is no such field"),
        ({"program": "", "\ud800": 1}, "\\ud800: there is no such field"),
        ({"program": "x" * (1 << 20) + "x"}, "the maximum is 1048576"),
        ({"program": "x" * (1 << 18) + "x"}, "262145 bytes, the maximum is 262144"),
        ({"program": "", "stdin": None}, "stdin: null is not a text"),
        ({"program": "", "stdin": "\ud800"}, "stdin: 'utf-8' codec can't encode"),
        ({"program": "", "id": 1.5}, "id: 1.5 is not a text or a whole number"),
        ({"program": "", "id": True}, "id: true"),
        ({"program": "", "limits": {"steps": 0}}, "limits.steps: 0 is less than 1, the minimum"),
        ({"program": "", "limits": {"steps": True}}, "limits.steps: true"),
        ({"program": "", "limits": {"steps": 10**400}}, "limits.steps"),
        ({"program": "", "limits": {"deadline": 0}}, "limits.deadline: 0 is not larger than 0"),
        ({"program": "", "limits": {"deadline": 10**400}}, "limits.deadline"),
        ({"program": "", "limits": {"stdout": 1}}, "limits.stdout"),
        ({"program": "", "limits": {"max_heap": 5}}, "limits: heap: 5 is too small"),
        ({"program": "", "limits": 5}, "limits: 5 is not an object"),
        ({"program": "", "limits": {"heap": 5}}, "limits.heap: there is no such field"),
    ],
)
def test_invalid_fields(client: TestClient, value: Any, message: str) -> None:
    response = client.post("/v1/run", content=json.dumps(value), headers=JSON)
    assert response.status_code == 422, response.text
    assert message in response.json()["detail"]
    assert response.json()["error"]["code"] == "invalid"


def test_content_types(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        response = client.post("/v1/run", content=b"{}", headers={"Content-Type": kind})
        assert response.status_code == 415
        assert "application/json" in response.json()["error"]["hint"]
    kind = "Application/JSON; charset=utf-8"
    response = client.post("/v1/run", content=b'{"program": ""}', headers={"Content-Type": kind})
    assert response.status_code == 200


@pytest.mark.parametrize("parts", [[b"123"], [b"12", b"3"], [b"123", b"4", b"5"]])
def test_a_refused_body_is_received_to_its_end(parts: list[bytes]) -> None:
    messages = [
        {"type": "http.request", "body": part, "more_body": k < len(parts)}
        for k, part in enumerate(parts, 1)
    ]

    async def receive() -> Any:
        return messages.pop(0)  # raises IndexError behind the end, where a server would wait

    async def refused() -> None:
        with HeldBytes(100).hold() as share, pytest.raises(RefusedRequest, match="2 bytes"):
            await read_body(Request({"type": "http", "headers": []}, receive), 2, 60.0, share)

    asyncio.run(refused())
    assert messages == []


def test_large_bodies(make: Maker) -> None:
    client = client_of(make(max_body=2048, max_batch=4096))
    large = json.dumps({"program": "#" * 3000}).encode()
    for content in (large, iter([large[:1500], large[1500:]])):  # with a length, and in chunks
        response = client.post("/v1/run", content=content, headers=JSON)
        assert response.status_code == 413 and "2048" in response.json()["detail"]
    lying = {**JSON, "Content-Length": "9" * 5000}
    assert client.post("/v1/run", content=b"{}", headers=lying).status_code == 413
    lines = {"Content-Type": "application/x-ndjson"}
    assert client.post("/v1/batch", content=large, headers=lines).status_code == 200
    assert client.post("/v1/batch", content=large * 2, headers=lines).status_code == 413


def test_a_batch_of_line_breaks(client: TestClient) -> None:
    lines = {"Content-Type": "application/x-ndjson"}
    response = client.post("/v1/batch", content=b"\n" * 2_000_000, headers=lines)
    assert response.status_code == 413 and "2000000 lines" in response.json()["detail"]


def test_held_bytes_are_bounded() -> None:
    held = HeldBytes(100)
    with held.hold() as one, held.hold() as other:
        one.grow(60)
        with pytest.raises(RefusedRequest) as caught:
            other.grow(50)
        assert caught.value.status == 429
        other.grow(40)
    assert held.held == 0


def test_tokens(make: Maker) -> None:
    client = client_of(make(tokens=[Token.of("a", SECRET), Token.of("b", SECRET[::-1])]))
    assert client.get("/healthz").status_code == 200
    for path in ("/metrics", "/nope"):
        assert client.get(path).status_code == 401
    for header in ("", SECRET, f"Basic {SECRET}", f"Bearer {SECRET}x", "Bearer", "Bearer \u00e4"):
        response = client.post(
            "/v1/run", content=b"{", headers={**JSON, "Authorization": header.encode("latin-1")}
        )
        assert response.status_code == 401 and SECRET not in response.text
        assert response.headers["www-authenticate"] == "Bearer"
    for token in (SECRET, SECRET[::-1]):
        headers = {"Authorization": f"Bearer {token}"}
        assert client.post("/v1/run", json={"program": ""}, headers=headers).status_code == 200


def test_token_files(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"# clients\n\nalice {SECRET}a\n{SECRET}b\n")
    path.chmod(0o600)
    assert [one.name for one in read_tokens(path)] == ["alice", "line 4"]
    assert SECRET not in repr(read_tokens(path))
    assert read_tokens(None, {}) == [] and len(read_tokens(None, {"PORTER_TOKEN": SECRET})) == 1
    path.chmod(0o644)
    with pytest.raises(FileProblem, match="other users"):
        read_tokens(path)
    path.chmod(0o600)
    for text in ("", "short", "a b c", f"name {SECRET}\u00e4"):
        path.write_text(text)
        with pytest.raises(UsageError):
            read_tokens(path)
    path.write_bytes(b"\xff")
    with pytest.raises(FileProblem):
        read_tokens(path)


def test_only_the_loopback_is_open() -> None:
    tokens = [Token.of("a", SECRET)]
    for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"):
        check_exposure(ServeSettings(host=host), [], no_token=False)
    for host in ("0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.example.org"):
        with pytest.raises(UsageError, match="without a token"):
            check_exposure(ServeSettings(host=host), [], no_token=False)
        check_exposure(ServeSettings(host=host), [], no_token=True)
        check_exposure(ServeSettings(host=host), tokens, no_token=False)
    with pytest.raises(UsageError):
        check_exposure(ServeSettings(), tokens, no_token=True)
    assert not is_loopback("")


def test_names_of_other_hosts(make: Maker) -> None:
    """A page whose name resolves to 127.0.0.1 cannot read answers of a service without a token."""
    client = client_of(make())
    for host in ("evil.example", "evil.example:8080", "127.0.0.1.evil.example", "", "10.0.0.1"):
        assert client.get("/docs", headers={"Host": host}).status_code == 403, host
    for host in ("localhost", "127.0.0.1:8080", "[::1]:8080", "LOCALHOST:1"):
        assert client.get("/docs", headers={"Host": host}).status_code == 200, host
    client = client_of(make(tokens=[Token.of("a", SECRET)]))
    assert client.get("/docs", headers={"Host": "evil.example"}).status_code == 200


def test_a_budget_of_rows() -> None:
    now = [0.0]
    budget = ClientBudget("c", 2, 10, clock=lambda: now[0])
    budget.take(25)  # more than the bucket: the client pays afterwards
    with pytest.raises(RefusedRequest) as caught:
        budget.take(1)
    assert caught.value.status == 429 and caught.value.headers["Retry-After"] == "2"
    now[0] += 1.7
    budget.take(1)
    assert budget.delay(1) == 0.0 or budget.rows <= 0
    now[0] += 100
    assert budget.is_idle and budget.rows == 10
    budget.begin()
    budget.begin()
    assert not budget.is_idle
    with pytest.raises(RefusedRequest):
        budget.begin()
    budget.end()
    budget.begin()


def test_clients_are_addresses_without_tokens() -> None:
    clients = Clients([], 1, 0)
    one = clients.client_of(None, "10.0.0.1")
    assert clients.client_of(None, "10.0.0.1") is one
    assert clients.client_of(None, "::ffff:10.0.0.1") is one
    assert clients.client_of(None, "10.0.0.2") is not one
    network = clients.client_of(None, "2001:db8::1%eth0")
    assert clients.client_of(None, "2001:db8::ffff") is network
    assert clients.client_of(None, "not an address").name == "local"


def test_rows_per_second(make: Maker) -> None:
    client = client_of(make(client_rows=3))
    tests = [[[k], k] for k in range(9)]
    request = {"program": "def solve(x): return x", "tests": tests}
    assert client.post("/v1/evaluate", json=request).status_code == 200
    response = client.post("/v1/evaluate", json=request)
    assert response.status_code == 429 and int(response.headers["retry-after"]) >= 1
    assert response.json()["error"]["code"] == "too_many_rows"


def test_requests_of_a_client(make: Maker) -> None:
    client = client_of(make(client_requests=2))
    statuses: list[int] = []

    def send() -> None:
        request = {"program": "for i in range(150000): pass"}
        statuses.append(client.post("/v1/run", json=request).status_code)

    threads = [threading.Thread(target=send) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(statuses) == {200, 429} and len(statuses) == 12
    assert client.post("/v1/run", json={"program": ""}).status_code == 200


def test_a_slow_body_ends(make: Maker) -> None:
    app = make(body_timeout=0.2)
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.sleep(60)

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = {
        "type": "http", "method": "POST", "path": "/v1/run", "headers": headers,
        "query_string": b"", "client": ("127.0.0.1", 1), "raw_path": b"/v1/run",
    }  # fmt: skip

    async def serve() -> None:
        await app.asgi(scope, receive, send)

    asyncio.run(serve())
    assert sent[0]["status"] == 408
    assert app.guard.active == 0


def test_numbers_and_texts_of_json() -> None:
    assert json_of(b'{"a": [1, 1e999, "\\ud800"]}')["a"][2] == "\ud800"
    for bad in (b"Infinity", b"[NaN]", b"nul", b"'a'"):
        with pytest.raises(RefusedRequest):
            json_of(bad)


@pytest.mark.parametrize(
    "values",
    [
        {"port": -1}, {"port": 65536}, {"port": 1.5}, {"queue": 0}, {"max_body": 1},
        {"timeout": 0}, {"steps": 10**12}, {"deadline": 1000.0}, {"client_rows": -1},
    ],
)  # fmt: skip
def test_invalid_settings(values: dict[str, Any]) -> None:
    with pytest.raises((UsageError, TypeError)):
        ServeSettings(**values)
