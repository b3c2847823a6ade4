class Meta(type):
    @classmethod
    def __prepare__(mcls, name, bases, **kw):
        print("prepare", mcls.__name__, name, [base.__name__ for base in bases], kw)
        return {"given": 1}
    def __new__(mcls, name, bases, ns, **kw):
        return super().__new__(mcls, name, bases, ns)
    def __init__(cls, name, bases, ns, **kw):
        super().__init__(name, bases, ns)
class C(metaclass=Meta): pass
print(hasattr(C, "given"), C.given)
class D(C, x=3):
    y = given + 1
print(D.y, D.given)
class NS(dict):
    def __setitem__(self, k, v):
        if not k.startswith("__"): print("set", k, type(v).__name__)
        super().__setitem__(k, v)
class M2(type):
    @classmethod
    def __prepare__(mcls, name, bases): return NS(pre=5)
    def __new__(mcls, name, bases, ns):
        print(type(ns).__name__, sorted(k for k in ns if not k.startswith("__")))
        return super().__new__(mcls, name, bases, dict(ns))
class E(metaclass=M2):
    a = 1
    b = pre
    def f(self): return 7
print(E.a, E.b, E().f())
class M3(type):
    @classmethod
    def __prepare__(mcls, name, bases): return 5
try:
    class F(metaclass=M3): pass
except TypeError as e: print(e)
class M4(type):
    @classmethod
    def __prepare__(mcls, name, bases):
        d = super().__prepare__(name, bases); d["z"] = 9; return d
class G(metaclass=M4): w = z
print(G.w, type.__prepare__(), type.__prepare__("a", ()))
def maker(name, bases, ns, **kw): return name, bases, sorted(k for k in ns if k[0] != "_"), kw
class H(metaclass=maker, q=1): v = 1
print(H)
class EqM(type):
    def __eq__(cls, other): return isinstance(other, EqM) and cls.key == other.key
    def __hash__(cls): return hash(cls.key)
class P(metaclass=EqM): key = 1
class Q(metaclass=EqM): key = 1
class R(metaclass=EqM): key = 2
print(P == Q, P != Q, P == R, P != R, P == 1, 1 == P, P == None, {P: "p"}.get(Q), len({P, Q, R}), hash(P) == hash(1), P in [Q], [P, R].index(R), P == int, int == P, int == int, int == str, int != str)
class NoHash(type):
    def __eq__(cls, other): return NotImplemented
class S(metaclass=NoHash): pass
class T(metaclass=NoHash): pass
print(S == S, S == T, S != T, S == 3)
try: hash(S)
except TypeError as e: print(e)
try: {S: 1}
except TypeError as e: print(e)
class NeM(type):
    def __ne__(cls, o): return "ne"
    def __eq__(cls, o): return "eq"
    __hash__ = type.__hash__
class U(metaclass=NeM): pass
class V(metaclass=NeM): pass
print(U == V, U != V, isinstance(hash(U), int))
class Sub(type):
    def __subclasscheck__(cls, sub): return getattr(sub, "ok", False) or super().__subclasscheck__(sub)
    def __instancecheck__(cls, obj): return getattr(obj, "ok", False) or super().__instancecheck__(obj)
class W(metaclass=Sub): pass
class W2(W): pass
class X: ok = True
class Y: pass
print(issubclass(X, W), issubclass(Y, W), issubclass(W2, W), issubclass(W, W), isinstance(X(), W), isinstance(Y(), W), isinstance(W2(), W), isinstance(X(), (int, W)), issubclass(X, (int, W)), issubclass(Y, (int, W)), isinstance(3, (W, (str, int))), isinstance(3, (W, (str,))))
class Raises(type):
    def __subclasscheck__(cls, sub): raise ValueError("sc")
class Z(metaclass=Raises): pass
try: issubclass(int, Z)
except ValueError as e: print(e)
try: issubclass(3, W2)
except TypeError as e: print(e)
print(type.__subclasscheck__(int, bool), type.__instancecheck__(int, True), type.__instancecheck__(int, "a"))
