"""Protocols, TypedDict, singledispatch and abstract classes."""
from typing import *
T = TypeVar('T')
class St(Generic[T]): pass
print(St().__class__.__name__)
@runtime_checkable
class R(Protocol):
    def close(self): ...
class F:
    def close(self): pass
class G: pass
class H:
    close = None
print(isinstance(F(), R), isinstance(G(), R), issubclass(F, R), issubclass(G, R), isinstance(3, R), isinstance(H(), R))
class NR(Protocol):
    def f(self): ...
try: print(isinstance(F(), NR))
except TypeError: print('TypeError')
@runtime_checkable
class D(Protocol):
    name: str
    def f(self) -> int: ...
class K:
    def __init__(self): self.name = 'n'
    def f(self): return 1
print(isinstance(K(), D), isinstance(F(), D))
try: print(issubclass(K, D))
except TypeError: print('TypeError')
@runtime_checkable
class RR(R, Protocol):
    def open(self): ...
class O(F):
    def open(self): pass
print(isinstance(O(), RR), isinstance(F(), RR), isinstance(O(), R))
class Nom(R):
    pass
print(isinstance(Nom(), R), isinstance(Nom(), (int, R)))
class TD(TypedDict, total=False):
    a: int
class TD2(TD):
    b: str
    c: NotRequired[int]
print(TD(a=3), TD2(a=1, b='x'), sorted(TD.__required_keys__), sorted(TD.__optional_keys__), sorted(TD2.__required_keys__), sorted(TD2.__optional_keys__), TD.__total__, TD2.__total__, sorted(TD2.__annotations__))
Fn = TypedDict('Fn', {'x': int, 'y': int})
print(Fn(x=1, y=2), sorted(Fn.__required_keys__), type(Fn(x=1, y=1)) is dict)
import functools
@functools.singledispatch
def f(x): return 'o'
@f.register(int)
def _(x): return 'i'
@f.register(str)
@f.register(bytes)
def _(x): return 's'
print(f(1), f('a'), f(b''), f(1.5), f(True))
from types import *
print(UnionType.__name__, isinstance(int | str, UnionType), isinstance(3, UnionType))
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def f(self): ...
    @property
    @abstractmethod
    def p(self): ...
class B(A):
    def f(self): pass
class C(B):
    p = 1
print(sorted(A.__abstractmethods__), B.__abstractmethods__, C.__abstractmethods__)
try: B()
except TypeError: print('TypeError')
print(type(C()).__name__)
class Reg(ABC):
    made = []
    def __init_subclass__(cls, tag=None, **kw):
        super().__init_subclass__(**kw); cls.made.append(tag)
class X(Reg, tag=5): pass
print(Reg.made, X.__abstractmethods__)
