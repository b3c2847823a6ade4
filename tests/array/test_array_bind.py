"""bind: other libraries' memory in interpreters, without a copy, until it is unbound."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.errors import BindingError, InterpreterError, PorterError, WrongType
from porter.run import Device

Make = Callable[..., InterpreterArray]
TYPES = {
    "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip


@pytest.fixture
def xp(any_device: Device) -> Any:
    """Return the module (NumPy or CuPy) whose arrays the device accepts."""
    return any_device.xp


@pytest.mark.parametrize(("dtype", "typecode"), TYPES.items())
def test_every_type_of_element(
    four: InterpreterArray, xp: Any, any_device: Device, dtype: str, typecode: str
) -> None:
    data = xp.arange(4).astype(dtype)
    four.bind("data", data)
    assert four.eval("[type(data) is memoryview, len(data), data[3]]") == [[True, 4, 3]] * 4
    largest = "1.5" if dtype.startswith("f") else str(np.iinfo(dtype).max)
    four.exec(f"data[threadIdx] = {largest} - threadIdx")
    expected = [np.dtype(dtype).type(eval(largest) - i) for i in range(4)]
    assert any_device.host(data).tolist() == expected
    assert four.eval("data.itemsize").tolist() == [np.dtype(dtype).itemsize] * 4


def test_a_row_for_each(four: InterpreterArray, xp: Any, any_device: Device) -> None:
    rows = xp.arange(12, dtype=np.int32).reshape(4, 3)
    four.bind("row", rows, split=True)
    four.exec("for i in range(3):\n    row[i] *= 10")
    assert any_device.host(rows).tolist() == (np.arange(12).reshape(4, 3) * 10).tolist()
    assert four.eval("sum(row)").tolist() == [30, 120, 210, 300]
    with pytest.raises(InterpreterError, match="IndexError"):
        four.eval("row[3]")


def test_one_element_each_and_all_dimensions_flat(four: InterpreterArray, xp: Any) -> None:
    four.bind("mine", xp.zeros(4), split=True)
    four.bind("cube", xp.ones((2, 3, 4), np.float32))
    assert four.eval("[len(mine), len(cube), cube[23]]") == [[1, 24, 1.0]] * 4


def test_nothing_to_share_and_nothing_in_it(four: InterpreterArray, xp: Any) -> None:
    four.bind("none", xp.zeros(0))
    assert four.eval("len(none)").tolist() == [0] * 4
    four.unbind("none")
    assert four.eval("'none' in globals()").tolist() == [False] * 4


def test_read_only(four: InterpreterArray, xp: Any) -> None:
    four.bind("data", xp.arange(3), readonly=True)
    assert four.eval("data[2]").tolist() == [2] * 4
    with pytest.raises(InterpreterError, match="TypeError"):
        four.exec("data[0] = 1")


def test_memory_outlives_its_name_here_while_bound(four: InterpreterArray, xp: Any) -> None:
    data = xp.full(1000, 7)
    gone = weakref.ref(data)
    four.bind("data", data)
    del data
    gc.collect()
    assert four.eval("sum(data)").tolist() == [7000] * 4
    four.unbind("data")
    gc.collect()
    assert gone() is None


def test_unbound_memory_is_out_of_reach(
    four: InterpreterArray, xp: Any, any_device: Device
) -> None:
    data = xp.arange(8)
    four.bind("data", data)
    four.exec(
        "alias = data\npart = data[2:5]\nit = iter(data)\nnext(it)\ndef f():\n    return data[0]"
    )
    four.unbind("data")
    assert four.eval("[len(alias), len(part), list(it)]") == [[0, 0, []]] * 4
    for source, error in (
        ("f()", "NameError"),
        ("alias[0]", "IndexError"),
        ("part[0] = 1", "Index"),
    ):
        with pytest.raises(InterpreterError, match=error):
            four.exec(source)
    assert any_device.host(data).tolist() == list(range(8))
    with pytest.raises(BindingError, match="no array is bound"):
        four.unbind("data")


def test_another_array_under_the_name(four: InterpreterArray, xp: Any) -> None:
    first, second = xp.arange(4), xp.arange(4) * 2
    four.bind("data", first)
    four.exec("old = data")
    four.bind("data", second)
    assert four.eval("[len(old), data[3]]") == [[0, 6]] * 4
    four.bind("data", second)  # the same array again: existing memoryviews of programs stay valid
    four.exec("old = data")
    four.bind("data", second)
    assert four.eval("len(old)").tolist() == [4] * 4
    four.set("data", 5)
    assert four.eval("[len(old), data]") == [[0, 5]] * 4


def test_one_array_under_two_names(four: InterpreterArray, xp: Any) -> None:
    data = xp.arange(6)
    four.bind("a", data)
    four.bind("b", data[2:])
    four.unbind("a")
    assert four.eval("['a' in globals(), b[0]]") == [[False, 2]] * 4


def test_a_name_that_the_program_reused_stays(four: InterpreterArray, xp: Any) -> None:
    four.bind("data", xp.arange(3))
    four.exec("data = 'mine'")
    four.unbind("data")
    assert four.eval("data") == ["mine"] * 4


@pytest.mark.parametrize(
    ("make_array", "error", "match"),
    [
        (lambda xp: xp.zeros(4, np.complex64), WrongType, "complex64"),
        (lambda xp: xp.zeros(4, np.float16), WrongType, "float16"),
        (lambda xp: xp.zeros(4, np.bool_), WrongType, "bool"),
        (lambda xp: xp.zeros((4, 4))[:, 1], BindingError, "not contiguous"),
        (lambda xp: xp.zeros((4, 4)).T, BindingError, "not contiguous"),
        (lambda xp: xp.zeros(8)[::-1], BindingError, "not contiguous"),
        (lambda xp: [1, 2, 3], WrongType, "list"),
        (lambda xp: None, WrongType, "NoneType"),
    ],
)
def test_arrays_that_cannot_be(
    four: InterpreterArray, xp: Any, make_array: Any, error: type[PorterError], match: str
) -> None:
    with pytest.raises(error, match=match) as caught:
        four.bind("data", make_array(xp))
    assert caught.value.hint
    assert four.eval("'data' in globals()").tolist() == [False] * 4


@pytest.mark.parametrize("shape", [(3,), (5, 4), ()])
def test_no_row_for_each(four: InterpreterArray, xp: Any, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="no row for each of 4"):
        four.bind("data", xp.zeros(shape), split=True)


@pytest.mark.parametrize("name", ["", "1a", "a b", "a.b", "for", "a\0"])
def test_names_that_cannot_be(four: InterpreterArray, xp: Any, name: str) -> None:
    for call in (four.bind, four.set):
        with pytest.raises(ValueError, match="not a Python identifier"):
            call(name, xp.zeros(1))
    with pytest.raises(ValueError, match="not a Python identifier"):
        four.get(name)
    with pytest.raises(TypeError):
        four.bind(7, xp.zeros(1))  # type: ignore[arg-type]


def test_after_close(make: Make, xp: Any) -> None:
    closed = make(2)
    data = xp.zeros(3)
    gone = weakref.ref(data)
    closed.bind("data", data)
    closed.exec("data[0] = 1")
    closed.close()
    del data
    gc.collect()
    assert gone() is None
    for call in (lambda: closed.bind("x", xp.zeros(1)), lambda: closed.unbind("data")):
        with pytest.raises(ValueError, match="closed"):
            call()
