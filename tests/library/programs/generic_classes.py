from typing import *
from typing import Generic, TypeVar, Protocol, Mapping, List, Dict, NamedTuple, Iterator, Sequence, get_origin
from collections import OrderedDict
T = TypeVar("T"); K = TypeVar("K")
class Stack(Generic[T]):
    def __init__(self): self.items = []
    def push(self, x): self.items.append(x); return len(self.items)
print(Stack().push(3))
class Pair(Generic[T, K]):
    def __init__(self, a, b): self.a, self.b = a, b
print(Pair(1, 2).b)
class L(List[int]):
    def first(self): return self[0]
print(L([1, 2]).first(), len(L([5])), isinstance(L(), list))
class D(Dict[str, int]): pass
d = D(); d["a"] = 1; print(d["a"], len(d))
class M(Mapping[str, int]):
    def __getitem__(self, k): return 5
    def __iter__(self): return iter("ab")
    def __len__(self): return 2
print(dict(M().items()) == {"a": 5, "b": 5}, M().get("x"), isinstance(M(), Mapping) if 0 else 1)
class It(Iterator[int]):
    def __init__(self): self.n = 0
    def __next__(self):
        self.n += 1
        if self.n > 3: raise StopIteration
        return self.n
print(list(It()))
class P(Protocol):
    def f(self): ...
class Q(P):
    def f(self): return 7
print(Q().f())
class NT(NamedTuple):
    __annotations__ = OrderedDict([("x", int), ("y", int)]) if 1 else {}
    y = 3
    def s(self): return self.x + self.y
print(NT(1).s(), NT(1, y=5), NT(1)._fields, NT._fields)
