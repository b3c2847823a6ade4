"""Instances of types that have no constructor upstream: methods, modules and None."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

INSTANCES = """
import types
class A: pass
a = A()
a.f = types.MethodType(lambda self, x: (self is a, x), a)
print(a.f(5), isinstance(a.f, types.MethodType), a.f.__self__ is a)
m = types.ModuleType("m", "doc")
m.x = 3
print(m.x, m.__name__, m.__doc__, type(m) is types.ModuleType)
exec("y = x + 1", m.__dict__)
print(m.y, type(None)(), types.ModuleType("n").__doc__)
for call in (
    lambda: types.MethodType(5, a), lambda: types.MethodType(len), lambda: types.ModuleType(5),
    lambda: types.ModuleType(), lambda: type(None)(1), lambda: types.MethodType(len, None),
):
    try:
        print(call())
    except TypeError as error:
        print("TypeError")
"""


def test_instances_of_builtin_types(any_device: Device) -> None:
    assert_alike(any_device, INSTANCES)
