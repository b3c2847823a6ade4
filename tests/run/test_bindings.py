"""Arrays bound by name: programs read and write them, without a copy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porter.errors import UsageError
from porter.run import Device, Launch, run
from porter.run.launch.bindings import TYPECODES
from porter.run.launch.options import Phase


def values(device: Device, array: Any) -> list[Any]:
    return device.host(array).tolist()


@pytest.mark.parametrize("typecode", TYPECODES)
def test_all_interpreters_share_an_array(any_device: Device, typecode: str) -> None:
    array = any_device.array(np.arange(10, dtype=typecode) * 3)
    program = "data[threadIdx] = data[threadIdx + 5] + len(data)\nprint(type(data).__name__)"
    result = run(any_device, [program], 5, Launch(bind={"data": array}))
    assert [group.text for group in result.stdout.groups] == [b"memoryview\n"]
    assert values(any_device, array) == [3 * (i + 5) + 10 for i in range(5)] + [15, 18, 21, 24, 27]


def test_two_arrays_of_two_dimensions(any_device: Device) -> None:
    first = any_device.array(np.array([[1.5, 2.5], [3.5, 4.5]], np.float32))
    second = any_device.array(np.zeros(2, np.int64))
    program = "there[threadIdx] = int(2 * here[2 + threadIdx])"
    result = run(any_device, [program], 2, Launch(bind={"here": first, "there": second}))
    assert not result.status.any()
    assert values(any_device, second) == [7, 9]


def test_a_name_stays_with_interpreters_that_persist(any_device: Device) -> None:
    config = any_device.built.config
    arenas = any_device.arenas(3, config["pystack"], config["heap"])
    array = any_device.array(np.zeros(3, np.float64))
    keep = Phase(arenas=arenas, stop=False)
    run(any_device, ["pass"], 3, Launch(bind={"data": array}), keep)
    result = run(any_device, ["data[threadIdx] = threadIdx / 2"], 3, None, keep)
    assert not result.status.any()
    assert values(any_device, array) == [0.0, 0.5, 1.0]


def test_an_empty_array(any_device: Device) -> None:
    array = any_device.array(np.zeros(0, np.int32))
    result = run(any_device, ["print(len(data))"], 1, Launch(bind={"data": array}))
    assert result.stdout[0] == b"0\n"


def test_what_cannot_be_bound_is_refused(any_device: Device, tmp_path: Path) -> None:
    array = any_device.array(np.zeros((4, 4), np.float32))
    complex_ = any_device.array(np.zeros(4, np.complex64))
    for bind, message in (
        ({"a b": array}, "not a name"),
        ({"a": [1, 2]}, "not the device's array"),
        ({"a": complex_}, "complex64"),
        ({"a": array[:, 1]}, "not contiguous"),
    ):
        with pytest.raises(UsageError, match=message):
            run(any_device, ["pass"], 1, Launch(bind=bind))
