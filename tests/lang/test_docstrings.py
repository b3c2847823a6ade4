"""Docstrings: `__doc__` of functions, classes, modules and properties, as in CPython."""

from __future__ import annotations

from porter.run import Device, Launch, Program, run
from tests.library.compare import assert_alike, printed

PLACES = '''\
"""Module text."""
def f():
    "short"
def g(a, b=2, *c, d=4, **e):
    """A longer text of a function.

    With a second paragraph.
    """
    return a
def no(): return "no"
def only_bytes():
    b"bytes"
def formatted():
    f"text"
def number():
    5
    "later"
def joined():
    "one " "two"
def gen():
    "a generator"
    yield 1
async def co():
    "a coroutine"
def outer(x):
    "outer text, which is long enough"
    def inner():
        "inner text, which is long enough"
        return x
    return inner
def one_line(): "on one line"
class C:
    """Text of C."""
    def m(self):
        "method text"
        return 1
    @classmethod
    def k(cls): "class method"
    @staticmethod
    def s(): "static"
    @property
    def p(self):
        "property text"
        return 2
    @p.setter
    def p(self, value): "other text"
    class Inner: "inner"
class D(C): pass
class E(C):
    "of E"
    def m(self): pass
print(__doc__)
for x in (f, g, no, only_bytes, formatted, number, joined, gen, co, outer, outer(1), one_line):
    print(x.__name__, repr(x.__doc__))
for x in (C, D, E, C(), D(), E(), C.m, C().m, D().m, E().m, C.k, C.s, C.p, D.p, C.Inner):
    print(repr(x.__doc__))
print(f(), g(1), one_line(), list(gen()), outer(4)(), C().m(), (lambda: 1).__doc__)
print(getattr(f, "__doc__"), hasattr(no, "__doc__"))
f.__doc__ = "changed"
C.__doc__ = "changed"
print(f.__doc__, C.__doc__, D.__doc__)
import functools
def wrap(call):
    @functools.wraps(call)
    def wrapper(*args, **kwargs):
        "of the wrapper"
        return call(*args, **kwargs)
    return wrapper
@wrap
def wrapped():
    "of the wrapped"
@wrap
def bare(): pass
print(wrapped.__doc__, wrapped.__name__, wrapped.__wrapped__.__doc__, bare.__doc__)
from dataclasses import dataclass
@dataclass
class P:
    "a point"
    x: int
print(P.__doc__, P(1).__doc__)
from enum import Enum
import inspect
print(inspect.getdoc(g))
print(f"{g.__doc__!r:.10}")
'''


def test_places(any_device: Device) -> None:
    assert_alike(any_device, PLACES.replace("from enum import Enum\n", ""))


def test_doctest(any_device: Device) -> None:
    assert_alike(
        any_device,
        '''\
import doctest
def double(x):
    """Return twice the number.

    >>> double(2)
    4
    >>> double("a")
    'aa'
    """
    return x * 2
class C:
    def get(self):
        """
        >>> C().get() + 1
        6
        """
        return 5
def run(thing):
    doctest.run_docstring_examples(thing, globals())
run(double)
run(C.get)
''',
    )


SILENT = '''\
def f():
    """{}"""
    return 1
class C:
    """{}"""
print(f(), C().__class__.__name__)
'''


def test_sources_without_a_reader(any_device: Device) -> None:
    """Docstrings take no memory in an interpreter whose sources do not read them."""
    used = []
    for text in ("x" * 10, "x" * 3000):
        program = SILENT.replace("{}", text) + "import gc\ngc.collect()\nprint(gc.mem_alloc())\n"
        result = run(any_device, [Program(program, "<program>")], 1, Launch(heap=1 << 20))
        used.append(int(result.stdout[0].split()[-1]))
    assert used[1] <= used[0] + 64


def test_reader_in_another_source(any_device: Device) -> None:
    text = printed(
        any_device,
        """\
exec('def early(): "early"')
name = "__do" + "c__"
print(getattr(early, name))
exec('def f(): "text"\\nprint(f.__doc__)')
exec('def g(): "later"')
print(getattr(g, name), getattr(early, name))
""",
    )
    assert text == "None\ntext\nlater None\n"
