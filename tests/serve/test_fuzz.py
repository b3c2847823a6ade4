"""Generated requests: no status 500, and answers that fit the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import hypothesis
import schemathesis
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance
from starlette.testclient import TestClient

from porter.serve.app import ServeApp
from tests.serve.conftest import Maker

ENDPOINTS = ("/v1/run", "/v1/evaluate", "/run_code", "/submit")
LINES = {"Content-Type": "application/x-ndjson"}
JSON = {"Content-Type": "application/json"}
NAMES = (
    "program", "stdin", "limits", "tests", "answer", "entry", "cases", "args", "expected", "stdout",
    "test", "entry_point", "prompt", "test_list", "test_setup_code", "inputs", "outputs",
    "fn_name", "input_output", "public_test_cases", "private_test_cases", "metadata", "code",
    "language", "dataset", "id", "completion", "config", "provided_data", "labels", "content",
    "input", "output", "testtype", "func_name", "kwargs", "steps", "files", "starter_code",
)  # fmt: skip
TEXTS = st.one_of(
    st.text(st.characters(), max_size=20),
    st.sampled_from(
        ["python", "assert f(1)", "def check(candidate):\n assert candidate", "[1]", '{"a": 1}',
         "solve", "functional", "class TestA(-1):\n def test(self): assert 1", "print(1)", "[[1",
         ""]
    ),
)  # fmt: skip
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from(NAMES), inner, max_size=6)
    return st.one_of(st.lists(inner, max_size=4), named, named.map(json.dumps))


VALUES = st.recursive(ATOMS, _containers, max_leaves=12)
SKELETONS: tuple[dict[str, Any], ...] = (
    {"program": "def solve(x): return x"},
    {"answer": "```python\ndef solve(x): return x\n```"},
    {"code": "print(1)", "language": "python"},
    {"dataset": "d", "id": 1, "completion": "x"},
)


SLOW = [hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow]


@hypothesis.settings(max_examples=150, suppress_health_check=SLOW)
@hypothesis.given(
    path=st.sampled_from(ENDPOINTS),
    base=st.sampled_from(SKELETONS),
    more=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5),
)
def test_values_of_any_shape(
    client: TestClient, path: str, base: dict[str, Any], more: dict[str, Any]
) -> None:
    body = json.dumps({**base, **more})
    response = client.post(path, content=body, headers=JSON)
    assert response.status_code in (200, 400, 422), (response.status_code, response.text, body)
    json.loads(response.content)


@hypothesis.settings(max_examples=80, suppress_health_check=SLOW)
@hypothesis.given(provided=VALUES, tests=VALUES, labels=VALUES, content=st.one_of(st.none(), TEXTS))
def test_tests_of_any_shape(
    client: TestClient, provided: Any, tests: Any, labels: Any, content: Any
) -> None:
    for data in (provided, {"test": tests, "labels": labels, "content": content}):
        config = {"provided_data": data}
        request = {"dataset": "d", "id": 1, "completion": "def f(x): pass", "config": config}
        response = client.post("/submit", content=json.dumps(request), headers=JSON)
        assert response.status_code in (200, 422), (response.text, request)
    request = {"program": "def solve(x): return x", "tests": tests}
    response = client.post("/v1/evaluate", content=json.dumps(request), headers=JSON)
    assert response.status_code in (200, 422), (response.text, request)


@hypothesis.settings(max_examples=80, suppress_health_check=SLOW)
@hypothesis.given(body=st.binary(max_size=200), path=st.sampled_from((*ENDPOINTS, "/v1/batch")))
def test_bytes(client: TestClient, body: bytes, path: str) -> None:
    headers = LINES if path == "/v1/batch" else JSON
    response = client.post(path, content=body, headers=headers)
    assert response.status_code in (200, 400, 422), response.text


@hypothesis.settings(max_examples=40, suppress_health_check=SLOW)
@hypothesis.given(lines=st.lists(st.one_of(VALUES.map(json.dumps), st.text(max_size=20))))
def test_lines(client: TestClient, lines: list[str]) -> None:
    body = "\n".join(lines).encode("utf-8", "surrogatepass")
    count = sum(1 for line in body.split(b"\n") if line.strip())
    response = client.post("/v1/batch", content=body, headers=LINES)
    if not count:
        assert response.status_code == 400
        return
    found = [json.loads(line) for line in response.content.splitlines()]
    assert sorted(one["index"] for one in found) == list(range(count))
    assert all(one.get("error", {}).get("status", 200) != 500 for one in found), found


def test_the_document_by_schemathesis(make: Maker, live: Callable[[ServeApp], str]) -> None:
    address = live(make(steps=10_000))
    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    operations: list[Any] = [found.ok() for found in schema.get_all_operations()]  # type: ignore[union-attr]
    assert len(operations) >= 10
    for operation in operations:
        if operation.path != "/v1/batch":  # test_lines sends JSON lines
            check_operation(operation)


def check_operation(operation: Any) -> None:
    """Send generated requests of one operation, and check the responses."""

    @hypothesis.settings(max_examples=25, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(case=operation.as_strategy())
    def check(case: Any) -> None:
        response = case.call()
        assert response.status_code != 500, response.text
        # A schema does not say which limits a service permits, or what tests are.
        case.validate_response(response, excluded_checks=[positive_data_acceptance])

    check()
