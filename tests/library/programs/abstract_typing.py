import collections.abc
from collections.abc import *
from collections.abc import Iterable, Sequence, Mapping, Hashable, Callable, Iterator, Sized, MutableMapping, Set, MutableSet, Generator, Container, Collection, MutableSequence
def g(): yield 1
class A:
    def __iter__(self): return self
    def __next__(self): raise StopIteration
    def __len__(self): return 0
class H:
    def __eq__(s, o): return True
    __hash__ = None
for v in ([], (), "", {}, set(), frozenset(), b"", range(3), 5, None, 1.5, g(), iter([]), len, int, A(), A, H(), {}.keys(), {}.items(), bytearray(), enumerate([]), zip()):
    print(str(type(v).__name__)[:4] in "", [isinstance(v, c) for c in (Iterable, Sequence, Mapping, Hashable, Callable, Iterator, Sized, MutableMapping, Set, MutableSet, Generator, Container, Collection, MutableSequence)], isinstance(v, (int, Sequence)))
class M(Mapping):
    def __init__(self, d): self.d = d
    def __getitem__(self, k): return self.d[k]
    def __iter__(self): return iter(self.d)
    def __len__(self): return len(self.d)
m = M({'a': 1}); print(m.get('b', 3), list(m.keys()), list(m.items()), list(m.values()), 'a' in m, m == {'a': 1}, isinstance(m, Mapping), isinstance(m, Iterable), issubclass(M, Mapping), isinstance(m, MutableMapping), isinstance(5, M))
class S(Set):
    def __init__(self, it): self.s = list(it)
    def __iter__(self): return iter(self.s)
    def __contains__(self, x): return x in self.s
    def __len__(self): return len(self.s)
print(sorted(S([1, 2]) & S([2, 3])), sorted(S([1]) | {5}), sorted(S([1, 2]) - S([1])), S([1]) <= S([1, 2]), sorted(S([1,2]) ^ S([2,3])), S([1]) == S([1]), S([1]).isdisjoint([2]))
class Q(MutableSequence):
    def __init__(self): self.l = []
    def __getitem__(self, i): return self.l[i]
    def __setitem__(self, i, v): self.l[i] = v
    def __delitem__(self, i): del self.l[i]
    def __len__(self): return len(self.l)
    def insert(self, i, v): self.l.insert(i, v)
q = Q(); q.append(1); q.extend([2, 3]); q.reverse(); print(list(q), q.pop(), 3 in q, q.index(2), q.count(3), list(reversed(q))); q += [9]; q.remove(9); print(list(q)); q.clear(); print(len(q))
Sequence.register(A); print(isinstance(A(), Sequence), issubclass(A, Sequence), issubclass(list, Sequence), issubclass(int, Hashable), issubclass(dict, Mapping))
from abc import ABC, abstractmethod
class B(ABC):
    @abstractmethod
    def f(self): pass
    @abstractmethod
    def g(self): pass
class C(B):
    def f(self): return 1
class D(C):
    def g(self): return 2
for k in B, C, D:
    try: print(k().g())
    except TypeError as e: print("TypeError")
from typing import *
from typing import List, Dict, Optional, Union, Callable, Any, TypeVar, Tuple, NamedTuple, cast, get_origin, get_args, Literal, NewType, Generic, Protocol, overload
import typing
print(List[int], Dict[str, List[int]], Optional[int], Union[int, str], Union[int, None], Callable[[int], str], Callable[..., Any], Tuple[int, ...], Any, List, Literal["a", 1], Union[int, Union[str, int]], Union[int])
T = TypeVar("T"); print(T, cast(int, "a"), get_origin(List[int]), get_args(Dict[str, int]), get_origin(Optional[int]) is Union, get_args(Optional[int]), get_args(Callable[[int], str]), NewType("U", int)(5), get_origin(int))
class St(Generic[T]):
    def f(self): return 1
print(St().f(), Optional[int] == Union[int, None], List[int] == List[int], len({List[int], List[int]}))
class Pr(Protocol):
    def f(self): ...
print(TypedDict if 0 else 1, typing.TYPE_CHECKING)
class TD(typing.TypedDict):
    x: int
print(TD(x=1))
NT = NamedTuple("NT", [("a", int), ("b", str)]); print(NT(1, "x"))
from typing_extensions import Self, override
