from enum import *
from enum import Enum, IntEnum, auto, unique, Flag, IntFlag
class C(Enum):
    RED = 1
    GREEN = 2
    CRIMSON = RED
    def hi(self): return "hi " + self.name
    @property
    def p(self): return self.value * 2
    @classmethod
    def parse(cls, s): return cls(int(s))
    @staticmethod
    def st(): return 5
print(C.RED.value, C(2), C['GREEN'], C.CRIMSON is C.RED, len(C), C.RED == C.RED, C.RED == C.GREEN, C.RED == 1, C.GREEN.hi(), C.GREEN.p, C.parse("2"), C.st(), isinstance(C.RED, C), isinstance(C.RED, Enum), C.RED in C, {C.RED: 1}[C.RED])
print(sorted([c.value for c in C]), C, f"{C.GREEN}", "%s" % C.GREEN, repr(C.GREEN), sorted(C.__members__))
try: C(5)
except ValueError as e: print(e)
try: C['X']
except KeyError as e: print("KeyError")
try: C.X
except AttributeError as e: print("AttributeError")
class A(Enum):
    X = auto()
    Y = auto()
    Z = auto()
print([(a.name, a.value) for a in A], list(A), A.X != A.Y)
class I(IntEnum):
    LOW = 1
    HIGH = 3
print(I.LOW < I.HIGH, I.LOW == 1, I.LOW + 1, I(3), repr(I.HIGH), sorted([I.HIGH, I.LOW]), [1, 2, 3][I.LOW], max(I), isinstance(I.LOW, int), hash(I.LOW) == hash(1), f"{I.LOW}", int(I.HIGH), I.LOW.value, I.HIGH > 2, 5 - I.HIGH, {1: 'a'}[I.LOW])
class P(Flag):
    R = auto()
    W = auto()
    X = auto()
p = P.R | P.W; print(p, repr(p), P.R in p, P.X in p, p & P.R, bool(p & P.X), repr(P(0)), p ^ P.R, repr(~P.R), p.value, list(p), P.R | P.W == p)
class Q(IntFlag):
    A = 1
    B = 2
print(repr(Q.A | Q.B), Q.A | 2 == 3, (Q.A | Q.B).value)
class Planet(Enum):
    E = (1.0, 2.0)
    M = (3.0, 4.0)
    def __init__(self, m, r): self.m = m; self.r = r
    @property
    def g(self): return self.m / self.r
print(Planet.E.g, Planet.E.value, Planet.M.m)
try:
    @unique
    class U(Enum):
        A = 1
        B = 1
except ValueError as e: print("ValueError")
F = Enum("F", "A B C"); print([(m.name, m.value) for m in F])
import copy
print(copy.deepcopy(C.RED) is C.RED, C.RED.__class__.__name__, type(C.RED).__name__)
class M(Enum):
    A = "a"
    @classmethod
    def _missing_(cls, v): return cls.A
print(M("zzz"))
