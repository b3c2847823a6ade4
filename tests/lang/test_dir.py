"""`dir`: sorted names, without a call of properties and `__getattr__`."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

PROGRAM = """
class A:
    x = 1
    @property
    def p(self):
        print("called")
        return 3
    def m(self):
        pass
class Getter:
    def __get__(self, obj, kind=None):
        print("called")
class B(A, list):
    d = Getter()
    def __init__(self):
        self.z = 1
        setattr(self, "b c", 2)
    def __getattr__(self, name):
        print("asked for", name)
        raise AttributeError(name)
class Own(A):
    def __dir__(self):
        return ["q"] + [name for name in super().__dir__() if name == "p"] + ["a"]
class Meta(type):
    pass
class Made(metaclass=Meta):
    y = 2
def shown(names):
    print([name for name in names if name[:2] != "__"])
for thing in (A(), A, B(), B, Made(), Made, Own):
    shown(dir(thing))
print(dir(Own()), sorted(name for name in object.__dir__(A()) if name in ("m", "p")))
print("__init__" in dir(A), "__dict__" in dir(A()), "__class__" in dir(B()))
for thing in ([], (), {}, set(), 3, "", b""):
    names = dir(thing)
    print(names == sorted(names), len(set(names)) == len(names), "_as_tuple" in names)
first = 1
print([name for name in dir() if name in ("A", "B", "first", "thing")])
try:
    dir(1, 2)
except TypeError:
    print("TypeError")
"""


def test_dir(any_device: Device) -> None:
    assert_alike(any_device, PROGRAM)
