"""Accepted programs: one answer for each, whatever happens to devices, clients and the queue."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from attrs import define, field

from porter.errors import LaunchFailed, NoGpu, QueueFull
from porter.evaluation import CaseStatus
from porter.run import Cancel
from porter.serve import service as module
from porter.serve.requests import ProgramWork, Translator
from porter.serve.schemas import InvalidField
from porter.serve.service import (
    DeviceSource,
    JudgeService,
    NotReady,
    ServiceCancelled,
    ServiceState,
)
from porter.serve.settings import ServeSettings
from tests.serve.conftest import SharedDevice, client_of, judge


@define(eq=False)
class FaultyDevices:
    """Opens devices that fail with chosen programs.

    Attributes:
        device: The device that judges.
        poison: A text; a batch with a program that contains it breaks its device.
        failures: Batches that fail in any case.
        refused: Attempts to open a device that fail.
        opened: Devices that were opened.
        closed: Devices that were closed.
        runs: How often each program was in a batch.
    """

    device: Any
    poison: bytes = b"POISON"
    failures: int = 0
    refused: int = 0
    opened: int = 0
    closed: int = 0
    runs: Counter[bytes] = field(factory=Counter)
    gate: threading.Event | None = None
    lock: Any = field(factory=threading.Lock)

    def source(self) -> DeviceSource:
        return DeviceSource(self.open, self.judge)

    def open(self) -> FaultyDevice:
        self.opened += 1
        if self.opened <= self.refused:
            raise NoGpu("there is no GPU now")
        return FaultyDevice(self)

    def judge(self, device: FaultyDevice, programs: Any, cases: Any, how: Any) -> Iterator[Any]:
        programs = list(programs)
        with self.lock:
            self.runs.update(source for source, _ in programs)
            fails = self.failures > 0
            self.failures -= fails
        if self.gate is not None:
            self.gate.wait(30)
        if device.broken or fails or any(self.poison in source for source, _ in programs):
            device.broken = True
            raise LaunchFailed("an illegal address")
        yield from judge(SharedDevice(self.device), programs, cases, how)


@define(eq=False)
class FaultyDevice:
    """A device of FaultyDevices; once broken it fails with every batch."""

    made_by: FaultyDevices
    broken: bool = False

    def close(self) -> None:
        self.made_by.closed += 1


@pytest.fixture
def faulty(device: Any) -> FaultyDevices:
    return FaultyDevices(device)


def started(devices: FaultyDevices, room: int = 1000) -> JudgeService:
    service = JudgeService(devices.source(), room)
    service.start()
    assert service.is_opened(30)
    return service


TRANSLATOR = Translator(ServeSettings(steps=200_000), Cancel())


def work(number: int, text: str = "") -> ProgramWork:
    return TRANSLATOR.run({"program": f"print({number})\n{text}", "id": number})


def number_of(future: Future[Any]) -> int:
    (output,) = future.result(60).outputs
    return int(output)


def test_each_program_gets_its_own_answer(faulty: FaultyDevices) -> None:
    service = started(faulty, 100_000)
    found: dict[int, int] = {}

    def send(first: int) -> None:
        futures = [(k, service.submit(work(k))) for k in range(first, first + 20)]
        found.update((k, number_of(future)) for k, future in futures)

    threads = [threading.Thread(target=send, args=(20 * k,)) for k in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: k for k in range(1000)}
    assert service.pending == 0 and service.waiting == 0
    assert max(faulty.runs.values()) == 1
    service.close()


def test_a_failed_device_is_replaced(faulty: FaultyDevices) -> None:
    seen: list[BaseException] = []
    service = started(faulty)
    service.on_failure = seen.append
    faulty.failures = 1
    futures = [service.submit(work(k)) for k in range(40)]
    assert [number_of(one) for one in futures] == list(range(40))
    assert service.state == ServiceState.READY and faulty.opened == 2 and faulty.closed == 1
    assert len(seen) == 1
    service.close()


def test_a_program_that_breaks_devices_fails_alone(faulty: FaultyDevices) -> None:
    service = started(faulty)
    poison = service.submit(work(-1, "# POISON"))
    futures = [service.submit(work(k)) for k in range(10)]
    assert [number_of(one) for one in futures] == list(range(10))
    with pytest.raises(LaunchFailed):
        poison.result(60)
    assert number_of(service.submit(work(50))) == 50
    assert max(faulty.runs.values()) <= module.ATTEMPTS
    service.close()


def test_a_device_that_cannot_be_opened_again(
    faulty: FaultyDevices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PAUSE", 0.2)
    service = started(faulty)
    faulty.refused = 2
    future = service.submit(work(1, "# POISON"))
    with pytest.raises((NotReady, LaunchFailed)):
        future.result(60)
    while service.state != ServiceState.FAILED:
        time.sleep(0.01)
    with pytest.raises(NotReady, match="no GPU now"):
        service.submit(work(2))
    time.sleep(0.3)
    assert number_of(service.submit(work(3))) == 3  # this request opens the device
    assert service.pending == 0
    service.close()


def test_a_device_that_cannot_be_opened_at_the_start(faulty: FaultyDevices) -> None:
    faulty.refused = 1
    service = started(faulty)
    with pytest.raises(NoGpu):
        service.check_opened()
    with pytest.raises(NotReady):
        service.submit(work(1))
    service.close()


def test_a_full_queue(faulty: FaultyDevices) -> None:
    faulty.gate = threading.Event()
    service = started(faulty, room=5)
    futures = [service.submit(work(k)) for k in range(5)]
    with pytest.raises(QueueFull):
        service.submit(work(5))
    faulty.gate.set()
    assert [number_of(one) for one in futures] == list(range(5))
    assert number_of(service.submit(work(6))) == 6
    service.close()


def test_cancelled_programs(faulty: FaultyDevices) -> None:
    faulty.gate = threading.Event()
    service = started(faulty)
    first = [service.submit(work(k)) for k in range(4)]
    while service.running < 4:
        time.sleep(0.01)
    waiting = [service.submit(work(k)) for k in range(4, 300)]
    cancelled = [one for k, one in enumerate(waiting) if k % 2 and one.cancel()]
    assert len(cancelled) == 148 and first[0].cancel()
    faulty.gate.set()
    for k, one in enumerate(first[1:] + waiting[::2]):
        assert number_of(one) == (k + 1 if k < 3 else 4 + 2 * (k - 3))
    while service.pending:
        time.sleep(0.01)
    service.close()


def test_a_failure_of_one_program_is_no_failure_of_others(faulty: FaultyDevices) -> None:
    """An error in Python, not in the device, also fails one program alone."""

    def judge_or_raise(device: Any, programs: Any, cases: Any, how: Any) -> Iterator[Any]:
        programs = list(programs)
        if any(b"BUG" in source for source, _ in programs):
            raise ZeroDivisionError
        yield from judge(SharedDevice(faulty.device), programs, cases, how)

    service = JudgeService(DeviceSource(faulty.open, judge_or_raise), 100)
    service.start()
    assert service.is_opened(30)
    bug = service.submit(work(0, "# BUG"))
    futures = [service.submit(work(k)) for k in range(1, 20)]
    assert [number_of(one) for one in futures] == list(range(1, 20))
    with pytest.raises(ZeroDivisionError):
        bug.result(60)
    assert faulty.opened == 1
    service.close()


def test_stop_answers_all(faulty: FaultyDevices) -> None:
    service = JudgeService(DeviceSource(lambda: SharedDevice(faulty.device), judge), 1000)
    service.start()
    assert service.is_opened(30)
    translator = Translator(ServeSettings(steps=10**8, deadline=60.0), service.cancel)
    endless = translator.run({"program": "while True: pass"})
    futures = [service.submit(endless) for _ in range(4)]
    while service.running < 4:
        time.sleep(0.01)
    futures += [service.submit(work(k)) for k in range(50)]
    began = time.monotonic()
    service.stop()
    ends = Counter(type(one.exception(30)) for one in futures if not one.cancelled())
    assert time.monotonic() - began < 20
    assert ends[ServiceCancelled] + ends[type(None)] == 54 and ends[ServiceCancelled] >= 4
    with pytest.raises(NotReady):
        service.submit(work(1))
    assert service.pending == 0
    service.close()


def test_equal_options_are_one_object() -> None:
    assert work(1).how is work(2).how
    other = TRANSLATOR.run({"program": "", "limits": {"steps": 5}})
    assert other.how is not work(1).how
    for steps in range(1, 1000):  # the cache is bounded
        TRANSLATOR.run({"program": "", "limits": {"steps": steps}})
    assert TRANSLATOR._judging.cache_info().currsize == 256


def test_the_work_of_a_program_is_bounded() -> None:
    """Many cases of an endless program would take a core for hours."""
    translator = Translator(ServeSettings(steps=1000, max_work=5000), None)
    program = "def solve(x): return x"

    def steps(cases: int, **limits: int) -> Any:
        tests = [[[k], k] for k in range(cases)]
        request = {"program": program, "tests": tests, "limits": limits}
        return translator.evaluation(request).how.steps

    assert [steps(k) for k in (1, 5, 6, 10, 100)] == [1000, 1000, 500, 500, 31]
    assert steps(5, steps=1000) == 1000
    with pytest.raises(InvalidField, match="for each of 6 cases"):
        steps(6, steps=1000)


def test_an_answer_does_not_keep_the_request() -> None:
    tests = {"cases": [[[1], 1]], "test_inputs": ["x" * 1000]}
    found = TRANSLATOR.evaluation({"program": "def solve(x): return x", "tests": tests})
    kept = [cell.cell_contents for cell in found.answer.__closure__ or ()]
    assert kept == [None, True]


def test_errors_as_responses(make: Any, faulty: FaultyDevices) -> None:
    faulty.failures = 10**9
    client = client_of(make(source=faulty.source()))
    response = client.post("/v1/run", json={"program": ""})
    assert response.status_code == 503 and response.headers["retry-after"]
    assert response.json()["error"]["code"] == "device_failed"
    assert "porter_device_failures_total 3.0" in client.get("/metrics").text
    faulty.failures = 0
    assert client.post("/v1/run", json={"program": ""}).json()["status"] == CaseStatus.PASSED.name


def test_an_internal_error_is_one(make: Any, faulty: FaultyDevices) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("a secret")

    client = client_of(make(source=DeviceSource(faulty.open, broken)))
    response = client.post("/v1/run", json={"program": ""})
    assert response.status_code == 500 and "secret" not in response.text


def test_a_program_that_is_late(make: Any, faulty: FaultyDevices) -> None:
    faulty.gate = threading.Event()
    app = make(source=faulty.source(), timeout=0.3)
    client = client_of(app)
    response = client.post("/v1/run", json={"program": ""})
    assert response.status_code == 504
    lines = {"Content-Type": "application/x-ndjson"}
    found = client.post("/v1/batch", content='{"program": ""}', headers=lines)
    assert found.json()["error"]["status"] == 504
    faulty.gate.set()
    while app.service.pending:
        time.sleep(0.01)


def test_a_full_queue_as_a_response(make: Any, faulty: FaultyDevices) -> None:
    faulty.gate = threading.Event()
    app = make(source=faulty.source(), queue=2)
    client = client_of(app)
    held = [app.service.submit(work(k)) for k in range(2)]
    response = client.post("/v1/run", json={"program": ""})
    assert response.status_code == 429 and response.headers["retry-after"] == "1"
    lines = {"Content-Type": "application/x-ndjson"}
    threading.Timer(0.3, faulty.gate.set).start()
    found = client.post("/v1/batch", content='{"program": "print(5)"}', headers=lines)
    assert found.json()["result"]["stdout"] == "5\n"  # a batch waits for the queue
    assert [number_of(one) for one in held] == [0, 1]
