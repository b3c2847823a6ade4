"""set and get: values of the host, one for all or one for each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.array.memory import of_interface
from porter.errors import BindingError, InterpreterError, PorterError, WrongType
from porter.run import Device

FOR_ALL = [
    0, -1, 2**62, -(2**63), 2**63, 2**64 - 1, True, False, 0.1, -math.inf, "",
    "h\u20acllo \U0001f40d",
    b"", b"\0\xff\0", None,
]  # fmt: skip


@pytest.mark.parametrize("value", FOR_ALL, ids=repr)
def test_one_for_all(four: InterpreterArray, value: object) -> None:
    four.set("x", value)
    four.exec("y = [x]")
    found = four.eval("y")
    assert found == [[value]] * 4 and type(found[0][0]) is type(value)


@pytest.mark.parametrize(
    "values",
    [
        [1, -2, 3, 2**62],
        [2**63, 0, 1, 2**64 - 1],
        [0.5, 1.5, -0.25, 1e300],
        [True, False, False, True],
        ["a", "", "long \u20ac", "b\0"],
        (b"\0", b"", b"\xff\xfe", b"xyz\0"),
    ],
    ids=lambda values: type(values[0]).__name__,
)
def test_one_for_each(four: InterpreterArray, values: Any) -> None:
    four.set("x", values)
    found = four.eval("[x]")
    assert found == [[value] for value in values]
    assert [type(x) for (x,) in found] == [type(x) for x in values]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "uint64", "float32", "float64", "bool"]
)
def test_arrays(four: InterpreterArray, any_device: Device, dtype: str) -> None:
    four.set("x", any_device.xp.arange(4).astype(dtype))
    four.set("y", np.arange(4).astype(dtype))
    four.set("z", np.arange(8).astype(dtype)[::2])
    four.set("w", np.array(1).astype(dtype))
    one = {"b": True, "f": 1.0}.get(np.dtype(dtype).kind, 1)
    assert four.eval("[x, y, z, w]")[1] == [one, one, type(one)(2), one]
    assert type(four.eval("[w]")[0][0]) is type(one)


def test_later_changes_here_are_not_seen(four: InterpreterArray, any_device: Device) -> None:
    values = any_device.xp.arange(4.0)
    four.set("x", values)
    values[:] = 9
    four.exec("pass")
    assert four.get("x").tolist() in ([0.0, 1.0, 2.0, 3.0],)


def test_the_last_one_counts(four: InterpreterArray) -> None:
    for value in (1, "two", 3.0):
        four.set("x", value)
    assert four.get("x").tolist() == [3.0] * 4
    with pytest.raises(InterpreterError, match="NameError"):
        four.get("y")
    assert four.get("y", check=False, default=0).tolist() == [0] * 4


@pytest.mark.parametrize(
    ("value", "error", "match"),
    [
        (2**64, BindingError, "64 bits"),
        ([-1, 2**63, 0, 0], BindingError, "64 bits"),
        ([1, 2], BindingError, "2 values for 4"),
        (["a"] * 5, BindingError, "5 values for 4"),
        (np.zeros((4, 2)), BindingError, "shape"),
        (1j, WrongType, "complex"),
        ({}, WrongType, "dict"),
        ([1, "a", 2, 3], WrongType, "list"),
        ([[1], [2, 3], [], []], WrongType, "x: "),
        ("\ud800", BindingError, "surrogates"),
    ],
    ids=repr,
)
def test_values_that_cannot_be(
    four: InterpreterArray, value: object, error: type[PorterError], match: str
) -> None:
    with pytest.raises(error, match=match):
        four.set("x", value)
    assert four.eval("'x' in globals()").tolist() == [False] * 4


class Interface:
    """A fake of a GPU array's interface attribute, readable without a GPU."""

    def __init__(self, **changes: Any) -> None:
        self.__cuda_array_interface__ = {
            "shape": (2, 3), "typestr": "<f4", "data": (4096, False), "version": 3, **changes,
        }  # fmt: skip


def test_reading_the_interface_of_gpu_arrays() -> None:
    memory = of_interface(Interface())
    assert (memory.address, memory.size, memory.typecode, memory.writable) == (4096, 24, "f", True)
    assert of_interface(Interface(strides=(12, 4))).count == 6
    assert of_interface(Interface(strides=(99, 4), shape=(1, 3))).count == 3
    assert not of_interface(Interface(data=(4096, True))).writable
    with pytest.raises(BindingError, match="not contiguous"):
        of_interface(Interface(strides=(24, 8)))
    with pytest.raises(WrongType, match="masked"):
        of_interface(Interface(mask=object()))
    with pytest.raises(WrongType, match="byte-swapped"):
        _ = of_interface(Interface(typestr=">f4")).typecode


def test_a_gpu_array_that_moves() -> None:
    array = Interface()
    memory = of_interface(array)
    array.__cuda_array_interface__["data"] = (0, False)
    assert memory.moved
