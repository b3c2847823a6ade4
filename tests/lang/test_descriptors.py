"""Properties and descriptors that are read through the class, and abstract ones, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import ATTEMPT, assert_alike


def test_properties(any_device: Device) -> None:
    assert_alike(
        any_device,
        ATTEMPT
        + """\
class C:
    def __init__(self): self.v = 1
    @property
    def p(self): return self.v
    @p.setter
    def p(self, value): self.v = value
    @p.deleter
    def p(self): self.v = None
    @property
    def q(self): return 2
    n = property()
print(type(C.p).__name__, isinstance(C.p, property), C.p.fget(C()), C.q.fset, C.q.fdel, C.n.fget)
c = C()
C.p.fset(c, 5); print(c.p, C.p.__get__(c), C.p.__get__(c, C), C.p.__get__(None, C) is C.p)
C.p.__set__(c, 6); print(c.p)
C.p.fdel(c); print(c.p)
C.p.__set__(c, 7); C.p.__delete__(c); print(c.v)
class D(C):
    @C.p.getter
    def p(self): return "d", self.v
    q = C.q.setter(lambda self, v: print("set", v))
d = D(); d.p = 4; print(d.p, D.p.fset is C.p.fset, D.q.fget is C.q.fget)
d.q = 3
class E(C):
    p = property(lambda self: C.p.fget(self) * 2, C.p.fset)
e = E(); e.p = 4; print(e.p)
class Named(property):
    def __init__(self, f): super().__init__(f); self.f = f
    def extra(self): return "extra"
class G:
    @Named
    def x(self): return 9
print(G.x.extra(), G().x, type(G.x).__name__, G.x.fget is G.x.f)
attempt(lambda: C.q.nothing)
for bad in ("property.__get__(1, 2)", "C.p.__get__(1)", "C.p.__set__(1)", "property.fget.x"):
    try:
        eval(bad)
        print("ok")
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
def names(cls):
    return sorted(n for n in dir(cls) if isinstance(getattr(cls, n, None), property))
print(names(C), names(D))
""",
    )


def test_descriptors_of_classes(any_device: Device) -> None:
    assert_alike(
        any_device,
        ATTEMPT
        + """\
class Show:
    def __init__(self, name): self.name = name
    def __get__(self, obj, cls): return self.name, obj is None, cls.__name__
class Data(Show):
    def __set__(self, obj, value): print("set", value)
class SetOnly:
    def __set__(self, obj, value): print("set only", value)
class Raises:
    def __get__(self, obj, cls=None): raise AttributeError("no " + cls.__name__)
class Self:
    def __get__(self, obj, cls=None): return self if obj is None else 5
class classproperty:
    def __init__(self, f): self.f = f
    def __get__(self, obj, cls): return self.f(cls)
class A:
    s, d, o, r, x = Show("s"), Data("d"), SetOnly(), Raises(), Self()
    @classproperty
    def name(cls): return cls.__name__.lower()
    plain = 3
    def f(self): return 1
    @classmethod
    def g(cls): return cls.s
class B(A):
    pass
for k in (A, B):
    print(k.s, k.d, type(k.o).__name__, type(k.x).__name__, k.name, k.plain, k.g(), k().s, k().name)
    print(k().x, hasattr(k, "r"), getattr(k, "r", "default"), getattr(k, "s"))
    attempt(lambda: k.r)
    attempt(lambda: k.nothing)
print(type(A.__dict__["s"]).__name__, A.f(None))
A.s = 4
print(A.s, B.s)
B.s = Show("late")
print(B.s, A.s)
class Typed:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, cls=None): return self if obj is None else getattr(obj, self.name, None)
    def __set__(self, obj, value):
        if not isinstance(value, int): raise TypeError(self.name)
        setattr(obj, self.name, value)
class P:
    x, y = Typed(), Typed()
p = P(); p.x = 3; print(p.x, p.y, P.x.name, P.y.name)
attempt(lambda: setattr(p, "y", "s"))
import functools
class Q:
    @functools.cached_property
    def big(self): return 10
    @functools.singledispatchmethod
    def show(self, x): return "any"
    @show.register(int)
    def _(self, x): return "int"
    def add(self, a, b): return a + b
    inc = functools.partialmethod(add, 1)
print(type(Q.big).__name__, Q().big, Q().show(1), Q().show(""), Q().inc(4), Q.inc(Q(), 5))
""",
    )


def test_abstract(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
def attempt(make):
    try:
        make()
    except TypeError:
        print("refused")
from abc import ABC, ABCMeta, abstractmethod, abstractproperty
class A(ABC):
    @property
    @abstractmethod
    def x(self): pass
    @classmethod
    @abstractmethod
    def c(cls): pass
    @staticmethod
    @abstractmethod
    def s(): pass
    @abstractmethod
    def m(self): pass
attempt(A)
class B(A):
    x = 1
    def m(self): return 2
attempt(B)
class D(B):
    @classmethod
    def c(cls): return 3
    @staticmethod
    def s(): return 4
d = D(); print(d.x, d.m(), d.c(), d.s())
class S(metaclass=ABCMeta):
    @property
    def v(self): return 1
    @v.setter
    @abstractmethod
    def v(self, value): pass
attempt(S)
class T(S):
    @property
    def v(self): return 5
print(T().v)
class Z(ABC):
    def f(self): return 1
print(Z().f(), sorted(A.__abstractmethods__), Z.__abstractmethods__ == frozenset())
""",
    )


def test_other_first_arguments(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
class Sub(property):
    pass
class NoInit(property):
    def __init__(self): pass
class P:
    p = property(lambda self: 5)
for cls in (property, Sub, NoInit):
    for name in ("__get__", "__set__", "__delete__"):
        for first in (None, 1, "text", P(), P, object(), len):
            try:
                getattr(cls, name)(first, *(P(),) * (2 if name == "__set__" else 1))
                print("called")
            except TypeError:
                print("refused")
print(Sub.__get__(Sub(lambda self: 6), P()))
""",
    )
