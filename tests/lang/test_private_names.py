"""Private names of classes: `__x` in the body of a class C is `_C__x`, as in CPython."""

from __future__ import annotations

from porter.run import Device
from tests.library.compare import assert_alike

PLACES = """\
class C:
    __count = 1
    def __init__(self, __a=1, *__rest, __key=2, **__kw):
        self.__x = __a
        self.__y, (self.__z, *self.__w) = 1, (2, 3)
        self.all = __a, __rest, __key, __kw
    def __private(self):
        return "private"
    def public(self):
        return self.__private(), C.__count, __class__.__count
    @property
    def __p(self):
        return self.__x
    def read(self):
        return self.__p
    @staticmethod
    def __static():
        return 1
    static = __static
    class __Inner:
        __v = 3
        def __f(self):
            return self.__v
        def g(self):
            return self.__f()
    inner = __Inner
    def nested(self):
        def __deep(__n):
            nonlocal __local
            __local += __n
            return lambda __m=__n: (__m, __n, self.__x)
        __local = 1
        return __deep(2)(), __local
    def loops(self):
        for __i in range(2):
            pass
        with_ = [__j for __j in range(3) if __j]
        return __i, with_, {__k: 1 for __k in "ab"}, sum(__q for __q in (1, 2))
    def deletes(self):
        __t = 1
        del __t
        del self.__x
        return sorted(self.__dict__)
    def catches(self):
        try:
            1 / 0
        except ZeroDivisionError as __e:
            return type(__e).__name__
    def imports(self):
        import sys as __sys
        from sys import path as __path
        import math as __m
        return sorted(locals()) if False else (__sys.path is __path, __m.pi > 3)
    def walrus(self):
        return [__v := 2, __v + 1]
    def text(self):
        return f"{self.__x} {self.__x!r:>3} {__class__.__count}"
    def keyword(self):
        try:
            return self.__call(__a=2)
        except TypeError:
            return self.__call(_C__a=1), dict(__a=3), print((__v := 4)) or __v
    def __call(self, __a):
        return __a
    def globals_(self):
        global __made
        __made = 4
    def annotated(self):
        __n: int = 5
        return __n
    __dunder__ = 1
    __ = 2
    __a_ = 3
    ___b = 4
c = C(5, 6, _C__key=8, other=9)
print(sorted(c.__dict__), c.all)
print(sorted(n for n in C.__dict__ if "__" in n and n[-2:] != "__" or n == "__dunder__"))
print(c.public(), c.read(), C.static(), C.inner().g(), C.inner.__name__)
print(c.nested(), c.loops(), c.catches(), c.imports(), c.walrus(), c.text(), c.keyword())
c.globals_()
print(_C__made, c.annotated(), c._C__private(), c._C__private.__name__)
print(c.deletes())
for name in ("__x", "__private", "__count"):
    print(hasattr(c, name), hasattr(c, "_C" + name))
class _Under:
    __x = 1
class __Two:
    __x = 1
class ___:
    __x = 1
class Child(C):
    __count = 10
    def both(self):
        return self.__count, self._C__count, super().public()
for k in (_Under, __Two, ___, Child):
    print(sorted(n for n in k.__dict__ if n[-2:] != "__"))
print(Child().both())
def outer():
    class Local:
        __x = 1
        def get(self):
            return self.__x
    return Local().get(), Local._Local__x
print(outer())
__x = "module"
def f(__x):
    return __x
print(f(1), f(__x=2), __x)
class Uses:
    def get(self):
        return __x
try:
    Uses().get()
except NameError as e:
    print(e)
"""


def test_places(any_device: Device) -> None:
    assert_alike(any_device, PLACES)


def test_bases_and_decorators(any_device: Device) -> None:
    assert_alike(
        any_device,
        """\
def tag(x):
    def add(c):
        c.tag = x
        return c
    return add
class A:
    __Base = dict
    __t = 5
    @tag(__t)
    class __In(__Base):
        __own = 6
        @tag(__own)
        def f(self, x=__own):
            return x
    @tag(__t + 1)
    def g(self, x=__t): return x, self.__In().f()
    In = __In
print(A.In.tag, A.g.tag, A().g(), A.In.f.tag, A.In.__mro__[1] is dict)
class M:
    def set(self):
        setattr(self, "__x", 1)
        return getattr(self, "__x"), sorted(self.__dict__)
print(M().set())
from dataclasses import dataclass
@dataclass
class P:
    __x: int
    y: int = 2
    def get(self):
        return self.__x
print(P(1).get(), P(1))
match 1:
    case x:
        class Q:
            __x = x
            match __x:
                case __y: pass
            got = __y
print(Q.got, Q._Q__y)
async def co():
    class R:
        async def __f(self): return 1
        async def g(self): return await self.__f()
    return await R().g()
try:
    co().send(None)
except StopIteration as e:
    print(e.value)
exec('class E:\\n def f(self):\\n  self.__x = 1\\ne = E(); e.f(); print(e.__dict__)')
print(eval("(lambda: __x)", {"__x": 1})())
""",
    )


def test_errors(any_device: Device) -> None:
    lines = []
    for source in ("((x, y) := 1)", "f(__a, *) = 1", "(__x.y := 2)", "def f(__a, __a): pass"):
        for text in (source, "class C:\n    " + source, "class C:\n  def f(self):\n    " + source):
            lines.append(f"try:\n    compile({text!r}, 'f', 'exec')\n")
            lines.append("except SyntaxError:\n    print('refused')\n")
    assert_alike(any_device, "".join(lines))
