"""Random literals: eval returns the values that CPython reads."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter import InterpreterArray

text = st.text(st.characters(codec="utf-8"), max_size=20)
# Few digits, because MicroPython may misread longer decimals by one unit in the last place.
floats = st.integers(-(2**20), 2**20).map(lambda x: x / 4) | st.just(-0.0)
scalars = st.none() | st.booleans() | st.integers() | floats | text | st.binary(max_size=20)
hashable = scalars | st.tuples(scalars, scalars)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(hashable, inner, max_size=4)
        | st.sets(hashable, min_size=1, max_size=4)
    ),
    max_leaves=8,
)

Make = Callable[..., InterpreterArray]


@pytest.fixture
def array(make: Make) -> InterpreterArray:
    return make(2, heap="64K", stack="24K")


def same(found: object, expected: object) -> bool:
    if isinstance(expected, float):
        return (
            type(found) is float
            and math.copysign(1, found) == math.copysign(1, expected)
            and (found == expected)
        )
    if isinstance(expected, list | tuple):
        return (
            type(found) is type(expected)
            and len(found) == len(expected)
            and all(map(same, found, expected))
        )
    return type(found) is type(expected) and found == expected


@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(value=values)
def test_literals(array: InterpreterArray, value: object) -> None:
    for found in list(array.eval(repr(value), default=None)):
        if hasattr(found, "item"):
            found = found.item()
        assert same(found, value)


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.integers(-(2**200), 2**200))
def test_integers_of_any_size(array: InterpreterArray, value: int) -> None:
    assert [int(x) for x in array.eval(f"[{value}][0]")] == [value] * 2
    assert array.eval(f"[{value}]") == [[value]] * 2


@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(mantissa=st.integers(-(2**53), 2**53), exponent=st.integers(-300, 300))
def test_floats_to_the_last_bit(array: InterpreterArray, mantissa: int, exponent: int) -> None:
    scale = f"* 2.0 ** {exponent}" if exponent >= 0 else f"/ 2.0 ** {-exponent}"
    value = math.ldexp(mantissa, exponent)
    assert [float(x) for x in array.eval(f"{mantissa} {scale}")] == [value] * 2
    assert array.eval(f"[{mantissa} {scale}]") == [[value]] * 2
