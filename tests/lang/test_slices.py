"""Slices of built-in sequences: an interpreter prints what CPython prints, for random bounds."""

from __future__ import annotations

import random

import pytest

from porter.run import Device
from tests.library.compare import assert_alike, calls

SEQUENCES = [
    "'abcdefg'",
    "''",
    "'aé\\u20ac\\U0001f600bcé'",
    "b'abcdefg'",
    "(1, 2, 3, 4, 5)",
    "()",
    "[1, 2, 3, 4, 5, 6, 7]",
    "bytearray(b'abcdefgh')",
    "array('i', [1, -2, 3, 4])",
    "array('d', [1, 2.5, 3])",
    "namedtuple('P', 'x y z')(1, 2, 3)",
]
MUTABLE = ["[1, 2, 3, 4, 5, 6, 7]", "[]", "bytearray(b'abcdefgh')", "array('i', [1, -2, 3, 4])"]
VALUES = {
    "[": [
        "[]",
        "[8, 9]",
        "(8, 9, 10)",
        "'xyz'",
        "range(4)",
        "(i for i in (1, 2))",
        "{7: 8}",
        "s",
        "5",
    ],
    "b": ["b''", "b'xyz'", "bytearray(b'pq')", "memoryview(b'pqrs')", "[1, 2, 3]", "s", "5", "'x'"],
    "a": ["array('i', [])", "array('i', [7, 8])", "array('i', range(4))", "array('b', [1])", "s"],
}
IMPORTS = "from array import array\nfrom collections import namedtuple"
CHANGES = """
def change(s, do):
    try:
        do(s)
    except Exception as error:
        print(type(error).__name__, end=" ")
    print(s)
"""


def _bound(source: random.Random, far: bool = True) -> str:
    kinds = ["", str(source.randint(-9, 9)), str(source.randint(-9, 9))]
    if far:
        kinds.append(source.choice(["10**30", "-10**30", "True", "2**62", "-2**62"]))
    return source.choice(kinds)


def _slice(source: random.Random) -> str:
    step = source.choice(["", "1", "2", "-1", "-2", "3", "-3", "0", "10**20", "-10**20"])
    return f"{_bound(source)}:{_bound(source)}:{step}"


@pytest.mark.parametrize("seed", range(2))
def test_reading(any_device: Device, seed: int) -> None:
    source = random.Random(seed)
    expressions = [f"{source.choice(SEQUENCES)}[{_slice(source)}]" for _ in range(400)]
    expressions += [f"{sequence}[::-1]" for sequence in SEQUENCES]
    expressions += ["'abc'['x'::2]", "'abc'[1.5::2]", "[1, 2][::0]", "'abcdef'[1:5:2].upper()"]
    assert_alike(any_device, calls(IMPORTS, expressions))


@pytest.mark.parametrize("seed", range(2))
def test_changes(any_device: Device, seed: int) -> None:
    source = random.Random(seed)
    lines = [IMPORTS, CHANGES]
    for _ in range(300):
        sequence = source.choice(MUTABLE)
        at = _slice(source) if source.random() < 0.9 else str(source.randint(-9, 9))
        if source.random() < 0.4 or ":" not in at:
            lines.append(f"def do(s): del s[{at}]")
        else:
            lines.append(f"def do(s): s[{at}] = {source.choice(VALUES[sequence[0]])}")
        lines.append(f"change({sequence}, do)")
    assert_alike(any_device, "\n".join(lines))


def test_statements_and_subclasses(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
class S(str): pass
class L(list): pass
print(S("abc")[::-1], L([1, 2, 3])[::-2])
x = list(range(10))
del x[::3]
x[1::2] = "abc"
print(x)
x[:] = x
x[2:2] = x
print(x, len(x))
y = bytearray(b"0123456789")
y[::2] = b"abcde"
del y[-1], y[0], y[1:3]
print(y)
def rotate(text): return text[1::1] + text[0:1:1]
print(rotate("abc"), "".join(reversed("abc")) == "abc"[::-1])
for bad in (lambda: "abc"[::0], lambda: (1, 2)[0.5::2], lambda: [1][::"a"]):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
""",
    )
