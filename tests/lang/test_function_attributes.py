"""Attributes of functions, generator functions and closures, compared with CPython."""

from __future__ import annotations

import pytest

from porter.run import Device
from tests.library.compare import assert_alike

PROGRAMS = {
    "counter": """
def f(): f.calls += 1
f.calls = 0
for _ in range(5): f()
print(f.calls, f.__dict__, hasattr(f, "other"), getattr(f, "other", 3))
f.cache = {}
f.cache[1] = 2
print(sorted(f.__dict__), f.__dict__ is f.__dict__)
""",
    "closures": """
def outer(n):
    def inner(): return n
    inner.n = n
    return inner
made = [outer(n) for n in range(20)]
print([f.n + f() for f in made])
print(made[3].__name__, made[3].__dict__)
made[3].__name__ = "renamed"
print(made[3].__name__, made[4].__name__, made[3].__dict__)
""",
    "delete": """
def f(): pass
f.a = 1
del f.a
for name in ("a", "b"):
    try:
        delattr(f, name)
    except AttributeError:
        print("missing", name)
    try:
        print(getattr(f, name))
    except AttributeError as error:
        print(error)
""",
    "methods": """
class C:
    def m(self): return self.m.flag
    m.flag = [1]
class D(C):
    pass
print(C.m.flag, C().m.flag, D().m(), D.m.flag is C.m.flag)
try:
    C().m.flag = 2
except AttributeError:
    print("bound methods take no attributes")
""",
    "generators": """
def g():
    yield g.start
g.start = 4
print(list(g()), g.start)
lam = lambda: 0
lam.x = 1
print(lam.x)
""",
    "dict": """
def f(): pass
f.__dict__["x"] = 1
f.__dict__.update(y=2)
print(f.x, f.y)
f.__dict__ = {"z": 3}
print(f.z, hasattr(f, "x"))
for bad in (1, None, []):
    try:
        f.__dict__ = bad
    except TypeError as error:
        print(error)
for bad in (1, None, b"a"):
    try:
        f.__name__ = bad
    except (AttributeError, TypeError):
        print("no name")
""",
    "wraps": """
import functools
def count(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)
    wrapper.calls = 0
    return wrapper
@count
def add(a, b=2): return a + b
add.extra = 1
print(add(1), add(1, b=5), add.calls, add.__name__, add.__wrapped__(1, 1), add.extra)
@count
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(10), fib.__wrapped__.cache_info().currsize)
@functools.lru_cache(maxsize=2)
def square(x): return x * x
print([square(x) for x in (1, 2, 1, 3, 2)], square.cache_info(), square.__wrapped__(5))
square.cache_clear()
print(square.cache_info(), square.cache_parameters())
""",
    "registry": """
handlers = {}
def on(name, priority=0):
    def register(function):
        function.priority = priority
        function.event = name
        handlers.setdefault(name, []).append(function)
        return function
    return register
@on("start", 2)
def a(): return "a"
@on("start")
def b(): return "b"
print([f() for f in sorted(handlers["start"], key=lambda f: f.priority)], a.event)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_attributes_as_in_cpython(any_device: Device, name: str) -> None:
    assert_alike(any_device, PROGRAMS[name])


def test_an_attribute_survives_collections(any_device: Device) -> None:
    program = """
import gc
def make(n):
    def f(): return n
    f.value = [n]
    return f
kept = [make(n) for n in range(50)]
for n in range(300): make(n)
gc.collect()
print(sum([f.value[0] for f in kept]), [f() for f in kept[:3]])
"""
    assert_alike(any_device, program)
