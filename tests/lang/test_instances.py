"""Instances and names of classes, compared with CPython: repr, `__new__` of built-in types, modules
of classes, `__getattribute__`, assignment to `__class__`."""

from __future__ import annotations

import pytest

from porter.run import Device
from tests.library.compare import assert_alike, printed

PROGRAMS = {
    "repr of subclasses": r"""
class Stack(list):
    def __repr__(self): return f'Stack({list.__repr__(self)})'
print(Stack([1]), str(Stack()), f'{Stack()}', [Stack()])
class D(dict):
    def __repr__(self): return 'D!'
print(D(a=1), str(D()), f'{D()}', '{}'.format(D()), '%s' % D())
class I(int):
    def __repr__(self): return f'I({int(self)})'
print(I(3), str(I(4)), f'{I(5)}', I(3)+1, [I(3)])
class F(float):
    def __repr__(self): return 'F'
print(F(1.5), str(F(2)), F(1)+1)
class T(tuple):
    def __repr__(self): return 'T'
print(T((1,2)), str(T()))
class S(str):
    def __repr__(self): return 'S'
print(S('x'), str(S('y')), repr(S('z')))
class B(bytes):
    def __repr__(self): return 'B'
print(B(b'x'), str(B(b'z')))
class E(Exception):
    def __repr__(self): return 'E!'
print(E('x'), str(E('y')), repr(E('z')))
""",
    "names of subclasses": r"""
class Se(set): pass
class Fr(frozenset): pass
class Se2(set):
    def __repr__(self): return 'Se2'
print(Se([1]), Se(), repr(Se([2])), Fr([1]), Fr(), Se2([1]), [Se([1])])
from collections import deque, Counter, defaultdict, OrderedDict, namedtuple
class Dq(deque): pass
class C(Counter):
    def __repr__(self): return 'C!'
class C2(Counter): pass
class OD(OrderedDict): pass
class DD(defaultdict): pass
print(Dq([1]), Dq([1], maxlen=3), C('a'), C2('a'), C2(), OD(), DD(int), DD(list, {1: []}))
class BA(bytearray): pass
print(BA(b'x'), BA(b'(x'))
print(deque([1]), Counter('a'), OrderedDict(), defaultdict(int))
""",
    "new of built-in types": r"""
class P(tuple):
    def __new__(cls, x, y): return super().__new__(cls, (x, y))
print(P(1, 2), type(P(1, 2)).__name__)
from collections import namedtuple
class N(namedtuple('N', 'x y')):
    def __new__(cls, x, y=0): return super().__new__(cls, x, y)
print(N(1), N(1, y=5).y)
class Even(int):
    def __new__(cls, v): return int.__new__(cls, v * 2)
    def __init__(self, v): self.v = v
e = Even(4)
print(e, e.v, e + 1, type(e).__name__)
class Up(str):
    def __new__(cls, s, n=1):
        self = str.__new__(cls, s.upper() * n)
        self.n = n
        return self
print(Up('ab'), Up('ab', n=2), Up('x', 3).n)
class Temp(float):
    def __new__(cls, v, unit='C'):
        o = float.__new__(cls, v); o.unit = unit; return o
print(Temp(3.5), Temp(2, 'F').unit)
class Fz(frozenset):
    def __new__(cls, *a): return frozenset.__new__(cls, a)
print(sorted(Fz(1, 2, 2)))
class By(bytes):
    def __new__(cls, n): return super().__new__(cls, [n] * 3)
print(By(65) == b'AAA')
class L(list):
    def __new__(cls, *a):
        o = super().__new__(cls); o.tag = 'new'; return o
print(L([1, 2]), L().tag)
""",
    "init of built-in types": r"""
class L3(list):
    def __init__(self, a, b):
        self.append(a); self.extend([b]); self.n = len(self)
print(L3(1, 2), L3(1, 2).n)
class D3(dict):
    def __init__(self, a):
        self['a'] = a; dict.__init__(self, b=1)
print(sorted(D3(5).items()))
class L4(list):
    def __init__(self, *a): list.__init__(self, a)
print(L4(1, 2, 3), len(L4()))
class E2(Exception):
    def __init__(self, a, b):
        Exception.__init__(self, a); self.b = b
print(repr(E2(1, 2)), E2(1, 2).b, E2(1, 2).args)
class E3(ValueError):
    def __new__(cls, *a):
        return super().__new__(cls)
print(repr(E3('q')), E3('q').args)
""",
    "invalid arguments of new": r"""
class L(list): pass
for bad in (lambda: int.__new__(str, 1), lambda: int.__new__(3), lambda: int.__new__(),
      lambda: tuple.__new__(L, ()), lambda: list.__init__(3, 4),
            lambda: int.__new__(int, 'x')):
    try: print(bad())
    except Exception as e: print(type(e).__name__, e)
print(int.__new__(int, 7), str.__new__(str, 'a'), tuple.__new__(tuple, [1]), list.__new__(list,
      [1]) == [])
""",
    "object and metaclasses": r"""
class A: pass
class A2(A):
    def __init__(self): A.__init__(self); self.z = 1
print(A2().z, isinstance(A.__new__(A), A))
class Sing:
    _i = None
    def __new__(cls):
        if cls._i is None: cls._i = super().__new__(cls)
        return cls._i
print(Sing() is Sing())
class Meta(type):
    def __call__(cls, *a): return super().__call__(*a)
class WM(list, metaclass=Meta):
    def __init__(self, x): super().__init__([x])
print(WM(3))
""",
    "names of classes": r"""
import re
def norm(s): return re.sub('0x[0-9a-f]+', '0x', s)
class A: pass
class Outer:
    class Inner:
        class Deep: pass
    def m(self):
        class Loc: pass
        return Loc
def f():
    class L:
        class M: pass
    return L
print(A, type(A()), norm(repr(A())), Outer.Inner, Outer.Inner.Deep, Outer().m(), f(), f().M)
print(A.__qualname__, Outer.Inner.__qualname__, f().__qualname__, Outer().m().__qualname__,
      f().M.__name__)
print(A.__module__, int.__module__, A().__module__, int.__qualname__, Outer.Inner.__module__)
X = type('X', (), {})
print(X, X.__module__, X.__qualname__)
print(norm(str(f()())))
from collections import Counter, OrderedDict, deque, defaultdict, namedtuple, UserDict, ChainMap
print(Counter, OrderedDict, deque, defaultdict, UserDict, ChainMap)
P = namedtuple('P', 'x y')
print(P, P.__module__, P.__qualname__)
import datetime, decimal, fractions, dataclasses, json, abc, functools, enum, random
import statistics, string
print(datetime.date, datetime.timedelta, fractions.Fraction, decimal.Decimal,
      dataclasses.FrozenInstanceError)
print(datetime.date(2024, 1, 1).isocalendar(), json.JSONDecodeError, abc.ABC,
      statistics.NormalDist, string.Template, functools.partial)
print(re.Pattern, re.Match, random.Random)
print(int, type(None), type(A), ValueError, type, object, list[int] if 0 else '')
class E(Exception): pass
print(E, repr(E(1)), E(1))
try: raise E('x')
except E as e: print(type(e), e.__class__.__module__)
class S:
    def __str__(self): return 's'
print(S(), norm(repr(S())), norm(f'{S()!r}'), [A] == [A], [A])
class R:
    def __repr__(self): return 'r'
print(R(), str(R()), f'{R()}', '%s %r' % (R(), R()))
""",
    "getattribute": r"""
class GA:
    x = 1
    def __init__(self): self.y = 2
    def __getattribute__(self, n):
        if n == 'secret': raise AttributeError('no ' + n)
        if n.startswith('z'): return 'ga:' + n
        return object.__getattribute__(self, n)
    def m(self): return self.zed
g = GA()
print(g.zz, g.x, g.y, g.m(), hasattr(g, 'secret'), getattr(g, 'secret', 5))
g.y = 7; g.y += 1; print(g.y, g.__dict__, g.__class__.__name__)
class GB(GA):
    def __getattr__(self, n): return 'fallback ' + n
b = GB(); print(b.secret, b.nope, b.y, b.zx, b.m())
class GC:
    def __getattribute__(self, n): return super().__getattribute__(n) if n != 'q' else 42
    def k(self): return self.q
c = GC(); c.q = 1; print(c.q, c.k(), vars(c))
try: c.none
except AttributeError as e: print(e)
""",
    "assignment to class": r"""
class B:
    def f(self): return 'B'
class A: pass
a = A(); a.x = 1; a.__class__ = B
print(type(a).__name__, a.f(), a.x, isinstance(a, B), isinstance(a, A))
class L(list): pass
class L2(list):
    def g(self): return 'g'
l = L([1]); l.__class__ = L2; print(l, l.g())
for bad in (lambda: setattr(a, '__class__', 5), lambda: setattr(a, '__class__', int),
      lambda: setattr(a, '__class__', L), lambda: setattr(l, '__class__', A)):
    try: bad(); print('ok')
    except TypeError as e: print(e)
try: del a.__class__
except TypeError as e: print(e)
class Sl:
    __slots__ = ('a',)
try: Sl().__class__ = A; print('ok')
except TypeError as e: print(e)
object.__setattr__(a, '__class__', A); print(type(a).__name__)
""",
    "methods of object": r"""
import re
def norm(s): return re.sub('0x[0-9a-f]+', '0x', s)
class A: pass
a = A()
print(object.__eq__(a, a), object.__eq__(a, 1), object.__ne__(a, 1), norm(object.__repr__(a)),
      object.__hash__(a) == hash(a), A.__hash__(a) == hash(a), norm(A.__repr__(a)))
class Eq:
    def __eq__(self, o): return True
print(Eq.__hash__, A.__eq__ is not None)
class SE:
    def __eq__(self, o): return super().__eq__(o)
    def __hash__(self): return super().__hash__()
    def __repr__(self): return 'SE' + norm(super().__repr__())
s = SE(); print(s == s, s == SE(), hash(s) == hash(s), s, len({s, s}))
""",
    "names of functions": r"""
def f(a): pass
class A:
    def m(self, x): pass
    @staticmethod
    def s(x): pass
    @classmethod
    def c(cls, x): pass
    class B:
        def n(self, x): super().n()
    def __init__(self, x): pass
print(f.__qualname__, A.m.__qualname__, A.s.__qualname__, A.c.__qualname__, A.B.n.__qualname__)
print(f.__module__, A.m.__module__)
for call in (f, A.s, A.c, A, A.B().n, lambda: A.m(1, 2, 3), lambda: A(1, 2), lambda: A(x=1,
      y=2), lambda: A(1, x=2)):
    try: call()
    except TypeError as e: print(e)
""",
    "defaults of functions": r"""
def f(a, b=1, *c, d=2, e): pass
def g(): pass
def outer(x):
    def inner(y=x, *, z=3): return x
    return inner
def gen(a=5): yield a
class A:
    def m(self, k=[]): return k
for function in (f, g, outer, outer(7), gen, A.m, lambda q=1: q, lambda *, r=2: r):
    print(function.__defaults__, function.__kwdefaults__)
print(A().m() is A.m.__defaults__[0], outer(7).__name__)
""",
    "repr of super": r"""
class A: pass
class B(A):
    def f(self): return repr(super())
print(B().f(), super(A, B()))
""",
    "properties without functions": r"""
class P:
    @property
    def x(self): return 1
    y = property(None, lambda self, v: None)
for call in (lambda: setattr(P(), "x", 1), lambda: delattr(P(), "x"), lambda: P().y,
      lambda: delattr(P(), "y")):
    try: print(call())
    except AttributeError as e: print(e)
setattr(P(), "y", 3)
""",
    "docstrings before a semicolon": r"""
def f(): "doc"; return 1
def g():
    "two"; x = 3
    return x
class A: "three"; y = 1
class B:
    "four"; z = 1
def h(): 1; "no"
print(f.__doc__, f(), g.__doc__, g(), A.__doc__, A.y, B.__doc__, B.z, h.__doc__)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(any_device: Device, name: str) -> None:
    assert_alike(any_device, PROGRAMS[name])


HOSTILE = """\
def attempt(call):
    try: call()
    except Exception as e: print(type(e).__name__)
class L(list): pass
class I(int): pass
class M(type): pass
class A: pass
for cls in (list, int, str, tuple, dict, set, Exception, object, type, property, L, I, M, A):
    for name in ("__new__", "__init__", "__getattribute__", "__eq__", "__hash__", "__repr__"):
        method = getattr(cls, name, None)
        if method is None:
            continue
        for args in ((), (1,), (cls,), (A,), (L,), (I, "x"), (M,), (L(), 3), (I(), 3), (A(), "x"),
                     (cls, 1, 2, 3), (A, "__class__"), (Exception(), 1), (type, "n", (), {})):
            try: method(*args)
            except Exception: pass
class G:
    def __getattribute__(self, name): return self.other
attempt(lambda: G().x)
class H:
    def __getattribute__(self, name): raise KeyError(name)
    def __getattr__(self, name): return 1
attempt(lambda: H().x)
print(object.__getattribute__(3, "real"))
attempt(lambda: object.__getattribute__(A(), 3))
attempt(lambda: object.__getattribute__(A(), "x"))
A.__qualname__ = 5
A.__module__ = None
print(len(repr(A)) > 0, len(repr(A())) > 0)
L.__getattribute__ = 5
print(L([1]))
"""


def test_hostile_arguments(any_device: Device) -> None:
    text = printed(any_device, HOSTILE)
    expected = "RecursionError\nKeyError\n3\nTypeError\nAttributeError\nTrue True\n[1]\n"
    assert text == expected
