"""The .mpy files that upstream's tool gets: names and floats."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.freeze.driver import complex_lines, constant, float_lines
from porter.freeze.mpy import CodeProblem, mpy_of

HEAD = b"M\x06\x00\x2f"
NAME = "pkg/module.py"


def text(value: bytes) -> bytes:
    return bytes([len(value) << 1]) + value + b"\0"


def sized(kind: int, value: bytes, end: bytes = b"") -> bytes:
    return bytes([kind, len(value)]) + value + end


def code(first: bytes, objects: list[bytes], doubles: list[list[float]], name: str = NAME) -> bytes:
    """Return what templates/port/code.c writes for a module with the qstrs `first` and `x`."""
    mpy = HEAD + bytes([2, len(objects)]) + first + text(b"x") + b"".join(objects) + b"CODE"
    tail = b"".join(struct.pack(f"<I{len(row)}d", len(row), *row) for row in doubles)
    return struct.pack("<III", len(mpy), len(name), len(objects)) + mpy + name.encode() + tail


@pytest.mark.parametrize("first", [b"\x03", text(b""), text(b"another.py")])
def test_the_first_name_is_the_files(first: bytes) -> None:
    wanted = HEAD + b"\x02\x00" + text(NAME.encode()) + text(b"x") + b"CODE"
    assert mpy_of(code(first, [], []), NAME) == wanted


def test_a_long_name() -> None:
    name = "p/" * 50 + "m.py"
    length = (len(name) << 1).to_bytes(2, "big")
    encoded = bytes([0x80 | len(name) << 1 >> 7, len(name) << 1 & 0x7F])
    assert length != encoded
    assert mpy_of(code(b"\x03", [], [], name), name)[6:8] == encoded


def test_floats_are_exact() -> None:
    rounded = sized(8, b"0.3333333333333333")
    objects = [
        b"\x01",
        sized(5, b"8.5", b"\0"),
        rounded,
        bytes([10, 3]) + sized(7, b"12345678901234567890") + rounded + sized(9, b"1j"),
    ]
    third, tenth = 1 / 3 + 5.6e-17, 0.1
    doubles = [[], [], [third], [third, tenth, -0.0]]
    made = mpy_of(code(b"\x03", objects, doubles), NAME)
    exact = sized(8, repr(third).encode())
    number = sized(9, repr(complex(tenth, -0.0)).encode())
    assert made.endswith(
        objects[0] + objects[1] + exact + objects[3][:24] + exact + number + b"CODE"
    )


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        code(b"\x03", [], [])[:-20],
        code(b"\x03", [], [], "other.py"),
        code(b"\x03", [sized(99, b"?")], [[]]),
        code(b"\x03", [b"\x01"], [[]])[: -len(NAME) - 4],
    ],
)
def test_another_format_is_refused(damaged: bytes) -> None:
    with pytest.raises(CodeProblem):
        mpy_of(damaged, NAME)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_constants_are_exact(value: float) -> None:
    assert math.copysign(1, float.fromhex(constant(value))) == math.copysign(1, value)
    assert float.fromhex(constant(value)) == value


def test_what_has_no_hexadecimal_form() -> None:
    assert eval(constant(math.inf)) == math.inf
    assert eval(constant(-math.inf)) == -math.inf
    assert math.isnan(eval(constant(math.nan)))


def test_definitions() -> None:
    lines = float_lines("c_1", -1.5)
    assert (
        "#define c_1_macro {((mp_obj_t)((uint64_t)0xbff8000000000000 + 0x8004000000000000))}"
        in (lines)
    )
    assert "c_1 = {{&mp_type_float}, (mp_float_t)-0x1.8000000000000p+0};" in lines
    assert "{{&mp_type_complex}, (mp_float_t)0x0.0p+0, (mp_float_t)0x1.0000000000000p+1}" in (
        complex_lines("c_2", 2j)
    )
