"""The service's own endpoints: runs, evaluations, batches, health, metrics and documents."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.serve.conftest import Maker, client_of

ADD = "def add(a, b): return a + b"
CASES = {"cases": [[[1, 2], 3], [[5, 5], 11]], "entry": "add"}
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


def run(client: TestClient, program: str, **more: Any) -> dict[str, Any]:
    content = json.dumps({"program": program, **more})
    response = client.post("/v1/run", content=content, headers=JSON)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_a_program_reads_and_prints(client: TestClient) -> None:
    found = run(client, "print(input()[::-1])", stdin="abc\n", id="mine")
    assert (found["stdout"], found["status"], found["exit_code"]) == ("cba\n", "PASSED", 0)
    assert found["ok"] and found["id"] == "mine" and found["reason"] == "" and found["steps"] > 0


@pytest.mark.parametrize(
    ("program", "status", "code", "stderr"),
    [
        ("1 / 0", "RAISED", 1, "ZeroDivisionError"),
        ("import sys\nsys.stderr.write('e')\nsys.exit(3)", "EXITED", 3, "e"),
        ("raise SystemExit", "EXITED", 0, ""),
        ("import sys\nsys.exit('why')", "EXITED", 1, "why\n"),
        ("while True: pass", "OUT_OF_STEPS", None, ""),
        ("x = (", "SYNTAX_ERROR", 1, "SyntaxError"),
        ("import turtle", "UNSUPPORTED", 1, "turtle"),
        ("x = [0] * 10 ** 9", "OUT_OF_MEMORY", 1, "MemoryError"),
        ("for i in range(100): print('x' * 1000)", "OUT_OF_OUTPUT", None, ""),
        ("\ud800", "RAISED", 1, "NameError"),
        ("", "PASSED", 0, ""),
    ],
)
def test_ends_of_programs(
    client: TestClient, program: str, status: str, code: int | None, stderr: str
) -> None:
    found = run(client, program)
    assert (found["status"], found["exit_code"]) == (status, code)
    assert stderr in found["stderr"] and found["ok"] == (code == 0)


def test_output_arrives_byte_for_byte(client: TestClient) -> None:
    data = bytes(range(256))
    found = run(client, f"import sys\nsys.stdout.buffer.write({data!r})")
    assert base64.b64decode(found["stdout_base64"]) == data
    assert found["stdout"].startswith("\0\x01") and "\\xff" in found["stdout"]
    found = run(client, "print('\\u00e4\\0')")
    assert found["stdout"] == "ä\0\n" and found["stdout_base64"] is None


def test_limits_of_a_request(client: TestClient) -> None:
    loop = "for i in range(1000): pass"
    assert run(client, loop, limits={"steps": 100})["status"] == "OUT_OF_STEPS"
    assert run(client, loop, limits={"steps": 10_000})["status"] == "PASSED"
    assert run(client, "print('x' * 5000)", limits={"stdout": 4096})["status"] == "OUT_OF_OUTPUT"
    large = "x = [0] * 100_000"
    assert run(client, large, limits={"max_heap": 0})["status"] == "OUT_OF_MEMORY"
    assert run(client, large)["status"] == "PASSED"
    response = client.post("/v1/run", json={"program": "", "limits": {"steps": 10**9}})
    assert response.status_code == 422
    assert "limits.steps: 1000000000 is more than 1000000" in response.json()["detail"]


def test_an_evaluation(client: TestClient) -> None:
    found = client.post("/v1/evaluate", json={"program": ADD, "tests": CASES, "id": 5}).json()
    assert (found["id"], found["score"], found["passed"], found["solved"]) == (5, 0.5, 1, False)
    assert [one["status"] for one in found["cases"]] == ["PASSED", "WRONG"]
    answer = f"So:\n```python\n{ADD}\n```\nDone."
    request = {"answer": answer, "tests": CASES, "partial": False}
    assert client.post("/v1/evaluate", json=request).json()["score"] == 0.0


@pytest.mark.parametrize(
    "tests",
    [
        "assert add(1, 2) == 3",
        ["assert add(1, 2) == 3"],
        {"test": "def check(candidate):\n    assert candidate(1, 2) == 3", "entry_point": "add"},
        {"test_list": ["assert add(1, 2) == 3"]},
        {"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"},
    ],
)
def test_shapes_of_tests(client: TestClient, tests: Any) -> None:
    found = client.post("/v1/evaluate", json={"program": ADD, "tests": tests}).json()
    assert found["solved"], found


def test_comparison_of_an_evaluation(client: TestClient) -> None:
    request: dict[str, Any] = {
        "program": "print(1 / 3)",
        "tests": [{"stdin": "", "stdout": "0.33333"}],
    }
    assert not client.post("/v1/evaluate", json=request).json()["solved"]
    request |= {"tolerance": 1e-3}
    assert client.post("/v1/evaluate", json=request).json()["solved"]
    request = {"program": "print('a  b')", "tests": [{"stdout": "a b"}], "output": "tokens"}
    assert client.post("/v1/evaluate", json=request).json()["solved"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"tests": CASES}, "give either"),
        ({"program": ADD, "answer": ADD, "tests": CASES}, "give either"),
        ({"program": ADD}, "tests: this field is missing"),
        ({"program": ADD, "tests": []}, "tests: there is no case"),
        ({"program": ADD, "tests": None}, "no known shape"),
        ({"program": ADD, "tests": "print(1)"}, "without an assertion"),
        ({"program": ADD, "tests": CASES, "entry": "a b"}, "not a Python identifier"),
        ({"program": ADD, "tests": [[[0], 0]] * 10_001}, "10001 cases"),
        ({"program": ADD, "tests": {"cases": [[[0], 0]], "entry": 5}}, "entry"),
        ({"program": ADD, "tests": {"test_list": [1]}}, "tests"),
        ({"program": ADD, "tests": {"inputs": 1, "outputs": 2, "fn_name": 3}}, ""),
        ({"program": ADD, "tests": [{"stdin": "\ud800", "stdout": ""}]}, "surrogates"),
        ({"program": ADD, "tests": CASES, "tolerance": -1}, "tolerance"),
        ({"program": ADD, "tests": CASES, "output": "words"}, "lines, text, tokens"),
    ],
)
def test_invalid_evaluations(client: TestClient, request_: Any, message: str) -> None:
    response = client.post("/v1/evaluate", content=json.dumps(request_), headers=JSON)
    assert response.status_code == 422, response.text
    assert message in response.json()["detail"]


def test_a_batch(make: Maker) -> None:
    client = client_of(make(window=3))
    requests: list[Any] = [{"program": f"print({k} * 7)", "id": f"p{k}"} for k in range(20)]
    requests.append({"program": ADD, "tests": CASES, "id": "judged"})
    requests.append({"program": 5, "id": "wrong"})
    body = "\n\n".join(map(json.dumps, requests)) + "\n[\n"
    response = client.post("/v1/batch", content=body, headers=LINES)
    assert response.status_code == 200
    found = [json.loads(line) for line in response.text.splitlines()]
    assert sorted(one["index"] for one in found) == list(range(23))
    by_id = {one["id"]: one for one in found}
    for k in range(20):
        assert by_id[f"p{k}"]["result"]["stdout"] == f"{k * 7}\n"
    assert by_id["judged"]["result"]["score"] == 0.5
    assert by_id["wrong"]["error"]["status"] == 422 and by_id[None]["error"]["status"] == 400


def test_an_empty_batch(client: TestClient) -> None:
    assert client.post("/v1/batch", content="\n \n", headers=LINES).status_code == 400


def test_health_and_metrics(make: Maker) -> None:
    app = make()
    client = client_of(app)
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").json() == {"status": "ready"}
    assert client.get("/v1/ping").json() == "pong"
    run(client, "print(1)")
    text = client.get("/metrics").text
    assert 'porter_requests_total{endpoint="/v1/run",status="200"} 1.0' in text
    assert 'porter_rows_total{status="PASSED"} 1.0' in text and "porter_ready 1.0" in text
    app.guard.draining = True
    assert client.get("/readyz").status_code == 503
    response = client.post("/v1/run", json={"program": ""})
    assert response.status_code == 503 and response.headers["retry-after"]


def test_documents(client: TestClient) -> None:
    document = client.get("/openapi.json").json()
    assert document["paths"]["/v1/run"]["post"]["responses"]["429"]
    run_request = document["components"]["schemas"]["RunRequest"]
    assert run_request["required"] == ["program"] and not run_request["additionalProperties"]
    page = client.get("/docs")
    assert "RunRequest" in page.text and "http" not in page.text.replace("https", "")
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_unknown_paths_and_methods(client: TestClient) -> None:
    for method, path, status in (("GET", "/nope", 404), ("GET", "/v1/run", 405)):
        response = client.request(method, path)
        assert response.status_code == status and response.json()["error"]["hint"]


def test_request_ids(client: TestClient) -> None:
    given = client.get("/healthz", headers={"X-Request-Id": "a-1"})
    assert given.headers["x-request-id"] == "a-1"
    own = client.get("/healthz", headers={"X-Request-Id": "a\tb"}).headers["x-request-id"]
    assert own != client.get("/healthz").headers["x-request-id"] and "\t" not in own
