"""Integers that do not fit: struct, array and bytearray raise CPython's exceptions."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

SHOW = """\
import struct
from array import array

def show(call):
    try:
        print(repr(call()))
    except Exception as error:
        print(type(error).__name__, error)

# The message is that of CPython 3.12 and later.
def packed(*args):
    try:
        return struct.pack(*args)
    except struct.error:
        return None

"""
BITS = {"b": 8, "B": 8, "h": 16, "H": 16, "i": 32, "I": 32, "q": 64, "Q": 64}
EDGES = [0, 1, 127, 128, 255, 256]


def _edges(code: str) -> list[int]:
    top = 2 ** BITS[code]
    return [0, 1, -1, top // 2 - 1, top // 2, -(top // 2), -(top // 2) - 1, top - 1, top]


def test_ranges(any_device: Device) -> None:
    lines = []
    for code in BITS:
        for edge in _edges(code):
            lines.append(f"type(packed('<{code}', {edge}))")
            if code not in "lLqQ":
                lines.append(f"array('{code}', [{edge}])")
            else:
                lines.append(f"type(array('{code}', [0, 1])).__name__")
    for edge in [*EDGES, -1, 2**40, 2**70]:
        lines.append(f"bytearray([{edge}])")
        lines.append(f"(lambda b: (b.append({edge}), b))(bytearray())")
        lines.append(f"(lambda b: (b.__setitem__(0, {edge}), b))(bytearray(b'a'))")
    lines += ["struct.pack('i')", "struct.pack('i', 1, 2)", "struct.pack('i', 1.5)"]
    lines += ["struct.pack('3sI', b'a', 5)", "struct.pack('i', 'a')", "struct.pack('2i', 1)"]
    assert_alike(any_device, SHOW + "".join(f"show(lambda: {text})\n" for text in lines))


def test_long_items_overflow(any_device: Device) -> None:
    assert_alike(
        any_device,
        SHOW
        + """\
def kind(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__)

for code in "qQ":
    for value in (2**63 - 1, 2**63, 2**64 - 1, 2**64, -1, -(2**63), -(2**63) - 1):
        kind(lambda: array(code, [value]))
try:
    struct.pack("B", 256)
except struct.error as error:
    print(error.__class__.__name__)
""",
    )
