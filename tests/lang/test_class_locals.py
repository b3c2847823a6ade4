"""An exception in a class body leaves the same names as in CPython."""

from __future__ import annotations

import pytest

from porter.run import Device, run
from tests.cpython import cpython

PROGRAMS = {
    "module": """
try:
    class A:
        x = 1
        1 / 0
except ZeroDivisionError:
    pass
y = 2
def solve():
    return y
print('solve' in globals(), 'x' in globals(), solve())
""",
    "nested": """
class Outer:
    try:
        class Inner:
            a = 1
            raise KeyError
    except KeyError:
        b = 2
    c = 3
print(sorted(n for n in dir(Outer) if n in 'abc'), 'b' in globals())
""",
    "function": """
def f():
    try:
        class A:
            x = 1
            {}['k']
    except KeyError:
        return 5
v = f()
w = 6
print('v' in globals(), v, globals()['w'])
""",
    "metaclass call": """
try:
    class A(int, str, 7):
        pass
except TypeError:
    pass
z = 1
print('z' in globals())
""",
    "generator": """
def g():
    class A:
        x = 1
    yield A
    class B:
        raise ValueError
it = g()
next(it)
try:
    next(it)
except ValueError:
    pass
after = 1
print('after' in globals())
""",
    "system exit": """
try:
    class A:
        raise SystemExit(2)
except SystemExit:
    pass
q = 1
print('q' in globals())
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_cpython(any_device: Device, name: str) -> None:
    result = run(any_device, [PROGRAMS[name]], 3)
    result.raise_for_status()
    assert result.stdout[0] == cpython(PROGRAMS[name])
