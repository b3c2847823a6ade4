"""Order of bases, `super`, attributes of functions, `__dict__` of instances: as in CPython."""

from __future__ import annotations

import random

from porter.run import Device
from tests.library.compare import assert_alike, printed

PRELUDE = """\
def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__)

"""
BOOLS = """\
print(issubclass(bool, int), isinstance(True, int), bool.__bases__, bool.__mro__, int.__mro__)
print(True + 1, True.bit_length(), isinstance(True, (str, int)), type(True) is int)
attempt(lambda: type("B", (bool,), {}))
match True:
    case int():
        print("int")
print({True: 1}[1], sum([True, True]), [5, 6][True], int.__add__(5, True))
"""
SUPERS = """\
class Base:
    def __init__(self, **kw): print("Base", sorted(kw))
class M1(Base):
    def __init__(self, a=0, **kw): print("M1", a); super().__init__(**kw)
class M2(Base):
    def __init__(self, b=0, **kw): print("M2", b); super().__init__(**kw)
class X(M1, M2):
    def __init__(self, **kw): super().__init__(**kw)
X(a=1, b=2)
class A:
    @classmethod
    def make(cls): return ["A", cls.__name__]
    @property
    def p(self): return "A"
class B(A):
    @classmethod
    def make(cls): return ["B"] + super().make()
    @property
    def p(self): return "B" + super().p
class C(A):
    @classmethod
    def make(cls): return ["C"] + super().make()
    @property
    def p(self): return "C" + super().p
class D(B, C): pass
print(D.make(), D().make(), D().p, super(B, D()).p, super(B, D).make())
attempt(lambda: super(C, B()))
attempt(lambda: super(B, D()).missing)
class E(Exception): pass
class F(E, KeyError): pass
class G(ValueError, E): pass
for kind in (F, G):
    try:
        raise kind("x")
    except LookupError as error:
        print("LookupError", type(error).__name__, error.args)
    except E as error:
        print("E", type(error).__name__, error.args, isinstance(error, ValueError))
class L(list): pass
class L1(L):
    def append(self, x): super().append(x * 2)
class L2(L):
    def append(self, x): super().append(x + 1)
class L3(L1, L2): pass
both = L3([1])
both.append(5)
print(both, len(both), isinstance(both, list))
attempt(lambda: type("Z", (list, dict), {}))
attempt(lambda: type("Z", (A, A), {}))
attempt(lambda: type("Z", (A, B), {}))
attempt(lambda: type("Z", (object, B), {}))
print(type("Z", (B, object), {}).__mro__ == (type("Z", (B,), {}).__mro__[1:]), A.__base__)
print([k.__name__ for k in D.mro()], D.__qualname__)
"""
FUNCTIONS = """\
def plain(): return plain.count
plain.count = 5
plain.count += 1
print(plain(), plain.count, plain.__name__, plain.__dict__, hasattr(plain, "x"), callable(plain))
def recursive(n):
    recursive.calls += 1
    return n if n < 2 else recursive(n - 1) + recursive(n - 2)
recursive.calls = 0
print(recursive(10), recursive.calls)
def counted(f):
    def wrapper(*args):
        wrapper.calls += 1
        return f(*args)
    wrapper.calls = 0
    return wrapper
@counted
def add(a, b): return a + b
print(add(1, 2), add(3, 4), add.calls)
def generator():
    yield generator.start
generator.start = 7
print(list(generator()))
del plain.count
attempt(lambda: plain.count)
attempt(lambda: delattr(plain, "nothing"))
class A:
    def method(self): return 1
    method.tag = "t"
a = A()
print(a.method.tag, A.method.tag, a.method(), a.method.__self__ is a, a.method.__func__ is A.method)
attempt(lambda: [].append.__func__)
attempt(lambda: setattr(a.method, "x", 1))
attempt(lambda: setattr(len, "x", 1))
def first():
    first.done = True
    return first.done
print(first(), first.done, sorted([3, 1], key=plain_key) if 0 else 0)
changing = lambda x: -x
changing.x = 1
print(sorted([3, 1, 2], key=changing), list(map(changing, [1])), max([1, 2], key=changing))
"""
MEMBERS = """\
class A:
    def __init__(self, **kw): self.__dict__.update(kw)
    def __eq__(self, other): return self.__dict__ == other.__dict__
a = A(x=1, y=2)
d = a.__dict__
print(a.x, d, vars(a), len(d), "x" in d, sorted(d), d["y"], d.get("z", 9), list(d.items()))
d["z"] = 3
a.w = 4
print(a.z, d["w"], d.pop("x"), d.pop("q", 0), hasattr(a, "x"), d.setdefault("s", 6), a.s)
del d["w"]
print(a.__dict__, a == A(**d), a == A(), dict(d), {**d}, A(**vars(a)) == a, bool(A().__dict__))
for name, value in vars(a).items(): print(name, value)
attempt(lambda: d["nothing"])
attempt(lambda: d.pop("nothing"))
d.update({"u": 1}, v=2)
d.update([("k", 5)])
print(a.u, a.v, a.k)
import copy, json
print(json.dumps(d), copy.copy(a) == a, copy.deepcopy(a).__dict__ == d, repr(d))
match d:
    case {"k": n, **rest}:
        print("mapping", n, rest)
match d:
    case dict():
        print("dict")
print({}.update(d), dict(**d), set(d) == set(d.keys()), d | {"y": 2}, isinstance(d, dict))
attempt(lambda: d.__class__.__name__)
import sys
sys.modules["made"] = a
from made import *
print(u, v, k)
d.clear()
print(a.__dict__, d == {}, d != {"a": 1}, {} == d)
print("x" in vars(A), vars(A)["__init__"] is not None)
def local():
    x = 1
    return vars() == {"x": 1} if False else True
print(local())
"""
SPECIAL = """\
class D(dict):
    def __missing__(self, key): return key * 2
    def __getattr__(self, name): return name
d = D(a=1)
print(d["a"], d["b"], "b" in d, d.get("b"), d.q)
class Only:
    def __init__(self, v): self.v = v
    def __lt__(self, other): return self.v < other.v
    def __le__(self, other): return self.v <= other.v
print(Only(1) > Only(0), Only(1) >= Only(2), max(Only(1), Only(5)).v)
print(sorted([Only(2), Only(1)])[0].v)
class None_:
    def __lt__(self, other): return NotImplemented
attempt(lambda: None_() < None_())
attempt(lambda: None_() > 5)
attempt(lambda: 5 < Only(1))
class I:
    def __index__(self): return 2
print([1, 2, 3][I()], "abc"[I()], range(I()), hex(I()), [1, 2, 3][:I()], (1, 2, 3)[I()], [0] * I())
class Bad:
    def __index__(self): return "a"
attempt(lambda: [1, 2][Bad()])
"""


def test_bools(any_device: Device) -> None:
    assert_alike(any_device, PRELUDE + BOOLS)


def test_super(any_device: Device) -> None:
    assert_alike(any_device, PRELUDE + SUPERS)


def test_attributes_of_functions(any_device: Device) -> None:
    assert_alike(any_device, PRELUDE + FUNCTIONS)


def test_members(any_device: Device) -> None:
    assert_alike(any_device, PRELUDE + MEMBERS)


def test_import_from_an_object_with_another_dict(any_device: Device) -> None:
    program = """\
import sys
class A: pass
a = A()
a.__dict__ = 5
sys.modules["made"] = a
try:
    from made import *
except TypeError:
    print("TypeError")
"""
    assert printed(any_device, program) == "TypeError\n"


def test_special_methods(any_device: Device) -> None:
    assert_alike(any_device, PRELUDE + SPECIAL)


def test_random_orders(any_device: Device) -> None:
    """Compare the MRO of random classes, and which class answers for a name."""
    source = random.Random(5)
    lines = ["class C0: pass"]
    for i in range(1, 60):
        bases = source.sample(range(i), min(i, source.randint(1, 4)))
        bases.sort(key=lambda number: -number if source.random() < 0.95 else number)
        names = ", ".join(f"C{number}" for number in bases)
        lines.append(f"""\
try:
    class C{i}({names}):
        m{source.randint(0, 9)} = {i}
        def f(self): return [{i}] + (super().f() if hasattr(super(), "f") else [])
    print({i}, [k.__name__ for k in C{i}.__mro__], C{i}().f())
    print([getattr(C{i}(), "m%d" % k, None) for k in range(10)])
except TypeError:
    C{i} = C0
    print({i}, "TypeError")""")
    assert_alike(any_device, "\n".join(lines) + "\n")
