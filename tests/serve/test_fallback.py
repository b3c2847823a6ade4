"""A service with the CPython fallback: what interpreters lack runs, and delays no other program."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import pytest
from attrs import evolve
from starlette.testclient import TestClient

from porter.errors import FallbackUnavailable, UsageError
from porter.evaluation.batching import JudgedProgram
from porter.fallback import Fallback, pool
from porter.run import Device
from porter.serve.requests import Translator
from porter.serve.service import DeviceSource, JudgeService
from porter.serve.settings import ServeSettings
from tests.restricted import skip_unless_restricted
from tests.serve.conftest import Maker, SharedDevice, client_of, judge

LACK = "import _thread\n"  # CPython has this module, and interpreters lack it
FALLBACK = Fallback(processes=2)
ADD = {"cases": [[[1, 2], 3], [[5, 5], 11]], "entry": "add"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module", autouse=True)
def _restricted() -> None:
    skip_unless_restricted(FALLBACK)


@pytest.fixture
def client(make: Maker) -> TestClient:
    return client_of(make(fallback=FALLBACK))


def post(client: TestClient, path: str, value: Any) -> dict[str, Any]:
    response = client.post(path, content=json.dumps(value), headers=JSON)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_off_by_default(make: Maker) -> None:
    found = post(client_of(make()), "/v1/run", {"program": LACK + "print(1)"})
    assert (found["status"], found["in_cpython"]) == ("UNSUPPORTED", False)


@pytest.mark.parametrize(
    ("program", "status", "code", "stdout", "stderr"),
    [
        ("print(input()[::-1])", "PASSED", 0, "cba\n", ""),
        ("import sys\nsys.stderr.write('e')\nsys.exit(3)", "EXITED", 3, "", "e"),
        ("import sys\nsys.exit('why')", "EXITED", 1, "", "why\n"),
        ("import os\nos._exit(4)", "EXITED", 4, "", ""),
        ("1 / 0", "RAISED", 1, "", "ZeroDivisionError: division by zero\n"),
        ("print(open('/etc/passwd').read())", "RAISED", 1, "", "PermissionError"),
        ("import socket", "UNSUPPORTED", 1, "", ""),
    ],
)
def test_runs(
    client: TestClient, program: str, status: str, code: int | None, stdout: str, stderr: str
) -> None:
    found = post(client, "/v1/run", {"program": LACK + program, "stdin": "abc\n"})
    assert (found["status"], found["exit_code"], found["stdout"]) == (status, code, stdout)
    assert stderr in found["stderr"] and found["in_cpython"] == (status != "UNSUPPORTED")
    assert "_thread" in found["unsupported"]


def test_reasons_say_how_a_case_ended(client: TestClient) -> None:
    for program, reason in {
        "raise ValueError('x')": "ValueError: x",
        "import ctypes": "the fallback does not permit the module ctypes",
        "import os\nos._exit(0)": "the process ended with exit code 0 before its result",
        "print(1)": "",
    }.items():
        assert post(client, "/v1/run", {"program": LACK + program})["reason"] == reason
    tests = {"cases": [[[1], 1], [[2], 1]], "entry": "f"}
    found = post(client, "/v1/evaluate", {"program": LACK + "def f(x): return x", "tests": tests})
    assert [(one["status"], one["reason"]) for one in found["cases"]] == [
        ("PASSED", ""), ("WRONG", "")
    ]  # fmt: skip


def test_modules_of_the_caller(make: Maker) -> None:
    program = "import attr\nprint(attr.__name__)"
    found = post(client_of(make()), "/v1/run", {"program": program})
    assert (found["status"], found["in_cpython"]) == ("RAISED", False)
    client = client_of(make(fallback=Fallback(processes=1, modules=("attr",))))
    found = post(client, "/v1/run", {"program": program})
    assert (found["status"], found["stdout"], found["in_cpython"]) == ("PASSED", "attr\n", True)


def test_a_loop_ends_at_its_deadline(client: TestClient) -> None:
    value = {"program": LACK + "while True: pass", "limits": {"deadline": 0.5}}
    found = post(client, "/v1/run", value)
    assert (found["status"], found["exit_code"]) == ("OUT_OF_TIME", None)


def test_evaluations(client: TestClient) -> None:
    program = LACK + "def add(a, b): return a + b"
    found = post(client, "/v1/evaluate", {"program": program, "tests": ADD})
    assert found["score"] == 0.5 and found["in_cpython"] and not found["unsupported"]
    assert [one["in_cpython"] for one in found["cases"]] == [True, True]
    found = post(client, "/v1/evaluate", {"program": program[len(LACK) :], "tests": ADD})
    assert found["score"] == 0.5 and not found["in_cpython"]


def test_other_endpoints(client: TestClient) -> None:
    found = post(client, "/run_code", {"code": LACK + "print(1)", "language": "python"})
    assert found["status"] == "Success" and found["run_result"]["stdout"] == "1\n"
    lines = [{"program": source + f"print({k})"} for k, source in enumerate(["", LACK] * 20)]
    content = "\n".join(map(json.dumps, lines))
    response = client.post(
        "/v1/batch", content=content, headers={"Content-Type": "application/x-ndjson"}
    )
    answers = {one["index"]: one["result"] for one in map(json.loads, response.text.splitlines())}
    assert {k: (one["stdout"], one["in_cpython"]) for k, one in answers.items()} == {
        k: (f"{k}\n", k % 2 == 1) for k in range(40)
    }
    assert "porter_rows_in_cpython_total 21.0" in client.get("/metrics").text


def _service(device: Device) -> JudgeService:
    service = JudgeService(DeviceSource(lambda: SharedDevice(device), judge), 100, FALLBACK)
    service.start()
    assert service.is_opened(60)
    return service


def _translator(service: JudgeService) -> Translator:
    return Translator(ServeSettings(fallback=FALLBACK), service.cancel)


def _run(service: JudgeService, program: str, deadline: float = 30.0) -> Any:
    value = {"program": program, "limits": {"deadline": deadline}}
    return service.submit(_translator(service).run(value))


def test_long_programs_in_cpython_do_not_delay_others(device: Device) -> None:
    service = _service(device)
    try:
        slow = [_run(service, LACK + "while True: pass") for _ in range(8)]
        for k in range(5):
            done: JudgedProgram = _run(service, f"print({k})").result(20)
            assert done.outputs == [f"{k}\n".encode()]
        assert not any(one.done() for one in slow)
        for one in slow:
            one.cancel()
        until = time.monotonic() + 20
        while service.pending and time.monotonic() < until:
            time.sleep(0.01)
        assert service.pending == 0  # their processes have ended before the deadline
    finally:
        service.close()


def test_a_stop_ends_programs_in_cpython(device: Device) -> None:
    service = _service(device)
    slow = [_run(service, LACK + "while True: pass") for _ in range(4)]
    while service.running < 2:
        time.sleep(0.01)
    time.sleep(0.2)
    stopping = threading.Thread(target=service.stop)
    stopping.start()
    stopping.join(20)
    assert not stopping.is_alive() and all(one.done() for one in slow)
    service.close()


def test_a_fallback_that_fails_leaves_the_answer_of_interpreters(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = _service(device)
    pool.close_all()

    def fail(*_: Any) -> None:
        raise FallbackUnavailable("CPython does not start")

    monkeypatch.setattr(pool.Zygote, "start", fail)
    try:
        found: JudgedProgram = _run(service, LACK + "print(1)").result(20)
        assert found.statuses[0].name == "UNSUPPORTED" and not any(found.in_cpython)
    finally:
        service.close()


def test_settings() -> None:
    assert ServeSettings(fallback="cpython").fallback == Fallback()
    with pytest.raises(UsageError, match="fallback: 'x'"):
        ServeSettings(fallback="x")
    assert evolve(ServeSettings(), fallback=None).fallback is None
