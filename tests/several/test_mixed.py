"""The cores and GPUs of a machine judge together; a twin with separate memory stands for a GPU."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import pytest

from porter import evaluate
from porter.errors import (
    BuildDamaged,
    DeviceFailed,
    LaunchFailed,
    NotEnoughMemory,
    PorterError,
)
from porter.evaluation import (
    Cases,
    Evaluation,
    Judging,
    distribution,
    judgement,
    processes,
    stragglers,
    twins,
)
from porter.evaluation import devices as devices_module
from porter.evaluation.devices import LazyDevice, MixedDevices
from porter.evaluation.judgement import Judgement, judge
from porter.evaluation.launches import launch
from porter.evaluation.portion import Cutter, Portion
from porter.evaluation.schedule import Schedule
from porter.run import Cancel, Device
from porter.run.built import open_build
from porter.run.device.host import HostTwin
from tests.several.conftest import ApartTwin
from tests.several.test_evaluate import CASES
from tests.several.test_evaluate import PROGRAMS as FEW

if TYPE_CHECKING:
    from porter.pipeline import Build

PROGRAMS = FEW * 4
OPTIONS = {"steps": 2000, "keep": ("values", "outputs", "tracebacks")}
Mixed = Callable[..., MixedDevices]


@pytest.fixture
def mixed(built: Build) -> Mixed:
    """Return a function that makes a host twin and one GPU, which `opened` opens."""
    whole = open_build(built.folder)

    def make(opened: Callable[[], Device] | None = None, *, optional: bool = True) -> MixedDevices:
        host = HostTwin(whole, threads=1)
        gpu = LazyDevice("GPU", opened or (lambda: ApartTwin(whole)), host, optional=optional)
        return MixedDevices(host, [gpu])

    return make


@pytest.fixture
def alone(built: Build) -> Evaluation:
    """Return the results on the host twin alone."""
    return evaluate(PROGRAMS, CASES, build=built.folder, target="host", **OPTIONS)  # type: ignore[arg-type]


@pytest.fixture
def small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give both devices portions of a few programs, the GPU also at the start."""
    monkeypatch.setattr(Schedule, "rows", lambda self, k, left, elapsed: 100 if k else 30)


def check_equal(found: Evaluation, alone: Evaluation) -> None:
    for name in ("status", "steps"):
        assert np.array_equal(getattr(found, name), getattr(alone, name)), name
    assert found.outputs == alone.outputs and found.values == alone.values
    assert found.tracebacks == alone.tracebacks


@pytest.mark.usefixtures("small_portions")
def test_results_are_those_of_one_device(mixed: Mixed, alone: Evaluation) -> None:
    devices = mixed()
    devices.open()
    used: list[bool] = []
    done: list[int] = []
    real = judge

    def noted(device: Device, portion: Portion, how: Judging) -> Judgement:
        used.append(device.on_gpu)
        return real(device, portion, how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devices_module, "judge", noted)
        found = evaluate(PROGRAMS, CASES, device=devices, progress=done.append, **OPTIONS)  # type: ignore[arg-type]
    check_equal(found, alone)
    assert set(used) == {True, False}
    assert done[-1] == len(PROGRAMS) and done == sorted(done)
    devices.close()


def test_a_short_evaluation_opens_no_gpu(mixed: Mixed) -> None:
    def opened() -> Device:
        raise AssertionError("opened")

    devices = mixed(opened)
    assert evaluate(PROGRAMS[:2], CASES, device=devices).status.shape == (2, 9)
    assert not devices.gpus[0].is_open and devices.gpus[0].error is None


@pytest.mark.usefixtures("small_portions")
def test_a_gpu_that_cannot_be_opened(mixed: Mixed, alone: Evaluation) -> None:
    def fails(error: PorterError) -> Callable[[], Device]:
        def opened() -> Device:
            raise error

        return opened

    found = evaluate(PROGRAMS, CASES, device=mixed(fails(PorterError("no driver"))), **OPTIONS)  # type: ignore[arg-type]
    check_equal(found, alone)
    with pytest.raises(BuildDamaged, match="changed"):
        devices = mixed(fails(BuildDamaged("changed")))
        devices.open()
        evaluate(PROGRAMS, CASES, device=devices)
    with pytest.raises(PorterError, match="no driver"):
        devices = mixed(fails(PorterError("no driver")), optional=False)
        devices.open()
        evaluate(PROGRAMS, CASES, device=devices)


@pytest.mark.usefixtures("small_portions")
@pytest.mark.parametrize("fails", ["start", "wait"])
def test_a_gpu_that_fails_loses_nothing(
    mixed: Mixed, built: Build, alone: Evaluation, fails: str
) -> None:
    failing = ApartTwin(open_build(built.folder))
    failing.fails = fails
    devices = mixed(lambda: failing)
    devices.open()
    check_equal(evaluate(PROGRAMS, CASES, device=devices, **OPTIONS), alone)  # type: ignore[arg-type]


@pytest.mark.usefixtures("small_portions")
def test_all_devices_fail(mixed: Mixed, built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = ApartTwin(open_build(built.folder))
    failing.fails = "start"
    devices = mixed(lambda: failing)
    devices.open()
    monkeypatch.setattr(HostTwin, "launch", ApartTwin.launch)
    devices.host.current, devices.host.fails = 1, "start"  # type: ignore[attr-defined]
    with pytest.raises(DeviceFailed, match="failed with programs"):
        evaluate(PROGRAMS, CASES, device=devices)


@pytest.mark.usefixtures("small_portions")
def test_a_gpu_without_memory_gets_no_portion(
    mixed: Mixed, alone: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = mixed()
    devices.open()

    def full(device: Device, portion: Portion, how: Judging) -> Judgement:
        if device.on_gpu:
            raise NotEnoughMemory("10 interpreters do not fit")
        return judge(device, portion, how)

    monkeypatch.setattr(devices_module, "judge", full)
    check_equal(evaluate(PROGRAMS, CASES, device=devices, **OPTIONS), alone)  # type: ignore[arg-type]


def test_idle_cores_repeat_what_a_gpu_does_not_finish(
    mixed: Mixed, alone: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The GPU gets most programs and never answers; its launch is cancelled in the end."""
    devices = mixed()
    devices.open()
    cancelled = threading.Event()

    def slow(device: Device, portion: Portion, how: Judging) -> Judgement:
        if not device.on_gpu:
            return judge(device, portion, how)
        assert how.cancel is not None
        end = time.monotonic() + 60
        while not how.cancel.requests and time.monotonic() < end:
            time.sleep(0.01)
        cancelled.set()
        raise NotEnoughMemory("stopped")

    monkeypatch.setattr(devices_module, "judge", slow)
    monkeypatch.setattr(Schedule, "rows", lambda self, k, left, elapsed: 800 if k else 30)
    check_equal(evaluate(PROGRAMS, CASES, device=devices, **OPTIONS), alone)  # type: ignore[arg-type]
    assert cancelled.is_set()


@pytest.mark.usefixtures("small_portions")
def test_what_the_programs_raise_ends_the_evaluation(mixed: Mixed) -> None:
    def programs() -> Iterator[str]:
        yield from PROGRAMS
        raise KeyError("source")

    devices = mixed()
    devices.open()
    with pytest.raises(KeyError, match="source"):
        evaluate(programs(), CASES, device=devices, steps=2000)


@pytest.mark.parametrize("each", ["case", "program"])
@pytest.mark.parametrize("few", [64, 0])
def test_long_rows_end_apart(
    mixed: Mixed, monkeypatch: pytest.MonkeyPatch, each: str, few: int
) -> None:
    """Rows that reach a small limit of steps run again, on cores if they are few."""
    sources = [
        f"def solve(x):\n    for i in range({n}): pass\n    return x"
        for n in (10, 3000, 90_000, 500)
    ] + ["def solve(x):\n    while x: pass\n    return x"]
    cases = [((k,), k) for k in range(3)]
    limits = [None, 50_000, 80_000, 400, 60_000]
    device = ApartTwin(mixed().built)
    deadline = 60.0

    def run(on: Device) -> Evaluation:
        return evaluate(sources, cases, device=on, steps=limits, deadline=deadline, each=each)

    expected = run(mixed().host)
    launches: list[tuple[bool, int]] = []
    real = launch

    def noted(on: Device, portion: Portion, how: Judging, work: object, *rest: object) -> object:
        launches.append((on.on_gpu, len(work.rows)))  # type: ignore[attr-defined]
        return real(on, portion, how, work, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(judgement, "launch", noted)
    monkeypatch.setattr(stragglers, "LIMITS", (1000, 10_000))
    monkeypatch.setattr(twins, "FEW", few)
    with device.here():
        found = run(device)
    assert np.array_equal(found.status, expected.status)
    assert np.array_equal(found.steps, expected.steps)
    assert [gpu for gpu, _ in launches] == ([True, False] if few else [True, True, True])


@pytest.fixture
def shared_cores(built: Build, monkeypatch: pytest.MonkeyPatch) -> Iterator[MixedDevices]:
    """Yield a host twin whose cores two processes share."""
    monkeypatch.setattr(processes, "LEAST_CORES", 2)
    monkeypatch.setattr(processes, "CORES_EACH", 1)
    monkeypatch.setattr(distribution, "MANY_PROGRAMS", 0)
    host = HostTwin(open_build(built.folder), threads=2)
    devices = MixedDevices(host, [], processes.processes_of(host))
    yield devices
    devices.close()


@pytest.mark.usefixtures("small_portions")
def test_processes_give_the_same_results(shared_cores: MixedDevices, alone: Evaluation) -> None:
    shared_cores.open()
    host = shared_cores.host
    assert [process.is_open for process in shared_cores.processes] == [True, True]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(devices_module, "judge", None)  # this process judges nothing
        patch.setattr(Schedule, "rows", lambda self, k, left, elapsed: 50 if k else 0)
        check_equal(evaluate(PROGRAMS, CASES, device=host, **OPTIONS), alone)  # type: ignore[arg-type]
        pairs = [(program, CASES) for program in PROGRAMS]
        check_equal(evaluate(pairs, device=host, **OPTIONS), alone)  # type: ignore[arg-type]
    found = evaluate(PROGRAMS, CASES, device=host, compare=lambda got, expected: True, steps=2000)
    assert found.passed.sum() == (alone.status < 2).sum()


def test_few_programs_stay_in_this_process(
    shared_cores: MixedDevices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(distribution, "MANY_PROGRAMS", 10)
    monkeypatch.setattr(MixedDevices, "__init__", None)
    programs = ["def solve(x): return x"] * 9
    found = evaluate(programs, [((1,), 1)], device=shared_cores.host)
    assert found.passed.all()
    with pytest.raises(TypeError):  # a distribution over processes
        evaluate([*programs, programs[0]], [((1,), 1)], device=shared_cores.host)
    with pytest.raises(TypeError):  # nobody knows how many there are
        evaluate((one for one in programs), [((1,), 1)], device=shared_cores.host)


@pytest.mark.usefixtures("small_portions")
def test_a_process_that_ends_loses_nothing(shared_cores: MixedDevices, alone: Evaluation) -> None:
    shared_cores.open()
    first = shared_cores.processes[0]
    assert first._process is not None
    first._process.kill()
    check_equal(evaluate(PROGRAMS, CASES, device=shared_cores, **OPTIONS), alone)  # type: ignore[arg-type]
    assert not first.is_open
    shared_cores.open()
    assert first.is_open


def test_a_process_stops_what_is_cancelled(shared_cores: MixedDevices) -> None:
    shared_cores.open()
    cancel = Cancel()
    threading.Timer(0.5, cancel).start()
    portion = Cutter(["def solve():\n    while True: pass"], Cases.of([((), 1)]), most=1).next(1)
    assert portion is not None
    began = time.monotonic()
    found = shared_cores.processes[0].judge(portion, Judging(steps=10**15), cancel)
    assert time.monotonic() - began < 20
    assert found.status.tolist() != [0]


def test_processes_end_with_the_device(shared_cores: MixedDevices) -> None:
    shared_cores.open()
    started = [process._process for process in shared_cores.processes]
    shared_cores.host.close()
    assert all(one is not None and one.poll() is not None for one in started)


def test_a_process_that_does_not_start(
    shared_cores: MixedDevices, alone: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    shared_cores.open()
    assert "does not start" in str(shared_cores.processes[0].error)
    check_equal(evaluate(PROGRAMS, CASES, device=shared_cores, **OPTIONS), alone)  # type: ignore[arg-type]


class Failing(HostTwin):
    """A host twin whose launches fail."""

    def launch(
        self, record: object, threads: int, chunks: object = None, *, urgent: bool = False
    ) -> NoReturn:
        raise LaunchFailed("the library has no threads")


def test_a_gpu_takes_over_from_cores_that_fail(built: Build, alone: Evaluation) -> None:
    """The schedule would open no GPU for so few programs."""
    whole = open_build(built.folder)
    host = Failing(whole, threads=1)
    devices = MixedDevices(host, [LazyDevice("GPU", lambda: ApartTwin(whole), HostTwin(whole))])
    check_equal(evaluate(PROGRAMS, CASES, device=devices, **OPTIONS), alone)  # type: ignore[arg-type]
    with pytest.raises(DeviceFailed, match="the library has no threads"):
        fails = LazyDevice("GPU", lambda: Failing(whole), HostTwin(whole))
        evaluate(PROGRAMS, CASES, device=MixedDevices(host, [fails]))


def test_a_gpu_that_fails_while_cores_repeat(
    mixed: Mixed, alone: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    devices = mixed()
    devices.open()
    repeated = threading.Event()

    def fails(device: Device, portion: Portion, how: Judging) -> Judgement:
        if not device.on_gpu:
            found = judge(device, portion, how)
            if portion.first > 20:
                repeated.set()
            return found
        assert repeated.wait(60)
        raise LaunchFailed("the GPU is lost")

    monkeypatch.setattr(devices_module, "judge", fails)
    monkeypatch.setattr(Schedule, "rows", lambda self, k, left, elapsed: 2000 if k else 90)
    check_equal(evaluate(PROGRAMS, CASES, device=devices, **OPTIONS), alone)  # type: ignore[arg-type]
