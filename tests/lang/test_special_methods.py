"""Special methods that built-in functions call, searches and messages, as in CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike, printed

ROUND = (
    ATTEMPT
    + """\
from decimal import Decimal
from fractions import Fraction
class R:
    def __round__(self, *args): return ("round", args)
class F(float):
    pass
class I(int):
    pass
class G(F):
    def __round__(self, n=None): return "G", n
class N:
    pass
for value in (R(), F(2.567), F(2.5), F(-3.5), I(1234), I(-15), G(1.5), N(), "a", None, 1j, [], True,
              1234.5, 15, -25, 2**70, 2.675):
    attempt(lambda: repr(round(value)))
    for n in (1, 0, -1, -2, None, True, "x", 1.5):
        attempt(lambda: repr(round(value, n)))
print(repr(round(Decimal("2.675"), 2)), repr(round(Decimal("2.5"))))
print(repr(round(Fraction(22, 7), 2)))
print(repr(round(Fraction(5, 2))), type(round(F(2.567), 1)), type(round(I(7))))
"""
)


def test_round(any_device: Device) -> None:
    assert_alike(any_device, ROUND)


POW = (
    ATTEMPT
    + """\
class V:
    def __pow__(self, o, m=None): return (o, m)
class W(int):
    def __pow__(self, o, m=None): return "W", int(o), m
class P(int):
    pass
class T:
    def __pow__(self, o, m=None): return NotImplemented
for values in ((V(), 2, 5), (V(), 2), (W(3), 4, 5), (P(3), 4, 5), (3, P(4), P(5)), (True, 4, 5),
               (3, True, 7), (3, 4, True), (3, 4, 5), (2.0, 3, 4), (2, 3.0, 4),
               (P(3), -1, 7), (3, -1, 7), (3, 4, 0)):
    attempt(lambda: pow(*values))
print(pow(V(), 2, None))
try:
    pow(T(), 2, 3)
except TypeError:
    print("TypeError")
"""
)


def test_pow(any_device: Device) -> None:
    assert_alike(any_device, POW)


TEXTS = (
    ATTEMPT
    + """\
class Text(str):
    pass
values = (5, None, b"x", ["a"], 1.5, "text", Text("own"))
for value in values:
    class S:
        def __str__(self): return value
    class R:
        def __repr__(self): return value
    class E(Exception):
        def __str__(self): return value
    class L(list):
        def __repr__(self): return value
    class X:
        def __format__(self, spec): return value
    attempt(lambda: "<" + str(S()) + ">")
    attempt(lambda: "<" + str(R()) + ">")
    attempt(lambda: "<" + repr(R()) + ">")
    attempt(lambda: "%s %r" % (S(), R()))
    attempt(lambda: f"{S()}")
    attempt(lambda: f"{R()!r}")
    attempt(lambda: repr([R()]))
    attempt(lambda: str({1: R()}))
    attempt(lambda: str(E()))
    attempt(lambda: repr(L()))
    attempt(lambda: S())
    attempt(lambda: format(X()))
"""
)


def test_texts(any_device: Device) -> None:
    assert_alike(any_device, TEXTS)


def test_ranges_and_slices(any_device: Device) -> None:
    program = """\
ranges = [range(*a) for a in ((0,), (3,), (0, 3), (0, 3, 1), (0, 4, 5), (0, 3, 7), (1, 10, 3),
          (1, 9, 3), (5, 1), (5, 1, -1), (5, 0, -3), (2**40, 2**41, 7))]
for a in ranges:
    for b in ranges:
        assert a != b or hash(a) == hash(b)
        print(a == b, end=" ")
d = {range(3): 1, range(0, 3, 1): 2, range(0): 3}
print(d, d[range(5, 2)], len(set(ranges)), range(3) in d)
slices = [slice(1), slice(None, 1), slice(0, 1), slice(1, 2, 3), slice(1, 2, 4), slice("a", "b")]
for a in slices:
    for b in slices:
        print(a == b, a != b, end=" ")
print(slice(1, 2) < slice(1, 3), slice(1, 2, 0) >= slice(1, 2, 0), slice(1) == 1)
print(slice(1) != (None, 1))
"""
    assert_alike(any_device, program)


def test_searches_for_a_byte(any_device: Device) -> None:
    source = random.Random(4)
    expressions = []
    for _ in range(120):
        data = bytes(source.choices(b"abc\0\xff", k=source.randrange(9)))
        kind = source.choice(["", "bytearray"])
        name = source.choice(["find", "rfind", "index", "rindex", "count"])
        byte = source.choice([97, 98, 0, 255, 256, -1, 10**30, True])
        bounds = "".join(f", {source.randrange(-4, 8)}" for _ in range(source.randrange(3)))
        expressions.append(f"{kind}({data!r}).{name}({byte}{bounds})")
    lines = "\n".join(f"attempt(lambda: {e})" for e in expressions)
    program = f"""\
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, "" if "found" in str(error) else error)
{lines}
"""
    assert_alike(any_device, program)


MESSAGES = (
    ATTEMPT
    + """\
def unpack(value):
    a, b = value
    return a, b
def unpack_star(value):
    a, *b = value
    return a, b
class Item:
    def __getitem__(self, i):
        if i > 1: raise IndexError
        return i
class Iter:
    def __iter__(self): return iter("xy")
class L(list):
    pass
class E(enumerate):
    pass
class N:
    pass
for value in (1, None, 1.5, N(), Item(), Iter(), L("ab"), E("ab"), "ab", {1: 2, 3: 4},
              range(2), {5}, (x for x in "pq"), [1], (1, 2, 3)):
    attempt(lambda: unpack(value))
for value in (1, None, 1.5, N(), Item(), Iter(), L("ab"), E("ab"), "ab", {1: 2, 3: 4}, range(2)):
    attempt(lambda: unpack_star(value))
attempt(lambda: ",".join([1]))
attempt(lambda: ",".join(["a", b"b"]))
attempt(lambda: b",".join([b"a", "b"]))
attempt(lambda: ",".join(["a", "b", None]))
for value in ([], None, 1j, N(), {}):
    attempt(lambda: int(value))
    attempt(lambda: float(value))
attempt(lambda: [1][::0])
attempt(lambda: slice(1, 2, 0).indices(3))
attempt(lambda: range(3)[::0])
attempt(lambda: len("a\\tb".expandtabs(3000)))
attempt(lambda: len("\\t\\ta\\n\\t".expandtabs(17)))
attempt(lambda: len("%100000d" % 5))
attempt(lambda: len("%-100000s|" % "x"))
attempt(lambda: len(f"{5:*^1001}"))
attempt(lambda: f"{5:\xe9^201}")
attempt(lambda: f"{5:*>70}" + f"{5:070}" + f"{'x':<70}|")
"""
)


def test_messages_and_padding(any_device: Device) -> None:
    assert_alike(any_device, MESSAGES)


def test_padding_without_memory(any_device: Device) -> None:
    program = """\
for call in (lambda: ("\\t" * 1000).expandtabs(10**12), lambda: "%1000000000d" % 5,
             lambda: "%-1000000000s" % "a", lambda: f"{5:*^1000000000}",
             lambda: f"{5:\xe9>1000000000}", lambda: "\\t".expandtabs(2**46 - 1)):
    try:
        call()
    except MemoryError:
        print("MemoryError")
"""
    assert printed(any_device, program).splitlines() == ["MemoryError"] * 6
