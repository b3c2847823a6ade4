"""Arrays that a program extends while C, a view or a picture holds their memory."""

from __future__ import annotations

import random

import pytest

from porter.run import Device, Launch, run
from tests.library.compare import assert_alike

# `others` occupy freed memory, and no operation may overwrite their content.
MADE = """
import array, framebuf, struct
held = bytearray(4096)
between = [bytes(100) for _ in range(50)]
others = []
def longer():
    held.extend(bytes(60000))
    others.extend([bytearray(b'.' * 2000) for _ in range(4)])
class N:
    def __int__(self):
        longer()
        return 0x42
    __index__ = __int__
CALL
print(len(others), all(set(other) == {46} for other in others), len([0] * 99))
"""
CALLS = {
    "pack_into": "struct.pack_into('<qqqq', held, 1024, N(), 1, 2, 3)",
    "item": "held[100] = N()",
    "view": "m = memoryview(held)\nlonger()\nm[0:4096] = b'z' * 4096",
    "view_item": "m = memoryview(held)\nm[7] = N()",
    "picture": "f = framebuf.FrameBuffer(held, 64, 64, framebuf.GS8)\nlonger()\nf.fill(7)",
    "colour": "f = framebuf.FrameBuffer(held, 64, 64, framebuf.GS8)\nf.fill(N())",
    "text": "f = framebuf.FrameBuffer(held, 64, 64, framebuf.GS8)\nf.text('porter', N(), N(), N())",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_is_held_stays(roomy_device: Device, call: str) -> None:
    result = run(roomy_device, [MADE.replace("CALL", call)], 2, Launch(heap=1 << 20))
    assert result.stderr[1] == b""
    count, whole, length = result.stdout[1].split()
    assert int(count) >= 4 and whole == b"True" and length == b"99"


# As many appends as the array reserves.
APPENDED = """
import array
a = array.array(TYPECODE)
class N:
    def __int__(self):
        a.extend(array.array(TYPECODE, [1] * 5))
        return 7
    __index__ = __int__
    def __float__(self): return float(int(self))
around = [bytearray(b'.' * 100) for _ in range(40)]
a.append(N())
for i in range(300):
    a.append(i % 100)
    around.append(bytearray(b'.' * 30))
print(len(a), a[0] == 1, a[5] == 7, sum(a) == 12 + sum(range(100)) * 3)
print(all(set(other) == {46} for other in around))
"""


@pytest.mark.parametrize("typecode", "bHiqQfd")
def test_an_item_that_makes_the_array_longer(roomy_device: Device, typecode: str) -> None:
    program = f"TYPECODE = {typecode!r}\n{APPENDED}"
    result = run(roomy_device, [program], 2, Launch(heap=1 << 18))
    assert result.stdout[1] == b"306 True True True\nTrue\n", result.stderr[1]


# More items than the length that was given before.
LONGER = """
import array
class L:
    def __init__(self, said): self.said = said
    def __len__(self): return self.said
    def __iter__(self): return iter(range(200))
class N:
    def __int__(self):
        if len(grown) < 200:
            grown.append(3)
        return 3
    __index__ = __int__
for said in (0, 1, 7, 199, 200):
    a = array.array('q', L(said))
    b = bytearray(L(said))
    print(len(a), sum(a), len(b), sum(b))
grown = [N() for _ in range(3)]
print(list(array.array('h', grown)), len(grown))
print([len([0] * n) for n in (1, 50)])
"""


def test_a_length_that_is_too_small(roomy_device: Device) -> None:
    result = run(roomy_device, [LONGER], 2, Launch(heap=1 << 17))
    assert result.stderr[1] == b""
    lines = result.stdout[1].decode().splitlines()
    assert lines == [*["200 19900 200 19900"] * 5, "[3, 3, 3, 3, 3, 3] 6", "[1, 50]"]


def test_text_of_a_bytearray(any_device: Device) -> None:
    rng = random.Random(3)
    texts = [bytes(rng.choices(b"'\"\\\n\t\ra~\x7f\x80\0", k=rng.randrange(6))) for _ in range(500)]
    assert_alike(any_device, f"for t in {texts!r}:\n    print(bytearray(t), repr(bytearray(t)))\n")
