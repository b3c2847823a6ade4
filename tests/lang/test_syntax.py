"""Statements and forms of Python 3.8 to 3.13 that upstream's grammar lacks."""

from __future__ import annotations

import pytest

from porter.run import Device
from tests.library.compare import assert_alike, printed

MATCHES = """\
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y


class Color:
    RED = "red"


def kind(x):
    match x:
        case 1:
            return "one"
        case 2 | 3:
            return "small"
        case None | True:
            return "same"
        case "a" "b":
            return "text"
        case -1.5:
            return "negative"
        case Color.RED:
            return "red"
        case []:
            return "empty"
        case [1, b]:
            return ("1b", b)
        case ("add", a, ("mul", b, c)):
            return a + b * c
        case [a, *rest, 9]:
            return ("nine", a, rest)
        case [int() as a, *_] if a > 100:
            return ("large", a)
        case {"type": "circle", "r": r}:
            return ("circle", r)
        case {1: [x, y], **rest}:
            return (x, y, rest)
        case {}:
            return "mapping"
        case Point(x=0, y=0):
            return "origin"
        case Point(0, y=other) | Point(other, 0):
            return ("axis", other)
        case Point(x=a, y=b) if a == b:
            return ("diagonal", a)
        case Point() as p:
            return ("point", p.x, p.y)
        case str(s):
            return ("str", s)
        case (float() | complex()) as v:
            return ("value", v)
        case _:
            return "other"


VALUES = [
    1, 2, 3, None, True, False, "ab", "q", -1.5, 2.5, "red", [], (), [1, 5], (1, "x"),
    ("add", 1, ("mul", 2, 3)), [4, 5, 9], [4, 9], [101, 0], [5], {"type": "circle", "r": 2},
    {1: [2, 3], 5: 6}, {}, {"type": "square"}, Point(0, 0), Point(0, 4), Point(4, 0), Point(3, 3),
    Point(1, 2), range(2), {1, 2}, 1j,
]
for value in VALUES:
    print(kind(value))

x = "kept"
match [1, 0]:
    case [x, 5]:
        pass
    case _:
        print(x)
a, b = 1, 2
match a, b:
    case 1, 2:
        print("pair")
for i in range(5):
    match i:
        case 1:
            continue
        case 3:
            break
    print(i)
match -a:
    case int(n):
        print(n)
match = 3
case = [4, 5]
_ = 5
type = 6
print(match, case[0], _, type, match - 1, [match][0])
match = lambda *a: a
print(match(1), match (2, 3), match(-1))
"""

FORMS = """\
def f(a, b=2, /, c=3, *, d=4, **k):
    return (a, b, c, d, k)


print(f(1), f(1, 2, 3, d=5, a=9), f(1, c=7))
g = lambda x, /, y=1: (x, y)
print(g(1), g(1, y=2))
for call in (lambda: f(a=1), lambda: g(x=1)):
    try:
        call()
    except TypeError:
        print("TypeError")


def n(a, /, *args):
    return a, args


print(n(1, 2, 3))
table = [lambda f: lambda: f() + 1, lambda f: lambda: f() * 5]


@table[0]
@(lambda f: f)
@table[1] if True else None
def h():
    return 3


print(h())
values = [1, 2]


def r():
    return 0, *values


def y():
    yield *values, 3


print(r(), list(y()))
for v in *values, 5:
    print(v)


class Index:
    def __getitem__(self, i):
        return i


print(Index()[1, *values])
p = q = s = 1
del [p, q], s
print("p" in globals(), "s" in globals())


class Manager:
    def __init__(self, n):
        self.n = n

    def __enter__(self):
        print("enter", self.n)
        return self

    def __exit__(self, *a):
        print("exit", self.n)


with (Manager(1) as a, Manager(2) as b):
    print(a.n, b.n)
with (
    Manager(3) as a,
    Manager(4),
):
    pass
with (Manager(5)) as a:
    pass
with (Manager(6)):
    pass
"""

GENERIC = """\
def first[T](xs: list[T]) -> T:
    return xs[0]


class Stack[T]:
    items: list[T]

    def pop[U: int](self, default: U) -> T | U:
        return default


type Vector = list[float]
type Pair[A, B] = tuple[A, B]
type Json = dict[str, Json] | None
print(first([1, 2]), Stack().pop(7), Stack.__name__, Vector, Pair)


def star[*Ts, **P](*args):
    return args


print(star(1))
"""

REFUSED = [
    "match x:\n case a: pass\n case b: pass",
    "match x:\n case [a, a]: pass",
    "match x:\n case a | b: pass",
    "match x:\n case [a] | [b]: pass",
    "match x:\n case Foo(a=1, a=2): pass",
    "match x:\n case Foo(a=1, b): pass",
    "match x:\n case [*a, *b]: pass",
    "match x:\n case {**r, 'a': 1}: pass",
    "match x:\n pass",
    "match x:\n case: pass",
    "match x: pass",
    "def f(/): pass",
    "def f(a, /, b, /): pass",
    "def f(*, a, /): pass",
    "def f(a=1, /, b): pass",
    "lambda a, /, a: 1",
    "return *a",
    "del [a for a in b]",
]


def test_match(any_device: Device) -> None:
    assert_alike(any_device, MATCHES)


def test_forms(any_device: Device) -> None:
    assert_alike(any_device, FORMS)


def test_generic_functions_and_classes(any_device: Device) -> None:
    """The process that runs the tests may be older than this syntax, so the result is literal."""
    assert printed(any_device, GENERIC) == "1 7 Stack Vector Pair\n(1,)\n"


def test_descriptions_that_no_compiler_made(any_device: Device) -> None:
    """A program can call the function behind `match`: it refuses descriptions that are not valid.

    CPython has no such function, so the result is literal.
    """
    arguments = [
        "1, 9 + 10000000, 1",
        "1, 10, 1",
        "1, (), 1",
        "1, 9, -1",
        "1, 9, 1 << 40",
        "1, 9, 'x'",
        "1, 'x', 1",
        "1, None, 0",
        "1, (1,), 0",
        "1, (4, 9), 1",
        "1, (1 << 70, 1, 1), 1",
        "1, ('x', 1), 1",
        "[1], (5,), 1",
        "[1], (5, None), 1",
        "{}, (6, 0, 1), 1",
        "1, (7, int, 1000), 1",
        "1, (7, int, -1), 1",
        "1, (7, int), 1",
        "1, (7, 1, 0), 1",
        "1, (99, int, 0), 1",
    ]
    program = "\n".join(
        f"try: print(_dot_match({text}))\nexcept TypeError: pass" for text in arguments
    )
    assert printed(any_device, program + "\nprint(_dot_match(5, 8, 2))") == "(5, None)\n"


@pytest.mark.parametrize("text", REFUSED)
def test_refused_programs(any_device: Device, text: str) -> None:
    assert_alike(
        any_device,
        f"try:\n    compile({text!r}, '<x>', 'exec')\nexcept SyntaxError:\n    print('refused')\n",
    )
