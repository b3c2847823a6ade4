import enum
from enum import *
def t(s):
    try: print(s, '->', repr(eval(s, globals())))
    except Exception as e: print(s, '!!', type(e).__name__, e)
def tryclass(src):
    try:
        ns = dict(globals()); exec(src, ns); print('ok', ns.get('r'))
    except Exception as e: print(type(e).__name__, e)
for base in "Flag", "IntFlag":
    for b in "STRICT", "CONFORM", "EJECT", "KEEP", None:
        kw = f", boundary={b}" if b else ""
        for members in ("A = 1\n  B = 2\n  C = 4", "A = 1\n  C = 4", "A = 1\n  B = 6", "A = auto()\n  B = auto()\n  AB = 3", "A = 8\n  B = 2"):
            ns = dict(globals())
            try: exec(f"class X({base}{kw}):\n  {members}", ns)
            except Exception as e:
                print(base, b, members, type(e).__name__, e); continue
            X = ns["X"]
            print(base, b, members.split())
            for v in range(-10, 18):
                try: r = X(v); print(v, repr(r), type(r) is int, getattr(r, "_name_", "none"), r+0 if type(r) is int else r.value)
                except ValueError as e: print(v, e)
            for s in "X.A|X.A", "~X.A", "X.A ^ X(1)", "list(X)", "~X(0)", "X.A | 16", "16 | X.A", "X.A & 9", "X.A ^ 16", "~X.A & X.A", "X._boundary_", "X.A in X", "len(X)":
                try: print(s, repr(eval(s, ns)), str(eval(s, ns)))
                except Exception as e: print(s, type(e).__name__)
for s in "STRICT CONFORM EJECT KEEP UNIQUE CONTINUOUS NAMED_FLAGS".split(): t(s); t(s + ".value"); t(f"str({s})")
t("list(FlagBoundary)"); t("list(EnumCheck)"); t("FlagBoundary('keep')")
tryclass("@verify(UNIQUE)\nclass X(Enum):\n A=1\n B=1\n C=2\n D=2")
tryclass("@verify(UNIQUE)\nclass X(Enum):\n A=1\n B=2\nr=list(X)")
tryclass("@verify(CONTINUOUS)\nclass X(Enum):\n A=1\n B=4")
tryclass("@verify(CONTINUOUS)\nclass X(IntEnum):\n A=1\n B=2\n C=3\nr=list(X)")
tryclass("@verify(CONTINUOUS)\nclass X(Flag):\n A=1\n B=16")
tryclass("@verify(CONTINUOUS)\nclass X(Flag):\n A=1\n B=2\n C=4\nr=list(X)")
tryclass("@verify(CONTINUOUS)\nclass X(Enum):\n A=1\nr=list(X)")
tryclass("@verify(CONTINUOUS, UNIQUE)\nclass X(Enum):\n A=1\n B=3\n C=3")
tryclass("@verify(UNIQUE, CONTINUOUS)\nclass X(Enum):\n A=1\n B=3\n C=3")
tryclass("@verify(NAMED_FLAGS)\nclass X(Flag):\n A=1\n B=2\n W=15\n N=31")
tryclass("@verify(NAMED_FLAGS)\nclass X(Flag):\n A=1\n B=2\n W=7")
tryclass("@verify(NAMED_FLAGS)\nclass X(Flag):\n A=1\n B=2\n W=12")
tryclass("@verify(NAMED_FLAGS)\nclass X(Flag):\n A=1\n B=2\n W=3\nr=list(X)")
tryclass("class X(Enum):\n A=1\n @member\n def f(self): return 5\n @nonmember\n class N: pass\n z = nonmember(7)\n y = member(8)\nr=list(X.__members__), X.z, X.y.value, X.A")
tryclass("class X(Enum):\n A=1\n @enum.property\n def double(self): return self.value*2\nr=X.A.double")
tryclass("class X(Flag, boundary=KEEP):\n A=1\nclass Y(X):\n pass\nr=Y.__bases__ if 0 else 1")
tryclass("X = Flag('X', 'A B', boundary=CONFORM)\nr = X(7), X(4)")
tryclass("X = IntFlag('X', ['A', 'B'], boundary=EJECT)\nr = X(7), X(3)")
tryclass("class B(Flag, boundary=CONFORM): pass\nclass X(B):\n A=1\n B=2\nr=X(9), X(15), X(4)")
tryclass("class X(Enum):\n @staticmethod\n def _generate_next_value_(name, start, count, last): return (name, start, count, list(last))\n A=auto()\n B=auto()\nr=[m.value for m in X]")
tryclass("class X(Enum):\n A=1\n @classmethod\n def _missing_(cls, v): return 5\nX(3)")
tryclass("class X(Enum):\n A=1\n @classmethod\n def _missing_(cls, v): raise KeyError('q')\nX(3)")
tryclass("class X(StrEnum):\n A=auto()\n BIG=auto()\n C='x'\nr=list(X), str(X.A), X('big')")
tryclass("class X(Enum, boundary=STRICT):\n A=1\nr=list(X)")
tryclass("class X(Enum):\n A=1\nr=X.A.A if hasattr(X.A,'A') else 0")
tryclass("r=enum.show_flag_values(0)")
@global_enum
class G(Enum):
    GA = 1
    GB = 2
@global_enum
class H(IntFlag):
    HA = 1
    HB = 2
@global_enum
class I(IntEnum):
    IA = 1
print(GA, repr(GA), f"{GB}", G.GA is GA, repr(HA | HB), repr(H(0)), str(HA), repr(IA), str(IA))
