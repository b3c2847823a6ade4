"""eval: type, location and content of the returned array or list."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from porter import InterpreterArray
from porter.array import Repr
from porter.errors import InterpreterError

Make = Callable[..., InterpreterArray]
Host = Callable[[Any], np.ndarray[Any, Any]]


@pytest.mark.parametrize(
    ("expression", "dtype", "expected"),
    [
        ("threadIdx", np.int64, [0, 1, 2, 3]),
        ("-2**63 + threadIdx", np.int64, [-(2**63) + i for i in range(4)]),
        ("2**63 - 4 + threadIdx", np.int64, [2**63 - 4 + i for i in range(4)]),
        ("2**62 + threadIdx", np.int64, [2**62 + i for i in range(4)]),
        ("threadIdx / 8", np.float64, [0.0, 0.125, 0.25, 0.375]),
        ("threadIdx > 1", np.bool_, [False, False, True, True]),
        ("threadIdx if threadIdx & 1 else 0.5", np.float64, [0.5, 1.0, 0.5, 3.0]),
        ("1e308 * 10", np.float64, [math.inf] * 4),
    ],
)
def test_numbers_are_an_array(
    four: InterpreterArray, host: Host, expression: str, dtype: Any, expected: list[object]
) -> None:
    found = host(four.eval(expression))
    assert found.dtype == dtype and found.tolist() == expected


def test_anything_else_is_a_list(four: InterpreterArray) -> None:
    assert four.eval("2**63 - 2 + threadIdx") == [2**63 - 2 + i for i in range(4)]
    assert four.eval("-2**63 - threadIdx") == [-(2**63) - i for i in range(4)]
    assert four.eval("str(threadIdx)") == ["0", "1", "2", "3"]
    assert four.eval("None") == [None] * 4
    mixed = four.eval("[threadIdx, True, 1.5, 'a', None, 2**70][threadIdx]")
    assert mixed == [0, True, 1.5, "a"] and [type(x) for x in mixed] == [int, bool, float, str]


def test_values_keep_their_types(four: InterpreterArray) -> None:
    source = "[(1, [2]), {3: b'4', 'k': {5}}, frozenset((6,)), ..., 1+2j, bytearray(b'7'), ''][0:]"
    (value, *rest) = four.eval(source)
    expected = [(1, [2]), {3: b"4", "k": {5}}, frozenset((6,)), ..., 1 + 2j, bytearray(b"7"), ""]
    assert value == expected and [type(x) for x in value] == [type(x) for x in expected]
    assert rest == [value] * 3


def test_arrays_named_tuples_and_what_has_no_counterpart(four: InterpreterArray) -> None:
    four.exec(
        "from array import array\nfrom collections import namedtuple, OrderedDict\n"
        "P = namedtuple('P', ('a', 'b'))\n"
        "class C:\n    def __repr__(self):\n        return '<C %d>' % threadIdx\n"
    )
    first = four.eval("[array('h', [1, -2]), P(1, 2), OrderedDict([(2, 1), (1, 2)]), C(), C]")[1]
    assert first[0].typecode == "h" and first[0].tolist() == [1, -2]
    assert first[1:3] == [(1, 2), {2: 1, 1: 2}] and list(first[2]) == [2, 1]
    assert first[3] == Repr("<C 1>") and repr(first[3]) == "<C 1>"
    assert first[4] == Repr("<class '__main__.C'>")


def test_instances_of_subclasses_arrive_as_builtin_values(four: InterpreterArray) -> None:
    four.exec("from collections import Counter\nclass L(list): pass\n")
    assert four.eval("[Counter('aab'), L([threadIdx])]")[2] == [{"a": 2, "b": 1}, [2]]


def test_large_values_need_no_buffer(make: Make) -> None:
    array = make(3, stdout=64, heap="64K")
    assert array.eval("'\u20ac' * 5000 * threadIdx") == ["\u20ac" * 5000 * i for i in range(3)]


def test_no_value_without_an_exception_is_an_error(four: InterpreterArray) -> None:
    four.exec("import sys")
    with pytest.raises(InterpreterError, match="SystemExit"):
        four.eval("sys.exit(0)")
    with pytest.raises(InterpreterError, match="SyntaxError"):
        four.eval("x = 1")


def test_failed_ones_get_the_default(four: InterpreterArray, host: Host) -> None:
    expression = "12 // threadIdx"
    with pytest.raises(InterpreterError, match="1 of 4 interpreters raised ZeroDivisionError"):
        four.eval(expression)
    assert four.eval(expression, check=False) == [None, 12, 6, 4]
    assert four.failed.tolist() == [True, False, False, False]
    assert host(four.eval(expression, check=False, default=-1)).tolist() == [-1, 12, 6, 4]
    floats = host(four.eval("12 / threadIdx", check=False, default=math.nan))
    assert math.isnan(floats[0]) and floats[1:].tolist() == [12.0, 6.0, 4.0]
    assert host(four.eval("threadIdx / threadIdx > 0", check=False, default=False)).tolist() == [
        False, True, True, True
    ]  # fmt: skip


def test_repr_that_raises_is_that_interpreters_exception(four: InterpreterArray) -> None:
    four.exec("class C:\n    def __repr__(self):\n        return str(1 // threadIdx)")
    with pytest.raises(InterpreterError, match="1 of 4 interpreters raised ZeroDivisionError"):
        four.eval("[C(), 5]")
    assert four.eval("[C()]", check=False)[0] is None


def test_a_list_in_itself_does_not_hang(four: InterpreterArray) -> None:
    four.exec("a = []\na.append(a)")
    with pytest.raises(InterpreterError, match="RecursionError"):
        four.eval("a")
    assert four.eval("len(a)").tolist() == [1] * 4


def test_a_list_that_its_elements_repr_changes(four: InterpreterArray) -> None:
    four.exec(
        "class C:\n    def __repr__(self):\n        del a[1:]\n        return 'C'\na = [C(), 2, 3]"
    )
    assert four.eval("a") == [[Repr("C"), None, None]] * 4
