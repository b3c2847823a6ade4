"""The stages of a launch: request, plan, prepared launch, running launch, result."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from porter.errors import LaunchFailed, UsageError, WrongType
from porter.native.target import target_of
from porter.run import Device, Launch, open_device, open_several
from porter.run.device.base import ArenaMemory
from porter.run.launch.options import Phase
from porter.run.launch.plan import LaunchRequest, plan_launch
from porter.run.launch.prepared import prepare
from porter.run.launch.running import start_prepared
from porter.run.several.device import MemberStore, Several
from porter.run.start import start


def request(*programs: str, n: int = 3, launch: Launch | None = None) -> LaunchRequest:
    which = np.arange(n, dtype=np.uint32) % len(programs)
    return LaunchRequest(programs, n, launch or Launch(), Phase(), which)


@pytest.fixture
def started(device: Device, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of the threads of each started launch."""
    threads: list[int] = []
    launch = device.launch

    def noted(record: Any, count: int, chunks: Any = None, *, urgent: bool = False) -> Any:
        threads.append(count)
        return launch(record, count, chunks, urgent=urgent)

    monkeypatch.setattr(device, "launch", noted)
    return threads


def test_only_the_last_stage_starts_interpreters(device: Device, started: list[int]) -> None:
    plan = plan_launch(device, request("a", "b", "a"))
    assert (plan.n, len(plan.programs.each), str(plan.order)) == (3, 2, "programs")
    prepared = prepare(plan, time.monotonic())
    assert prepared.plan is plan and set(prepared.timings) == {"fork", "prepare"}
    assert int(prepared.record.fields["n"]) == 3 and started == []
    running = start_prepared(prepared)
    assert started == [prepared.threads]
    result = running.wait()
    assert result.order == "programs" and len(result.status) == 3
    assert {"fork", "prepare", "launch", "device"} <= set(result.timings)


def test_planning_refuses_before_memory_is_allocated(device: Device, started: list[int]) -> None:
    for wrong, error in (
        (request("a", launch=Launch(kind="other")), UsageError),
        (request("a", launch=Launch(fs=b"no array")), WrongType),
    ):
        with pytest.raises(error):
            plan_launch(device, wrong)
    assert started == []


def test_a_prepared_launch_that_is_dropped_runs_nothing(device: Device, started: list[int]) -> None:
    del started[:]
    prepare(plan_launch(device, request("a")), time.monotonic())
    assert started == []


@pytest.fixture
def several(build: Path) -> Several:
    return open_several(build, ["host", "host"])


def test_a_composite_runs_nothing_itself(several: Several, device: Device) -> None:
    assert device.members == ()
    assert [member.label for member in several.members] == ["host twin 0", "host twin 1"]
    assert all(member.device.members == () for member in several.members)
    with pytest.raises(UsageError, match="a launch record is one device's"):
        several.launch(np.zeros((), several.built.record), 1)


def test_a_composite_divides_a_launch_in_whole_blocks(several: Several) -> None:
    running: Any = start(several, ["a"], 10, Launch(block=4))
    parts = [one.share.part for one in running._parts]
    assert [(part.first, part.count) for part in parts] == [(0, 4), (4, 6)]
    assert len(running.wait().status) == 10


def test_each_device_chooses_the_store_of_its_arenas(several: Several, device: Device) -> None:
    own, divided = device.arenas(2, 1024, 4096), several.arenas(2, 1024, 4096)
    assert isinstance(own.store, ArenaMemory) and own.fields["arenas"]
    assert isinstance(divided.store, MemberStore) and divided.fields == {}
    assert divided.store.shares == []  # the first launch makes them


def test_values_of_a_gpu_are_copied_for_a_composite(several: Several, device: Device) -> None:
    class OnGpu:
        __cuda_array_interface__: ClassVar[dict[str, Any]] = {}

        def get(self) -> str:
            return "on the host"

    value = OnGpu()
    assert several.local_value(value) == "on the host" and device.local_value(value) is value
    assert several.local_value([1]) == [1]


def test_a_device_says_why_it_takes_no_native_code(several: Several) -> None:
    with pytest.raises(UsageError, match="several devices run no native code"):
        target_of(several)


def test_no_launch_starts_while_python_ends(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porter.run.launch.running._exiting", True)
    with pytest.raises(LaunchFailed, match="Python is ending"):
        start(device, ["a"], 1)
    assert open_device(device.built, "host").members == ()
