"""Programs judged on several devices: results of one device, also after failures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from porter.errors import DeviceFailed, UsageError
from porter.evaluation import Judging, distribution, evaluate
from porter.run import Device
from porter.run.several.device import Several
from tests.several.conftest import ApartTwin, apart

if TYPE_CHECKING:
    from porter.pipeline import Build

CASES = [((x, y), x + y) for x in range(3) for y in range(3)]
PROGRAMS = [
    "def solve(x, y): return x + y",
    "def solve(x, y): return x - y",
    "def solve(x, y): return [x][y]",
    "def solve(x, y):\n    while x: pass",
    "def solve(x, y) return",
    "import random\ndef solve(x, y): print('x' * x); return random.getrandbits(9) + x",
] * 5


def test_as_on_one(one: Device, several: Several) -> None:
    done: list[int] = []
    keep = ("values", "outputs", "tracebacks")
    options = {"steps": 2000, "keep": keep, "batch": 4}
    alone = evaluate(PROGRAMS, CASES, device=one, **options)  # type: ignore[arg-type]
    shared = evaluate(PROGRAMS, CASES, device=several, progress=done.append, **options)  # type: ignore[arg-type]
    for name in ("status", "steps", "passed"):
        assert np.array_equal(getattr(alone, name), getattr(shared, name)), name
    assert alone.outputs == shared.outputs and alone.values == shared.values
    assert alone.tracebacks == shared.tracebacks
    assert done[-1] == len(PROGRAMS) and done == sorted(done)
    generated = evaluate((program for program in PROGRAMS), CASES, device=several, steps=2000)
    assert np.array_equal(generated.status, alone.status)


def test_a_portion_moves_on_when_its_device_fails(built: Build) -> None:
    devices = apart(built)
    failing = devices.devices[1]
    assert isinstance(failing, ApartTwin)
    failing.fails = "wait"
    found = evaluate(PROGRAMS, CASES, device=devices, steps=2000, batch=2)
    alone = evaluate(PROGRAMS, CASES, build=built.folder, steps=2000)
    assert np.array_equal(found.status, alone.status)


def test_no_device_is_left(built: Build) -> None:
    devices = apart(built)
    for device in devices.devices:
        assert isinstance(device, ApartTwin)
        device.fails = "start"
    with pytest.raises(DeviceFailed, match=r"programs \d+ to \d+: .*the kernel"):
        evaluate(PROGRAMS, CASES, device=devices, batch=2)


def test_a_portion_that_nothing_is_left_for_says_why(built: Build) -> None:
    devices = apart(built, 1)
    (device,) = devices.devices
    assert isinstance(device, ApartTwin)
    device.fails = "start"
    with pytest.raises(DeviceFailed, match="GPU 0 failed with programs 0 to 1: the kernel"):
        evaluate(PROGRAMS[:4], CASES, device=devices, batch=2)


def test_what_was_judged_before_a_failure_is_in_the_error(built: Build) -> None:
    devices = apart(built)

    def fail(done: int) -> None:
        for device in devices.devices:
            assert isinstance(device, ApartTwin)
            device.fails = "start"

    with pytest.raises(DeviceFailed) as raised:
        evaluate(PROGRAMS, CASES, device=devices, batch=2, steps=2000, progress=fail)
    done = raised.value.result
    assert [judgement.first for judgement in done] == [2 * i for i in range(len(done))] and done


def test_mistakes_and_what_a_function_raises(several: Several) -> None:
    def compare(got: object, expected: object) -> bool:
        raise KeyError(got)

    found = evaluate(PROGRAMS[:2], CASES, device=several, compare=compare, batch=1)
    assert found.reasons and all(text.startswith("KeyError") for text in found.reasons.values())
    with pytest.raises(UsageError, match="3 values, but there are more programs"):
        evaluate(PROGRAMS, CASES, device=several, steps=[5, 5, 5])
    with pytest.raises(UsageError, match="'tpu' is no device"):
        evaluate(PROGRAMS, CASES, build=several.built.folder, devices="tpu")


@pytest.mark.parametrize(
    ("programs", "rows"),
    [
        (10, 5),
        (11, 6),
        (1 << 17, 1 << 16),
        (1 << 19, 1 << 17),
        (1 << 21, 1 << 17),
        (1 << 22, 1 << 18),
        (1 << 30, 1 << 20),
    ],
)
def test_each_device_gets_portions(
    built: Build, programs: int, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One batch for few calls; otherwise several, which are large enough for a GPU."""
    several = apart(built)
    monkeypatch.setattr(distribution, "rows_at_once", lambda device, how: 1 << 20)
    assert distribution.rows_for(several, Judging(), programs) == rows
