"""bind on the host twin: Python's own buffers, and NumPy operations that move a bound buffer."""

from __future__ import annotations

import array
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import BindingError, PorterError, WrongType
from porter.pipeline import Build


@pytest.fixture
def host_four(built: Build) -> Iterator[InterpreterArray]:
    with InterpreterArray(4, build=built.folder, target="host") as found:
        yield found


def test_buffers_of_pythons_own(host_four: InterpreterArray) -> None:
    numbers, text = array.array("h", [1, -2, 3]), bytearray(b"abcd")
    host_four.bind("numbers", numbers)
    host_four.bind("view", memoryview(text)[1:])
    host_four.bind("fixed", b"xyz", readonly=True)
    host_four.exec("numbers[1] = 9\nif threadIdx == 2: view[0] = 90")
    assert numbers.tolist() == [1, 9, 3] and text == b"aZcd"
    assert host_four.eval("bytes(fixed)") == [b"xyz"] * 4
    with pytest.raises(BufferError):
        text.append(1)  # bound memory cannot move
    host_four.unbind("view")
    text.append(1)


@pytest.mark.parametrize(
    ("make_array", "error", "match"),
    [
        (lambda: b"abc", BindingError, "read-only"),
        (lambda: np.zeros(3, ">i4"), WrongType, "byte-swapped"),
        (lambda: np.array([object()]), WrongType, "object"),
        (lambda: np.array(["a"]), WrongType, "<U1"),
        (lambda: np.zeros(3, "i4,f8"), WrongType, "i4"),
        (lambda: np.frombuffer(bytes(9), "u1")[1:].view("i4"), BindingError, "aligned"),
        (lambda: array.array("u", "ab"), WrongType, "<U1"),
    ],
)
def test_arrays_that_cannot_be(
    host_four: InterpreterArray,
    make_array: Any,
    error: type[PorterError],
    match: str,
) -> None:
    with pytest.raises(error, match=match):
        host_four.bind("data", make_array())


def test_freed(host_four: InterpreterArray) -> None:
    view = memoryview(bytearray(8))
    view.release()
    with pytest.raises(BindingError, match="released"):
        host_four.bind("data", view)


# The allocator may leave a growing array in place, and leaves a shrinking one.
@pytest.mark.parametrize("size", [1 << 20, 5])
def test_resized_after_it_was_bound(host_four: InterpreterArray, size: int) -> None:
    data = np.arange(10)
    host_four.bind("data", data)
    host_four.exec("alias = data")
    data.resize(size, refcheck=False)
    with pytest.raises(BindingError, match="freed, has moved or has another size"):
        host_four.exec("data[0] = 1")
    assert host_four.eval("[len(alias), 'data' in globals()]") == [[0, False]] * 4


def test_on_a_gpu(host_four: InterpreterArray) -> None:
    class OnGpu:
        __cuda_array_interface__ = None

    class ByDlpack:
        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 0)

    with pytest.raises(WrongType, match="on a GPU"):
        host_four.bind("data", OnGpu())
    with pytest.raises(WrongType, match="another device"):
        host_four.bind("data", ByDlpack())


def test_dlpack(host_four: InterpreterArray) -> None:
    class ByDlpack:
        def __init__(self) -> None:
            self.data = np.arange(5.0)

        def __dlpack__(self, **options: Any) -> Any:
            return self.data.__dlpack__(**options)

        def __dlpack_device__(self) -> Any:
            return self.data.__dlpack_device__()

    source = ByDlpack()
    host_four.bind("data", source, readonly=True)
    source.data[4] = 8
    assert host_four.eval("data[4]").tolist() == [8.0] * 4
