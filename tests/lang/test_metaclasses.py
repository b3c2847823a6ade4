"""Metaclasses, compared with CPython, and hostile uses of them."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike, printed

USES = """\
class S(type):
    _instances = {}
    def __call__(cls, *args, **kw):
        if cls not in cls._instances:
            cls._instances[cls] = super().__call__(*args, **kw)
        return cls._instances[cls]
class A(metaclass=S):
    def __init__(self, x=1): self.x = x
class B(A): pass
print(A(3) is A(4), A().x, B(y := 5).x, type(A) is S, type(B) is S)
print(isinstance(A, S), isinstance(A, type), A.__class__ is S)
class R(type):
    registry = {}
    def __new__(mcls, name, bases, ns, **kw):
        cls = super().__new__(mcls, name, bases, ns)
        mcls.registry[name] = cls
        cls.kw = kw
        return cls
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
        cls.inited = True
    def __iter__(cls): return iter([1, 2])
    def __len__(cls): return 7
    def __getitem__(cls, i): return (cls.__name__, i)
    def __contains__(cls, x): return x == 3
    def __repr__(cls): return f"<R {cls.__name__}>"
    def __getattr__(cls, name):
        if name == "zz": return 99
        raise AttributeError(name)
    @property
    def prop(cls): return cls.__name__ + "!"
    @prop.setter
    def prop(cls, v): print("set", v)
    def meth(cls, a): return (cls, a)
    def __add__(cls, o): return ("add", o)
    def __eq__(cls, o): return cls is o
    def __hash__(cls): return 5
    def __bool__(cls): return False
class P(metaclass=R, q=1):
    y = 2
class Q(P): pass
print(sorted(R.registry), P.kw, Q.kw, Q.inited, list(P), len(Q))
print(Q[1], 3 in P, 4 in P, P, [Q], str(P), P.zz, P.prop, Q.meth(1), P + 1, bool(P))
P.prop = 4
print(hasattr(P, "nope"), P().y, type(P()).__name__, hasattr(P(), "meth"))
print(isinstance(P(), P), issubclass(Q, P))
D = R("D", (P,), {"w": 1})
print(D.w, type(D) is R, D.__mro__ == (D, P, object), D.__bases__)
E = type("E", (P,), {})
print(type(E) is R)
class V(type):
    def __setattr__(cls, k, v):
        if k == "bad": raise AttributeError("bad")
        super().__setattr__(k, v)
    def __delattr__(cls, k):
        print("del", k)
        super().__delattr__(k)
class W(metaclass=V): pass
W.x = 1; print(W.x); del W.x; print(hasattr(W, "x"))
try: W.bad = 1
except AttributeError as e: print(e)
def f(name, bases, ns, **kw): return (name, bases, sorted(k for k in ns if k[0] != "_"), kw)
class F(metaclass=f, z=1): a = 1
print(F)
class N(V): pass
class O(W, metaclass=N): pass
print(type(O) is N)
try:
    class X(A, W): pass
except TypeError as e: print("TypeError", e)
from abc import ABCMeta, abstractmethod
class AM(ABCMeta):
    def __new__(m, n, b, d): return super().__new__(m, n, b, d)
class AB(metaclass=AM):
    @abstractmethod
    def f(self): pass
print(type(AB) is AM, isinstance(AB, ABCMeta))
try: AB()
except TypeError: print("abstract")
"""

HOSTILE = """\
def kind(call, *args):
    try:
        call(*args)
        return "result"
    except Exception as error:
        return type(error).__name__

class M(type): pass
class A(metaclass=M): pass
values = [None, 1, "a", (), (int,), {}, int, type, object, len, type.__new__, M, A, A(), Exception]
functions = type.__new__, type.__call__, type.__setattr__, type.__delattr__, M, object.__new__
for function in functions:
    kind(function)
    for a in values:
        kind(function, a)
        for b in values:
            kind(function, a, b)
            for c in values:
                kind(function, a, b, c)
                kind(function, M, a, b, c)
uses = [
    lambda C: C(), lambda C: C.x, lambda C: setattr(C, "x", 1), lambda C: delattr(C, "x"), len,
    lambda C: C[1], str, repr, bool, hash, lambda C: C + 1, lambda C: C < 1, iter, float,
    lambda C: isinstance(1, C), lambda C: super(M, C).__init__(), lambda C: issubclass(int, C),
    lambda C: C == 1, lambda C: 1 != C, lambda C: {C: 1}, lambda C: isinstance(1, (C, (C,))),
    lambda C: type("D", (C, list), {})(),
]
for name in ("__new__", "__init__", "__call__", "__getattr__", "__iter__", "__len__", "__getitem__",
             "__str__", "__repr__", "__bool__", "__add__", "__lt__", "__setattr__", "__delattr__",
             "__instancecheck__", "__subclasscheck__", "__eq__", "__ne__", "__hash__",
             "__prepare__", "x"):
    for value in values + [len, repr, type.__call__, type.__setattr__, lambda *a: a, property(len)]:
        def make():
            meta = type("N", (type,), {name: value})
            def state():
                class S(metaclass=meta, k=1): z = 1
            kind(state)
            made = meta("B", (), {})
            for use in uses:
                kind(use, made)
        kind(make)
print(kind(object.__new__, M), kind(M), kind(M, 1), kind(type.__new__, int, "a", (), {}))
"""


def test_uses(any_device: Device) -> None:
    assert_alike(any_device, USES)


def test_hostile_uses_do_not_end_the_interpreter(any_device: Device) -> None:
    expected = "TypeError TypeError TypeError TypeError\n"
    assert printed(any_device, HOSTILE) == expected
