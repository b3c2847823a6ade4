"""Classes with `__slots__`: their instances have no other attributes, as in CPython."""

from __future__ import annotations

import itertools

from porter.run import Device
from tests.library.compare import assert_alike

ATTEMPT = """\
def attempt(call, *args):
    try:
        print(call(*args))
    except Exception as e:
        print(type(e).__name__)

"""

RULES = (
    ATTEMPT
    + """\
class A:
    __slots__ = ("a", "b")
    c = 5
    def __init__(self): self.a = 1
    def m(self): return self.a
    @property
    def p(self): return self.a
    @p.setter
    def p(self, v): self.a = v
x = A()
print(x.a, x.m(), x.c, hasattr(x, "b"), getattr(x, "b", "none"), hasattr(x, "__dict__"))
attempt(lambda: x.b)
attempt(setattr, x, "b", 2)
attempt(setattr, x, "z", 2)
attempt(setattr, x, "c", 2)
attempt(setattr, x, "m", 2)
attempt(delattr, x, "z")
x.p = 7
print(x.a, x.b, A.__slots__, type(A.a).__name__, repr(A.a))
del x.b
attempt(delattr, x, "b")
attempt(lambda: x.b)
class B(A): pass
y = B(); y.z = 3; y.a = 4
print(y.z, y.a, y.m(), sorted(y.__dict__) == ["z"] or "z" in y.__dict__)
class D(A):
    __slots__ = ("d",)
z = D(); z.d = 5; z.a = 6
print(z.d, z.a)
attempt(setattr, z, "e", 1)
class E(B):
    __slots__ = ("e",)
e = E(); e.e = 1; e.any = 2; print(e.any, e.e)
class F:
    __slots__ = "single"
f = F(); f.single = 1; attempt(setattr, f, "s", 1); print(f.single)
class G:
    __slots__ = ["x", "__dict__"]
g = G(); g.x = 1; g.y = 2; print(g.x, g.y)
class H:
    __slots__ = ()
attempt(setattr, H(), "x", 1)
class I:
    __slots__ = {"x": "doc"}
i = I(); i.x = 1; attempt(setattr, i, "y", 1)
class J:
    __slots__ = ("__private", "__weakref__")
    def __init__(self): self.__private = 3
    def get(self): return self.__private
print(J().get()); attempt(setattr, J(), "__private", 1)
class K:
    __slots__ = ("x",)
    def __getattr__(self, name): return "got " + name
k = K(); print(k.x, k.y); k.x = 1; print(k.x)
class L:
    __slots__ = ("x",)
    def __setattr__(self, name, value): object.__setattr__(self, name, value * 2)
l = L(); l.x = 4; print(l.x)
class M(dict):
    __slots__ = ("x",)
m = M(a=1); m.x = 2; print(m, m.x); attempt(setattr, m, "y", 1)
class N(Exception):
    __slots__ = ("x",)
n = N("t"); n.x = 1; n.y = 2; print(n.x, n.y, n)
class O(tuple):
    __slots__ = ()
attempt(setattr, O((1, 2)), "x", 1)
class Mixin:
    __slots__ = ()
class P(Mixin, A):
    __slots__ = ("q",)
p = P(); p.q = 1; attempt(setattr, p, "r", 1)
class Plain: pass
class Q(Mixin, Plain):
    __slots__ = ("q",)
q = Q(); q.r = 1; print(q.r)
def bad(slots, **body):
    return type("X", (), dict(__slots__=slots, **body)).__name__
attempt(bad, (1,))
attempt(bad, ("a",))
attempt(bad, ("a",), )
attempt(lambda: bad(("a",), a=1))
attempt(bad, 5)
attempt(bad, iter(["a", "b"]))
x.__class__
A.new = 5
print(x.new)
attempt(setattr, x, "new", 1)
from collections import namedtuple
class T(namedtuple("T", "u v")):
    __slots__ = ()
print(T(1, 2).u, T(1, 2))
import copy
w = copy.copy(x); print(w.a); w.a = 9; print(x.a, w.a, copy.deepcopy(z).d)
"""
)


def test_rules(any_device: Device) -> None:
    assert_alike(any_device, RULES)


def test_inheritance(any_device: Device) -> None:
    lines = [ATTEMPT]
    for first, second, third in itertools.product(("", "()", "('x',)", "('__dict__',)"), repeat=3):
        lines.append("try:\n")
        for name, bases, slots, own in (
            ("A", "", first, "x"),
            ("B", "A", second, "y"),
            ("C", "B", third, "z"),
        ):
            text = slots.replace("x", own)
            lines.append(f"    class {name}({bases}):\n")
            lines.append(f"        __slots__ = {text}\n" if text else "        pass\n")
        lines.append("    c = C()\n    for name in 'xyzw':\n        attempt(setattr, c, name, 1)\n")
        lines.append("    print([hasattr(c, name) for name in 'xyzw'])\n")
        lines.append("except TypeError as e: print('refused')\n")
    assert_alike(any_device, "".join(lines))


def test_dataclasses(any_device: Device) -> None:
    assert_alike(
        any_device,
        ATTEMPT
        + """\
from dataclasses import dataclass, field
@dataclass(slots=True)
class P:
    x: int
    y: int = 2
    z: list = field(default_factory=list)
    def total(self): return self.x + self.y
p = P(1); print(p, p.total(), P.__slots__, p == P(1), p.z)
attempt(setattr, p, "other", 2)
p.y = 5; print(p)
@dataclass(slots=True, order=True)
class Q(P):
    w: int = 3
q = Q(1, w=9); print(q, Q.__slots__, q < Q(2)); attempt(setattr, q, "other", 2)
def twice():
    @dataclass(slots=True)
    class R:
        __slots__ = ()
attempt(twice)
""",
    )
