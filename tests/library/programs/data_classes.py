from dataclasses import dataclass, field, asdict, astuple, replace, fields, is_dataclass, FrozenInstanceError, make_dataclass, InitVar
from collections import OrderedDict
import sys
def A(*names): return OrderedDict([(n, int) for n in names])
@dataclass
class P:
    __annotations__ = A("x", "y", "z")
    y = 5
    z = field(default_factory=list)
p = P(1); print(p, P(1, 2, [3]), P(x=1, y=2), p == P(1), p == 1, p.z, asdict(p) == {'x': 1, 'y': 5, 'z': []}, astuple(p), replace(p, x=9), [f.name for f in fields(p)], is_dataclass(p), is_dataclass(3))
for args, kw in (((), {}), ((1, 2, 3, 4), {}), ((1,), {'x': 2}), ((1,), {'q': 2})):
    try: P(*args, **kw)
    except TypeError as e: print(e)
try: hash(p)
except TypeError: print("unhashable")
@dataclass(order=True, frozen=True)
class Q:
    __annotations__ = A("a", "b")
    b = field(default=1, compare=False, repr=False)
q = Q(1); print(q, q < Q(2), sorted([Q(3), Q(1)]), hash(q) == hash(Q(1, 5)), q == Q(1, 7), {q: 1}[Q(1)])
try: q.a = 3
except FrozenInstanceError as e: print(e)
try: del q.a
except AttributeError as e: print(e)
@dataclass
class R(P):
    __annotations__ = A("w")
    w = 7
    def __post_init__(self): self.total = self.x + self.w
print(R(1), R(1, w=2).total, R(1) == P(1))
try:
    @dataclass
    class S:
        __annotations__ = A("a", "b")
        a = 1
except TypeError as e: print(e)
try:
    @dataclass
    class S2:
        __annotations__ = A("a")
        a = []
except ValueError as e: print(e)
@dataclass(kw_only=True)
class K:
    __annotations__ = A("a", "b")
    a = 1
print(K(b=2))
try: K(1)
except TypeError as e: print(e)
try: K()
except TypeError as e: print(e)
@dataclass
class V:
    __annotations__ = OrderedDict([("a", int), ("b", "InitVar[int]")])
    def __post_init__(self, b): self.c = b
print(V(1, 2).c, V(1, 2))
@dataclass
class T:
    __annotations__ = A("kids", "d")
    kids = field(default_factory=list)
    d = field(default_factory=dict)
print(asdict(T([T()], {1: P(1)})) == {'kids': [{'kids': [], 'd': {}}], 'd': {1: {'x': 1, 'y': 5, 'z': []}}})
M = make_dataclass("M", ["a", ("b", int, 3)]); print(M(1))
