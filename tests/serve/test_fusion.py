"""SandboxFusion's endpoints: answers in its shapes, as its clients read them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

KEYS = {"status", "message", "compile_result", "run_result", "executor_pod_name", "files"}


def run_code(client: TestClient, code: str, **more: Any) -> dict[str, Any]:
    response = client.post("/run_code", json={"code": code, "language": "python", **more})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    assert set(found) == KEYS and found["compile_result"] is None and found["files"] == {}
    return found


def test_what_trainers_send(client: TestClient) -> None:
    more = {
        "stdin": "2 3\n", "compile_timeout": 10, "run_timeout": 10, "memory_limit_MB": 1024,
        "files": {}, "fetch_files": [], "unknown": 1,
    }  # fmt: skip
    found = run_code(client, "print(sum(map(int, input().split())))", **more)
    result = found["run_result"]
    assert (found["status"], result["status"], result["return_code"]) == ("Success", "Finished", 0)
    assert result["stdout"] == "5\n" and result["stderr"] == "" and result["execution_time"] > 0


@pytest.mark.parametrize(
    ("code", "status", "run_status", "return_code", "stderr"),
    [
        ("1 / 0", "Failed", "Finished", 1, "ZeroDivisionError"),
        ("raise SystemExit(3)", "Failed", "Finished", 3, ""),
        ("raise SystemExit(0)", "Success", "Finished", 0, ""),
        ("while True: pass", "Failed", "TimeLimitExceeded", None, ""),
        ("x = (", "Failed", "Finished", 1, "SyntaxError"),
        ("import turtle", "Failed", "Finished", 1, "turtle"),
        ("for i in range(70): print('x' * 1000)", "Failed", "Finished", 1, "OUT_OF_OUTPUT"),
    ],
)
def test_ends(
    client: TestClient,
    code: str,
    status: str,
    run_status: str,
    return_code: int | None,
    stderr: str,
) -> None:
    found = run_code(client, code)
    result = found["run_result"]
    assert (found["status"], result["status"]) == (status, run_status)
    assert result["return_code"] == return_code and stderr in result["stderr"]
    assert ("not supported" in found["message"]) == ("turtle" in code)


def test_what_is_not_there(client: TestClient) -> None:
    for more in ({"language": "cpp"}, {"files": {"a": "YQ=="}}, {"fetch_files": ["a"]}):
        found = run_code(client, "1", **more)
        assert found["status"] == "SandboxError" and next(iter(more)) in found["message"]
        assert found["run_result"] is None
    response = client.post("/run_code", json={"language": "python"})
    assert response.status_code == 422 and "code" in response.json()["detail"]


def test_limits_of_other_sandboxes_are_reduced(client: TestClient) -> None:
    for more in (
        {"run_timeout": 1e300, "memory_limit_MB": 10**9},
        {"run_timeout": -1, "memory_limit_MB": -1},
        {"run_timeout": 0, "memory_limit_MB": 0},
    ):
        assert run_code(client, "", **more)["status"] == "Success"


ROWS: list[Any] = [
    {"test": "def check(candidate):\n    assert candidate(1, 2) == 3",
     "labels": {"entry_point": "add"}, "content": 'def add(a, b):\n    """Add."""\n'},
    {"test": "assert add(1, 2) == 3"},
    {"test": ["assert add(1, 2) == 3"], "labels": json.dumps({"test_setup_code": "import math"})},
    {"test": json.dumps(["assert add(1, 2) == 3"]), "labels": {}},
    {"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"},
]  # fmt: skip


def submit(client: TestClient, completion: str, data: Any, **more: Any) -> Any:
    config = {"provided_data": data, "compile_timeout": 5, "locale": "en", **more}
    request = {"dataset": "any", "id": 4, "completion": completion, "config": config}
    return client.post("/submit", json=request)


@pytest.mark.parametrize("row", ROWS)
def test_problems(client: TestClient, row: Any) -> None:
    right, wrong = "def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a - b\n"
    for data in (row, [{"id": 1}, {**row, "id": "4"}]):
        found = submit(client, f"```python\n{right}```", data).json()
        assert found["accepted"] and found["extracted_code"] == right and found["id"] == 4
        found = submit(client, wrong, data).json()
        assert not found["accepted"] and not found["tests"][0]["passed"]


def test_inputs_and_outputs(client: TestClient) -> None:
    tests = [
        {"input": {"stdin": "2"}, "output": {"stdout": "4"}},
        {"input": {"stdin": "3"}, "output": {"stdout": "7"}},
        {"input": {"stdin": "x"}, "output": {"stdout": "7"}},
    ]
    found = submit(client, "print(2 * int(input()))", {"test": json.dumps(tests)}).json()
    assert [one["passed"] for one in found["tests"]] == [True, False, False]
    infos = [one["exec_info"] for one in found["tests"]]
    assert [one["status"] for one in infos] == ["Success", "Success", "Failed"]
    assert infos[1]["run_result"]["stdout"] == "6\n"
    assert "ValueError" in infos[2]["run_result"]["stderr"]


@pytest.mark.parametrize(
    ("data", "more", "message"),
    [
        (None, {}, "stores no data sets"),
        ([{"id": 5}], {}, "no problem has the id"),
        ({"test": 5}, {}, "neither code"),
        ({"test": [{"input": 1}]}, {}, "test[0]"),
        ({"test": [{"input": {"a.txt": ""}, "output": {}}]}, {}, "no files"),
        ({"test": "print(1)"}, {}, "without an assertion"),
        ({"test": "assert True", "labels": {"entry_point": 5}}, {}, ""),
        ({"test": "assert True"}, {"custom_extract_logic": "x"}, "do not run in this service"),
        ({"test": "assert True"}, {"language": "cpp"}, "language"),
    ],
)
def test_invalid_problems(client: TestClient, data: Any, more: Any, message: str) -> None:
    response = submit(client, "", data, **more)
    assert response.status_code == 422, response.text
    detail = response.json()
    assert message in detail["detail"] + str(detail["error"]["hint"])
