"""An array on several devices gives the results of one device."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import InterpreterError, UsageError, WrongType
from porter.run import Device
from porter.run.several.device import Several

N = 20


@pytest.fixture
def pythons(several: Several) -> Iterator[InterpreterArray]:
    with InterpreterArray(N, device=several, block=3, seed=5, heap="64K") as found:
        yield found


@pytest.fixture
def alone(one: Device) -> Iterator[InterpreterArray]:
    with InterpreterArray(N, device=one, block=3, seed=5, heap="64K") as found:
        yield found


@pytest.mark.parametrize(
    "expression",
    [
        "threadIdx * 2",
        "threadIdx / 2 if threadIdx > 10 else threadIdx",  # integers here, floats there
        "threadIdx > 10",
        "threadIdx > 10 if threadIdx > 10 else threadIdx",
        "[threadIdx] * threadIdx",
        "'%d' % threadIdx if threadIdx % 3 else None",
        "__import__('random').getrandbits(30)",
        "(blockIdx, localIdx, numThreads)",
        "2 ** (threadIdx * 9)",
    ],
)
def test_values(pythons: InterpreterArray, alone: InterpreterArray, expression: str) -> None:
    mine = pythons.eval(expression)
    other: Any = alone.eval(expression)
    other = pythons.device.local_value(other)
    assert type(mine) is type(other)
    if isinstance(other, np.ndarray):
        assert mine.dtype == other.dtype
    assert list(mine) == list(other)


def test_exceptions_are_merged(pythons: InterpreterArray, alone: InterpreterArray) -> None:
    source = "if threadIdx % 3: raise ValueError(threadIdx % 2)\nif threadIdx == 9: 1 / 0"
    found = []
    for one in (pythons, alone):
        with pytest.raises(InterpreterError) as raised:
            one.exec(source)
        groups = [(str(each), each.count, each.which.tolist()) for each in one.exceptions]
        found.append((str(raised.value), sorted(groups), one.failed.tolist()))
    assert found[0] == found[1]


def test_full_heaps(pythons: InterpreterArray, alone: InterpreterArray) -> None:
    source = "x = []\nwhile threadIdx % 4 == 1: x.append(bytearray(999))"
    outcomes = [one.exec(source, check=False) for one in (pythons, alone)]
    assert outcomes[0].lacks == outcomes[1].lacks
    assert outcomes[0].failed.tolist() == outcomes[1].failed.tolist()


def test_one_source_each_and_compiled_code(pythons: InterpreterArray) -> None:
    pythons.exec([f"x = {i} * threadIdx" for i in range(N)], max_steps=[10] * N)
    code = pythons.compile("x + 1", kind="eval")
    assert pythons.run(code).tolist() == [i * i + 1 for i in range(N)]
    pythons.exec(["x = 1", "x = 2"], which=[i % 2 for i in range(N)])
    assert pythons.run(code).tolist() == [2, 3] * (N // 2)


def test_rows_of_an_array_go_to_their_devices(pythons: InterpreterArray) -> None:
    rows = np.zeros((N, 3))
    pythons.bind("mine", rows, split=True)
    pythons.exec("mine[1] = threadIdx")
    assert rows[:, 1].tolist() == list(range(N))
    rows[:, 1] *= 2  # seen by the next call
    assert pythons.eval("mine[1]").tolist() == [2 * i for i in range(N)]
    pythons.exec("kept = mine")
    pythons.unbind("mine")
    assert pythons.eval("len(kept)").tolist() == [0] * N


def test_an_array_that_all_have(pythons: InterpreterArray) -> None:
    shared = array.array("i", [0] * N)
    pythons.bind("all", shared)
    pythons.exec("all[threadIdx] = all[threadIdx] + threadIdx")
    pythons.exec("all[threadIdx] = all[threadIdx] + threadIdx")
    assert list(shared) == [2 * i for i in range(N)]
    pythons.bind("table", np.arange(5.0), readonly=True)
    assert pythons.eval("sum(table)").tolist() == [10.0] * N
    pythons.bind("all", shared)  # again, over the existing binding
    pythons.exec("all[threadIdx] = 1")
    assert sum(shared) == N


@pytest.mark.parametrize(
    "value, wanted",
    [
        (5, lambda i: 5),
        ([i * 3 for i in range(N)], lambda i: i * 3),
        (np.arange(N) / 2, lambda i: i / 2),
        ("word", lambda i: "word"),
        ([f"word{i}" * i for i in range(N)], lambda i: f"word{i}" * i),
        ([bytes(i) for i in range(N)], lambda i: bytes(i)),
        (None, lambda i: None),
    ],
    ids=lambda value: str(value)[:9],
)
def test_set(pythons: InterpreterArray, value: Any, wanted: Callable[[int], Any]) -> None:
    pythons.set("value", value)
    assert list(pythons.eval("value")) == [wanted(i) for i in range(N)]


def test_calls_that_do_not_wait(pythons: InterpreterArray) -> None:
    call = pythons.exec("while True: pass", wait=False)
    assert not call.done()
    call.interrupt()
    with pytest.raises(InterpreterError, match=f"{N} of {N} interpreters raised KeyboardInterrupt"):
        call.result()
    assert pythons.eval("threadIdx").tolist() == list(range(N))


def test_files_of_each(several: Several, tmp_path: Any) -> None:
    from porter.fs import Image

    with InterpreterArray(8, device=several, block=1, fs=Image.empty(1 << 15)) as pythons:
        pythons.exec("with open('log', 'w') as log: log.write(str(threadIdx))")
        assert pythons.eval("open('log').read()") == [str(i) for i in range(8)]
        assert pythons.file_system(7).read("log") == b"7"


def test_no_device_takes_copies_of_another_ones(pythons: InterpreterArray) -> None:
    """Interpreters hold addresses on their GPU. (test_copies.py: twins in one memory.)"""
    pythons.exec("x = threadIdx")
    with pytest.raises(UsageError, match="cannot be copied"):
        pythons.clone_from(19)
    assert pythons.trim() == 0 or pythons.device.local  # a host twin has nothing to release
    assert pythons.eval("x + threadIdx").tolist() == [2 * i for i in range(N)]


class OnAnotherGpu:
    """A fake of a CuPy array on another GPU."""

    def __init__(self, values: np.ndarray[Any, Any]) -> None:
        self.values = values
        self.__cuda_array_interface__: dict[str, Any] = {}

    def get(self) -> np.ndarray[Any, Any]:
        return self.values


def test_arrays_of_one_gpu_go_through_the_host(pythons: InterpreterArray) -> None:
    pythons.set("value", OnAnotherGpu(np.arange(N)))
    assert pythons.eval("value").tolist() == list(range(N))
    with pytest.raises(WrongType, match="several devices share arrays of the host"):
        pythons.bind("mine", OnAnotherGpu(np.arange(N)))
