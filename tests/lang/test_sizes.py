"""Sizes that overflow: an exception or a correct value, and no effect on neighbours."""

from __future__ import annotations

import pytest

from porter.run import Device, Launch, run

MEMORY = ("MemoryError", "OverflowError")
REFUSED = ("error", *MEMORY, "ValueError", "TypeError", "OSError")

# Expressions whose result fits into no memory.
TOO_LARGE = [
    "[0] * (1 << 61)",
    "[0, 1, 2] * (1 << 40)",
    "(0,) * (1 << 61)",
    "(0, 1) * (1 << 62)",
    "multiplied([1], 1 << 61)",
    "'abcd' * (1 << 62)",
    "b'abcd' * (1 << 62)",
    "bytearray(1 << 62)",
    "'x'.center(1 << 62)",
    "'x'.center((1 << 63) - 1)",
    "bytearray(1 << 40)",
    "bytes(1 << 40)",
    "bytearray((1 << 46) - 1)",
    "written(io.BytesIO(), 1 << 32, b'x')",
    "written(io.BytesIO(), 1 << 33, b'xyz')",
    "written(io.BytesIO(), (1 << 32) - 1, b'x')",
    "written(io.BytesIO(), 1 << 62, b'x')",
    "written(io.StringIO(), 1 << 32, 'x')",
    "written(io.StringIO(), (1 << 62) + 7, 'x')",
    "io.BytesIO(1 << 62)",
    "io.StringIO((1 << 63) - 1)",
    "io.BufferedWriter(io.BytesIO(), 1 << 62)",
    "io.BufferedWriter(io.BytesIO(), -3)",
    "deque((), 1 << 63)",
    "deque(bytes(9), 1 << 60) * (1 << 60)",
    "(1).to_bytes(1 << 40, 'little')",
    "(1 << 100).to_bytes(1 << 62, 'big')",
    "1 << (1 << 40)",
    "1 << (1 << 62)",
    "(1 << 64) << ((1 << 63) - 1)",
    "'%*d' % (1 << 40, 1)",
    "'%*s' % (1 << 62, 'a')",
    "'{:1000000000000}'.format(1)",
    "'{:>99999999999999999999}'.format('a')",
    "list(range(1 << 62))",
    "struct.pack('%ds' % (1 << 62), b'x')",
    "struct.pack('9999999999999999999s', b'x')",
    "io.BytesIO(b'abc').read(1 << 40)",
    "io.StringIO('abc').read((1 << 62) + 1)",
    "os.urandom(1 << 62)",
    "os.urandom(-1)",
]
# Expressions with a value, which is CPython's.
RIGHT = [
    ("'ab'.center(5)", "'  ab '"),
    ("'ab'.center(-(1 << 62))", "'ab'"),
    ("[0] * -1", "[]"),
    ("deque((), 1 << 60)", "deque([], maxlen=1152921504606846976)"),
    ("deque((), (1 << 63) - 1)", "deque([], maxlen=9223372036854775807)"),
    ("(0,) * -(1 << 62)", "()"),
    ("'ab' * -(1 << 62)", "''"),
    ("(lambda *a, **k: (a, k))(*(), *[], **{})", "((), {})"),
    ("(lambda *a: a)(*[1], *(), 2)", "(1, 2)"),
    ("io.BytesIO(b'abc').read(-1)", "b'abc'"),
    ("io.BytesIO(b'abc').read(2)", "b'ab'"),
    ("io.BytesIO(b'abc').readline(-1)", "b'abc'"),
    ("io.StringIO('abc').read(-1)", "'abc'"),
    ("written(io.BytesIO(), 40, b'x')", "41"),
    ("[1, 2, 3, 4][1:-1]", "[2, 3]"),
    ("sliced([1, 2, 3, 4], [9, 9, 9])", "[1, 9, 9, 9, 4]"),
    ("sliced([1, 2, 3, 4], [])", "[1, 4]"),
    ("sliced(bytearray(b'abcd'), b'')", "bytearray(b'ad')"),
    ("sliced(bytearray(b'abcd'), b'wxyz')", "bytearray(b'awxyzd')"),
    ("'%-6d|%06d|%+d' % (1, 2, 3)", "'1     |000002|+3'"),
    ("'{:<6}|{:^7}|{:.2}'.format('a', 'b', 'cde')", "'a     |   b   |cd'"),
    ("(258).to_bytes(4, 'little')", "b'\\x02\\x01\\x00\\x00'"),
    ("1 << 100 >> 98", "4"),
    ("(-5) << 70 >> 69", "-10"),
    ("len([0] * 100 + [1] * 50)", "150"),
    ("bytes(3) + bytearray(2)", "b'\\x00\\x00\\x00\\x00\\x00'"),
    ("list(range(5, -6, -5))", "[5, 0, -5]"),
    ("range(100)[10:-10:7][3]", "31"),
    ("'a,b,c'.rsplit(',', 1)", "['a,b', 'c']"),
    ("'abcabc'.replace('b', 'xyz')", "'axyzcaxyzc'"),
    ("b'-'.join([b'ab', b'', b'c'])", "b'ab--c'"),
]

PROGRAM = """
import io, os, struct
from collections import deque
def multiplied(a, by):
    a *= by
    return a
def written(stream, at, data):
    stream.seek(at)
    stream.write(data)
    return len(stream.getvalue())
def sliced(a, by):
    a[1:3] = by
    return a
if threadIdx == 1:
    try:
        print(repr({expression}))
    except BaseException as error:
        print(type(error).__name__)
else:
    b = bytearray(100)
    print(len([threadIdx] * 50), b == bytes(100), 'x'.center(5))
"""


def outcome(device: Device, expression: str) -> str:
    """Return the output of one of three interpreters; check that the others print their usual
    output.
    """
    result = run(device, [PROGRAM.format(expression=expression)], 3, Launch(timeout=20))
    assert {result.stdout[0], result.stdout[2]} == {b"50 True   x  \n"}
    return str(result.stdout[1].decode().strip())


@pytest.mark.parametrize("expression", TOO_LARGE)
def test_what_no_memory_holds_is_refused(any_device: Device, expression: str) -> None:
    assert outcome(any_device, expression) in REFUSED


@pytest.mark.parametrize(("expression", "value"), RIGHT, ids=[name for name, _ in RIGHT])
def test_what_fits_has_its_value(any_device: Device, expression: str, value: str) -> None:
    assert outcome(any_device, expression) == value


@pytest.mark.parametrize("expression", TOO_LARGE[:6])
def test_it_is_an_error_of_memory(any_device: Device, expression: str) -> None:
    assert outcome(any_device, expression) in MEMORY


@pytest.mark.parametrize(
    "step", ["1 << 32", "(1 << 32) - 1", "-(1 << 32)", "-(1 << 62)", "10", "-10"]
)
def test_scrolling_by_more_than_there_is_changes_nothing(any_device: Device, step: str) -> None:
    program = f"""\
import framebuf
data = bytearray(range(100))
f = framebuf.FrameBuffer(data, 10, 10, framebuf.GS8)
f.scroll({step}, -1)
f.scroll(1, {step})
print(data == bytearray(range(100)))
"""
    result = run(any_device, [program], 2)
    result.raise_for_status()
    assert result.stdout[0] == b"True\n"


SCROLLED = """\
import framebuf, random
random.seed(3)
def scrolled(width, height, xs, ys):
    data = bytearray(random.getrandbits(8) for _ in range(width * height))
    wanted = bytearray(data)
    for y in range(height):
        for x in range(width):
            if 0 <= x - xs < width and 0 <= y - ys < height:
                wanted[y * width + x] = data[(y - ys) * width + x - xs]
    framebuf.FrameBuffer(data, width, height, framebuf.GS8).scroll(xs, ys)
    return data == wanted
for width, height in ((1, 1), (3, 12), (12, 3), (7, 7), (1, 9), (9, 1)):
    for xs in range(-width - 2, width + 3):
        for ys in range(-height - 2, height + 3):
            if not scrolled(width, height, xs, ys):
                print(width, height, xs, ys)
"""


def test_scrolling_moves_what_stays_in_the_buffer(any_device: Device) -> None:
    result = run(any_device, [SCROLLED], 2)
    result.raise_for_status()
    assert result.stdout[0] == b""
